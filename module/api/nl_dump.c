// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps. A dump takes several calls, and what it lists may change in between. So its place
 * is the id written last, never a pointer: ids only grow, so nothing is listed twice, and
 * nothing that stayed is left out. Each call continues at that place, and does not look again at what comes
 * before.
 *
 * A look at all slots of an arena, of which a large one has a million, is done without ctrace_lock, and with
 * a reference to its session.
 */
#include <linux/kernel.h>
#include "api/netlink.h"
#include "api/put.h"
#include "api/reply.h"
#include "probe/block_under_way.h"
#include "session/limit.h"
#include "session/probe.h"
#include "session/session.h"
#include "session/target.h"
#include "identity/container.h"
#include "identity/identity.h"
#include "identity/scan.h"
#include "compat/ns.h"
#include "compat/task.h"

/* Begins one message of a dump; NULL: no room. finish() ends it, or takes it back after an error. */
static void *message(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &ctrace_genl_family, NLM_F_MULTI, cmd);
}

static int finish(struct sk_buff *skb, void *hdr, int err)
{
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

/* What a dump returns. An item that does not even fit into an empty message is an error, not the end. */
static int dumped(const struct sk_buff *skb, bool full)
{
	return skb->len ?: (full ? -EMSGSIZE : 0);
}

/* --- sessions -------------------------------------------------------------- */

/* The session that a dump asks for: SESSION{ID}; 0: all. */
static int dump_only(struct netlink_callback *cb, u32 *only)
{
	struct nlattr *attrs[CTRACE_A_MAX + 1], *tb[CTRACE_A_SESSION_MAX + 1];
	int err;

	*only = 0;
	err = ctrace_compat_dump_parse(cb, attrs, CTRACE_A_MAX);
	if (err || !attrs[CTRACE_A_SESSION])
		return err;
	err = ctrace_netlink_set(attrs, CTRACE_A_SESSION, tb, CTRACE_A_SESSION_MAX,
				 ctrace_policy_session, ctrace_compat_dump_extack(cb));
	if (!err && tb[CTRACE_A_SESSION_ID])
		*only = nla_get_u32(tb[CTRACE_A_SESSION_ID]);
	return err;
}

/* With a reference: the first session with an id above `after`; only: it must be that one, if not 0. */
static struct ctrace_session *next_session(u32 after, u32 only)
{
	if (!only)
		return ctrace_session_after_get(after);
	return only > after ? ctrace_session_find_get(only) : NULL;
}

int ctrace_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ctrace_arena_stats st;
	struct ctrace_session *s;
	bool full = false;
	void *hdr;
	u32 only;
	int err;

	err = dump_only(cb, &only);
	while (!err && !full && (s = next_session(cb->args[0], only))) {
		ctrace_arena_stats(s->arena, &st);
		err = mutex_lock_killable(&ctrace_lock);
		/* it may have ended since, and its id is never another's */
		if (!err && ctrace_session_find(s->id)) {
			hdr = message(skb, cb, CTRACE_CMD_SESSION_GET);
			full = !hdr || finish(skb, hdr, ctrace_put_session(skb, s, &st));
		}
		if (!err)
			mutex_unlock(&ctrace_lock);
		if (!full && !err)
			cb->args[0] = s->id;
		ctrace_session_put(s);
	}
	return err ?: dumped(skb, full);
}

static void go_to_session(struct netlink_callback *cb, long id)
{
	cb->args[0] = id;
	cb->args[1] = 0;
	cb->args[2] = 0;
	cb->args[3] = 0;
}

/*
 * Dumps items of sessions, or of the one that is asked for, in order. fn writes the items of s that
 * come after the places args[1] to args[3], moves those on as it goes, and returns non-zero when
 * the message is full.
 */
