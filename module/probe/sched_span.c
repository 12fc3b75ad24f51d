// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task's time, in spans: each is one record, written at its end.
 *
 *	sched_wait	runnable, without a CPU		woken, new or preempted	-> switched in
 *	sched_run	on a CPU			switched in		-> switched out
 *	sched_block	asleep				switched out		-> woken
 *
 * A task is always in one of the three, so it has one place in the table, and only while it is in a span that
 * a session wants. The end of one span begins the next, at the same time:
 *
 *			the place has		then
 *	wake-up		nothing, or a block	a wait begins
 *			a wait or a run		the task was not asleep: nothing changes
 *	switch, in	a wait			a run begins
 *	switch, out	anything		asleep: a block begins; dead: nothing; else: a wait begins. A
 *						wait that is found is none: a wake-up of a task that ran
 *						began it
 *
 * A span that began before a session wanted it is not recorded. Only of tasks that were preempted by then,
 * one that is woken without having slept seems to wait from that wake-up on. But sched_blame has what came
 * of a wait after the session began: sched_cut.c.
 *
 * sched_blame's records of a wait begin and end with it: blame.c. Sessions that want either share the place.
 *
 * A record belongs to the task whose time it is, and to the container where it is at the end. A wait's end is
 * seen by the task before, a block's by the waker: neither is asked. Idle tasks have no spans.
 *
 * All that is done with a task's place is done under the lock of its run queue: sched_switch, and
 * sched_wakeup of a task that is not current. (A task that wakes itself has not slept; that is passed over.)
 * Every span ends, as a task that is dead is not woken, and its last switch begins none. So no place is left
 * behind.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include "probe/blame.h"
#include "probe/sched_cut.h"
#include "probe/sched_span_short.h"
#include "probe/sleep_stack.h"
#include "probe/table.h"
#include "emit/sides.h"
#include "emit/simple.h"
#include "emit/stack.h"
#include "session/inflight.h"
#include "session/session.h"
#include "compat/clock.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

/* 2.6 MiB. */
struct ctrace_inflight ctrace_sched_spans __read_mostly = { .stride = sizeof(struct ctrace_span), .bits = 16 };
#define spans ctrace_sched_spans

/*
 * The waker of a task is noted at sched_waking, which the waker itself calls. The sched_wakeup that follows
 * it may be another CPU's work, and takes the note away. In between, no other can wake the task: its state is
 * not asleep any more, or both happen under the task's pi_lock. If there is no room for a note, no waker is
 * shown.
 */
struct waker {
	struct ctrace_begun begun;	/* no session's */
	s32 tid;
	u32 cid;
	char comm[CTRACE_COMM_LEN];
};

static bool wakers_noted __read_mostly;	/* since the table was made. While false, the table is empty */

static int wakers_made(void)
{
	WRITE_ONCE(wakers_noted, false);
	return 0;
}

static struct ctrace_inflight wakers __read_mostly = {
	.stride = sizeof(struct waker), .bits = 10, .with = wakers_made,
};

/* In begun.wanted: the task has a place in ctrace_sleep_stacks, too. */
#define WAITED	(1u << 16)

/* For spans without a stack of their own: else they would have that of the task before, or of the waker. */
static const struct ctrace_stack_waited wait_stack = { .of = CTRACE_ID_SCHED_WAIT };
static const struct ctrace_stack_waited block_stack = { .of = CTRACE_ID_SCHED_BLOCK };

/* --- a task at an event ---------------------------------------------------------- */

struct at {
	struct task_struct *p;
	/* 0: the clock has not been read; it is read only for tasks that a session wants */
	u64 *now;
	u32 row, place;
	bool resolved;
	struct ctrace_who who;		/* if resolved */
};

static __always_inline void look(struct at *a, struct task_struct *p, u64 *now)
{
	a->p = p;
	a->now = now;
	a->row = ctrace_inflight_row(&spans, p);
	a->place = ctrace_inflight_find(&spans, a->row, p);
	a->resolved = false;
}

