// SPDX-License-Identifier: GPL-2.0-only
/* One event type; and EVENT_NEW and EVENT_DEL: definitions of kprobes. */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "api/may.h"
#include "api/netlink.h"
#include "api/put.h"
#include "api/reply.h"
#include "session/probe.h"
#include "session/session.h"
#include "event/define.h"

/* --- EVENT_GET of one type ------------------------------------------------------------ */

struct found {
	struct ctrace_event_type t;
	struct ctrace_field_desc fields[CTRACE_EVENT_FIELDS];
	char name[CTRACE_NAME_MAX];
};

/* True: the caller has to put f->t. */
static bool by_id(u32 id, struct found *f)
{
	if (!ctrace_event_next(id, &f->t, f->fields, f->name))
		return false;
	if (f->t.id == id)
		return true;
	ctrace_event_put(&f->t);
	return false;
}

/* If several kprobes had the name: the newest, which has the highest id. */
static bool by_name(const char *name, struct found *f)
{
	u32 from, id = 0;

	for (from = 0; ctrace_event_next(from, &f->t, f->fields, f->name); from = f->t.id + 1) {
		if (!strcmp(f->t.name, name))
			id = f->t.id;
		ctrace_event_put(&f->t);
		cond_resched();
	}
	return id && by_id(id, f);
}

static int find(struct genl_info *info, bool may_trace, struct found *f)
{
	struct netlink_ext_ack *extack = ctrace_compat_extack(info);
	struct nlattr *tb[CTRACE_A_EVENT_MAX + 1];
	int err = -EINVAL;

	/* Only who may trace gets a text that takes one of the places for texts: see reply.h. */
	if (may_trace)
		err = ctrace_netlink_set(info->attrs, CTRACE_A_EVENT, tb, CTRACE_A_EVENT_MAX,
					 ctrace_policy_event, extack);
	else if (info->attrs && info->attrs[CTRACE_A_EVENT])
		err = ctrace_compat_parse_nested(tb, CTRACE_A_EVENT_MAX, info->attrs[CTRACE_A_EVENT],
						 ctrace_policy_event, extack);
	else
		NL_SET_ERR_MSG(extack, "CTRACE_A_EVENT is missing");
	if (err)
		return err;
	if (tb[CTRACE_A_EVENT_ID] ? by_id(nla_get_u32(tb[CTRACE_A_EVENT_ID]), f) :
	    tb[CTRACE_A_EVENT_NAME] && by_name(nla_data(tb[CTRACE_A_EVENT_NAME]), f))
		return 0;
	if (tb[CTRACE_A_EVENT_ID] || tb[CTRACE_A_EVENT_NAME]) {
		NL_SET_ERR_MSG(extack, "CTRACE_A_EVENT: no event type has that id or name");
		return -ENOENT;
	}
	NL_SET_ERR_MSG(extack, "CTRACE_A_EVENT_ID and CTRACE_A_EVENT_NAME are missing: one of them is needed");
	return -EINVAL;
}

int ctrace_netlink_event_get(struct sk_buff *in, struct genl_info *info)
{
	struct found *f = kzalloc(sizeof(*f), GFP_KERNEL);
	bool may_trace = ctrace_may_trace(in);
	struct sk_buff *skb;
	void *hdr;
	int err;

	if (!f)
		return -ENOMEM;
	err = find(info, may_trace, f);
	if (!err) {
		skb = ctrace_netlink_reply_new(info, CTRACE_CMD_EVENT_GET, &hdr);
		err = skb ? ctrace_netlink_reply_send(skb, info, hdr, ctrace_put_event(skb, &f->t, may_trace)) :
			    -ENOMEM;
		ctrace_event_put(&f->t);
	}
	kfree(f);
	return err;
}

/* --- definitions ------------------------------------------------------------------------ */

/* Parses EVENT into tb, and returns the text in attr, or ERR_PTR. */
static const char *text_of(struct genl_info *info, struct nlattr **tb, int attr, const char *name)
{
	int err = ctrace_netlink_set(info->attrs, CTRACE_A_EVENT, tb, CTRACE_A_EVENT_MAX,
				     ctrace_policy_event, ctrace_compat_extack(info));

	if (!err && !tb[attr])
		err = ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL, "%s is missing", name);
	return err ? ERR_PTR(err) : nla_data(tb[attr]);	/* the policy has checked for a NUL */
}

static int put_event(struct sk_buff *skb, const struct ctrace_event_type *t)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_EVENT);

	if (!nest || nla_put_u32(skb, CTRACE_A_EVENT_ID, t->id) ||
	    nla_put_string(skb, CTRACE_A_EVENT_NAME, t->name))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_netlink_event_new(struct sk_buff *in, struct genl_info *info)
{
	struct ctrace_definer by = { .sk = NETLINK_CB(in).sk, .owner = task_tgid_nr(current) };
	struct nlattr *tb[CTRACE_A_EVENT_MAX + 1];
	const char *text = text_of(info, tb, CTRACE_A_EVENT_DEFINITION, "CTRACE_A_EVENT_DEFINITION");
	const struct ctrace_event_type *t;
	char why[CTRACE_WHY_MAX] = "";
	struct sk_buff *skb;
	void *hdr;
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (tb[CTRACE_A_EVENT_FLAGS])
		by.flags = nla_get_u32(tb[CTRACE_A_EVENT_FLAGS]);
	if (by.flags & ~CTRACE_EVENT_F_KEEP)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_EVENT_FLAGS: unknown flags in %#x", by.flags);
	/* before the definition is made: after -ENOMEM there must be none */
	skb = ctrace_netlink_reply_new(info, CTRACE_CMD_EVENT_NEW, &hdr);
	if (!skb)
		return -ENOMEM;
	err = mutex_lock_killable(&ctrace_lock);
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	t = ctrace_probe_define(text, &by, why);
	err = IS_ERR(t) ? 0 : put_event(skb, t);
	mutex_unlock(&ctrace_lock);
	if (!IS_ERR(t))
		return ctrace_netlink_reply_send(skb, info, hdr, err);
	nlmsg_free(skb);
	return ctrace_netlink_failed(info, PTR_ERR(t), why, "CTRACE_A_EVENT_DEFINITION");
}

int ctrace_netlink_event_del(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_EVENT_MAX + 1];
	const char *name = text_of(info, tb, CTRACE_A_EVENT_NAME, "CTRACE_A_EVENT_NAME");
	char why[CTRACE_WHY_MAX] = "";
	int err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	err = mutex_lock_killable(&ctrace_lock);
	if (err)
		return err;
	err = ctrace_undefine(name, why);
	mutex_unlock(&ctrace_lock);
	return err ? ctrace_netlink_failed(info, err, why, "CTRACE_A_EVENT_NAME") : 0;
}
