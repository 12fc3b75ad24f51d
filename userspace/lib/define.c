// SPDX-License-Identifier: LGPL-2.1-only
/* Event types that users define, and the list of all tracepoints. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "internal.h"

/* A request with EVENT{attr: text [FLAGS]}; NULL: out of memory. */
static struct nl_msg *event_msg(struct ctrace *ct, int cmd, int attr, const char *text, uint32_t flags)
{
	struct nl_msg *msg = ctrace_ctl_msg(ct, cmd, 0);
	struct nlattr *nest;

	if (!msg)
		return NULL;
	nest = nla_nest_start(msg, CTRACE_A_EVENT | NLA_F_NESTED);
	if (!nest || nla_put_string(msg, attr, text) ||
	    (flags && nla_put_u32(msg, CTRACE_A_EVENT_FLAGS, flags))) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, nest);
	return msg;
}

static int event_do(struct ctrace *ct, int cmd, int attr, const char *text, uint32_t flags,
		    const char *verb, ctrace_reply_fn fn, void *arg)
{
	size_t len = strlen(text);
	char what[192];

	snprintf(what, sizeof(what), "cannot %s event '%.*s%s'", verb, 127, text,
		 len > 127 ? "..." : "");
	if (len >= CTRACE_TEXT_MAX)
		return ctrace_ctl_error(ct, -ENAMETOOLONG, "%s: it may have at most %u bytes", what,
					CTRACE_TEXT_MAX - 1);
	return ctrace_ctl_call(ct, event_msg(ct, cmd, attr, text, flags), what, fn, arg);
}

static int id_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_EVENT_MAX + 1];

	if (ctrace_attr_nested(a, CTRACE_A_EVENT_MAX, sets[CTRACE_A_EVENT]))
		return -EPROTO;
	*(uint32_t *)arg = ctrace_attr_u32(a[CTRACE_A_EVENT_ID]);
	return 0;
}

int ctrace_event_define(struct ctrace *ct, const char *definition, uint32_t flags, uint32_t *event_id)
{
	uint32_t id = 0;
	int err = event_do(ct, CTRACE_CMD_EVENT_NEW, CTRACE_A_EVENT_DEFINITION, definition, flags,
			   "define", id_reply, &id);

	if (!err && event_id)
		*event_id = id;
	return err;
}

int ctrace_event_undefine(struct ctrace *ct, const char *name)
{
	return event_do(ct, CTRACE_CMD_EVENT_DEL, CTRACE_A_EVENT_NAME, name, 0, "remove", NULL, NULL);
}

struct tracepoint { char name[CTRACE_NAME_MAX]; };

static int tracepoint_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_EVENT_MAX + 1];
	struct tracepoint *t;

	if (ctrace_attr_nested(a, CTRACE_A_EVENT_MAX, sets[CTRACE_A_EVENT]))
		return -EPROTO;
	t = ctrace_list_add(arg);
	if (!t)
		return -ENOMEM;
	ctrace_attr_str(a[CTRACE_A_EVENT_NAME], t->name, sizeof(t->name));
	return 0;
}

int ctrace_tracepoint_each(struct ctrace *ct, ctrace_tracepoint_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct tracepoint) };
	const struct tracepoint *v;
	size_t i;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_TRACEPOINT_GET, 0, "cannot list tracepoints",
			      tracepoint_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(v[i].name, arg);
	free(l.items);
	return err;
}