static int dump_items(struct sk_buff *skb, struct netlink_callback *cb,
		      int (*fn)(struct sk_buff *, struct netlink_callback *, struct ctrace_session *))
{
	struct ctrace_session *s;
	bool full = false;
	u32 only;
	int err;

	err = dump_only(cb, &only);
	if (err)
		return err;
	err = mutex_lock_killable(&ctrace_lock);
	if (err)
		return err;
	list_for_each_entry(s, &ctrace_session_list, list) {
		if (s->id < cb->args[0] || (only && s->id != only))
			continue;
		if (s->id != cb->args[0])
			go_to_session(cb, s->id);
		full = fn(skb, cb, s);
		if (full)
			break;
	}
	mutex_unlock(&ctrace_lock);
	return dumped(skb, full);
}

/* --- probes ------------------------------------------------------------------ */

static int probes_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s,
		     u8 cmd, long *place)
{
	struct ctrace_probe *p;
	void *hdr;

	list_for_each_entry(p, &s->probes, list) {
		if (p->id <= *place)
			continue;
		hdr = message(skb, cb, cmd);
		if (!hdr || finish(skb, hdr, ctrace_put_session_id(skb, s->id) ?: ctrace_put_probe(skb, p)))
			return 1;
		*place = p->id;
	}
	return 0;
}

static int dump_probes_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s)
{
	return probes_of(skb, cb, s, CTRACE_CMD_PROBE_GET, &cb->args[1]);
}

int ctrace_dump_probes(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_items(skb, cb, dump_probes_of);
}

/* --- targets -------------------------------------------------------------------- */

static int dump_targets_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s)
{
	struct ctrace_target *t;
	void *hdr;

	list_for_each_entry(t, &s->targets, list) {
		if (t->id <= cb->args[1])
			continue;
		hdr = message(skb, cb, CTRACE_CMD_TARGET_GET);
		if (!hdr || finish(skb, hdr, ctrace_put_session_id(skb, s->id) ?: ctrace_put_target(skb, t)))
			return 1;
		cb->args[1] = t->id;
	}
	return 0;
}

int ctrace_dump_targets(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_items(skb, cb, dump_targets_of);
}

/* --- frozen containers ----------------------------------------------------------- */

/* args[1]: the number of the freeze that was listed last. */
static int dump_frozen_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s)
{
	struct ctrace_frozen e;
	void *hdr;

	while (ctrace_arena_frozen_after(s->arena, cb->args[1], &e)) {
		hdr = message(skb, cb, CTRACE_CMD_FROZEN_GET);
		if (!hdr || finish(skb, hdr, ctrace_put_session_id(skb, s->id) ?:
				   ctrace_put_frozen(skb, &e, ctrace_arena_frozen_left(s->arena, &e))))
			return 1;
		cb->args[1] = ctrace_frozen_number(&e);
	}
	return 0;
}

int ctrace_dump_frozen(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_items(skb, cb, dump_frozen_of);
}

/* --- statistics ------------------------------------------------------------------- */

struct ring_dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	u32 session;
};

static int dump_ring(const struct ctrace_ring_stats *r, void *arg)
{
	struct ring_dump *d = arg;
	void *hdr;

	hdr = message(d->skb, d->cb, CTRACE_CMD_STATS_GET);
	if (!hdr || finish(d->skb, hdr, ctrace_put_session_id(d->skb, d->session) ?: ctrace_put_ring(d->skb, r)))
		return 1;
	d->cb->args[1] = r->slot + 1;
	return 0;
}

/* Lists the limits in the table's order; *place is an index into it. */
static int limits_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s,
		     long *place)
{
	u64 dropped;
	void *hdr;
	u32 cid;

	for (; s->limit && !ctrace_limit_at(s->limit, *place, &cid, &dropped); ++*place) {
		if (!dropped)
			continue;
		hdr = message(skb, cb, CTRACE_CMD_STATS_GET);
		if (!hdr || finish(skb, hdr, ctrace_put_session_id(skb, s->id) ?: ctrace_put_limit(skb, cid, dropped)))
			return 1;
	}
	return 0;
}

