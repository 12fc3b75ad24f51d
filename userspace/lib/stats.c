// SPDX-License-Identifier: LGPL-2.1-only
/* Lists sessions, probes, rings and limits; and the losses that no ring counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/attr.h>

#include "internal.h"

static int session_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_SESSION_MAX + 1];
	struct ctrace_session_info *i;

	if (ctrace_attr_nested(a, CTRACE_A_SESSION_MAX, sets[CTRACE_A_SESSION]))
		return -EPROTO;
	i = ctrace_list_add(arg);
	if (!i)
		return -ENOMEM;
	i->id = ctrace_attr_u32(a[CTRACE_A_SESSION_ID]);
	i->flags = ctrace_attr_u32(a[CTRACE_A_SESSION_FLAGS]);
	i->state = ctrace_attr_u32(a[CTRACE_A_SESSION_STATE]);
	i->owner = ctrace_attr_u32(a[CTRACE_A_SESSION_OWNER]);
	i->slots = ctrace_attr_u32(a[CTRACE_A_SESSION_SLOTS]);
	i->slots_used = ctrace_attr_u32(a[CTRACE_A_SESSION_SLOTS_USED]);
	i->probes = ctrace_attr_u32(a[CTRACE_A_SESSION_PROBES]);
	i->subbuf_size = ctrace_attr_u32(a[CTRACE_A_SESSION_SUBBUF_SIZE]);
	i->arena_size = ctrace_attr_u64(a[CTRACE_A_SESSION_ARENA_SIZE]);
	i->ring_size = ctrace_attr_u64(a[CTRACE_A_SESSION_RING_SIZE]);
	i->events = ctrace_attr_u64(a[CTRACE_A_SESSION_EVENTS]);
	i->lost_full = ctrace_attr_u64(a[CTRACE_A_SESSION_LOST_FULL]);
	i->lost_nested = ctrace_attr_u64(a[CTRACE_A_SESSION_LOST_NESTED]);
	i->lost_missed = ctrace_attr_u64(a[CTRACE_A_SESSION_LOST_MISSED]);
	i->lost_unfollowed = ctrace_attr_u64(a[CTRACE_A_SESSION_LOST_UNFOLLOWED]);
	i->lost_unfollowed_tasks = ctrace_attr_u64(a[CTRACE_A_SESSION_LOST_UNFOLLOWED_TASKS]);
	i->limited = ctrace_attr_u64(a[CTRACE_A_SESSION_LIMITED]);
	i->lost_unread = ctrace_attr_u64(a[CTRACE_A_SESSION_LOST_UNREAD]);
	i->blind_ns = ctrace_attr_u64(a[CTRACE_A_SESSION_BLIND_NS]);
	i->lost_frozen = ctrace_attr_u64(a[CTRACE_A_SESSION_LOST_FROZEN]);
	i->freeze_refused = ctrace_attr_u64(a[CTRACE_A_SESSION_FREEZE_REFUSED]);
	i->frozen = ctrace_attr_u32(a[CTRACE_A_SESSION_FROZEN]);
	i->freeze_ms = ctrace_attr_u32(a[CTRACE_A_SESSION_FREEZE_MS]);
	i->table_size = ctrace_attr_u64(a[CTRACE_A_SESSION_TABLE_SIZE]);
	i->table_used = ctrace_attr_u64(a[CTRACE_A_SESSION_TABLE_USED]);
	ctrace_attr_str(a[CTRACE_A_SESSION_NAME], i->name, sizeof(i->name));
	return 0;
}

int ctrace_session_each(struct ctrace *ct, ctrace_session_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_session_info) };
	const struct ctrace_session_info *v;
	size_t i;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_SESSION_GET, 0, "cannot list sessions",
			      session_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(&v[i], arg);
	free(l.items);
	return err;
}

int ctrace_session_losses(struct ctrace_session *s, struct ctrace_session_losses *to, size_t sz)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_session_info) };
	struct ctrace_session_losses sum = { 0 };
	const struct ctrace_session_info *v;
	int err;

	memset(to, 0, sz);
	if (!s->ct)
		return -ESHUTDOWN;
	err = ctrace_ctl_dump(s->ct, CTRACE_CMD_SESSION_GET, s->id, "cannot ask for losses",
			      session_reply, &l);
	v = l.items;
	if (!err && !l.n)
		err = ctrace_ctl_error(s->ct, -ENOENT, "cannot ask for losses: there is no session %u",
				       s->id);
	if (!err) {
		sum.missed = v->lost_missed;
		sum.unfollowed = v->lost_unfollowed;
		sum.unfollowed_tasks = v->lost_unfollowed_tasks;
		sum.limited = v->limited;
		sum.unread = v->lost_unread;
		sum.blind_ns = v->blind_ns;
		sum.freeze_refused = v->freeze_refused;
		ctrace_struct_give(to, sz, &sum, sizeof(sum));
	}
	free(l.items);
	return err;
}

uint32_t ctrace_attr_session(struct nlattr **sets)
{
	struct nlattr *a[CTRACE_A_SESSION_MAX + 1];

	if (ctrace_attr_nested(a, CTRACE_A_SESSION_MAX, sets[CTRACE_A_SESSION]))
		return 0;
	return ctrace_attr_u32(a[CTRACE_A_SESSION_ID]);
}

static int probe_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_PROBE_MAX + 1];
	struct ctrace_probe_info *i;

	if (ctrace_attr_nested(a, CTRACE_A_PROBE_MAX, sets[CTRACE_A_PROBE]))
		return -EPROTO;
	i = ctrace_list_add(arg);
	if (!i)
		return -ENOMEM;
	i->session = ctrace_attr_session(sets);
	i->id = ctrace_attr_u32(a[CTRACE_A_PROBE_ID]);
	i->event_id = ctrace_attr_u32(a[CTRACE_A_PROBE_EVENT_ID]);
	i->missed = ctrace_attr_u64(a[CTRACE_A_PROBE_MISSED]);
	i->blind_ns = ctrace_attr_u64(a[CTRACE_A_PROBE_BLIND_NS]);
	ctrace_attr_str(a[CTRACE_A_PROBE_NAME], i->name, sizeof(i->name));
	ctrace_attr_str(a[CTRACE_A_PROBE_AGGREGATE], i->aggregate, sizeof(i->aggregate));
	i->rows = ctrace_attr_u32(a[CTRACE_A_PROBE_ROWS]);
	i->table = ctrace_attr_u64(a[CTRACE_A_PROBE_TABLE]);
	return 0;
}

int ctrace_probe_each(struct ctrace *ct, uint32_t session, ctrace_probe_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_probe_info) };
	const struct ctrace_probe_info *v;
	size_t i;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_PROBE_GET, session, "cannot list probes",
			      probe_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(&v[i], arg);
	free(l.items);
	return err;
}

static int ring_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_RING_MAX + 1];
	struct ctrace_ring_info *i;

	if (!sets[CTRACE_A_RING])
		return 0;	/* a probe or a limit: they come in the same dump */
	if (ctrace_attr_nested(a, CTRACE_A_RING_MAX, sets[CTRACE_A_RING]))
		return -EPROTO;
	i = ctrace_list_add(arg);
	if (!i)
		return -ENOMEM;
	i->session = ctrace_attr_session(sets);
	i->slot = ctrace_attr_u32(a[CTRACE_A_RING_SLOT]);
	i->cpu = ctrace_attr_u32(a[CTRACE_A_RING_CPU]);
	i->cid = ctrace_attr_u32(a[CTRACE_A_RING_CID]);
	i->gen = ctrace_attr_u32(a[CTRACE_A_RING_GEN]);
	i->events = ctrace_attr_u64(a[CTRACE_A_RING_EVENTS]);
	i->bytes = ctrace_attr_u64(a[CTRACE_A_RING_BYTES]);
	i->lost_full = ctrace_attr_u64(a[CTRACE_A_RING_LOST_FULL]);
	i->lost_nested = ctrace_attr_u64(a[CTRACE_A_RING_LOST_NESTED]);
	i->lost_frozen = ctrace_attr_u64(a[CTRACE_A_RING_LOST_FROZEN]);
	return 0;
}

int ctrace_ring_each(struct ctrace *ct, uint32_t session, ctrace_ring_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_ring_info) };
	const struct ctrace_ring_info *v;
	size_t i;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_STATS_GET, session, "cannot list rings",
			      ring_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(&v[i], arg);
	free(l.items);
	return err;
}

static int limit_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_LIMIT_MAX + 1];
	struct ctrace_limit_info *i;

	if (!sets[CTRACE_A_LIMIT])
		return 0;
	if (ctrace_attr_nested(a, CTRACE_A_LIMIT_MAX, sets[CTRACE_A_LIMIT]))
		return -EPROTO;
	i = ctrace_list_add(arg);
	if (!i)
		return -ENOMEM;
	i->session = ctrace_attr_session(sets);
	i->cid = ctrace_attr_u32(a[CTRACE_A_LIMIT_CID]);
	i->dropped = ctrace_attr_u64(a[CTRACE_A_LIMIT_DROPPED]);
	return 0;
}

int ctrace_limit_each(struct ctrace *ct, uint32_t session, ctrace_limit_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_limit_info) };
	const struct ctrace_limit_info *v;
	size_t i;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_STATS_GET, session, "cannot list limits",
			      limit_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(&v[i], arg);
	free(l.items);
	return err;
}
