// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any tracepoint, with its arguments as the kernel passes them: eight bytes each; the upper bytes of a
 * narrower argument mean nothing. Pointers stay pointers, so a session with such a probe has no views of
 * single containers. SUBSYS:NAME is one of the kernel's own events that is not curated here. raw:NAME is
 * any tracepoint at all, even one that has no event, or a curated one.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include "probe/table.h"
#include "emit/emit.h"
#include "compat/tracepoint.h"

#define MAX_ARGS	12	/* the kernel's own limit for tracepoints */

struct raw {
	struct ctrace_source source;	/* one session's: registered while the session has the probe */
	struct ctrace_compat_tp tp;
	u32 event_id;
	u32 bit;
	u32 nargs;
	atomic64_t missed;
};

/*
 * Our own code may hit a tracepoint (a contended lock, an interrupt to this CPU), whose probe would then
 * set itself off for ever. So one raw probe runs at a time on each level: task, softirq, interrupt, NMI.
 */
struct running {
	bool at[4];
};

static DEFINE_PER_CPU(struct running, running);

static __always_inline u32 level(void)
{
	return in_nmi() ? 3 : hardirq_count() ? 2 : in_serving_softirq() ? 1 : 0;
}

struct raw_arg {
	const u64 *args;
	u32 n;
};

static __always_inline void fill_raw(void *payload, const void *arg)
{
	const struct raw_arg *a = arg;

	memcpy(payload, a->args, a->n * sizeof(u64));
}

