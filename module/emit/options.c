// SPDX-License-Identifier: GPL-2.0-only
/* The general way of an event: sessions that ask more of it than wanting it (session/option.h). */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include "emit/emit.h"
#include "emit/route.h"
#include "emit/scratch.h"
#include "emit/stack.h"
#include "emit/user_copy.h"
#include "session/limit.h"
#include "session/option.h"
#include "event/event.h"

/* --- asking ----------------------------------------------------------------- */

static __always_inline void context(struct ctrace_expr_ctx *x, const struct ctrace_who *who)
{
	const struct task_struct *p = who->task;
	const struct cred *cred;

	x->comm = p ? p->comm : "";
	x->tid = who->tid;
	x->vtid = who->vtid;
	x->pid = p ? p->tgid : 0;
	x->uid = CTRACE_EXPR_NO_ID;
	x->gid = CTRACE_EXPR_NO_ID;
	x->cid = who->container->cid;
	x->cpu = smp_processor_id();
	x->missing = 0;
	x->undecided = NULL;
	if (!p)
		return;
	rcu_read_lock();
	cred = __task_cred(p);
	x->uid = __kuid_val(cred->uid);	/* the initial namespace's number: no look-up */
	x->gid = __kgid_val(cred->gid);
	rcu_read_unlock();
}

/*
 * Which of the events of that turn is kept. A fixed place would always hit the same kind where two alternate,
 * as entry and exit do.
 */
static u32 place(u32 turn, u32 one_of)
{
	return turn ? hash_32(turn, 16) % one_of : 0;
}

/*
 * Keeps 1 of each one_of events, counted per CPU: the first of the first one_of, then a pseudo-random one of
 * each.
 */
static bool sampled(const struct ctrace_option *sel)
{
	struct ctrace_one_of __percpu *p = sel->seen;
	u32 turn, n = sel->one_of;

	if (this_cpu_dec_return(p->left) != -1)
		return false;
	/*
	 * Interrupts find left below -1, so they leave their events out. These events may have passed the
	 * next place.
	 */
	do {
		turn = this_cpu_inc_return(p->turn);
	} while (this_cpu_add_return(p->left, (s64)n - place(turn - 1, n) + place(turn, n)) < 0);
	return true;
}

static struct ctrace_option **options_all(struct ctrace_session *s)
{
	return smp_load_acquire(&s->options);	/* pairs with ctrace_option_new() */
}

static const struct ctrace_option *options_of(struct ctrace_session *s, u32 id)
{
	struct ctrace_option **options = options_all(s);

	return options ? smp_load_acquire(&options[id]) : NULL;	/* pairs with ctrace_option_publish() */
}

/* A call some of whose strings could not be read: such a field is missing. */
static noinline bool match_unread(struct ctrace_session *s, const struct ctrace_expr *e,
				  const struct ctrace_call_payload *call, u32 len, struct ctrace_expr_ctx *x)
{
	bool undecided = false, is;

	x->missing = (call->marks & CTRACE_CALL_M_UNREADS) << CTRACE_CALL_NFIELDS;
	x->undecided = &undecided;
	is = ctrace_expr_match(e, call, len, x);
	if (!is && undecided)
		atomic64_inc(&s->unread);
	return is;
}

/* Does the event pass the filter e? Of a call, only filters of whole ones can ask for strings. */
static bool match(struct ctrace_session *s, const struct ctrace_expr *e, u32 id, const void *payload, u32 len,
		  struct ctrace_expr_ctx *x)
{
	const struct ctrace_call_payload *call = payload;

	/* what is above are calls */
	BUILD_BUG_ON(CTRACE_EVENT_IDS != CTRACE_ID_CALL + 2 * CTRACE_NR_SYSCALLS);
	if (id >= CTRACE_ID_CALL && unlikely(call->marks & CTRACE_CALL_M_UNREADS))
		return match_unread(s, e, call, len, x);
	return ctrace_expr_match(e, payload, len, x);
}

