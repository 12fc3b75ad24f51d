// SPDX-License-Identifier: LGPL-2.1-only
/* Containers whose rings are frozen. */
#include <errno.h>
#include <stdlib.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "internal.h"

static int frozen_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_FROZEN_MAX + 1];
	struct ctrace_frozen_info *i;

	if (ctrace_attr_nested(a, CTRACE_A_FROZEN_MAX, sets[CTRACE_A_FROZEN]))
		return -EPROTO;
	i = ctrace_list_add(arg);
	if (!i)
		return -ENOMEM;
	i->session = ctrace_attr_session(sets);
	i->cid = ctrace_attr_u32(a[CTRACE_A_FROZEN_CID]);
	i->time = ctrace_attr_u64(a[CTRACE_A_FROZEN_TIME]);
	i->event_id = ctrace_attr_u32(a[CTRACE_A_FROZEN_EVENT_ID]);
	i->tid = (int32_t)ctrace_attr_u32(a[CTRACE_A_FROZEN_TID]);
	i->left_ms = ctrace_attr_u32(a[CTRACE_A_FROZEN_LEFT_MS]);
	return 0;
}

int ctrace_session_frozen(struct ctrace_session *s, ctrace_frozen_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_frozen_info) };
	const struct ctrace_frozen_info *v;
	size_t i;
	int err;

	if (!s->ct)
		return -ESHUTDOWN;
	err = ctrace_ctl_dump(s->ct, CTRACE_CMD_FROZEN_GET, s->id, "cannot list frozen containers",
			      frozen_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(&v[i], arg);
	free(l.items);
	return err;
}

int ctrace_session_thaw(struct ctrace_session *s, uint32_t cid)
{
	struct nlattr *nest;
	struct nl_msg *msg;
	char what[64];

	if (!s->ct)
		return -ESHUTDOWN;
	snprintf(what, sizeof(what), cid == CTRACE_CID_ALL ? "cannot thaw" : "cannot thaw container %u", cid);
	msg = ctrace_session_msg(s, CTRACE_CMD_THAW);
	if (msg) {
		nest = nla_nest_start(msg, CTRACE_A_FROZEN | NLA_F_NESTED);
		if (!nest || nla_put_u32(msg, CTRACE_A_FROZEN_CID, cid)) {
			nlmsg_free(msg);
			msg = NULL;
		} else {
			nla_nest_end(msg, nest);
		}
	}
	return ctrace_ctl_call(s->ct, msg, what, NULL, NULL);
}
