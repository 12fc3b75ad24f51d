// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include "api/netlink.h"
#include "api/put.h"
#include "probe/block_under_way.h"
#include "session/limit.h"
#include "session/probe.h"
#include "session/session.h"
#include "session/target.h"
#include "event/define.h"
#include "event/event.h"
#include "identity/container.h"

static int put_u64(struct sk_buff *skb, int attr, u64 v, int pad)
{
	return nla_put_u64_64bit(skb, attr, v, pad);
}

int ctrace_put_session(struct sk_buff *skb, struct ctrace_session *s, const struct ctrace_arena_stats *st)
{
	struct ctrace_probe *p;
	u64 missed = s->missed, blind = 0, refused = atomic64_read(&s->arena->freezer.refused);
	u32 frozen = READ_ONCE(s->arena->freezer.now);
	struct nlattr *nest;

	list_for_each_entry(p, &s->probes, list) {
		missed += ctrace_probe_missed(p);
		blind = max(blind, ctrace_probe_blind(p));
	}
	nest = nla_nest_start(skb, CTRACE_A_SESSION);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, CTRACE_A_SESSION_ID, s->id) ||
	    put_u64(skb, CTRACE_A_SESSION_ARENA_SIZE, st->arena_size, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_RING_SIZE, st->ring_size, CTRACE_A_SESSION_PAD) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_SUBBUF_SIZE, st->subbuf_size) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_FLAGS, s->flags) ||
	    put_u64(skb, CTRACE_A_SESSION_WAKEUP_NS, st->wakeup_ns, CTRACE_A_SESSION_PAD) ||
	    nla_put_string(skb, CTRACE_A_SESSION_NAME, s->name) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_DATA, s->detail.data) ||
	    put_u64(skb, CTRACE_A_SESSION_TABLE_SIZE, st->table_size, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_TABLE_USED, s->arena->tables.used, CTRACE_A_SESSION_PAD) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_STATE,
			s->recording ? CTRACE_SESSION_RECORDING : CTRACE_SESSION_STOPPED) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_OWNER, s->owner) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_SLOTS, st->slots) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_SLOTS_USED, st->slots_used) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_PROBES, s->nprobes) ||
	    put_u64(skb, CTRACE_A_SESSION_EVENTS, st->events, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_FULL, st->lost_full, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_NESTED, st->lost_nested, CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_MISSED, missed, CTRACE_A_SESSION_PAD) ||
	    (blind && put_u64(skb, CTRACE_A_SESSION_BLIND_NS, blind, CTRACE_A_SESSION_PAD)) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_UNFOLLOWED, atomic64_read(&s->unfollowed),
		    CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_UNFOLLOWED_TASKS, atomic64_read(&s->unfollowed_tasks),
		    CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_UNREAD, atomic64_read(&s->unread), CTRACE_A_SESSION_PAD) ||
	    put_u64(skb, CTRACE_A_SESSION_LOST_FROZEN, st->lost_frozen, CTRACE_A_SESSION_PAD) ||
	    nla_put_u32(skb, CTRACE_A_SESSION_FREEZE_MS, ctrace_arena_freeze_ms(s->arena)) ||
	    (frozen && nla_put_u32(skb, CTRACE_A_SESSION_FROZEN, frozen)) ||
	    (refused && put_u64(skb, CTRACE_A_SESSION_FREEZE_REFUSED, refused, CTRACE_A_SESSION_PAD)) ||
	    put_u64(skb, CTRACE_A_SESSION_LIMITED, s->limit ? ctrace_limit_dropped(s->limit) : 0,
		    CTRACE_A_SESSION_PAD)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_put_session_id(struct sk_buff *skb, u32 id)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_SESSION);

	if (!nest || nla_put_u32(skb, CTRACE_A_SESSION_ID, id))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_put_probe(struct sk_buff *skb, struct ctrace_probe *p)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_PROBE);
	u64 blind = ctrace_probe_blind(p);

	if (!nest || (blind && put_u64(skb, CTRACE_A_PROBE_BLIND_NS, blind, CTRACE_A_PROBE_PAD)) ||
	    nla_put_u32(skb, CTRACE_A_PROBE_ID, p->id) ||
	    nla_put_string(skb, CTRACE_A_PROBE_NAME, p->name) ||
	    nla_put_u32(skb, CTRACE_A_PROBE_EVENT_ID, ctrace_probe_event(p)) ||
	    put_u64(skb, CTRACE_A_PROBE_MISSED, ctrace_probe_missed(p), CTRACE_A_PROBE_PAD) ||
	    (p->table && (nla_put_string(skb, CTRACE_A_PROBE_AGGREGATE, p->aggregate) ||
			  nla_put_u32(skb, CTRACE_A_PROBE_ROWS, p->table->rows) ||
			  put_u64(skb, CTRACE_A_PROBE_TABLE, p->table->offset, CTRACE_A_PROBE_PAD))))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_put_target(struct sk_buff *skb, const struct ctrace_target *t)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_TARGET);

	if (!nest || nla_put_u32(skb, CTRACE_A_TARGET_ID, t->id) ||
	    nla_put_u32(skb, CTRACE_A_TARGET_KIND, t->kind) ||
	    (t->kind == CTRACE_TARGET_CID && nla_put_u32(skb, CTRACE_A_TARGET_CID, t->cid)) ||
	    (t->kind == CTRACE_TARGET_PID && nla_put_u32(skb, CTRACE_A_TARGET_PID, t->pid)) ||
	    (t->kind == CTRACE_TARGET_CGROUP && nla_put_string(skb, CTRACE_A_TARGET_PATH, t->path)) ||
	    (t->not && nla_put_u32(skb, CTRACE_A_TARGET_NOT, 1)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_put_ring(struct sk_buff *skb, const struct ctrace_ring_stats *r)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_RING);

	if (!nest || nla_put_u32(skb, CTRACE_A_RING_SLOT, r->slot) ||
	    nla_put_u32(skb, CTRACE_A_RING_CPU, r->cpu) ||
	    nla_put_u32(skb, CTRACE_A_RING_CID, r->cid) ||
	    nla_put_u32(skb, CTRACE_A_RING_GEN, r->gen) ||
	    put_u64(skb, CTRACE_A_RING_EVENTS, r->events, CTRACE_A_RING_PAD) ||
	    put_u64(skb, CTRACE_A_RING_BYTES, r->bytes, CTRACE_A_RING_PAD) ||
	    put_u64(skb, CTRACE_A_RING_LOST_FULL, r->lost_full, CTRACE_A_RING_PAD) ||
	    put_u64(skb, CTRACE_A_RING_LOST_NESTED, r->lost_nested, CTRACE_A_RING_PAD) ||
	    put_u64(skb, CTRACE_A_RING_LOST_FROZEN, r->lost_frozen, CTRACE_A_RING_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_put_frozen(struct sk_buff *skb, const struct ctrace_frozen *e, u32 left_ms)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_FROZEN);

	if (!nest || nla_put_u32(skb, CTRACE_A_FROZEN_CID, ctrace_frozen_cid(e)) ||
	    put_u64(skb, CTRACE_A_FROZEN_TIME, e->time, CTRACE_A_FROZEN_PAD) ||
	    nla_put_u32(skb, CTRACE_A_FROZEN_EVENT_ID, e->id) ||
	    nla_put_u32(skb, CTRACE_A_FROZEN_TID, e->tid) ||
	    nla_put_u32(skb, CTRACE_A_FROZEN_LEFT_MS, left_ms))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_put_limit(struct sk_buff *skb, u32 cid, u64 dropped)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_LIMIT);

	if (!nest || nla_put_u32(skb, CTRACE_A_LIMIT_CID, cid) ||
	    put_u64(skb, CTRACE_A_LIMIT_DROPPED, dropped, CTRACE_A_LIMIT_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_under_way(struct sk_buff *skb, const struct ctrace_under_way *u, int id, int ns)
{
	return u->id && (nla_put_u32(skb, id, u->id) || put_u64(skb, ns, u->ns, CTRACE_A_TASK_PAD));
}

int ctrace_put_task(struct sk_buff *skb, const struct ctrace_task *t)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_TASK);

	if (!nest || nla_put_u32(skb, CTRACE_A_TASK_TID, t->tid) ||
	    nla_put_u32(skb, CTRACE_A_TASK_PID, t->pid) ||
	    nla_put_u32(skb, CTRACE_A_TASK_VTID, t->vtid) || nla_put_u32(skb, CTRACE_A_TASK_CID, t->cid) ||
	    nla_put_string(skb, CTRACE_A_TASK_COMM, t->comm) ||
	    nla_put_u32(skb, CTRACE_A_TASK_STATE, t->state) ||
	    (t->iowait && nla_put_u32(skb, CTRACE_A_TASK_IOWAIT, 1)) ||
	    (t->ran && put_u64(skb, CTRACE_A_TASK_RAN_NS, t->ran, CTRACE_A_TASK_PAD)) ||
	    (t->queued && put_u64(skb, CTRACE_A_TASK_QUEUED_NS, t->queued, CTRACE_A_TASK_PAD)) ||
	    put_under_way(skb, &t->span, CTRACE_A_TASK_SPAN, CTRACE_A_TASK_SPAN_NS) ||
	    put_under_way(skb, &t->call, CTRACE_A_TASK_CALL, CTRACE_A_TASK_CALL_NS))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_put_request(struct sk_buff *skb, const struct ctrace_request *r)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_REQUEST);

	if (!nest || nla_put_u32(skb, CTRACE_A_REQUEST_CID, r->cid) ||
	    (r->tid && (nla_put_u32(skb, CTRACE_A_REQUEST_TID, r->tid) ||
			nla_put_string(skb, CTRACE_A_REQUEST_COMM, r->comm))) ||
	    nla_put_u32(skb, CTRACE_A_REQUEST_DEV, r->dev) ||
	    put_u64(skb, CTRACE_A_REQUEST_SECTOR, r->sector, CTRACE_A_REQUEST_PAD) ||
	    nla_put_u32(skb, CTRACE_A_REQUEST_BYTES, r->bytes) ||
	    nla_put_u32(skb, CTRACE_A_REQUEST_RWBS, r->rwbs) ||
	    nla_put_u32(skb, CTRACE_A_REQUEST_AT, r->at) ||
	    put_u64(skb, CTRACE_A_REQUEST_NS, r->ns, CTRACE_A_REQUEST_PAD) ||
	    (r->at == CTRACE_REQUEST_DISK &&
	     put_u64(skb, CTRACE_A_REQUEST_ISSUED_NS, r->issued_ns, CTRACE_A_REQUEST_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_put_container(struct sk_buff *skb, const struct ctrace_container *c)
{
	/* on the stack: kernels that clear what they allocate take longer than all this */
	struct ctrace_container_info i;
	struct nlattr *nest;
	int err;

	ctrace_container_info(c, &i);
	nest = nla_nest_start(skb, CTRACE_A_CONTAINER);
	err = !nest || nla_put_u32(skb, CTRACE_A_CONTAINER_CID, i.cid) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_PARENT, i.parent) ||
	      put_u64(skb, CTRACE_A_CONTAINER_CGROUP_ID, i.cgroup_id, CTRACE_A_CONTAINER_PAD) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_HIERARCHY, i.hierarchy) ||
	      nla_put_string(skb, CTRACE_A_CONTAINER_CGROUP_PATH, i.path) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_PIDNS, i.ns_inum) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_INIT_PID, i.init_pid) ||
	      (i.runtime_id[0] &&
	       nla_put_string(skb, CTRACE_A_CONTAINER_RUNTIME_ID, i.runtime_id)) ||
	      (i.runtime && nla_put_string(skb, CTRACE_A_CONTAINER_RUNTIME, i.runtime)) ||
	      put_u64(skb, CTRACE_A_CONTAINER_FIRST_SEEN, i.first_seen, CTRACE_A_CONTAINER_PAD) ||
	      put_u64(skb, CTRACE_A_CONTAINER_GONE, i.gone, CTRACE_A_CONTAINER_PAD) ||
	      nla_put_u32(skb, CTRACE_A_CONTAINER_FLAGS, i.flags);
	if (err)
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Only as long as a probe can be added by its name; the type itself stays, for existing records. */
static int put_definition(struct sk_buff *skb, const struct ctrace_event_type *t)
{
	struct ctrace_definer by;

	return t->definition && ctrace_is_defined(t, &by) && (nla_put_string(skb, CTRACE_A_EVENT_DEFINITION, t->definition) ||
		nla_put_u32(skb, CTRACE_A_EVENT_FLAGS, by.flags) ||
		nla_put_u32(skb, CTRACE_A_EVENT_OWNER, by.owner));
}

/*
 * Several sources may have functions on one tracepoint, under names of their own: people know the kernel's
 * name.
 */
static int put_source(struct sk_buff *skb, const struct ctrace_event_type *t)
{
	const struct ctrace_source *s = ctrace_event_source(t);
	char function[CTRACE_NAME_MAX + 2];

	if (!s)
		return t->source ? nla_put_string(skb, CTRACE_A_EVENT_SOURCE, t->source) : 0;
	if (!s->hook)
		return nla_put_string(skb, CTRACE_A_EVENT_SOURCE, ctrace_source_at(s));
	snprintf(function, sizeof(function), "%s()", s->tracepoint);
	return nla_put_string(skb, CTRACE_A_EVENT_SOURCE, function);
}

int ctrace_put_event(struct sk_buff *skb, const struct ctrace_event_type *t, bool may_trace)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_EVENT), *list, *field;
	const char *reason = ctrace_event_reason(t);
	u32 i;

	if (!nest || nla_put_u32(skb, CTRACE_A_EVENT_ID, t->id) ||
	    nla_put_string(skb, CTRACE_A_EVENT_NAME, t->name) ||
	    nla_put_string(skb, CTRACE_A_EVENT_SYSTEM, t->system) ||
	    put_source(skb, t) ||
	    (may_trace && put_definition(skb, t)) ||
	    (reason && nla_put_string(skb, CTRACE_A_EVENT_REASON, reason)))
		return -EMSGSIZE;
	list = nla_nest_start(skb, CTRACE_A_EVENT_FIELDS);
	if (!list)
		return -EMSGSIZE;
	for (i = 0; i < t->nfields; i++) {
		field = nla_nest_start(skb, CTRACE_A_FIELD_SET);
		if (!field || nla_put_string(skb, CTRACE_A_FIELD_NAME, t->fields[i].name) ||
		    nla_put_u32(skb, CTRACE_A_FIELD_KIND, t->fields[i].kind) ||
		    (t->fields[i].display &&
		     nla_put_u32(skb, CTRACE_A_FIELD_DISPLAY, t->fields[i].display)) ||
		    nla_put_u32(skb, CTRACE_A_FIELD_SIZE, t->fields[i].size))
			return -EMSGSIZE;
		nla_nest_end(skb, field);
	}
	nla_nest_end(skb, list);
	nla_nest_end(skb, nest);
	return 0;
}
