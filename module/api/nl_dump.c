// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps. A dump takes several calls, and what it lists may change in between. So its place
 * is the id written last, never a pointer: ids only grow, so nothing is listed twice, and
 * nothing that stayed is left out.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "api/may.h"
#include "api/netlink.h"
#include "session/limit.h"
#include "session/probe.h"
#include "session/session.h"
#include "session/target.h"
#include "event/define.h"
#include "identity/container.h"
#include "identity/scan.h"

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

static int put_u64(struct sk_buff *skb, int attr, u64 v, int pad)
{
	return nla_put_u64_64bit(skb, attr, v, pad);
}

/* --- sessions -------------------------------------------------------------- */

int ctrace_put_session(struct sk_buff *skb, struct ctrace_session *s)
{
	struct ctrace_arena_stats st;
	struct ctrace_probe *p;
	u64 missed = s->missed;
	struct nlattr *nest;

	list_for_each_entry(p, &s->probes, list)
		missed += ctrace_probe_missed(p);
	ctrace_arena_stats(s->arena, &st);
	nest = nla_nest_start(skb, CTRACE_A_SESSION);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, CTRACE_A_SESSION_ID, s->id) ||
	    put_u64(skb, CTRACE_A_SESSION_ARENA_SIZE, st.arena_size, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_RING_SIZE, st.ring_size, CTRACE_A_SESSION_PAD) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_SUBBUF_SIZE, st.subbuf_size) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_FLAGS, s->flags) ||
	    put_u64(skb, CTRACE_A_SESSION_WAKEUP_NS, st.wakeup_ns, CTRACE_A_SESSION_PAD) ||
	    nla_put_string(skb, CTRACE_A_SESSION_NAME, s->name) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_STATE, s->recording) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_OWNER, s->owner) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_SLOTS, st.slots) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_SLOTS_USED, st.slots_used) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_PROBES, s->nprobes) ||
	    put_u64(skb, CTRACE_A_SESSION_EVENTS, st.events, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_FULL, st.lost_full, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_NESTED, st.lost_nested, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_MISSED, missed, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_UNFOLLOWED, atomic64_read(&s->unfollowed),
		    CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LIMITED, s->limit ? ctrace_limit_dropped(s->limit) : 0,
		    CTRACE_A_SESSION_PAD)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ctrace_session *s;
	bool full = false;
	void *hdr;

	mutex_lock(&ctrace_lock);
	list_for_each_entry(s, &ctrace_session_list, list) {
		if (s->id <= cb->args[0])
			continue;
		hdr = message(skb, cb, CTRACE_CMD_SESSION_GET);
		full = !hdr || finish(skb, hdr, ctrace_put_session(skb, s));
		if (full)
			break;
		cb->args[0] = s->id;
	}
	mutex_unlock(&ctrace_lock);
	return dumped(skb, full);
}

/* The session an item belongs to. */
static int put_session_id(struct sk_buff *skb, u32 id)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_SESSION);

	if (!nest || nla_put_u32(skb, CTRACE_A_SESSION_ID, id))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/*
 * Dumps items of sessions (of session `only`, if not 0), in order. fn writes the items of s that
 * come after the places args[1] to args[3], moves those on as it goes, and returns non-zero when
 * the message is full.
 */
static int dump_items(struct sk_buff *skb, struct netlink_callback *cb, u32 only,
		      int (*fn)(struct sk_buff *, struct netlink_callback *, struct ctrace_session *))
{
	struct ctrace_session *s;
	bool full = false;

	mutex_lock(&ctrace_lock);
	list_for_each_entry(s, &ctrace_session_list, list) {
		if (s->id < cb->args[0] || (only && s->id != only))
			continue;
		if (s->id != cb->args[0]) {
			cb->args[0] = s->id;
			cb->args[1] = 0;
			cb->args[2] = 0;
			cb->args[3] = 0;
		}
		full = fn(skb, cb, s);
		if (full)
			break;
	}
	mutex_unlock(&ctrace_lock);
	return dumped(skb, full);
}

/* --- probes ------------------------------------------------------------------ */