/* args[1]: the slot at which the dump continues. No lock. */
static int rings_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s)
{
	struct ring_dump d = { .skb = skb, .cb = cb, .session = s->id };
	int full = ctrace_arena_each_ring(s->arena, cb->args[1], dump_ring, &d);

	if (!full)
		cb->args[1] = ctrace_arena_nslots(s->arena);	/* also those behind the last one in use */
	return full;
}

int ctrace_dump_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ctrace_session *s;
	bool full = false;
	u32 only;
	int err;

	err = dump_only(cb, &only);
	while (!err && !full && (s = next_session(max(cb->args[0], 1L) - 1, only))) {
		if (s->id != cb->args[0])
			go_to_session(cb, s->id);
		full = rings_of(skb, cb, s);
		err = full ? 0 : mutex_lock_killable(&ctrace_lock);
		if (!full && !err) {
			full = ctrace_session_find(s->id) &&
			       (probes_of(skb, cb, s, CTRACE_CMD_STATS_GET, &cb->args[2]) ||
				limits_of(skb, cb, s, &cb->args[3]));
			mutex_unlock(&ctrace_lock);
		}
		if (!full && !err)
			go_to_session(cb, s->id + 1L);
		ctrace_session_put(s);
	}
	return err ?: dumped(skb, full);
}

/* --- containers -------------------------------------------------------------------- */

int ctrace_dump_containers(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ctrace_container *c;
	void *hdr;
	int err;

	if (!cb->args[0])	/* finds the containers of tasks that nobody has looked at yet */
		ctrace_identity_scan();
	/* args[0]: 1 + the cid written last, 0 at first */
	while ((c = cb->args[0] ? ctrace_container_after(cb->args[0] - 1) :
				  ctrace_container_next(NULL))) {
		hdr = message(skb, cb, CTRACE_CMD_CONTAINER_GET);
		err = hdr ? finish(skb, hdr, ctrace_put_container(skb, c)) : -EMSGSIZE;
		if (!err)
			cb->args[0] = (unsigned long)c->cid + 1;
		ctrace_container_put(c);
		if (err)
			break;
	}
	return skb->len ?: err;
}

/* --- threads ------------------------------------------------------------------------- */

#define TASKS_AT_ONCE	64	/* that are looked at under RCU, at most */

/* Is p a thread of user space, and one of the session with that bit? 0: of any. RCU read side. */
static bool look_task(struct task_struct *p, u32 bit, struct ctrace_task *t)
{
	const struct pid *pid = ctrace_compat_task_pid(p);
	struct ctrace_who who;
	bool wanted;

	if (!pid || p->flags & PF_KTHREAD || p->exit_state)
		return false;
	memset(t, 0, sizeof(*t));
	preempt_disable();
	ctrace_identity_resolve_task(p, &who);
	wanted = !bit || ctrace_wanted(bit, who.container, p);
	if (wanted) {
		t->cid = who.container->cid;
		if (!ctrace_sched_span_under_way(p, &t->span))
			t->span.id = 0;
		if (!ctrace_call_under_way(p, &t->call))
			t->call.id = 0;
		ctrace_compat_task_ran(p, &t->ran, &t->queued);
		t->state = ctrace_compat_task_state(p);
		t->iowait = p->in_iowait;
	}
	preempt_enable();
	t->tid = p->pid;
	t->pid = p->tgid;
	t->vtid = pid->numbers[pid->level].nr;
	ctrace_put_comm(t->comm, p, true);
	return wanted;
}

/*
 * The next one from the number *nr on, if it is among the next few; *nr: where it continues. -1: there is
 * none.
 */
static int look_next(int *nr, u32 bit, struct ctrace_task *t)
{
	struct task_struct *p;
	int n, found = 0;

	rcu_read_lock();
	for (n = 0; n < TASKS_AT_ONCE && !found; n++, ++*nr) {
		if (!ctrace_compat_next_task(nr, &p))
			found = -1;
		else if (p && look_task(p, bit, t))
			found = 1;
	}
	rcu_read_unlock();
	return found;
}

