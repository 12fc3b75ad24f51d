// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobes, kretprobes and spans of functions: fetch.c parses their definitions; this attaches them and writes
 * their records.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include "probe/table.h"
#include "emit/emit.h"
#include "emit/scratch.h"
#include "emit/stack.h"
#include "event/define.h"
#include "lang/fetch.h"
#include "compat/clock.h"
#include "compat/heartbeat.h"
#include "compat/kprobe.h"
#include "compat/lockdown.h"
#include "compat/rcu.h"

/*
 * Calls of a span's function that are followed at one time, if its definition does not say. The kernel's
 * default for kretprobes, two a CPU, is too little for a function that sleeps.
 */
#define SPANS	256

struct ctrace_kprobe {
	union {
		struct kprobe kp;	/* one session's, and so is its count of misses */
		struct kretprobe rp;
	};
	u32 event_id;			/* 0, which no session wants, until it is known */
	u32 bit;			/* the session's; 0: only tried */
	bool gone;			/* unregistered by kprobe_stop_all() */
	struct ctrace_fetch *fetch;
	atomic64_t unwritten;		/* hits that found no scratch */
};

/* --- a hit ------------------------------------------------------------------ */

static __always_inline void fill_nothing(void *payload, const void *arg)
{
}

static __always_inline u32 eval(const struct ctrace_kprobe *k, const struct ctrace_who *who,
				struct pt_regs *regs, void *to)
{
	const struct ctrace_fetch_ctx x = {
		.regs = regs, .sp = kernel_stack_pointer(regs), .stack_size = THREAD_SIZE,
		.comm = who->task ? who->task->comm : "", .task = who->task && who->task->mm,
	};

	return ctrace_fetch_eval(k->fetch, &x, to);
}

static void emit_args(struct ctrace_kprobe *k, u32 mask, const struct ctrace_who *who,
		      struct pt_regs *regs)
{
	char *room = ctrace_scratch_take();	/* strings decide the payload's length */
	struct ctrace_copy c = { .from = room };

	if (unlikely(!room)) {
		atomic64_inc(&k->unwritten);
		return;
	}
	c.len = eval(k, who, regs, room);
	ctrace_emit(mask, k->event_id, who, c.len, ctrace_fill_copy, &c);
	ctrace_scratch_give();
}

/* Fills *who with the owner of the hit. Returns the bit of k's session if that wants the hit, else 0. */
static __always_inline u32 wanted(struct ctrace_kprobe *k, struct pt_regs *regs, bool breakpoint,
				  struct ctrace_who *who)
{
	u32 mask = ctrace_wants(READ_ONCE(k->event_id)) & k->bit;

	if (!mask)
		return 0;
	ctrace_identity_resolve_trap(who, breakpoint, regs);
	return ctrace_wanted(mask, who->container, who->task);
}

static __always_inline void hit_wanted(struct ctrace_kprobe *k, struct pt_regs *regs, bool breakpoint)
{
	const struct pt_regs *outer;
	struct ctrace_who who;
	u32 mask = wanted(k, regs, breakpoint, &who);

	if (!mask)
		return;
	outer = ctrace_stack_begin(regs);
	if (k->fetch->nargs)
		emit_args(k, mask, &who, regs);
	else
		ctrace_emit(mask, k->event_id, &who, 0, fill_nothing, NULL);
	ctrace_stack_end(outer);
}

static __always_inline void hit(struct ctrace_kprobe *k, struct pt_regs *regs, bool breakpoint)
{
	ctrace_compat_rcu_begin();
	hit_wanted(k, regs, breakpoint);
	ctrace_compat_rcu_end();
}

static int enter(struct kprobe *kp, struct pt_regs *regs)
{
	hit(container_of(kp, struct ctrace_kprobe, kp), regs, !kprobe_ftrace(kp));
	return 0;
}
NOKPROBE_SYMBOL(enter);

/* A call that the session does not want keeps no instance, as these are few: its return is not seen. */
static int enter_ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = ctrace_compat_kretprobe(ri);
	struct ctrace_who who;
	bool unwanted;

	ctrace_compat_rcu_begin();
	unwanted = !rp || !wanted(container_of(rp, struct ctrace_kprobe, rp), regs,
				  !kprobe_ftrace(&rp->kp), &who);
	ctrace_compat_rcu_end();
	return unwanted;
}
NOKPROBE_SYMBOL(enter_ret);

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = ctrace_compat_kretprobe(ri);

	if (rp)
		hit(container_of(rp, struct ctrace_kprobe, rp), regs, false);
	return 0;
}
NOKPROBE_SYMBOL(leave);