static __always_inline u64 now_of(struct at *a)
{
	if (!*a->now)
		*a->now = ctrace_compat_clock();
	return *a->now;
}

static u32 wanted(struct at *a, u32 mask)
{
	if (!mask)
		return 0;
	if (!a->resolved)
		ctrace_identity_resolve_task(a->p, &a->who);
	a->resolved = true;
	return ctrace_wanted(mask, a->who.container, a->p);
}

static __always_inline struct ctrace_span *span_of(const struct at *a)
{
	return a->place == CTRACE_INFLIGHT_NONE ? NULL : ctrace_inflight_at(&spans, a->place);
}

/* Is p in this span? With what it began. */
static __always_inline const struct ctrace_span *in(const struct at *a, u32 id)
{
	const struct ctrace_span *s = span_of(a);

	return s && (u16)READ_ONCE(s->begun.wanted) == id ? s : NULL;
}

/* The sessions that get a record of s, which ends now. */
static __always_inline u32 ends(struct at *a, const struct ctrace_span *s, u32 id)
{
	return wanted(a, READ_ONCE(s->begun.wanted) >> 32 & ctrace_wants(id));
}

static void none(struct at *a)
{
	if (a->place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_give(&spans, a->row, a->place);
	a->place = CTRACE_INFLIGHT_NONE;
}

/*
 * p's span is another one from now on: the caller notes what belongs to it. NULL: no session in mask wants
 * it.
 */
static struct ctrace_span *begin(struct at *a, u32 id, u32 mask)
{
	struct ctrace_span *s;

	mask = wanted(a, mask);
	if (!mask) {
		none(a);
		return NULL;
	}
	if (a->place == CTRACE_INFLIGHT_NONE)
		a->place = ctrace_inflight_take_new(&spans, a->row, a->p);
	s = span_of(a);
	if (!s) {
		ctrace_session_unfollowed(mask);
		return NULL;
	}
	WRITE_ONCE(s->begun.wanted, (u64)mask << 32 | id);
	s->begun.time = now_of(a);
	return s;
}

/* --- sched_wait -------------------------------------------------------------------- */

#define WAIT_FIELDS(F)	F(u64, duration) F(u32, reason) F(s32, prio) F(s32, wait_cpu) F(comm, comm)
CTRACE_PAYLOAD(wait_payload, WAIT_FIELDS);

struct span_arg {
	const struct task_struct *p;
	const struct ctrace_span *span;
	u64 duration;
};

static __always_inline void fill_wait(void *payload, const void *arg)
{
	struct wait_payload *r = payload;
	const struct span_arg *a = arg;

	r->duration = a->duration;
	r->reason = a->span->wait.reason;
	r->prio = a->p->prio - MAX_RT_PRIO;
	r->wait_cpu = a->span->wait.cpu;
	ctrace_put_comm(r->comm, a->p, true);
}

static void begin_wait(struct at *a, u32 reason)
{
	struct ctrace_span *s = begin(a, CTRACE_ID_SCHED_WAIT, ctrace_wants(CTRACE_ID_SCHED_WAIT) |
			       ctrace_wants(CTRACE_ID_SCHED_BLAME));

	if (!s)
		return;
	s->wait.reason = reason;
	s->wait.since = now_of(a);
	s->wait.cpu = task_cpu(a->p);
}

/* p leaves the CPU's queue, to run or to wait elsewhere. */
static void blame(struct at *a, const struct ctrace_span *s, u64 since)
{
	u32 mask = ends(a, s, CTRACE_ID_SCHED_BLAME);

	if (mask)
		ctrace_blame_wait(mask, a->p, task_cpu(a->p), &a->who, s->wait.reason, since, now_of(a),
				  false);
}

/*
 * The same for sessions that began within the wait, which its place s does not have, or it has none, NULL.
 * since: as ctrace_sched_cut_unseen() has it. Returns these sessions.
 */
static u32 blame_unseen(struct at *a, const struct ctrace_span *s, u64 since)
{
	u32 mask = wanted(a, ctrace_wants(CTRACE_ID_SCHED_BLAME) & ~(s ? READ_ONCE(s->begun.wanted) >> 32 : 0));

	if (mask)
		ctrace_sched_cut_unseen(mask, a->p, task_cpu(a->p), &a->who, s, since, now_of(a), false);
	return mask;
}

/* p runs now; before it waited, with that place or none. */
static void end_unseen(struct at *a, const struct ctrace_span *s)
{
	if (s) {
		if (unlikely(s->begun.time < READ_ONCE(ctrace_session_began.clock)))
			blame_unseen(a, s, s->wait.since);
	} else if (unlikely(ctrace_compat_queued_before(a->p, READ_ONCE(ctrace_session_began.sched)))) {
		blame_unseen(a, NULL, ctrace_sched_cut_since(a->p));
	}
}

/*
 * p is in a queue, without a place, and moves to another CPU's. If it has not run since a session began, its
 * wait began before that. The kernel's account begins anew with the move, so the wait gets a place.
 */
static void move_unseen(struct at *a)
{
	struct ctrace_span *s;
	u32 mask;

	if (!ctrace_compat_ran_before(a->p, READ_ONCE(ctrace_session_began.sched)))
		return;
	mask = blame_unseen(a, NULL, 0);
	s = mask ? begin(a, CTRACE_ID_SCHED_WAIT | CTRACE_SPAN_UNSEEN, mask) : NULL;
	if (!s)
		return;
	s->wait.reason = CTRACE_WAIT_BEFORE;
	s->wait.since = now_of(a);
}

static void end_wait(struct at *a, const struct ctrace_span *s)
{
	struct span_arg arg = { .p = a->p, .span = s, .duration = ctrace_compat_passed(s->begun.time, now_of(a)) };
	u32 mask = ends(a, s, CTRACE_ID_SCHED_WAIT), counting;
	struct wait_payload payload;

	blame(a, s, s->wait.since);
	if (unlikely(READ_ONCE(s->begun.wanted) & CTRACE_SPAN_UNSEEN))
		return;
	counting = mask & READ_ONCE(ctrace_counting_sessions);
	if (counting) {
		mask &= ~counting;
		fill_wait(&payload, &arg);
		mask |= ctrace_emit_counted(counting, CTRACE_ID_SCHED_WAIT, &a->who, &payload, CTRACE_SIZE(wait_payload), U32_MAX);
	}
	if (!mask)
		return;
	__this_cpu_write(ctrace_stack_waited, &wait_stack);
	ctrace_emit(mask, CTRACE_ID_SCHED_WAIT, &a->who, CTRACE_SIZE(wait_payload), fill_wait, &arg);
	__this_cpu_write(ctrace_stack_waited, NULL);
}

/* --- sched_run --------------------------------------------------------------------- */

#define RUN_FIELDS(F)	F(u64, duration) F(u32, reason) F(s32, syscall) F(s64, prev_state) F(comm, comm)
CTRACE_PAYLOAD(run_payload, RUN_FIELDS);

/* How a task leaves the CPU. */
struct leaving {
	u32 reason;
	u32 state;	/* 0, if it can continue */
	s32 syscall, arg;	/* ctrace_syscall_current()'s; -1: it does not sleep in one */
};

struct run_arg {
	const struct task_struct *p;
	const struct leaving *leaving;
	u64 duration;
};

static __always_inline void fill_run(void *payload, const void *arg)
{
	struct run_payload *r = payload;
	const struct run_arg *a = arg;

	r->duration = a->duration;
	r->reason = a->leaving->reason;
	r->syscall = a->leaving->syscall;
	r->prev_state = a->leaving->state;
	ctrace_put_comm(r->comm, a->p, true);
}

static void end_run(struct at *a, const struct ctrace_span *s, const struct leaving *l)
{
	struct run_arg arg = { .p = a->p, .leaving = l, .duration = ctrace_compat_passed(s->begun.time, now_of(a)) };
	u32 mask = ends(a, s, CTRACE_ID_SCHED_RUN);

	if (mask)
		ctrace_emit(mask, CTRACE_ID_SCHED_RUN, &a->who, CTRACE_SIZE(run_payload), fill_run, &arg);
}

/* --- sched_block ------------------------------------------------------------------- */

#define BLOCK_FIELDS(F)									\
	F(u64, duration) F(u32, state) F(u32, iowait) F(s32, syscall) F(comm, comm)	\
	F(comm, waker_comm) F(s32, waker_tid) F(u32, waker_cid) F(s32, arg)
CTRACE_PAYLOAD(block_payload, BLOCK_FIELDS);

struct block_arg {
	const struct task_struct *p;
	const struct ctrace_span *span;
	u64 duration;
	struct waker waker;
};

static __always_inline void fill_block(void *payload, const void *arg)
{
	struct block_payload *r = payload;
	const struct block_arg *a = arg;

	r->duration = a->duration;
	r->state = a->span->block.state;
	r->iowait = a->span->block.iowait;
	r->syscall = a->span->block.syscall;
	ctrace_put_comm(r->comm, a->p, true);
	memcpy(r->waker_comm, a->waker.comm, CTRACE_COMM_LEN);
	r->waker_tid = a->waker.tid;
	r->waker_cid = a->waker.cid;
	r->arg = a->span->block.arg;
}

static void note_waker(struct waker *w)
{
	struct ctrace_who who;

	memset(w, 0, sizeof(*w));
	if (!ctrace_identity_resolve_waker(&who))
		return;
	w->tid = who.tid;
	w->cid = who.container->cid;
	ctrace_put_comm(w->comm, current, true);
}

static void take_waker(const struct task_struct *p, struct waker *w)
{
	u32 row = ctrace_inflight_row(&wakers, p), place = ctrace_inflight_find(&wakers, row, p);

	if (place == CTRACE_INFLIGHT_NONE) {
		memset(w, 0, sizeof(*w));
		return;
	}
	*w = *(const struct waker *)ctrace_inflight_at(&wakers, place);
	ctrace_inflight_give(&wakers, row, place);
}

static void begin_block(struct at *a, const struct leaving *l)
{
	struct ctrace_span *s = begin(a, CTRACE_ID_SCHED_BLOCK, ctrace_wants(CTRACE_ID_SCHED_BLOCK));
	u64 wanted;
	u32 which;

	if (!s)
		return;
	s->block.state = l->state;
	s->block.iowait = a->p->in_iowait;
	s->block.syscall = l->syscall;
	s->block.arg = l->arg;
	wanted = READ_ONCE(s->begun.wanted);
	which = ctrace_options_stack(wanted >> 32, CTRACE_ID_SCHED_BLOCK);
	if (likely(!which) || !ctrace_sleep_stack_keep(a->p, which))
		return;
	/* another context may take sessions out */
	while (cmpxchg64(&s->begun.wanted, wanted, wanted | WAITED) != wanted)
		wanted = READ_ONCE(s->begun.wanted);
}

static void emit_block(u32 mask, const struct at *a, struct block_arg *arg)
{
	u32 shown = ctrace_sides_see(mask, a->who.container, arg->waker.cid);

	if (shown)
		ctrace_emit(shown, CTRACE_ID_SCHED_BLOCK, &a->who, CTRACE_SIZE(block_payload), fill_block, arg);
	mask &= ~shown;
	if (!mask)
		return;
	memset(&arg->waker, 0, sizeof(arg->waker));
	ctrace_emit(mask, CTRACE_ID_SCHED_BLOCK, &a->who, CTRACE_SIZE(block_payload), fill_block, arg);
}

static void end_block(struct at *a, const struct ctrace_span *s, const struct waker *w)
{
	u32 mask = ends(a, s, CTRACE_ID_SCHED_BLOCK);
	struct block_arg arg = { .p = a->p, .span = s, .duration = ctrace_compat_passed(s->begun.time, now_of(a)), .waker = *w };
	bool waited = unlikely(READ_ONCE(s->begun.wanted) & WAITED);
	const struct ctrace_stack_waited *stack = (waited ? ctrace_sleep_stack_of(a->p) : NULL) ?: &block_stack;

	if (mask) {
		__this_cpu_write(ctrace_stack_waited, stack);
		emit_block(mask, a, &arg);
		__this_cpu_write(ctrace_stack_waited, NULL);
	}
	if (waited)
		ctrace_sleep_stack_give(a->p);
}

/* --- the probes -------------------------------------------------------------------- */

static noinline void switch_out(struct task_struct *p, u32 state, u64 *now)
{
	struct leaving l = { .reason = CTRACE_RUN_PREEMPTED, .syscall = -1, .arg = -1 };
	const struct ctrace_span *run;
	struct at a;

	look(&a, p, now);
	if (a.place == CTRACE_INFLIGHT_NONE &&
	    !(ctrace_wants(CTRACE_ID_SCHED_WAIT) | ctrace_wants(CTRACE_ID_SCHED_BLAME) |
	      ctrace_wants(CTRACE_ID_SCHED_BLOCK)))
		return;
	if (state & TASK_DEAD) {
		l.reason = CTRACE_RUN_EXITED;
		l.state = state;
	} else if (ctrace_compat_asleep(p)) {
		l.reason = CTRACE_RUN_SLEPT;
		l.state = state & ~TASK_WAKING;	/* a waker has been quick: what it was is not known */
	}
	run = in(&a, CTRACE_ID_SCHED_RUN);
	if (l.reason == CTRACE_RUN_SLEPT && (run || ctrace_wants(CTRACE_ID_SCHED_BLOCK)))
		l.syscall = ctrace_syscall_current(&l.arg);
	if (run)
		end_run(&a, run, &l);
	if (l.reason == CTRACE_RUN_SLEPT)
		begin_block(&a, &l);
	else if (l.reason == CTRACE_RUN_PREEMPTED)
		begin_wait(&a, ctrace_span_gives_up());
	else
		none(&a);
}

static noinline void switch_in(struct task_struct *p, u64 *now)
{
	const struct ctrace_span *wait;
	struct at a;

	look(&a, p, now);
	wait = in(&a, CTRACE_ID_SCHED_WAIT);
	if (wait)
		end_wait(&a, wait);
	end_unseen(&a, wait);
	begin(&a, CTRACE_ID_SCHED_RUN, ctrace_wants(CTRACE_ID_SCHED_RUN));
}

static void CTRACE_PROBE_SCHED_SWITCH(probe_switch)
{
	const struct ctrace_blame_ring *ring;
	u64 now = 0;
	u32 state;

	ctrace_compat_probe_begin();
	state = CTRACE_PROBE_PREEMPT ? 0 : CTRACE_PROBE_PREV_STATE(prev);
	if (prev->pid && !ctrace_span_out_short(&spans, prev, state, &now))
		switch_out(prev, state, &now);
	ring = ctrace_blame_switch(prev, next, &now);
	if (next->pid && !ctrace_span_in_short(&spans, next, ring, &now))
		switch_in(next, &now);
	ctrace_compat_probe_end();
}

/* A task that waits goes to another CPU's queue; this one's is locked. Others that move are asleep. */
void ctrace_sched_span_migrate(void *data, struct task_struct *p, int dest_cpu)
{
	struct ctrace_span *wait;
	struct at a;
	u64 now = 0, since;

	ctrace_compat_probe_begin();
	if (!ctrace_wants(CTRACE_ID_SCHED_BLAME))
		goto out;
	look(&a, p, &now);
	wait = span_of(&a);
	if (in(&a, CTRACE_ID_SCHED_WAIT)) {
		/* sched_cut.c may cut it at the same time: what either takes is its own */
		since = xchg(&wait->wait.since, now_of(&a));
		blame(&a, wait, since);
		blame_unseen(&a, wait, since);
	} else if (!wait && !ctrace_compat_asleep(p)) {
		move_unseen(&a);
	}
out:
	ctrace_compat_probe_end();
}

static noinline void woken_any(struct task_struct *p)
{
	const struct ctrace_span *block;
	struct waker w;
	struct at a;
	u64 now = 0;

	if (CTRACE_COMPAT_SCHED_WAKING)
		take_waker(p, &w);
	look(&a, p, &now);
	block = in(&a, CTRACE_ID_SCHED_BLOCK);
	if (!block && a.place != CTRACE_INFLIGHT_NONE)
		return;
	if (!CTRACE_COMPAT_SCHED_WAKING)
		note_waker(&w);
	if (block)
		end_block(&a, block, &w);
	begin_wait(&a, CTRACE_WAIT_WOKEN);
}

static __always_inline void woken(struct task_struct *p)
{
	u64 now = 0;

	if (p != current && (unlikely(READ_ONCE(wakers_noted)) || !ctrace_span_woken_short(&spans, p, &now)))
		woken_any(p);
}

static void probe_waking(void *data, struct task_struct *p)
{
	u32 place;

	ctrace_compat_probe_begin();
	if (p == current || !ctrace_wants(CTRACE_ID_SCHED_BLOCK))
		goto out;
	if (!READ_ONCE(wakers_noted))
		WRITE_ONCE(wakers_noted, true);
	place = ctrace_inflight_take(&wakers, ctrace_inflight_row(&wakers, p), p);
	if (place != CTRACE_INFLIGHT_NONE)
		note_waker(ctrace_inflight_at(&wakers, place));
out:
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_SCHED_WAKEUP(probe_wakeup)
{
	ctrace_compat_probe_begin();
	woken(p);
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_SCHED_WAKEUP_NEW(probe_wakeup_new)
{
	ctrace_compat_probe_begin();
	woken(p);
	ctrace_compat_probe_end();
}

/* --- what user space gets ------------------------------------------------------------ */

static const struct ctrace_field_desc f_wait[] = { CTRACE_FIELDS(WAIT_FIELDS) };
static const struct ctrace_field_desc f_run[] = { CTRACE_FIELDS(RUN_FIELDS) };
static const struct ctrace_field_desc f_block[] = { CTRACE_FIELDS(BLOCK_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(SCHED_WAIT, "sched", "sched_wait", "sched_span_switch", f_wait),
	CTRACE_TYPE(SCHED_RUN, "sched", "sched_run", "sched_span_switch", f_run),
	CTRACE_TYPE(SCHED_BLOCK, "sched", "sched_block", CTRACE_COMPAT_SCHED_WAKING ? "sched_span_waking" : "sched_span_switch",
		    f_block),
};

/* All three have all sources but the last, so each source's table exists whenever a function runs. */
static struct ctrace_source sources[] = {
	{ .tracepoint = "sched_span_switch", .at = "sched_switch", .fn = probe_switch, .table = &spans,
	  .stacks = CTRACE_COMPAT_SCHED_WAKING ? NULL : &ctrace_sleep_stacks,
	  .with = { "sched_span_wakeup", "sched_span_wakeup_new" } },
	{ .tracepoint = "sched_span_wakeup", .at = "sched_wakeup", .fn = probe_wakeup, .table = &wakers },
	{ .tracepoint = "sched_span_wakeup_new", .at = "sched_wakeup_new", .fn = probe_wakeup_new },
	{ .tracepoint = "sched_span_waking", .at = "sched_waking", .fn = probe_waking,
	  .stacks = CTRACE_COMPAT_SCHED_WAKING ? &ctrace_sleep_stacks : NULL,
	  .with = { "sched_span_switch", "sched_span_wakeup", "sched_span_wakeup_new" } },
	{ }
};

const struct ctrace_family ctrace_family_sched_span = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