/*
 * fn puts the next item from the place args[0] on into the message, if it is among the few that fn looks at,
 * and moves args[0] on. 1: the message is full; -1: there are no more. bit: of the session that is asked for;
 * 0: of any. ctrace_lock is held: see probe/under_way.h
 */
static int dump_under_way(struct sk_buff *skb, struct netlink_callback *cb,
			  int (*fn)(struct sk_buff *, struct netlink_callback *, u32 bit))
{
	struct ctrace_session *s = NULL;
	int err, result = 0;
	u32 only;

	err = dump_only(cb, &only) ?: mutex_lock_killable(&ctrace_lock);
	if (err)
		return err;
	if (only)
		s = ctrace_session_find(only);
	while (!result && (s || !only)) {
		result = fn(skb, cb, s ? 1u << s->index : 0);
		cond_resched();
	}
	mutex_unlock(&ctrace_lock);
	return dumped(skb, result > 0);
}

static int put_next_task(struct sk_buff *skb, struct netlink_callback *cb, u32 bit)
{
	int nr = max(cb->args[0], 1L), found;
	struct ctrace_task t;
	void *hdr;

	found = look_next(&nr, bit, &t);
	if (found > 0) {
		hdr = message(skb, cb, CTRACE_CMD_TASK_GET);
		if (!hdr || finish(skb, hdr, ctrace_put_task(skb, &t))) {
			cb->args[0] = t.tid;
			return 1;
		}
	}
	cb->args[0] = nr;
	return min(found, 0);
}

int ctrace_dump_tasks(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_under_way(skb, cb, put_next_task);
}

/* --- block requests ------------------------------------------------------------------ */

static int put_next_request(struct sk_buff *skb, struct netlink_callback *cb, u32 bit)
{
	u32 place = cb->args[0];
	struct ctrace_request r;
	void *hdr;
	int found;

	found = ctrace_block_under_way(&place, bit, &r);
	cb->args[0] = place;
	if (found > 0) {
		hdr = message(skb, cb, CTRACE_CMD_REQUEST_GET);
		if (!hdr || finish(skb, hdr, ctrace_put_request(skb, &r)))
			return 1;
		cb->args[0]++;
	}
	return min(found, 0);
}

int ctrace_dump_requests(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_under_way(skb, cb, put_next_request);
}

/* --- event types --------------------------------------------------------------------- */

int ctrace_dump_events(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[CTRACE_A_MAX + 1], *tb[CTRACE_A_EVENT_MAX + 1];
	struct ctrace_field_desc fields[CTRACE_EVENT_FIELDS];
	u32 from = cb->args[0], to = U32_MAX;
	struct ctrace_event_type t;
	char name[CTRACE_NAME_MAX];
	bool full = false;
	void *hdr;
	int err;

	err = ctrace_compat_dump_parse(cb, attrs, CTRACE_A_MAX);
	if (!err && attrs[CTRACE_A_EVENT]) {
		err = ctrace_netlink_set(attrs, CTRACE_A_EVENT, tb, CTRACE_A_EVENT_MAX,
					 ctrace_policy_event, ctrace_compat_dump_extack(cb));
		if (!err && tb[CTRACE_A_EVENT_ID]) {
			to = nla_get_u32(tb[CTRACE_A_EVENT_ID]);
			from = max(from, to);
		}
	}
	if (err)
		return err;
	while (from <= to && ctrace_event_next(from, &t, fields, name)) {
		if (t.id > to) {
			ctrace_event_put(&t);
			break;
		}
		hdr = message(skb, cb, CTRACE_CMD_EVENT_GET);
		full = !hdr || finish(skb, hdr, ctrace_put_event(skb, &t, true));
		ctrace_event_put(&t);
		if (full)
			break;
		from = t.id + 1;
		cb->args[0] = from;
	}
	return dumped(skb, full);
}