int ctrace_put_probe(struct sk_buff *skb, struct ctrace_probe *p)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_PROBE);

	if (!nest || nla_put_u32(skb, CTRACE_A_PROBE_ID, p->id) ||
	    nla_put_string(skb, CTRACE_A_PROBE_NAME, p->name) ||
	    nla_put_u32(skb, CTRACE_A_PROBE_EVENT_ID, ctrace_probe_event(p)) ||
	    put_u64(skb, CTRACE_A_PROBE_MISSED, ctrace_probe_missed(p), CTRACE_A_PROBE_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int probes_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s,
		     u8 cmd, long *place)
{
	struct ctrace_probe *p;
	void *hdr;

	list_for_each_entry(p, &s->probes, list) {
		if (p->id <= *place)
			continue;
		hdr = message(skb, cb, cmd);
		if (!hdr || finish(skb, hdr, put_session_id(skb, s->id) ?: ctrace_put_probe(skb, p)))
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
	return dump_items(skb, cb, 0, dump_probes_of);
}

/* --- targets -------------------------------------------------------------------- */

static int put_target(struct sk_buff *skb, const struct ctrace_target *t)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_TARGET);

	if (!nest || nla_put_u32(skb, CTRACE_A_TARGET_KIND, t->kind) ||
	    (t->kind == CTRACE_TARGET_CID && nla_put_u32(skb, CTRACE_A_TARGET_CID, t->cid)) ||
	    (t->kind == CTRACE_TARGET_PID && nla_put_u32(skb, CTRACE_A_TARGET_PID, t->pid)) ||
	    (t->kind == CTRACE_TARGET_CGROUP && nla_put_string(skb, CTRACE_A_TARGET_PATH, t->path)) ||
	    (t->not && nla_put_u32(skb, CTRACE_A_TARGET_NOT, 1)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int dump_targets_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s)
{
	struct ctrace_target *t;
	void *hdr;

	list_for_each_entry(t, &s->targets, list) {
		if (t->id <= cb->args[1])
			continue;
		hdr = message(skb, cb, CTRACE_CMD_TARGET_GET);
		if (!hdr || finish(skb, hdr, put_session_id(skb, s->id) ?: put_target(skb, t)))
			return 1;
		cb->args[1] = t->id;
	}
	return 0;
}

int ctrace_dump_targets(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_items(skb, cb, 0, dump_targets_of);
}

/* --- statistics ------------------------------------------------------------------- */

struct ring_dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	u32 session;
};

static int put_ring(const struct ctrace_ring_stats *r, void *arg)
{
	struct ring_dump *d = arg;
	struct sk_buff *skb = d->skb;
	struct nlattr *nest;
	void *hdr;
	int err;

	if (r->slot < d->cb->args[1])
		return 0;
	hdr = message(skb, d->cb, CTRACE_CMD_STATS_GET);
	if (!hdr)
		return 1;
	err = put_session_id(skb, d->session);
	nest = nla_nest_start(skb, CTRACE_A_RING);
	err = err || !nest || nla_put_u32(skb, CTRACE_A_RING_SLOT, r->slot) ||
	      nla_put_u32(skb, CTRACE_A_RING_CPU, r->cpu) ||
	      nla_put_u32(skb, CTRACE_A_RING_CID, r->cid) ||
	      nla_put_u32(skb, CTRACE_A_RING_GEN, r->gen) ||
	      put_u64(skb, CTRACE_A_RING_EVENTS, r->events, CTRACE_A_RING_PAD) ||
	      put_u64(skb, CTRACE_A_RING_BYTES, r->bytes, CTRACE_A_RING_PAD) ||
	      put_u64(skb, CTRACE_A_RING_LOST_FULL, r->lost_full, CTRACE_A_RING_PAD) ||
	      put_u64(skb, CTRACE_A_RING_LOST_NESTED, r->lost_nested, CTRACE_A_RING_PAD);
	if (!err)
		nla_nest_end(skb, nest);
	if (finish(skb, hdr, err))
		return 1;
	d->cb->args[1] = r->slot + 1;
	return 0;
}

static int put_limit(struct sk_buff *skb, u32 cid, u64 dropped)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_LIMIT);

	if (!nest || nla_put_u32(skb, CTRACE_A_LIMIT_CID, cid) ||
	    put_u64(skb, CTRACE_A_LIMIT_DROPPED, dropped, CTRACE_A_LIMIT_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
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
		if (!hdr || finish(skb, hdr, put_session_id(skb, s->id) ?: put_limit(skb, cid, dropped)))
			return 1;
	}
	return 0;
}

static int dump_stats_of(struct sk_buff *skb, struct netlink_callback *cb, struct ctrace_session *s)
{
	struct ring_dump d = { .skb = skb, .cb = cb, .session = s->id };

	if (ctrace_arena_each_ring(s->arena, put_ring, &d) ||
	    probes_of(skb, cb, s, CTRACE_CMD_STATS_GET, &cb->args[2]))
		return 1;
	return limits_of(skb, cb, s, &cb->args[3]);
}

int ctrace_dump_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[CTRACE_A_NR], *tb[CTRACE_A_SESSION_NR];
	u32 only = 0;
	int err;

	err = ctrace_compat_dump_parse(cb, attrs, CTRACE_A_NR - 1);
	if (err)
		return err;
	if (attrs[CTRACE_A_SESSION]) {
		err = ctrace_netlink_set(attrs, CTRACE_A_SESSION, tb, CTRACE_A_SESSION_NR - 1,
					 ctrace_policy_session, ctrace_compat_dump_extack(cb));
		if (err)
			return err;
		if (tb[CTRACE_A_SESSION_ID])
			only = nla_get_u32(tb[CTRACE_A_SESSION_ID]);
	}
	return dump_items(skb, cb, only, dump_stats_of);
}

/* --- containers -------------------------------------------------------------------- */

