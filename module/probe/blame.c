// SPDX-License-Identifier: GPL-2.0-only
/*
 * sched_blame: who had the CPU for which a task waited. One record for each part of a wait (sched_wait),
 * written when the wait ends; the records of one wait add up to it.
 *
 *	sched_switch		note who leaves the CPU; then, for who comes: walk back to where its wait
 *				began (blame_walk.h)
 *	sched_migrate_task	of a task that waits: the same for the CPU that it leaves. Its wait
 *				continues elsewhere
 *	(un)throttle_cfs_rq	note when a group's queue had no quota: that is no task's fault
 *
 * What a CPU's ring holds is written under the lock of that CPU's run queue, by that CPU, and read under the
 * same lock. The task that a ring calls running cannot leave its CPU as long as the lock is held, so it
 * exists.
 *
 * An interrupt's time is that of the task that it interrupted, and so is what the hypervisor took, but for
 * what the kernel itself accounts for (compat/cputime.h): to measure it would cost each interrupt.
 *
 * The rings exist as long as a session has a probe of sched_blame. Other sessions' spans share the sources,
 * so their functions look for the rings, under RCU.
 */
#include <linux/percpu.h>
#include "probe/blame_short.h"
#include "probe/table.h"
#include "emit/sides.h"
#include "emit/simple.h"
#include "emit/stack.h"
#include "session/inflight.h"
#include "session/option.h"
#include "compat/clock.h"
#include "compat/throttle.h"

struct ctrace_blame_ring __percpu *ctrace_blame_rings __read_mostly;

/* When a group's queue had no quota. In begun.time: since when it has none now, or 0. */
struct quota {
	struct ctrace_begun begun;	/* no session's */
	const void *queue;
	u64 known;			/* what was before is not known */
	struct ctrace_blame_windows windows;
};

static int rings_make(void)
{
	struct ctrace_blame_ring __percpu *rings = alloc_percpu(struct ctrace_blame_ring);
	int cpu;

	if (!rings)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct ctrace_blame_ring *r = per_cpu_ptr(rings, cpu);

		r->steal = ctrace_compat_cpu_steal(cpu);
		r->interrupts = ctrace_compat_cpu_interrupts(cpu);
	}
	/*
	 * Release: they are empty, and quotas has places. Pairs with the acquires below; to the rings alone,
	 * READ_ONCE leads.
	 */
	smp_store_release(&ctrace_blame_rings, rings);
	return 0;
}

static void rings_free(void)
{
	struct ctrace_blame_ring __percpu *rings = ctrace_blame_rings;

	WRITE_ONCE(ctrace_blame_rings, NULL);
	ctrace_option_sync();	/* no function has them any more, nor looks for a place in quotas */
	free_percpu(rings);
}

/* 0.4 MiB, and with more than 16 CPUs 25 KiB for each. */
static struct ctrace_inflight quotas __read_mostly = {
	.stride = sizeof(struct quota), .bits = 11, .cpu_bits = 7, .with = rings_make, .without = rings_free,
};

u64 ctrace_blame_quota_last;

/* --- groups without quota ---------------------------------------------------------- */

/*
 * The queue's place, which the caller gives back by ctrace_inflight_let_go(); or NONE, also if no probe asks.
 * *fresh: nothing is known of it.
 */
static u32 quota_of(const void *queue, bool *fresh)
{
	struct quota *q;
	u32 place;

	if (!smp_load_acquire(&ctrace_blame_rings))	/* pairs with rings_make() */
		return CTRACE_INFLIGHT_NONE;
	place = ctrace_inflight_renew(&quotas, queue);
	if (place == CTRACE_INFLIGHT_NONE)
		return place;
	q = ctrace_inflight_at(&quotas, place);
	*fresh = q->queue != queue;
	if (*fresh) {
		memset(q, 0, sizeof(*q));
		q->queue = queue;
		/* perhaps it had a place that another queue took over */
		q->known = READ_ONCE(quotas.lost[ctrace_inflight_row(&quotas, queue)]);
	}
	return place;
}

void ctrace_blame_throttle(const void *queue)
{
	bool fresh;
	u32 place = quota_of(queue, &fresh);
	struct quota *q;

	if (place == CTRACE_INFLIGHT_NONE)
		return;
	q = ctrace_inflight_at(&quotas, place);
	q->begun.time = ctrace_compat_clock();
	ctrace_inflight_let_go(&quotas, place, queue);
}

