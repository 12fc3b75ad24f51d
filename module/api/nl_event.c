// SPDX-License-Identifier: GPL-2.0-only
/* EVENT_NEW and EVENT_DEL: definitions of kprobes. */
#include <linux/err.h>
#include <linux/sched.h>
#include "api/netlink.h"
#include "api/reply.h"
#include "session/probe.h"
#include "session/session.h"
#include "event/define.h"

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
	struct ctrace_definer by = { .portid = info->snd_portid, .owner = task_tgid_nr(current) };
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
	mutex_lock(&ctrace_lock);
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
	mutex_lock(&ctrace_lock);
	err = ctrace_undefine(name, why);
	mutex_unlock(&ctrace_lock);
	return err ? ctrace_netlink_failed(info, err, why, "CTRACE_A_EVENT_NAME") : 0;
}