u32 ctrace_options_stack(u32 mask, u32 id)
{
	const struct ctrace_option *sel;
	struct ctrace_session *s;
	u32 flags = 0;

	for (mask &= READ_ONCE(ctrace_options_sessions); mask; mask &= mask - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		sel = s ? options_of(s, id) : NULL;
		if (!sel)
			continue;
		/* a call that is counted has the stacks of its return */
		flags |= id >= CTRACE_ID_CALL ? sel->flags : ctrace_option_stacks(sel);
	}
	return flags & (CTRACE_PROBE_F_STACK | CTRACE_PROBE_F_USER_STACK);
}

static void ask_gates(u32 mask, const struct ctrace_who *who, struct ctrace_route *r)
{
	struct ctrace_expr_ctx x CTRACE_UNSET;
	const struct ctrace_expr *gate;
	struct ctrace_session *s;

	context(&x, who);
	for (; mask; mask &= mask - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		/* pairs with set_gate() in session/option.c */
		gate = s ? smp_load_acquire(&s->gate) : NULL;
		if (!gate)
			continue;
		r->asked |= mask & -mask;
		if (!ctrace_expr_match(gate, NULL, 0, &x))
			r->wanted &= ~(mask & -mask);
	}
	r->way = r->wanted;
}

/*
 * How s counts the entries and exits, if it wants one of N of them all, without a filter. The generation is
 * read before what is asked here, and changes between the disarming of a probe and the end of its options: as
 * long as it is the same, they stay.
 */
static struct ctrace_one_of __percpu *sampled_calls(u32 mask, struct ctrace_option **options)
{
	/* as in options_of() */
	const struct ctrace_option *sel = smp_load_acquire(&options[CTRACE_ID_SYS_ENTER]);

	/* one range has all of them: parse_syscall() in session/probe.c */
	if (!sel || sel != smp_load_acquire(&options[CTRACE_ID_CALL - 1]) || !(ctrace_wants(CTRACE_ID_SYS_ENTER) & mask))
		return NULL;
	return sel->first;
}

noinline void ctrace_options_note(u32 mask, const struct ctrace_who *who)
{
	u32 gated = mask & READ_ONCE(ctrace_gated_sessions), with_options = READ_ONCE(ctrace_options_sessions);
	struct ctrace_route *r = ctrace_route_of(who);
	const struct ctrace_container *c = who->container;
	struct ctrace_option **options;
	struct ctrace_ring_desc *d, *e;
	struct ctrace_session *s;
	u32 last;

	if (!r)
		return;
	if (gated & ~r->asked)
		ask_gates(gated & ~r->asked, who, r);
	if (gated) {
		mask &= r->wanted;
		with_options &= ~(r->asked & READ_ONCE(ctrace_gated_short_sessions));
	}
	last = mask & (mask - 1);
	if (!mask || last & (last - 1) || mask & ~READ_ONCE(c->wanted))
		return;
	if (!(mask & (with_options | READ_ONCE(ctrace_detailed_sessions)))) {
		d = ctrace_arena_ring(__ffs(mask), c->cid);
		if (last) {
			e = ctrace_arena_ring(__ffs(last), c->cid);
			r->rings[0] = d;
			r->rings[1] = e;
			r->pair = d->cid == c->cid && e->cid == c->cid ? mask : 0;
			return;
		}
		r->ring = d;
		r->only = d->cid == c->cid ? mask : 0;
		return;
	}
	if (last)
		return;
	r->noted |= mask;
	s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
	options = s ? options_all(s) : NULL;
	if (options) {
		r->options = options;
		r->asks = (u64)mask << 32;
		r->sampled = sampled_calls(mask, options);
		if (r->sampled && mask == r->wanted)
			r->way = CTRACE_WAY_SAMPLED;
	}
}