/* --- a span: what its entry leaves for its return, in the kretprobe's instance ---- */

struct begun {
	u64 time;
	u32 len;		/* bytes of args */
	u32 unused;
	u64 args[];		/* fetch->max bytes */
};

static int enter_span(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = ctrace_compat_kretprobe(ri);
	struct begun *b = (void *)ri->data;
	struct ctrace_kprobe *k;
	struct ctrace_who who;
	bool follow = false;

	if (!rp)
		return 1;
	k = container_of(rp, struct ctrace_kprobe, rp);
	ctrace_compat_rcu_begin();
	if (wanted(k, regs, !kprobe_ftrace(&rp->kp), &who)) {
		follow = true;
		b->len = k->fetch->nargs ? eval(k, &who, regs, b->args) : 0;
		b->time = ctrace_compat_clock();
	}
	ctrace_compat_rcu_end();
	return !follow;
}
NOKPROBE_SYMBOL(enter_span);

struct span_arg {
	struct ctrace_fetch_span head;
	const struct begun *begun;
};

static __always_inline void fill_span(void *payload, const void *arg)
{
	const struct span_arg *a = arg;
	struct ctrace_fetch_span *to = payload;

	*to = a->head;
	memcpy(to + 1, a->begun->args, a->begun->len);
}

static int leave_span(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = ctrace_compat_kretprobe(ri);
	u64 now = ctrace_compat_clock();
	const struct pt_regs *outer;
	struct ctrace_kprobe *k;
	struct ctrace_who who;
	struct span_arg a;
	u32 mask;

	if (!rp)
		return 0;
	k = container_of(rp, struct ctrace_kprobe, rp);
	a.begun = (void *)ri->data;
	a.head.duration = ctrace_compat_passed(a.begun->time, now);
	a.head.ret = regs_return_value(regs);
	ctrace_compat_rcu_begin();
	mask = wanted(k, regs, false, &who);
	if (mask) {
		outer = ctrace_stack_begin(regs);
		ctrace_emit(mask, k->event_id, &who, sizeof(a.head) + a.begun->len, fill_span, &a);
		ctrace_stack_end(outer);
	}
	ctrace_compat_rcu_end();
	return 0;
}
NOKPROBE_SYMBOL(leave_span);

/* --- life --------------------------------------------------------------------- */

static const char *symbol_error(const struct ctrace_kprobe *k, int err)
{
	switch (err) {
	case -ENOENT:
		if (k->fetch->offset)
			return "no such kernel function, or the offset is beyond its end";
		return strchr(k->fetch->symbol, ':') ?
		       "no such module, or no such function in it: see /proc/modules, /proc/kallsyms" :
		       "no such kernel function: see /proc/kallsyms (it may be inlined)";
	case -EILSEQ:
		return "no instruction begins at that offset";
	case -EINVAL:
		if (!ctrace_compat_insn_at(k->fetch->offset))
			return "no instruction begins at that offset";
		return k->fetch->offset ? "cannot take a kprobe at that offset, or at all (the kernel's blacklist)" :
		       "cannot take a kprobe: it is on the kernel's blacklist, or is not a function";
	default:
		return NULL;
	}
}

static int register_error(const struct ctrace_kprobe *k, int err, char *why)
{
	const char *text = symbol_error(k, err);
	char offset[24] = "";

	if (k->fetch->offset)
		snprintf(offset, sizeof(offset), "+%#llx", (unsigned long long)k->fetch->offset);
	if (text)
		return ctrace_why(why, err, "'%.64s%s': %s", k->fetch->symbol, offset, text);
	return ctrace_why(why, err, "'%.64s%s': the kernel refuses the kprobe with error %d", k->fetch->symbol, offset, err);
}

/* Is it a kretprobe? */
static bool returns(const struct ctrace_kprobe *k)
{
	return k->fetch->ret || k->fetch->span;
}

static void unregister(struct ctrace_kprobe *k)
{
	/* both wait until no handler runs */
	if (k->gone)
		return;
	if (returns(k))
		unregister_kretprobe(&k->rp);
	else
		unregister_kprobe(&k->kp);
}