void ctrace_blame_unthrottle(const void *queue)
{
	u64 now = ctrace_compat_clock();
	bool fresh;
	u32 place = quota_of(queue, &fresh);
	struct quota *q;

	if (place == CTRACE_INFLIGHT_NONE)
		return;
	q = ctrace_inflight_at(&quotas, place);
	ctrace_blame_window_ends(&q->windows, q->begun.time, now, fresh);
	q->begun.time = 0;
	ctrace_inflight_let_go(&quotas, place, queue);
	if (now > READ_ONCE(ctrace_blame_quota_last))
		WRITE_ONCE(ctrace_blame_quota_last, now);
}

static void known_since(struct ctrace_blame_throttled *t, u64 time)
{
	t->known = time > t->known ? time : t->known;
}

/* Adds the queue's windows that end after from; open: the one in which it is now, too. */
static void add_windows(struct ctrace_blame_throttled *t, const void *queue, u64 from, bool open)
{
	u32 place = ctrace_inflight_hold(&quotas, queue);
	const struct ctrace_blame_windows *w;
	const struct quota *q;
	u64 i, kept;

	if (place == CTRACE_INFLIGHT_NONE) {
		known_since(t, READ_ONCE(quotas.lost[ctrace_inflight_row(&quotas, queue)]));
		return;
	}
	q = ctrace_inflight_at(&quotas, place);
	known_since(t, q->known);
	if (open && q->begun.time && t->n < CTRACE_BLAME_WINDOWS) {
		t->window[t->n].from = q->begun.time;
		t->window[t->n++].to = U64_MAX;
	}
	w = &q->windows;
	kept = w->n < CTRACE_BLAME_QUOTA_WINDOWS ? w->n : CTRACE_BLAME_QUOTA_WINDOWS;
	for (i = w->n; i > w->n - kept && w->at[(i - 1) % CTRACE_BLAME_QUOTA_WINDOWS].to > from; i--) {
		if (t->n == CTRACE_BLAME_WINDOWS) {
			known_since(t, w->at[(i - 1) % CTRACE_BLAME_QUOTA_WINDOWS].to);
			break;
		}
		t->window[t->n].from = w->at[(i - 1) % CTRACE_BLAME_QUOTA_WINDOWS].from;
		t->window[t->n++].to = w->at[(i - 1) % CTRACE_BLAME_QUOTA_WINDOWS].to;
	}
	/* all that are kept: was there one more? */
	if (i == w->n - kept && w->n > kept)
		known_since(t, w->at[i % CTRACE_BLAME_QUOTA_WINDOWS].from);
	ctrace_inflight_let_go(&quotas, place, queue);
}

/*
 * When p had no quota since from: its queue, or one further up. If its wait ends, all have some now. (One
 * that has none still, in a task that is moved to another CPU by force, is not seen.) Real-time tasks need
 * none.
 */
static void throttled(const struct task_struct *p, u64 from, bool open, struct ctrace_blame_throttled *t)
{
	const struct sched_entity *se;

	t->n = 0;
	t->known = 0;
	if (likely(READ_ONCE(ctrace_blame_quota_last) <= from && !open) || p->prio < MAX_RT_PRIO)
		return;
	for (se = &p->se; se; se = ctrace_compat_sched_parent(se))
		add_windows(t, ctrace_compat_sched_queue(se), from, open);
}

/* --- the event --------------------------------------------------------------------- */

#define BLAME_FIELDS(F)								\
	F(u64, duration) F(u32, culprit) F(u32, culprit_cid) F(s32, culprit_tid) F(u32, reason)	\
	F(comm, comm) F(comm, culprit_comm)
CTRACE_PAYLOAD(blame_payload, BLAME_FIELDS);

/* an idle CPU that leaves a real-time task waiting for longer is not allowed to run it */
#define RT_IDLE		NSEC_PER_MSEC

struct blame_arg {
	u32 mask;
	const struct task_struct *p;
	const struct ctrace_who *who;
	u32 reason;
	/* of a part */
	u64 duration;
	u32 culprit;
	const struct ctrace_blame_seen *seen;	/* NULL: nobody who may be shown */
};

/* else it would have that of the task before, or of who moves it */
static const struct ctrace_stack_waited no_stack = { .of = CTRACE_ID_SCHED_BLAME };