noinline u32 ctrace_emit_passing(u32 mask, u32 id, const struct ctrace_who *who, const void *payload, u32 len)
{
	u32 some = mask & READ_ONCE(ctrace_options_sessions);
	const struct ctrace_option *sel;
	struct ctrace_session *s;
	struct ctrace_expr_ctx x CTRACE_UNSET;

	for (; some; some &= some - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(some)]);
		sel = s ? options_of(s, id) : NULL;
		if (!s || !(s->filter || (sel && sel->early)))
			continue;
		context(&x, who);
		if ((s->filter && !ctrace_expr_match(s->filter, NULL, 0, &x)) ||
		    (sel && sel->early && !ctrace_expr_match(sel->expr, payload, len, &x)))
			mask &= ~(some & -some);
	}
	return mask;
}

/*
 * Does s record this event of who? payload is only needed if sel has a filter: a session's filter has no
 * fields. Counts the event for one_of and for the limit. *x is filled if a filter, or an aggregate with
 * words, asks.
 */
static __always_inline bool pass(struct ctrace_session *s, const struct ctrace_option *sel, u32 id,
		 const struct ctrace_who *who, const void *payload, u32 len, struct ctrace_expr_ctx *x)
{
	if (s->filter || (sel && (sel->expr || (sel->agg && sel->agg->words)))) {
		context(x, who);
		if (s->filter && !ctrace_expr_match(s->filter, payload, len, x))
			return false;
		if (sel && sel->expr && !match(s, sel->expr, id, payload, len, x))
			return false;
	}
	if (sel && sel->one_of && !sampled(sel))
		return false;
	return !s->limit || ctrace_limit_pass(s->limit, who->container->cid, who->container->account,
					      ctrace_compat_clock());
}

/* --- emitting --------------------------------------------------------------- */

/*
 * The program's stack of event id. current may be another task than who's, such as a waker, whose stack must
 * not show.
 */
static u32 user_stack(u64 *to, u32 id, const struct ctrace_who *who)
{
	const struct ctrace_stack_waited *w = __this_cpu_read(ctrace_stack_waited);

	if (!w || w->of != id || !w->user)
		return who->task == current ? ctrace_stack_user(to) : 0;
	memcpy(to, w->user->callstack, w->user->n * sizeof(*to));
	return w->user->n;
}

/* The kernel's stack of event id: the one that leads here, unless its emit says otherwise. */
static u32 own_stack(u64 *to, u32 id)
{
	const struct ctrace_stack_waited *w = __this_cpu_read(ctrace_stack_waited);

	if (!w || w->of != id)
		return ctrace_stack_kernel(to, NULL);
	memcpy(to, w->callstack, w->n * sizeof(*w->callstack));
	return w->n;
}

/* The event's payload is in the ring already, so its room can hold the stack. */
static void emit_stack(struct ctrace_session *s, u32 id, u32 of, const struct ctrace_who *who,
		       void *room)
{
	struct ctrace_stack_payload *r = room;
	struct ctrace_copy c = { .from = room };
	u32 n;

	BUILD_BUG_ON(CTRACE_SIZE(ctrace_stack_payload) + CTRACE_STACK_DEPTH * sizeof(u64) > CTRACE_PAYLOAD_MAX);
	r->event = of;
	n = id == CTRACE_ID_KERNEL_STACK ? own_stack(r->callstack, of) : user_stack(r->callstack, of, who);
	r->callstack_length = n;
	c.len = CTRACE_SIZE(ctrace_stack_payload) + n * sizeof(u64);
	ctrace_emit_one(s->index, id, who, who->container->cid, c.len, ctrace_fill_copy, &c);
}

/* --- counting --------------------------------------------------------------- */

struct stack_arg {
	u32 id;
	const struct ctrace_who *who;
};

static u32 counted_kernel_stack(u64 *to, const void *arg)
{
	const struct stack_arg *a = arg;

	return own_stack(to, a->id);
}

static u32 counted_user_stack(u64 *to, const void *arg)
{
	const struct stack_arg *a = arg;

	return user_stack(to, a->id, a->who);
}

