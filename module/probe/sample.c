// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples: what each CPU is doing, hz times a second of its clock, with the kernel's and the user's
 * stack. Each CPU has a perf event, whose timer interrupt calls us.
 *
 * Idle CPUs give no samples: these would be most of a trace, and belong to no container.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "probe/optional.h"
#include "emit/emit.h"
#include "emit/stack.h"
#include "compat/clock.h"
#include "compat/cpu.h"
#include "compat/rcu.h"
#include "compat/stack.h"

#define HZ_MAX	10000

struct sample {
	u64 ip;
	u32 user, hz, nkernel, nuser;
	u64 kernel[CTRACE_STACK_DEPTH], stack[CTRACE_STACK_DEPTH];
};

struct ctrace_sampler;

struct sampler_cpu {
	struct perf_event *event;	/* NULL: the CPU is offline, or got none. cpus_read_lock() to read */
	u64 without;			/* since when it is online without an event; 0: it is not. Likewise */
	struct sample room;		/* for the handler, whose interrupts do not nest */
};

struct ctrace_sampler {
	struct hlist_node node;		/* of cpus */
	struct sampler_cpu __percpu *cpu;
	u32 bit, hz;			/* invariant */
	int failed;			/* CPU hotplug's last error; the start of the sampler looks at it */
	/* samples of CPUs that were online without an event; cpus_read_lock() */
	u64 missed;
};

static u32 samplers;			/* users of cpus; protected by ctrace_lock */

/* --- the sample ---------------------------------------------------------------- */

CTRACE_PAYLOAD(sample_payload, CTRACE_SAMPLE_FIELDS);
CTRACE_PAYLOAD(sample_user, CTRACE_SAMPLE_USER_FIELDS);

static __always_inline void fill_sample(void *payload, const void *arg)
{
	struct sample_payload *r = payload;
	const struct sample *s = arg;
	struct sample_user *u = (void *)&r->callstack_kernel[s->nkernel];

	r->ip = s->ip;
	r->user = s->user;
	r->callstack_kernel_length = s->nkernel;
	memcpy(r->callstack_kernel, s->kernel, s->nkernel * sizeof(u64));
	u->hz = s->hz;
	u->callstack_user_length = s->nuser;
	memcpy(u->callstack_user, s->stack, s->nuser * sizeof(u64));
}

/*
 * Did our interrupt hit a task, not another interrupt? hardirq_count() includes our own. A softirq is no
 * task's work, whether it runs in ksoftirqd or on top of any task.
 */
static bool upon_task(const struct pt_regs *regs)
{
	return ctrace_compat_user_mode(regs) || (hardirq_count() <= HARDIRQ_OFFSET && !in_serving_softirq());
}

static void sample(struct perf_event *event, struct pt_regs *regs)
{
	struct ctrace_sampler *sr = event->overflow_handler_context;
	u32 mask = ctrace_wants(CTRACE_ID_CPU_SAMPLE) & sr->bit;
	struct sample *s = &this_cpu_ptr(sr->cpu)->room;
	const struct pt_regs *outer;
	struct ctrace_who who;

	if (!mask)
		return;
	ctrace_identity_host(&who);
	if (upon_task(regs)) {
		if (is_idle_task(current))
			return;
		ctrace_identity_resolve_current(&who);
	}
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	s->ip = instruction_pointer(regs);
	s->user = ctrace_compat_user_mode(regs);
	s->hz = sr->hz;
	s->nkernel = ctrace_stack_kernel(s->kernel, regs);
	outer = ctrace_stack_begin(regs);
	/* In the kernel, too: the user's stack shows what led the task there. */
	s->nuser = who.task ? ctrace_stack_user(s->stack) : 0;
	ctrace_emit(mask, CTRACE_ID_CPU_SAMPLE, &who,
		    CTRACE_SIZE(sample_payload) + CTRACE_SIZE(sample_user) +
		    (s->nkernel + s->nuser) * sizeof(u64), fill_sample, s);
	ctrace_stack_end(outer);
}

/* Hardirq context, interrupts off. */
static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	ctrace_compat_rcu_begin();
	sample(event, regs);
	ctrace_compat_rcu_end();
}

/* --- CPUs come and go ---------------------------------------------------------- */

static u64 samples_since(const struct ctrace_sampler *sr, u64 since)
{
	return since ? div_u64((ctrace_compat_clock() - since) * sr->hz, NSEC_PER_SEC) : 0;
}