static __always_inline void fill_blame(void *payload, const void *arg)
{
	struct blame_payload *r = payload;
	const struct blame_arg *a = arg;

	r->duration = a->duration;
	r->culprit = a->culprit;
	r->culprit_cid = a->seen ? a->seen->cid : 0;
	r->culprit_tid = a->seen ? a->seen->tid : 0;
	r->reason = a->reason;
	ctrace_put_comm(r->comm, a->p, true);
	if (a->seen)
		memcpy(r->culprit_comm, a->seen->comm, CTRACE_COMM_LEN);
	else
		memset(r->culprit_comm, 0, CTRACE_COMM_LEN);
}

/* For the sessions in mask, for which the culprit is the same kind. */
static void emit_part_for(u32 mask, struct blame_arg *a, const struct ctrace_blame_part *part)
{
	u32 shown = mask;

	a->duration = part->duration;
	a->culprit = part->culprit ?: ctrace_blame_kind(mask, part->who, a->who->container);
	if (a->culprit == CTRACE_CULPRIT_IDLE && part->duration >= RT_IDLE && a->p->prio < MAX_RT_PRIO)
		a->culprit = CTRACE_CULPRIT_RT_LIMIT;
	a->seen = part->who && part->who->tid ? part->who : NULL;
	if (a->seen)
		shown = ctrace_sides_see(mask, a->who->container, a->seen->cid);
	__this_cpu_write(ctrace_stack_waited, &no_stack);
	if (shown)
		ctrace_emit(shown, CTRACE_ID_SCHED_BLAME, a->who, CTRACE_SIZE(blame_payload), fill_blame, a);
	a->seen = NULL;
	if (mask & ~shown)
		ctrace_emit(mask & ~shown, CTRACE_ID_SCHED_BLAME, a->who, CTRACE_SIZE(blame_payload),
			    fill_blame, a);
	__this_cpu_write(ctrace_stack_waited, NULL);
}

static void emit_part(void *arg, const struct ctrace_blame_part *part)
{
	struct blame_arg *a = arg;
	u32 mask = a->mask;

	if (likely(!a->who->container->base)) {
		emit_part_for(mask, a, part);
		return;
	}
	/* each session has cgroups of its own */
	for (; mask; mask &= mask - 1)
		emit_part_for(mask & -mask, a, part);
}

/*
 * The parts of a wait. The last ones have a record each. Of a wait through many short turns the older ones
 * have one for each culprit, so that a wait does not write hundreds; a seventh culprit and further ones have
 * one for each turn, still.
 */
#define APART	48u

struct merge {
	struct blame_arg *a;
	u32 written, n;
	struct ctrace_blame_part part[6];
};

static bool same(const struct ctrace_blame_part *x, const struct ctrace_blame_part *y)
{
	if (x->culprit != y->culprit || !x->who != !y->who)
		return false;
	return !x->who || (x->who->tid == y->who->tid && x->who->cid == y->who->cid &&
			   x->who->wanted == y->who->wanted && (!x->who->tid ||
			   !memcmp(x->who->comm, y->who->comm, CTRACE_COMM_LEN)));
}

static void merge_part(void *arg, const struct ctrace_blame_part *part)
{
	struct merge *m = arg;
	u32 i;

	if (m->written < APART) {
		m->written++;
		emit_part(m->a, part);
		return;
	}
	for (i = 0; i < m->n; i++) {
		if (same(&m->part[i], part)) {
			m->part[i].duration += part->duration;
			return;
		}
	}
	if (m->n < ARRAY_SIZE(m->part))
		m->part[m->n++] = *part;
	else
		emit_part(m->a, part);
}

/* What the CPU's ring has not noted yet, of the time that its task has had. */
static void lost_until_now(const struct ctrace_blame_ring *r, int cpu, u64 now,
			   struct ctrace_blame_seen *running)
{
	u64 since = r->n ? r->slot[(r->n - 1) % CTRACE_BLAME_SLOTS].until : now;
	u64 steal = ctrace_compat_cpu_steal(cpu), interrupts = ctrace_compat_cpu_interrupts(cpu);

	if (now > since && steal >= r->steal && interrupts >= r->interrupts)
		ctrace_blame_lose(running, now - since, steal - r->steal, interrupts - r->interrupts);
}