/*
 * The kernel takes any offset that leads somewhere into its text, perhaps into another function. So
 * compare the offset there with what was asked for. It is the same under an alias of the symbol, and
 * larger where the entry was moved behind a landing pad: both are fine.
 */
static int check_offset(const struct ctrace_kprobe *k, char *why)
{
	char where[KSYM_SYMBOL_LEN];
	unsigned long offset;
	const char *plus;

	sprint_symbol(where, (unsigned long)k->kp.addr);
	plus = strchr(where, '+');
	if (!k->fetch->offset || !plus || sscanf(plus, "+%lx/", &offset) != 1 ||
	    offset >= k->fetch->offset)
		return 0;
	return ctrace_why(why, -EINVAL,
			  "'%.64s+%#llx': the offset is beyond the function's end, in '%.48s'",
			  k->fetch->symbol, (unsigned long long)k->fetch->offset, where);
}

static bool symbol_there(const struct ctrace_fetch *f)
{
	struct kprobe look = { .symbol_name = f->symbol, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&look);

	if (!err)
		unregister_kprobe(&look);
	return err != -ENOENT;
}

static int register_it(struct ctrace_kprobe *k, char *why)
{
	int err;

	k->kp.symbol_name = k->fetch->symbol;
	k->kp.offset = k->fetch->offset;
	if (returns(k)) {
		k->rp.entry_handler = k->fetch->span ? enter_span : enter_ret;
		k->rp.handler = k->fetch->span ? leave_span : leave;
		k->rp.maxactive = k->fetch->maxactive ?: k->fetch->span ? SPANS : 0;
		if (k->fetch->span)
			k->rp.data_size = sizeof(struct begun) + k->fetch->max;
		err = register_kretprobe(&k->rp);
		/* older kernels (4.14) return -EINVAL for a missing symbol, too */
		if (err == -EINVAL && !symbol_there(k->fetch))
			err = -ENOENT;
	} else {
		k->kp.pre_handler = enter;
		err = register_kprobe(&k->kp);
	}
	if (err)
		return register_error(k, err, why);
	err = check_offset(k, why);
	if (err)
		unregister(k);
	return err;
}

/* To be called only once the kernel took the kprobe: types stay for long. session: its mask, or 0 */
static const struct ctrace_event_type *type_of(const struct ctrace_fetch *f, const char *text, u32 session)
{
	struct ctrace_event_type t = {
		.system = f->system, .name = f->name, .definition = f->plain ? NULL : text,
		.fields = f->fields, .nfields = f->nfields, .flags = f->kaddr ? CTRACE_TYPE_F_KADDR : 0,
	};

	return ctrace_event_dynamic(&t, session);
}

static struct ctrace_kprobe *kprobe_new(const char *text, char *why)
{
	struct ctrace_kprobe *k = kzalloc(sizeof(*k), GFP_KERNEL);
	int err;

	BUILD_BUG_ON(offsetof(struct kretprobe, kp));	/* k->kp is that of a kretprobe, too */
	BUILD_BUG_ON(sizeof(struct ctrace_fetch_span) % 8 || CTRACE_FETCH_ARGS > CTRACE_EVENT_FIELDS ||
		     CTRACE_FETCH_PAYLOAD != CTRACE_PAYLOAD_MAX);
	if (!k)
		return ERR_PTR(-ENOMEM);
	err = ctrace_fetch_new(text, &k->fetch, why, CTRACE_WHY_MAX);
	if (!err && ctrace_compat_locked_kprobes()) {
		ctrace_free(k->fetch);
		err = ctrace_why(why, -EPERM,
				 "the kernel is locked down (confidentiality): it refuses kprobes, which may read its memory, to all tracers");
	}
	if (err) {
		kfree(k);
		return ERR_PTR(err);
	}
	return k;
}

static void kprobe_free(struct ctrace_kprobe *k)
{
	ctrace_free(k->fetch);
	kfree(k);
}

/* An event that has the name already would hide the new definition. */
static int check_name(const struct ctrace_fetch *f, char *why)
{
	if (!ctrace_defined(f->name) && !ctrace_event_by_name(NULL, f->name))
		return 0;
	return ctrace_why(why, -EEXIST, "an event '%.64s' already exists: choose another name", f->name);
}

