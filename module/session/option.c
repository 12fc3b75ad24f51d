// SPDX-License-Identifier: GPL-2.0-only
/* Options of probes and sessions: made, published, asked, freed. */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "emit/emit.h"
#include "event/event.h"
#include "session/limit.h"
#include "session/probe.h"
#include "session/option.h"
#include "emit/stack.h"
#include "compat/tracepoint.h"

u32 ctrace_special_sessions;

static void special(struct ctrace_session *s, bool on)
{
	u32 bit = 1u << s->index;

	lockdep_assert_held(&ctrace_lock);
	WRITE_ONCE(ctrace_special_sessions, on ? ctrace_special_sessions | bit :
						 ctrace_special_sessions & ~bit);
	ctrace_identity_forget_tasks();
}

/* --- making ----------------------------------------------------------------- */

/* What all types of a range of several have in front. */
static const struct ctrace_field_desc call_head[] = {
	CTRACE_FIELD(UINT, "duration", 8), CTRACE_FIELD(INT, "ret", 8),
};

static bool asks(const struct ctrace_probe_opts *o)
{
	return o->filter || o->one_of > 1 || o->flags;
}

static bool has_selects(const struct ctrace_probe *p)
{
	u32 i;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		if (p->selects[i])
			return true;
	return false;
}

static bool overlap(const struct ctrace_probe *p, const struct ctrace_probe *q)
{
	u32 i, j;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		for (j = 0; j < CTRACE_PROBE_RANGES; j++)
			if (p->ranges[i].from < q->ranges[j].from + q->ranges[j].n &&
			    q->ranges[j].from < p->ranges[i].from + p->ranges[i].n)
				return true;
	return false;
}

/* An event type has one set of options in a session: which of two would hold? */
static int check_overlap(struct ctrace_probe *p, bool asking, char *why)
{
	struct ctrace_probe *q;

	list_for_each_entry(q, &p->session->probes, list) {
		if (!(asking || has_selects(q)) || !overlap(p, q))
			continue;
		snprintf(why, CTRACE_WHY_MAX,
			 "probe '%.48s' is of an event that probe '%.48s' has already, with other options",
			 p->name, q->name);
		return -EEXIST;
	}
	return 0;
}

static struct ctrace_select *select_alloc(const struct ctrace_probe_opts *o)
{
	struct ctrace_select *sel = kzalloc(sizeof(*sel), GFP_KERNEL);

	if (!sel)
		return NULL;
	sel->flags = o->flags;
	sel->one_of = o->one_of > 1 ? o->one_of : 0;
	if (sel->one_of) {
		sel->seen = alloc_percpu(u32);
		if (!sel->seen) {
			kfree(sel);
			return NULL;
		}
	}
	return sel;
}

static void select_release(struct ctrace_select *sel)
{
	if (!sel)
		return;
	ctrace_expr_free(sel->expr);
	free_percpu(sel->seen);
	kfree(sel);
}

/* The type of the one event of a range; its fields in fields[]. */
static int range_type(u32 from, u32 n, struct ctrace_event_type *t, struct ctrace_field_desc *fields,
		      char *name)
{
	if (n == 1)
		return ctrace_event_next(from, t, fields, name) && t->id == from ? 0 : -ENOENT;
	memset(t, 0, sizeof(*t));
	if (from >= CTRACE_ID_CALL) {
		t->fields = call_head;
		t->nfields = ARRAY_SIZE(call_head);
	}
	return 0;
}

struct range_room {
	struct ctrace_event_type t;
	struct ctrace_field_desc fields[CTRACE_EVENT_FIELDS];
	char name[CTRACE_NAME_MAX];
};

static int new_range(struct ctrace_probe *p, u32 i, const struct ctrace_probe_opts *o,
		     struct range_room *r, char *why)
{
	struct ctrace_select *sel;
	int err = range_type(p->ranges[i].from, p->ranges[i].n, &r->t, r->fields, r->name);
	size_t n;

	if (err)
		return err;
	p->kaddr |= r->t.flags & CTRACE_EVENT_F_KADDR;
	if (!asks(o))
		return 0;
	sel = select_alloc(o);
	if (!sel)
		return -ENOMEM;
	p->selects[i] = sel;
	if (!o->filter)
		return 0;
	err = ctrace_expr_new(o->filter, r->t.fields, r->t.nfields, &sel->expr, why, CTRACE_WHY_MAX);
	n = strlen(why);
	/* which of its events has no such field? */
	if (err == -EINVAL && p->ranges[1].n && r->t.name)
		snprintf(why + n, CTRACE_WHY_MAX - n, " (%s)", r->t.name);
	return err;
}