/*
 * On that CPU, or for it at registration; one call at a time for each CPU. No error is returned: a CPU must
 * not stay away because somebody samples. It goes without, and what it does not sample is counted.
 */
static int on_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct ctrace_sampler *sr = hlist_entry(node, struct ctrace_sampler, node);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = NSEC_PER_SEC / sr->hz,
		.pinned = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, handler, sr);
	if (IS_ERR(event)) {
		WRITE_ONCE(sr->failed, PTR_ERR(event));
		per_cpu_ptr(sr->cpu, cpu)->without = ctrace_compat_clock();
	} else {
		per_cpu_ptr(sr->cpu, cpu)->event = event;
	}
	return 0;
}

/* When this returns, the handler does not run there and will not. */
static int on_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct ctrace_sampler *sr = hlist_entry(node, struct ctrace_sampler, node);
	struct sampler_cpu *c = per_cpu_ptr(sr->cpu, cpu);

	if (c->event)
		perf_event_release_kernel(c->event);
	c->event = NULL;
	sr->missed += samples_since(sr, c->without);
	c->without = 0;
	return 0;
}

static struct ctrace_compat_cpus cpus = {
	.name = "ctrace:sample", .online = on_cpu_online, .offline = on_cpu_offline,
};

static int cpus_get(void)
{
	int err = samplers ? 0 : ctrace_compat_cpus_get(&cpus);

	if (!err)
		samplers++;
	return err;
}

static void cpus_put(void)
{
	if (!--samplers)
		ctrace_compat_cpus_put(&cpus);
}

/* --- life ------------------------------------------------------------------------ */

static int sampler_start(struct ctrace_sampler *sr, char *why)
{
	int err = cpus_get();

	if (err)
		return err;
	err = ctrace_compat_cpus_add(&cpus, &sr->node);
	if (!err && READ_ONCE(sr->failed)) {
		err = sr->failed;
		ctrace_compat_cpus_del(&cpus, &sr->node);
	}
	if (err) {
		cpus_put();
		ctrace_why(why, err, "'sample:%u': the kernel's perf events refuse it with error %d", sr->hz, err);
	}
	return err;
}

/*
 * A session has one sampler: each has a perf event on every CPU, whose interrupts all bear, and two rates'
 * samples of one container cannot be added up.
 */
static int check_alone(const struct ctrace_probe *p, const char *text, char *why)
{
	const struct ctrace_probe *q;

	list_for_each_entry(q, &p->session->probes, list)
		if (q->kind == p->kind)
			return ctrace_why(why, -EEXIST,
					  "session %u has probe '%.48s' already, and samples at one rate: use another session for '%.48s'",
					  p->session->id, q->name, text);
	return 0;
}

int ctrace_sample_add(struct ctrace_probe *p, const char *text, char *why)
{
	struct ctrace_sampler *sr;
	int err;
	u32 hz;

	if (kstrtou32(text + strlen("sample:"), 10, &hz) || !hz || hz > HZ_MAX) {
		return ctrace_why(why, -EINVAL,
				  "'%.64s' is not a sampling rate: use sample:1 to sample:%u (a second, on each CPU)",
				  text, HZ_MAX);
	}
	err = check_alone(p, text, why);
	if (err)
		return err;
	sr = kzalloc(sizeof(*sr), GFP_KERNEL);
	if (!sr)
		return -ENOMEM;
	sr->bit = 1u << p->session->index;
	sr->hz = hz;
	sr->cpu = alloc_percpu(struct sampler_cpu);
	if (!sr->cpu) {
		kfree(sr);
		return -ENOMEM;
	}
	err = sampler_start(sr, why);
	if (err) {
		free_percpu(sr->cpu);
		kfree(sr);
		return err;
	}
	p->ranges[0].from = CTRACE_ID_CPU_SAMPLE;
	p->ranges[0].n = 1;
	p->priv = sr;
	return 0;
}

void ctrace_sample_del(struct ctrace_probe *p)
{
	struct ctrace_sampler *sr = p->priv;

	ctrace_compat_cpus_del(&cpus, &sr->node);
	cpus_put();
	free_percpu(sr->cpu);
	kfree(sr);
}

u64 ctrace_sample_missed(const struct ctrace_probe *p)
{
	const struct ctrace_sampler *sr = p->priv;
	u64 missed;
	int cpu;

	cpus_read_lock();
	missed = sr->missed;
	for_each_possible_cpu(cpu)
		missed += samples_since(sr, per_cpu_ptr(sr->cpu, cpu)->without);
	cpus_read_unlock();
	return missed;
}