static const struct ctrace_event_type *kprobe_define(const char *text, char *why)
{
	struct ctrace_kprobe *k = kprobe_new(text, why);
	const struct ctrace_event_type *t;
	int err;

	if (IS_ERR(k))
		return ERR_CAST(k);
	if (k->fetch->plain)
		err = ctrace_why(why, -EINVAL,
				 "'%.64s' needs no definition: use it as it is, or define p:NAME, r:NAME or f:NAME and a FUNCTION",
				 k->fetch->name);
	else
		err = check_name(k->fetch, why);
	err = err ?: register_it(k, why);
	t = ERR_PTR(err);
	if (!err) {
		unregister(k);
		t = type_of(k->fetch, text, 0);
	}
	kprobe_free(k);
	return t;
}

static int check_twice(const struct ctrace_probe *p, const struct ctrace_event_type *t, char *why)
{
	const struct ctrace_probe *q;

	list_for_each_entry(q, &p->session->probes, list)
		if (q->kind == p->kind && q->ranges[0].from == t->id) {
			return ctrace_why(why, -EEXIST,
					  "session %u already records this event, with probe '%.64s'",
					  p->session->id, q->name);
		}
	return 0;
}

static int kprobe_add(struct ctrace_probe *p, const char *text, char *why)
{
	struct ctrace_kprobe *k = kprobe_new(text, why);
	const struct ctrace_event_type *t;
	const char *blind;
	int err;

	if (IS_ERR(k))
		return PTR_ERR(k);
	k->bit = 1u << p->session->index;
	err = register_it(k, why);
	if (err)
		goto free;
	t = type_of(k->fetch, text, k->bit);
	err = PTR_ERR_OR_ZERO(t) ?: check_twice(p, t, why);
	if (err)
		goto unregister;
	blind = ctrace_compat_blind_kprobe(&k->kp);
	if (blind) {
		err = ctrace_why(why, -EOPNOTSUPP, "'%.64s' would never be hit: %s", k->fetch->symbol, blind);
		goto unregister;
	}
	p->by_kprobe = true;
	p->by_ftrace = kprobe_ftrace(&k->kp);
	WRITE_ONCE(k->event_id, t->id);
	p->ranges[0].from = t->id;
	p->ranges[0].n = 1;
	p->priv = k;
	return 0;
unregister:
	unregister(k);
free:
	kprobe_free(k);
	return err;
}

static void kprobe_del(struct ctrace_probe *p)
{
	struct ctrace_kprobe *k = p->priv;

	unregister(k);
	kprobe_free(k);
}

/* There may be hundreds: wait once for all kprobes and once for all kretprobes, not for each. */
static void kprobe_stop_all(struct ctrace_session *s)
{
	u32 n = 0, nkps = 0, nrps = 0;
	struct ctrace_kprobe *k;
	struct ctrace_probe *p;
	void **kps, **rps;

	list_for_each_entry(p, &s->probes, list)
		n += p->kind == &ctrace_kind_kprobe;
	kps = n ? kcalloc(n, 2 * sizeof(*kps), GFP_KERNEL) : NULL;
	if (!kps)
		return;		/* kprobe_del() unregisters them one by one, then */
	rps = kps + n;
	list_for_each_entry(p, &s->probes, list) {
		if (p->kind != &ctrace_kind_kprobe)
			continue;
		k = p->priv;
		if (returns(k))
			rps[nrps++] = &k->rp;
		else
			kps[nkps++] = &k->kp;
		k->gone = true;
	}
	if (nkps)
		unregister_kprobes((struct kprobe **)kps, nkps);
	if (nrps)
		unregister_kretprobes((struct kretprobe **)rps, nrps);
	kfree(kps);
}

static u64 kprobe_missed(const struct ctrace_probe *p)
{
	const struct ctrace_kprobe *k = p->priv;

	return k->kp.nmissed + (returns(k) ? k->rp.nmissed : 0) + atomic64_read(&k->unwritten);
}

static const char *const prefixes[] = {
	"kprobe:", "kretprobe:", "p:", "p ", "r:", "r ",
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9",
	"func:", "f:", "f ", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", NULL
};

const struct ctrace_probe_kind ctrace_kind_kprobe = {
	.prefixes = prefixes, .define = kprobe_define, .add = kprobe_add, .del = kprobe_del,
	.stop_all = kprobe_stop_all, .missed = kprobe_missed,
};
