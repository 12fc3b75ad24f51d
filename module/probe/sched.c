// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduling.
 *
 * A switch between tasks of two containers: emit/sides.h. What a record does not show is empty or 0.
 */
#include <linux/sched.h>
#include "probe/table.h"
#include "emit/sides.h"
#include "emit/simple.h"
#include "compat/tracepoint.h"

/* --- sched_switch --------------------------------------------------------- */

struct switch_arg {
	const struct task_struct *prev, *next;
	s64 state;
	u32 prev_cid, next_cid;
	struct ctrace_sides show;	/* prev, next */
};

#define SWITCH_FIELDS(F)							\
	F(comm, prev_comm) F(s32, prev_tid) F(s32, prev_prio) F(s64, prev_state)	\
	F(comm, next_comm) F(s32, next_tid) F(s32, next_prio)			\
	F(u32, prev_cid) F(u32, next_cid)
CTRACE_PAYLOAD(switch_payload, SWITCH_FIELDS);

static __always_inline void fill_switch(void *payload, const void *arg)
{
	struct switch_payload *r = payload;
	const struct switch_arg *a = arg;

	ctrace_put_comm(r->prev_comm, a->prev, a->show.first);
	r->prev_tid = a->show.first ? a->prev->pid : 0;
	r->prev_prio = a->show.first ? a->prev->prio - MAX_RT_PRIO : 0;
	r->prev_state = a->show.first ? a->state : 0;
	ctrace_put_comm(r->next_comm, a->next, a->show.second);
	r->next_tid = a->show.second ? a->next->pid : 0;
	r->next_prio = a->show.second ? a->next->prio - MAX_RT_PRIO : 0;
	r->prev_cid = a->show.first ? a->prev_cid : 0;
	r->next_cid = a->show.second ? a->next_cid : 0;
}

static const struct ctrace_stack_waited no_stack = { .of = CTRACE_ID_SCHED_SWITCH };

static noinline void on_switch(struct task_struct *prev, struct task_struct *next, s64 state)
{
	struct switch_arg a = { .prev = prev, .next = next, .state = state };
	u32 wants = ctrace_wants(CTRACE_ID_SCHED_SWITCH);
	struct ctrace_who out CTRACE_UNSET, in CTRACE_UNSET;

	if (!wants)
		return;
	ctrace_identity_resolve_task(prev, &out);
	ctrace_identity_resolve_task(next, &in);
	a.prev_cid = out.container->cid;
	a.next_cid = in.container->cid;
	ctrace_emit_sides(wants, ctrace_sides_both(&out, &in), &no_stack,
			  (const struct ctrace_who *const[2]) { &out, &in }, CTRACE_SIZE(switch_payload),
			  fill_switch, &a, &a.show);
}

static void CTRACE_PROBE_SCHED_SWITCH(probe_switch)
{
	ctrace_compat_probe_begin();
	if (!ctrace_identity_other_unwanted(prev) || !ctrace_identity_other_unwanted(next))
		on_switch(prev, next, CTRACE_PROBE_PREEMPT ? 0 : CTRACE_PROBE_PREV_STATE(prev));
	ctrace_compat_probe_end();
}

/* --- sched_wakeup: the woken task's event ---------------------------------- */

struct wakeup_arg {
	const struct task_struct *p;
	s32 waker_tid;
	u32 waker_cid;
};

#define WAKEUP_FIELDS(F)							\
	F(comm, comm) F(s32, tid) F(s32, prio) F(s32, target_cpu) F(s32, waker_tid) F(u32, waker_cid)
CTRACE_PAYLOAD(wakeup_payload, WAKEUP_FIELDS);

static __always_inline void fill_wakeup(void *payload, const void *arg)
{
	struct wakeup_payload *r = payload;
	const struct wakeup_arg *a = arg;

	ctrace_put_comm(r->comm, a->p, true);
	r->tid = a->p->pid;
	r->prio = a->p->prio - MAX_RT_PRIO;
	r->target_cpu = task_cpu(a->p);
	r->waker_tid = a->waker_tid;
	r->waker_cid = a->waker_cid;
}