int ctrace_put_container(struct sk_buff *skb, const struct ctrace_container *c)
{
	struct ctrace_container_info *i;
	struct nlattr *nest;
	int err;

	i = kmalloc(sizeof(*i), GFP_KERNEL);
	if (!i)
		return -ENOMEM;
	ctrace_container_info(c, i);
	nest = nla_nest_start(skb, CTRACE_A_CONTAINER);
	err = !nest || nla_put_u32(skb, CTRACE_A_CONTAINER_CID, i->cid) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_PARENT, i->parent) ||
	      put_u64(skb, CTRACE_A_CONTAINER_CGROUP_ID, i->cgroup_id, CTRACE_A_CONTAINER_PAD) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_HIERARCHY, i->hierarchy) ||
	      nla_put_string(skb, CTRACE_A_CONTAINER_CGROUP_PATH, i->path) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_PIDNS, i->ns_inum) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_INIT_PID, i->init_pid) ||
	      (i->runtime_id[0] &&
	       nla_put_string(skb, CTRACE_A_CONTAINER_RUNTIME_ID, i->runtime_id)) ||
	      (i->runtime && nla_put_string(skb, CTRACE_A_CONTAINER_RUNTIME, i->runtime)) ||
	      put_u64(skb, CTRACE_A_CONTAINER_FIRST_SEEN, i->first_seen, CTRACE_A_CONTAINER_PAD) ||
	      put_u64(skb, CTRACE_A_CONTAINER_GONE, i->gone, CTRACE_A_CONTAINER_PAD) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_FLAGS, i->flags);
	if (!err)
		nla_nest_end(skb, nest);
	kfree(i);
	return err ? -EMSGSIZE : 0;
}

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

/* --- event types --------------------------------------------------------------------- */

/*
 * A definition is listed as long as a probe can be added by its name; the type itself stays, for
 * existing records. put_event() shows it only to senders that may trace, as it may hold addresses.
 */
static bool is_defined(const struct ctrace_event_type *t)
{
	bool is;

	if (!t->definition)
		return false;
	mutex_lock(&ctrace_lock);
	is = ctrace_is_defined(t);
	mutex_unlock(&ctrace_lock);
	return is;
}

static int put_event(struct sk_buff *skb, const struct ctrace_event_type *t, bool may_trace)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_EVENT), *list, *field;
	const char *reason = ctrace_event_reason(t);
	u32 i;

	if (!nest || nla_put_u32(skb, CTRACE_A_EVENT_ID, t->id) ||
	    nla_put_string(skb, CTRACE_A_EVENT_NAME, t->name) ||
	    nla_put_string(skb, CTRACE_A_EVENT_SYSTEM, t->system) ||
	    (t->source && nla_put_string(skb, CTRACE_A_EVENT_SOURCE, t->source)) ||
	    (may_trace && is_defined(t) && nla_put_string(skb, CTRACE_A_EVENT_DEFINITION, t->definition)) ||
	    (reason && nla_put_string(skb, CTRACE_A_EVENT_REASON, reason)))
		return -EMSGSIZE;
	list = nla_nest_start(skb, CTRACE_A_EVENT_FIELDS);
	if (!list)
		return -EMSGSIZE;
	for (i = 0; i < t->nfields; i++) {
		field = nla_nest_start(skb, CTRACE_A_FIELD_SET);
		if (!field || nla_put_string(skb, CTRACE_A_FIELD_NAME, t->fields[i].name) ||
		    nla_put_u32(skb, CTRACE_A_FIELD_TYPE, t->fields[i].type) ||
		    nla_put_u32(skb, CTRACE_A_FIELD_SIZE, t->fields[i].size))
			return -EMSGSIZE;
		nla_nest_end(skb, field);
	}
	nla_nest_end(skb, list);
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_dump_events(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[CTRACE_A_NR], *tb[CTRACE_A_EVENT_NR];
	struct ctrace_field_desc fields[CTRACE_EVENT_FIELDS];
	bool may_trace = ctrace_may_trace(cb->skb);
	u32 from = cb->args[0], to = CTRACE_ID_MAX;
	struct ctrace_event_type t;
	char name[CTRACE_NAME_MAX];
	bool full = false;
	void *hdr;
	int err;

	err = ctrace_compat_dump_parse(cb, attrs, CTRACE_A_NR - 1);
	if (!err && attrs[CTRACE_A_EVENT]) {
		err = may_trace ?
		      ctrace_netlink_set(attrs, CTRACE_A_EVENT, tb, CTRACE_A_EVENT_NR - 1,
					 ctrace_policy_event, ctrace_compat_dump_extack(cb)) :
		      ctrace_compat_parse_nested(tb, CTRACE_A_EVENT_NR - 1, attrs[CTRACE_A_EVENT],
						 ctrace_policy_event, ctrace_compat_dump_extack(cb));
		if (!err && tb[CTRACE_A_EVENT_ID]) {
			to = nla_get_u32(tb[CTRACE_A_EVENT_ID]);
			from = max(from, to);
		}
	}
	if (err)
		return err;
	while (ctrace_event_next(from, &t, fields, name) && t.id <= to) {
		hdr = message(skb, cb, CTRACE_CMD_EVENT_GET);
		full = !hdr || finish(skb, hdr, put_event(skb, &t, may_trace));
		if (full)
			break;
		from = t.id + 1;
		cb->args[0] = from;
	}
	return dumped(skb, full);
}