int ctrace_select_new(struct ctrace_probe *p, const struct ctrace_probe_opts *o, char *why)
{
	struct ctrace_session *s = p->session;
	struct range_room *r;
	int err;
	u32 i;

	lockdep_assert_held(&ctrace_lock);
	err = check_overlap(p, asks(o), why);
	if (err)
		return err;
	if (asks(o) && !s->selects) {
		struct ctrace_select **all = vzalloc(CTRACE_ID_MAX * sizeof(*all));

		if (!all)
			return -ENOMEM;
		/* empty before it is seen: pairs with select_of() */
		smp_store_release(&s->selects, all);
	}
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	p->kaddr = o->flags & CTRACE_PROBE_F_STACK;
	for (i = 0; !err && i < CTRACE_PROBE_RANGES && p->ranges[i].n; i++) {
		err = new_range(p, i, o, r, why);
		if (err != -EINVAL || !i || p->ranges[i].from < CTRACE_ID_COMPAT_CALL)
			continue;
		/* A 32-bit call may lack a field of the other (mmap's len): it matches nothing then. */
		select_release(p->selects[i]);
		p->selects[i] = NULL;
		p->ranges[i].n = 0;
		*why = 0;
		err = 0;
	}
	kfree(r);
	return err;	/* ctrace_select_free() takes what there is of it */
}

void ctrace_select_sync(void)
{
	ctrace_compat_tracepoint_sync();
	ctrace_compat_synchronize();	/* kprobes and perf events: preemption is off in their handlers */
}

void ctrace_select_publish(struct ctrace_probe *p, bool on)
{
	struct ctrace_session *s = p->session;
	u32 i, id;

	lockdep_assert_held(&ctrace_lock);
	for (i = 0; i < CTRACE_PROBE_RANGES; i++) {
		if (!p->selects[i])
			continue;
		for (id = p->ranges[i].from; id < p->ranges[i].from + p->ranges[i].n; id++)
			/* who sees the options sees them whole: pairs with select_of() */
			smp_store_release(&s->selects[id], on ? p->selects[i] : NULL);
		if (on)
			special(s, true);
	}
	if (on && has_selects(p) && s->recording)
		ctrace_select_sync();	/* as ctrace_session_record() does, and why */
}

void ctrace_select_free(struct ctrace_probe *p)
{
	u32 i;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		select_release(p->selects[i]);
}

int ctrace_select_session(struct ctrace_session *s, const char *filter, u32 rate, char *why)
{
	int err = 0;

	lockdep_assert_held(&ctrace_lock);
	if (filter)
		err = ctrace_expr_new(filter, NULL, 0, &s->filter, why, CTRACE_WHY_MAX);
	if (!err && rate) {
		s->limit = ctrace_limit_new(rate);
		if (!s->limit)
			err = -ENOMEM;
	}
	if (err) {
		ctrace_select_session_free(s);
		s->filter = NULL;
		s->limit = NULL;
		return err;
	}
	if (s->filter || s->limit)
		special(s, true);
	return 0;
}

void ctrace_select_session_end(struct ctrace_session *s)
{
	special(s, false);
}

void ctrace_select_session_free(struct ctrace_session *s)
{
	ctrace_expr_free(s->filter);
	if (s->limit)
		ctrace_limit_free(s->limit);
	vfree(s->selects);
}

/* --- asking ----------------------------------------------------------------- */

static void context(struct ctrace_expr_ctx *x, const struct ctrace_who *who)
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
	if (!p)
		return;
	rcu_read_lock();
	cred = __task_cred(p);
	x->uid = __kuid_val(cred->uid);	/* as the initial namespace has it: no look-up */
	x->gid = __kgid_val(cred->gid);
	rcu_read_unlock();
}

/*
 * One in each so many, counted on each CPU: of the first so many the first, then any, so that
 * of events that take turns (an entry, its exit) it is not always the same kind.
 */
static bool sampled(const struct ctrace_select *sel)
{
	u32 n = this_cpu_inc_return(*sel->seen) - 1, turn = n / sel->one_of;

	return n % sel->one_of == (turn ? hash_32(turn, 16) % sel->one_of : 0);
}

static const struct ctrace_select *select_of(struct ctrace_session *s, u32 id)
{
	/* Acquire: pairs with ctrace_select_new() and ctrace_select_publish(). */
	struct ctrace_select **selects = smp_load_acquire(&s->selects);

	return selects ? smp_load_acquire(&selects[id]) : NULL;	/* likewise */
}