/* Any context incl. NMI; preemption off. */
static __always_inline void on_hit(struct raw *raw, u32 mask, const u64 *args)
{
	struct raw_arg a = { .args = args, .n = raw->nargs };
	struct ctrace_who who;

	ctrace_identity_resolve_context(&who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (mask)
		ctrace_emit(mask, raw->event_id, &who, a.n * sizeof(u64), fill_raw, &a);
}

/* Any context incl. NMI. args has raw->nargs elements. */
static noinline void hit(struct raw *raw, const u64 *args)
{
	bool *busy;
	u32 mask;

	ctrace_compat_probe_begin();
	mask = ctrace_wants(raw->event_id) & raw->bit;
	busy = &this_cpu_ptr(&running)->at[level()];
	if (mask && READ_ONCE(*busy)) {
		atomic64_inc(&raw->missed);
	} else if (mask) {
		WRITE_ONCE(*busy, true);
		barrier();
		on_hit(raw, mask, args);
		barrier();
		WRITE_ONCE(*busy, false);
	}
	ctrace_compat_probe_end();
}

/*
 * One function for each number of arguments, so that none reads an argument that was not passed: beyond
 * the registers it would read the caller's stack.
 */
static void probe_0(void *data)
{
	hit(data, NULL);
}

#define P1	u64 a1
#define P2	P1, u64 a2
#define P3	P2, u64 a3
#define P4	P3, u64 a4
#define P5	P4, u64 a5
#define P6	P5, u64 a6
#define P7	P6, u64 a7
#define P8	P7, u64 a8
#define P9	P8, u64 a9
#define P10	P9, u64 a10
#define P11	P10, u64 a11
#define P12	P11, u64 a12
#define A1	a1
#define A2	A1, a2
#define A3	A2, a3
#define A4	A3, a4
#define A5	A4, a5
#define A6	A5, a6
#define A7	A6, a7
#define A8	A7, a8
#define A9	A8, a9
#define A10	A9, a10
#define A11	A10, a11
#define A12	A11, a12
#define PROBE(n)								\
static void probe_##n(void *data, P##n)						\
{										\
	const u64 args[] = { A##n };						\
										\
	hit(data, args);							\
}
PROBE(1) PROBE(2) PROBE(3) PROBE(4) PROBE(5) PROBE(6)
PROBE(7) PROBE(8) PROBE(9) PROBE(10) PROBE(11) PROBE(12)

static void *const probes[MAX_ARGS + 1] = {
	probe_0, probe_1, probe_2, probe_3, probe_4, probe_5, probe_6,
	probe_7, probe_8, probe_9, probe_10, probe_11, probe_12,
};

static const struct ctrace_event_type *type_of(const char *system, const char *tracepoint, u32 nargs,
						u32 session)
{
	struct ctrace_field_desc fields[MAX_ARGS];
	char names[MAX_ARGS][8], name[CTRACE_NAME_MAX];
	struct ctrace_event_type t = {
		.system = system, .name = name, .source = tracepoint, .fields = fields,
		.nfields = nargs, .flags = CTRACE_TYPE_F_KADDR,
	};
	u32 i;

	/* raw_ distinguishes it from a curated event of that name in the same trace */
	snprintf(name, sizeof(name), "%s%s", strcmp(system, "raw") ? "" : "raw_", tracepoint);
	for (i = 0; i < nargs; i++) {
		snprintf(names[i], sizeof(names[i]), "arg%u", i + 1);
		fields[i] = (struct ctrace_field_desc)CTRACE_FIELD(UINT, HEX, names[i], 8);
	}
	return ctrace_event_dynamic(&t, session);
}

static int find(struct raw *raw, const char *system, const char *name, char *why)
{
	int n;

	if (ctrace_compat_tp_get(name, &raw->tp))
		return ctrace_why(why, -ENOENT, "no tracepoint '%.64s' in this kernel or its modules",
				  name);
	if (strcmp(system, "raw") && !ctrace_compat_event_exists(system, name)) {
		ctrace_compat_tp_put(&raw->tp);
		return ctrace_why(why, -ENOENT,
				  "tracepoint '%.64s' is not in subsystem '%.32s': 'raw:%.64s' needs no subsystem",
				  name, system, name);
	}
	n = ctrace_compat_tp_nargs(&raw->tp);
	raw->nargs = n < 0 ? CTRACE_COMPAT_TP_REGS : n;
	if (raw->nargs > MAX_ARGS) {
		ctrace_compat_tp_put(&raw->tp);
		return ctrace_why(why, -E2BIG, "tracepoint '%.64s' has %u arguments, but at most %u can be recorded",
				  name, raw->nargs, MAX_ARGS);
	}
	return 0;
}

static void raw_del(struct ctrace_probe *p)
{
	struct raw *raw = p->priv;

	/* raw->source was unregistered with p, and the caller has waited for its running handlers. */
	ctrace_compat_tp_put(&raw->tp);
	kfree(raw);
}

static int raw_add(struct ctrace_probe *p, const char *text, char *why)
{
	const struct ctrace_event_type *t;
	const char *name = strchr(text, ':') + 1;
	char system[32];
	struct raw *raw;
	int err;

	if (name - text > sizeof(system) || strlen(name) >= CTRACE_NAME_MAX - strlen("raw_"))
		return ctrace_why(why, -ENAMETOOLONG, "'%.64s' is too long for a tracepoint's name",
				  text);
	strscpy(system, text, name - text);
	if (!ctrace_compat_tp_may_raw())
		return ctrace_why(why, -EOPNOTSUPP,
				  "raw tracepoints are not available: this kernel checks the types of indirect calls (CFI)");
	raw = kzalloc(sizeof(*raw), GFP_KERNEL);
	if (!raw)
		return -ENOMEM;
	err = find(raw, system, name, why);
	if (err)
		goto free_raw;
	raw->bit = 1u << p->session->index;
	t = type_of(system, name, raw->nargs, raw->bit);
	if (IS_ERR(t)) {
		err = PTR_ERR(t);
		goto put_tp;
	}
	raw->event_id = t->id;
	raw->source.tracepoint = t->source;
	raw->source.fn = probes[raw->nargs];
	raw->source.data = raw;
	raw->source.tp = &raw->tp;
	p->sources[0] = &raw->source;
	p->ranges[0].from = t->id;
	p->ranges[0].n = 1;
	p->priv = raw;
	return 0;

put_tp:
	ctrace_compat_tp_put(&raw->tp);
free_raw:
	kfree(raw);
	return err;
}

static u64 raw_missed(const struct ctrace_probe *p)
{
	const struct raw *raw = p->priv;

	return atomic64_read(&raw->missed);
}

static const char *const prefixes[] = { "raw:", NULL };

const struct ctrace_probe_kind ctrace_kind_raw = {
	.prefixes = prefixes, .any = true, .add = raw_add, .del = raw_del, .missed = raw_missed,
};