static void count(const struct ctrace_option *sel, u32 id, const struct ctrace_who *who, const void *payload, u32 len,
		  const struct ctrace_expr_ctx *x)
{
	const struct stack_arg of = { .id = id, .who = who };
	struct ctrace_aggregate_event e = {
		.cid = who->container->cid, .id = id, .payload = payload, .len = len, .x = x,
		.kernel_stack = counted_kernel_stack, .user_stack = counted_user_stack, .arg = &of,
	};
	bool stacks = sel->agg->stack || sel->agg->ustack;

	BUILD_BUG_ON(CTRACE_TABLE_FRAMES < CTRACE_STACK_DEPTH || CTRACE_PAYLOAD_MAX < CTRACE_TABLE_FRAMES * sizeof(u64));
	if (unlikely(stacks))
		e.frames = (u64 *)ctrace_scratch_take();
	ctrace_aggregate_count(sel->table, sel->agg, &e);
	if (e.frames)
		ctrace_scratch_give();
}

noinline u32 ctrace_emit_counted(u32 mask, u32 id, const struct ctrace_who *who, const void *payload, u32 len, u32 nfields)
{
	struct ctrace_aggregate_event e CTRACE_UNSET;	/* stacks are not asked for */
	struct ctrace_expr_ctx x CTRACE_UNSET;
	const struct ctrace_option *sel;
	struct ctrace_session *s;
	u32 rest = mask;

	e.cid = who->container->cid;
	e.id = id;
	e.payload = payload;
	e.len = len;
	e.x = &x;
	for (; mask; mask &= mask - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		sel = s ? options_of(s, id) : NULL;
		if (!sel || !sel->plain || sel->agg->head > nfields)
			continue;
		if (sel->agg->words)
			context(&x, who);
		ctrace_aggregate_count(sel->table, sel->agg, &e);
		rest &= ~(mask & -mask);
	}
	return rest;
}

void ctrace_emit_lost(u32 mask, u32 id, u32 cid)
{
	const struct ctrace_option *sel;
	struct ctrace_session *s;

	for (; mask; mask &= mask - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		sel = s ? options_of(s, id) : NULL;
		if (sel && sel->agg)
			ctrace_aggregate_lost(sel->table);
		else
			ctrace_ring_lost_nested(ctrace_arena_ring(__ffs(mask), cid));
	}
}

/* A record's payload, and a place for the record's address: a freeze needs its time. */
struct noted {
	void (*fill)(void *payload, const void *arg);
	const void *arg;
	const struct ctrace_record **rec;
};

static void fill_noted(void *payload, const void *arg)
{
	const struct noted *n = arg;

	*n->rec = (const struct ctrace_record *)payload - 1;
	n->fill(payload, n->arg);
}

/*
 * The event for s: recorded with its stacks, counted, or left out. room: for the payload if a filter reads
 * it, and for stacks. rec: set if a record was written, or NULL.
 */
static __always_inline void emit_selected(struct ctrace_session *s, const struct ctrace_option *sel, u32 id,
					  const struct ctrace_who *who, u32 payload,
					  void (*fill)(void *payload, const void *arg), const void *arg,
					  char *room, const struct ctrace_record **rec)
{
	struct ctrace_copy c = { .from = room, .len = payload };
	struct noted n = { .fill = fill, .arg = arg, .rec = rec };
	struct ctrace_expr_ctx x CTRACE_UNSET;	/* pass() fills it if it is asked for */
	u32 cid = who->container->cid;
	bool written;

	if (!sel || !(sel->expr || sel->agg)) {
		if (!pass(s, sel, id, who, NULL, 0, &x))
			return;
		if (rec)
			written = ctrace_emit_one(s->index, id, who, cid, payload, fill_noted, &n);
		else
			written = ctrace_emit_one(s->index, id, who, cid, payload, fill, arg);
	} else {
		/* padding that fill skips would otherwise keep bytes of another container's event */
		memset(room, 0, payload);
		fill(room, arg);	/* for each session again: a stack may have overwritten it */
		if (!pass(s, sel, id, who, room, payload, &x))
			return;
		if (sel->agg) {
			count(sel, id, who, room, payload, &x);
			return;
		}
		n.fill = ctrace_fill_copy;
		n.arg = &c;
		if (rec)
			written = ctrace_emit_one(s->index, id, who, cid, payload, fill_noted, &n);
		else
			written = ctrace_emit_one(s->index, id, who, cid, payload, ctrace_fill_copy, &c);
	}
	if (!sel || likely(!sel->flags))
		return;
	if (sel->flags & CTRACE_PROBE_F_STACK)
		emit_stack(s, CTRACE_ID_KERNEL_STACK, id, who, room);
	if (sel->flags & CTRACE_PROBE_F_USER_STACK)
		emit_stack(s, CTRACE_ID_USER_STACK, id, who, room);
	if (sel->flags & CTRACE_PROBE_F_USER_COPY && written)
		ctrace_emit_user_copy(s->index, id, sel->copy, who, room);
}