/*
 * Would s record this event of who? payload is complete if sel has a filter: a session's asks for no
 * field. Counts what it takes and what the limit held back.
 */
static bool pass(struct ctrace_session *s, const struct ctrace_select *sel,
		 const struct ctrace_who *who, const void *payload, u32 len)
{
	struct ctrace_expr_ctx x;

	if (s->filter || (sel && sel->expr)) {
		context(&x, who);
		if (s->filter && !ctrace_expr_match(s->filter, payload, len, &x))
			return false;
		if (sel && sel->expr && !ctrace_expr_match(sel->expr, payload, len, &x))
			return false;
	}
	if (sel && sel->one_of && !sampled(sel))
		return false;
	return !s->limit || ctrace_limit_pass(s->limit, who->container->cid, ctrace_compat_clock());
}

/* --- emitting --------------------------------------------------------------- */

/*
 * Room for stacks, and for records that a filter looks into before it is known whether they are kept.
 * Interrupts nest, and a probe may set off another (user memory that is not there is a page
 * fault), so there are as many as can be under way at once on a CPU; deeper
 * ones are lost and counted as such.
 */
#define SCRATCH_DEPTH	6

struct scratch {
	u32 depth;
	char payload[SCRATCH_DEPTH][CTRACE_PAYLOAD_MAX] __aligned(8);
};

static struct scratch __percpu *scratches;

struct copy {
	const void *from;
	u32 len;
};

static void fill_copy(void *payload, const void *arg)
{
	const struct copy *c = arg;

	memcpy(payload, c->from, c->len);
}

struct stack_payload {
	u32 event, n;
	u64 frames[CTRACE_STACK_DEPTH];
};

/* The event's payload is in the ring: room may be used again. */
static void emit_stack(struct ctrace_session *s, u32 id, u32 of, const struct ctrace_who *who,
		       void *room)
{
	struct stack_payload *r = room;
	struct copy c = { .from = room };

	BUILD_BUG_ON(sizeof(*r) > CTRACE_PAYLOAD_MAX);
	r->event = of;
	if (id == CTRACE_ID_KERNEL_STACK)
		r->n = ctrace_stack_kernel(r->frames, NULL);
	else	/* the waker's is none of the woken task's business */
		r->n = who->task == current ? ctrace_stack_user(r->frames) : 0;
	c.len = offsetof(struct stack_payload, frames[r->n]);
	ctrace_emit_one(s->index, id, who, who->container->cid, c.len, fill_copy, &c);
}

static void lost(u32 mask, u32 cid)
{
	for (; mask; mask &= mask - 1)
		ctrace_ring_count(&ctrace_arena_ring(__ffs(mask), cid)->ctl->lost_nested);
}

noinline void ctrace_emit_special(u32 mask, u32 id, const struct ctrace_who *who, u32 payload,
				  void (*fill)(void *payload, const void *arg), const void *arg)
{
	struct scratch *x = this_cpu_ptr(scratches);
	u32 cid = who->container->cid, depth = READ_ONCE(x->depth);
	const struct ctrace_select *sel;
	struct ctrace_session *s;
	struct copy c = { .len = payload };
	char *room;

	if (depth == SCRATCH_DEPTH) {
		lost(mask, cid);
		return;
	}
	/* Who interrupts from here on puts it back before we go on. */
	WRITE_ONCE(x->depth, depth + 1);
	barrier();
	room = x->payload[depth];
	c.from = room;
	for (; mask; mask &= mask - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		if (!s)
			continue;
		sel = select_of(s, id);
		if (!sel || !sel->expr) {
			if (!pass(s, sel, who, NULL, 0))
				continue;
			ctrace_emit_one(s->index, id, who, cid, payload, fill, arg);
		} else {
			/* in what fill leaves out to align would be bytes of another container's event */
			memset(room, 0, payload);
			fill(room, arg);	/* again for each: a stack overwrites it */
			if (!pass(s, sel, who, room, payload))
				continue;
			ctrace_emit_one(s->index, id, who, cid, payload, fill_copy, &c);
		}
		if (sel && sel->flags & CTRACE_PROBE_F_STACK)
			emit_stack(s, CTRACE_ID_KERNEL_STACK, id, who, room);
		if (sel && sel->flags & CTRACE_PROBE_F_USER_STACK)
			emit_stack(s, CTRACE_ID_USER_STACK, id, who, room);
	}
	barrier();
	WRITE_ONCE(x->depth, depth);
}

int ctrace_select_init(void)
{
	scratches = alloc_percpu(struct scratch);
	return scratches ? 0 : -ENOMEM;
}

void ctrace_select_exit(void)
{
	free_percpu(scratches);
}