void ctrace_blame_wait(u32 mask, struct task_struct *p, int cpu, const struct ctrace_who *who, u32 reason,
		       u64 from, u64 now, bool open)
{
	struct ctrace_blame_ring __percpu *rings = smp_load_acquire(&ctrace_blame_rings);	/* as above */
	struct blame_arg arg = { .mask = mask, .p = p, .who = who, .reason = reason };
	struct ctrace_blame_seen running = { };
	struct merge merge = { .a = &arg };
	const struct ctrace_blame_ring *r;
	struct ctrace_blame_throttled t;
	struct task_struct *has;
	struct ctrace_who other;
	bool is = false;
	u32 i;

	if (!rings)
		return;
	r = per_cpu_ptr(rings, cpu);
	/*
	 * If p runs now, who ran before it is in the ring. If no task has left the CPU yet, the ring does not
	 * know who has it.
	 */
	has = open ? current : r->running;
	if (has && has != p) {
		is = true;
		if (has->pid) {
			ctrace_identity_resolve_task(has, &other);
			running.cid = other.container->cid;
			running.tid = other.tid;
			running.wanted = READ_ONCE(other.container->wanted);
			ctrace_put_comm(running.comm, has, true);
		}
		lost_until_now(r, cpu, now, &running);
	}
	throttled(p, from, open, &t);
	ctrace_blame_walk(r, is ? &running : NULL, &t, from, now, merge_part, &merge);
	for (i = 0; i < merge.n; i++)
		emit_part(&arg, &merge.part[i]);
}

/* --- the short way ----------------------------------------------------------------- */

noinline void ctrace_blame_note_lost(struct ctrace_blame_ring *r, struct ctrace_blame_seen *s)
{
	u64 steal = ctrace_compat_cpu_steal(smp_processor_id()), all = ctrace_compat_cpu_lost();
	u64 interrupts = ctrace_compat_cpu_interrupts(smp_processor_id());
	u64 came = r->n > 1 ? r->slot[(r->n - 2) % CTRACE_BLAME_SLOTS].until : 0;

	/* some kernels correct steal downwards: the same is lost twice then, rather than ages */
	r->steal = r->steal < steal ? r->steal : steal;
	r->interrupts = r->interrupts < interrupts ? r->interrupts : interrupts;
	ctrace_blame_lose(s, s->until > came ? s->until - came : 0, steal - r->steal,
			  interrupts - r->interrupts);
	r->steal += s->steal;
	r->interrupts += s->interrupts;
	/* else the next switch comes here, too */
	if (r->steal == steal && r->interrupts == interrupts)
		r->lost = all;
}

noinline void ctrace_blame_note_any(struct task_struct *p, struct ctrace_blame_seen *s)
{
	struct ctrace_who who;

	ctrace_identity_look_task(p, &who);
	s->cid = who.container->cid;
	s->tid = who.tid;
	ctrace_put_comm(s->comm, p, true);
	s->wanted = READ_ONCE(who.container->wanted);
}

struct count_arg {
	const struct ctrace_aggregate *t;
	u32 mask;
	const struct ctrace_container *victim;
};

static void count_part(void *arg, const struct ctrace_blame_part *part)
{
	const struct count_arg *a = arg;

	u32 culprit = part->culprit ?: ctrace_blame_kind(a->mask, part->who, a->victim);

	ctrace_blame_count(a->t, a->mask, a->victim, culprit, part->who, part->duration);
}

noinline void ctrace_blame_count_parts(const struct ctrace_aggregate *t, u32 mask, const struct ctrace_container *victim,
				       const struct ctrace_blame_ring *r, u64 from, u64 now)
{
	static const struct ctrace_blame_throttled never;
	struct count_arg arg = { .t = t, .mask = mask, .victim = victim };

	ctrace_blame_walk(r, NULL, &never, from, now, count_part, &arg);
}

/* --- what user space gets ------------------------------------------------------------ */

static const struct ctrace_field_desc f_blame[] = { CTRACE_FIELDS(BLAME_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(SCHED_BLAME, "sched", "sched_blame", "sched_blame_migrate", f_blame),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "sched_blame_migrate", .at = "sched_migrate_task", .fn = ctrace_sched_span_migrate,
	  .table = &quotas, .with = { "sched_span_switch", "sched_span_wakeup", "sched_span_wakeup_new",
				      "?throttle_cfs_rq", "?unthrottle_cfs_rq" } },
	{ }
};

const struct ctrace_family ctrace_family_blame = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