/*
 * The event, in the rings of another session, which the caller freezes then; NULL: not recorded. If that
 * session has ended, its index may be another one's by now. If not, it does not end before preemption is
 * enabled.
 */
static const struct ctrace_record *emit_last(const struct ctrace_session *to, u32 id,
					     const struct ctrace_who *who, u32 payload,
					     void (*fill)(void *payload, const void *arg), const void *arg)
{
	const struct ctrace_record *rec = NULL;
	const struct noted n = { .fill = fill, .arg = arg, .rec = &rec };

	if (READ_ONCE(ctrace_sessions[to->index]) != to || !READ_ONCE(to->recording) ||
	    !(READ_ONCE(who->container->wanted) & 1u << to->index))
		return NULL;
	ctrace_emit_one(to->index, id, who, who->container->cid, payload, fill_noted, &n);
	return rec;
}

/*
 * With interrupts off, the record and its stacks are the last ones of the container on this CPU: what comes
 * then finds the ring frozen. Only an NMI may still write one, before ctrace_arena_freeze() has marked the
 * ring.
 */
static noinline void emit_freezing(struct ctrace_session *s, const struct ctrace_option *sel, u32 id,
				   const struct ctrace_who *who, u32 payload,
				   void (*fill)(void *payload, const void *arg), const void *arg, char *room)
{
	struct ctrace_session *to = sel->freezes ?: s;
	const struct ctrace_record *rec = NULL;
	unsigned long flags;

	raw_local_irq_save(flags);	/* raw: tracing of irqs-off must not call us again */
	emit_selected(s, sel, id, who, payload, fill, arg, room, &rec);
	if (rec && to != s)
		rec = emit_last(to, id, who, payload, fill, arg);
	/* the record is still there: the ring would have to be filled once, by NMIs alone, to overwrite it */
	if (rec)
		ctrace_arena_freeze(to->arena, who->container->cid, READ_ONCE(rec->time), id, who->tid);
	raw_local_irq_restore(flags);
}

noinline void ctrace_emit_options(u32 mask, u32 id, const struct ctrace_who *who, u32 payload,
				  void (*fill)(void *payload, const void *arg), const void *arg)
{
	u32 counting = mask & READ_ONCE(ctrace_counting_sessions);
	const struct ctrace_option *sel;
	struct ctrace_session *s;
	char *room;

	if (counting) {
		mask &= ~counting;
		mask |= ctrace_emit_counted(counting, id, who, NULL, 0, 0);
		if (!mask)
			return;
	}
	room = ctrace_scratch_take();
	if (!room) {
		ctrace_emit_lost(mask, id, who->container->cid);
		return;
	}
	for (; mask; mask &= mask - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		if (!s)
			continue;
		sel = options_of(s, id);
		if (sel && unlikely(sel->flags & CTRACE_PROBE_F_FREEZE))
			emit_freezing(s, sel, id, who, payload, fill, arg, room);
		else
			emit_selected(s, sel, id, who, payload, fill, arg, room, NULL);
	}
	ctrace_scratch_give();
}