/* A session that may not see the waker gets a record without it. */
static noinline void wakeup_any(u32 id, struct task_struct *p)
{
	struct wakeup_arg a = { .p = p };
	u32 mask = ctrace_wants(id), see, some;
	struct ctrace_who who CTRACE_UNSET, waker CTRACE_UNSET;

	if (!mask)
		return;
	ctrace_identity_resolve_task(p, &who);
	mask = see = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	if (ctrace_identity_resolve_waker(&waker)) {
		a.waker_tid = waker.tid;
		a.waker_cid = waker.container->cid;
		see = ctrace_sides_see(mask, who.container, a.waker_cid);
	}
	for (; mask; mask &= ~some) {
		some = mask & see ?: mask;
		if (!(some & see))
			a.waker_tid = a.waker_cid = 0;
		ctrace_emit(some, id, &who, CTRACE_SIZE(wakeup_payload), fill_wakeup, &a);
	}
}

static __always_inline void on_wakeup(u32 id, struct task_struct *p)
{
	if (!ctrace_identity_other_unwanted(p))
		wakeup_any(id, p);
}

static void probe_waking(void *data, struct task_struct *p)
{
	ctrace_compat_probe_begin();
	on_wakeup(CTRACE_ID_SCHED_WAKING, p);
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_SCHED_WAKEUP(probe_wakeup)
{
	ctrace_compat_probe_begin();
	on_wakeup(CTRACE_ID_SCHED_WAKEUP, p);
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_SCHED_WAKEUP_NEW(probe_wakeup_new)
{
	ctrace_compat_probe_begin();
	on_wakeup(CTRACE_ID_SCHED_WAKEUP_NEW, p);
	ctrace_compat_probe_end();
}

/* --- sched_migrate_task, sched_stat_runtime ---------------------------------- */

struct migrate_arg {
	const struct task_struct *p;
	s32 dest_cpu;
};

#define MIGRATE_FIELDS(F)								\
	F(comm, comm) F(s32, tid) F(s32, prio) F(s32, orig_cpu) F(s32, dest_cpu)
CTRACE_PAYLOAD(migrate_payload, MIGRATE_FIELDS);

static __always_inline void fill_migrate(void *payload, const void *arg)
{
	struct migrate_payload *r = payload;
	const struct migrate_arg *a = arg;

	ctrace_put_comm(r->comm, a->p, true);
	r->tid = a->p->pid;
	r->prio = a->p->prio - MAX_RT_PRIO;
	r->orig_cpu = task_cpu(a->p);
	r->dest_cpu = a->dest_cpu;
}

static void probe_migrate(void *data, struct task_struct *p, int dest_cpu)
{
	struct migrate_arg a = { .p = p, .dest_cpu = dest_cpu };

	ctrace_compat_probe_begin();
	ctrace_curated_task(CTRACE_ID_SCHED_MIGRATE_TASK, p, CTRACE_SIZE(migrate_payload),
			    fill_migrate, &a);
	ctrace_compat_probe_end();
}

struct runtime_arg {
	const struct task_struct *p;
	u64 runtime, vruntime;
};

/* vruntime only if the kernel passes it */
#define RUNTIME_FIELDS(F)							\
	F(comm, comm) F(s32, tid) F(hole, hole) F(u64, runtime) F(u64, vruntime)
CTRACE_PAYLOAD(runtime_payload, RUNTIME_FIELDS);

#define RUNTIME_SIZE	(CTRACE_COMPAT_STAT_VRUNTIME ? CTRACE_SIZE(runtime_payload) :	\
						       offsetof(struct runtime_payload, vruntime))

static __always_inline void fill_runtime(void *payload, const void *arg)
{
	struct runtime_payload *r = payload;
	const struct runtime_arg *a = arg;

	ctrace_put_comm(r->comm, a->p, true);
	r->tid = a->p->pid;
	r->hole = 0;
	r->runtime = a->runtime;
	if (CTRACE_COMPAT_STAT_VRUNTIME)
		r->vruntime = a->vruntime;
}

static void CTRACE_PROBE_SCHED_STAT_RUNTIME(probe_runtime)
{
	struct runtime_arg a = { .p = p, .runtime = runtime, .vruntime = CTRACE_PROBE_VRUNTIME };

	ctrace_compat_probe_begin();
	ctrace_curated_task(CTRACE_ID_SCHED_STAT_RUNTIME, p, RUNTIME_SIZE, fill_runtime, &a);
	ctrace_compat_probe_end();
}

/* --- sched_pi_setprio: a task that holds a lock which a more urgent one waits for --------- */

struct setprio_arg {
	const struct task_struct *p;
	s32 newprio;
};

#define SETPRIO_FIELDS(F)	F(comm, comm) F(s32, tid) F(s32, oldprio) F(s32, newprio)
CTRACE_PAYLOAD(setprio_payload, SETPRIO_FIELDS);

static __always_inline void fill_setprio(void *payload, const void *arg)
{
	struct setprio_payload *r = payload;
	const struct setprio_arg *a = arg;

	ctrace_put_comm(r->comm, a->p, true);
	r->tid = a->p->pid;
	r->oldprio = a->p->prio - MAX_RT_PRIO;
	r->newprio = a->newprio;
}

static void CTRACE_PROBE_SCHED_PI_SETPRIO(probe_setprio)
{
	struct setprio_arg a = { .p = p, .newprio = CTRACE_PROBE_NEWPRIO - MAX_RT_PRIO };

	ctrace_compat_probe_begin();
	ctrace_curated_task(CTRACE_ID_SCHED_PI_SETPRIO, p, CTRACE_SIZE(setprio_payload), fill_setprio, &a);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_switch[] = { CTRACE_FIELDS(SWITCH_FIELDS) };
static const struct ctrace_field_desc f_wakeup[] = { CTRACE_FIELDS(WAKEUP_FIELDS) };
static const struct ctrace_field_desc f_migrate[] = { CTRACE_FIELDS(MIGRATE_FIELDS) };
static const struct ctrace_field_desc f_setprio[] = { CTRACE_FIELDS(SETPRIO_FIELDS) };
static const struct ctrace_field_desc f_runtime[] = { CTRACE_FIELDS(RUNTIME_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(SCHED_SWITCH, "sched", "sched_switch", "sched_switch", f_switch),
	CTRACE_TYPE(SCHED_WAKING, "sched", "sched_waking", "sched_waking", f_wakeup),
	CTRACE_TYPE(SCHED_WAKEUP, "sched", "sched_wakeup", "sched_wakeup", f_wakeup),
	CTRACE_TYPE(SCHED_WAKEUP_NEW, "sched", "sched_wakeup_new", "sched_wakeup_new", f_wakeup),
	CTRACE_TYPE(SCHED_MIGRATE_TASK, "sched", "sched_migrate_task", "sched_migrate_task", f_migrate),
	{ .id = CTRACE_ID_SCHED_STAT_RUNTIME, .system = "sched", .name = "sched_stat_runtime",
	  .source = "sched_stat_runtime", .fields = f_runtime,
	  .nfields = ARRAY_SIZE(f_runtime) - !CTRACE_COMPAT_STAT_VRUNTIME },
	CTRACE_TYPE(SCHED_PI_SETPRIO, "sched", "sched_pi_setprio", "sched_pi_setprio", f_setprio),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "sched_switch", .fn = probe_switch },
	{ .tracepoint = "sched_waking", .fn = probe_waking },
	{ .tracepoint = "sched_wakeup", .fn = probe_wakeup },
	{ .tracepoint = "sched_wakeup_new", .fn = probe_wakeup_new },
	{ .tracepoint = "sched_migrate_task", .fn = probe_migrate },
	{ .tracepoint = "sched_stat_runtime", .fn = probe_runtime },
	{ .tracepoint = "sched_pi_setprio", .fn = probe_setprio },
	{ }
};

const struct ctrace_family ctrace_family_sched = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
