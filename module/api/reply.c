// SPDX-License-Identifier: GPL-2.0-only
/* Answers to commands: errors, with the names of the sets they are about, and replies. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "api/netlink.h"
#include "api/reply.h"
#include "event/event.h"

/*
 * An extended ack keeps a pointer to its text. Handlers run in parallel, and the text is sent after the
 * handler has returned, outside any lock, but by the same task: the core measures the text, allocates, and
 * copies it, and warns if the text has grown in between. So each task has a place of its own. Another task
 * takes it over only after TEXTS others have had an error since. Errors that a sender without rights can
 * cause take no place (ctrace_may_send()).
 */
#define TEXTS	64

static char *text_of_current(void)
{
	static struct {
		const struct task_struct *task;	/* never followed */
		u64 used;
		char text[CTRACE_WHY_MAX];
	} texts[TEXTS];
	static DEFINE_SPINLOCK(lock);
	static u64 now;
	u32 i, at = 0;

	spin_lock(&lock);
	for (i = 0; i < TEXTS; i++) {
		if (texts[i].task == current) {
			at = i;
			break;
		}
		if (texts[i].used < texts[at].used)
			at = i;
	}
	texts[at].task = current;
	texts[at].used = ++now;
	spin_unlock(&lock);
	return texts[at].text;
}

int ctrace_netlink_error(struct netlink_ext_ack *extack, int err, const char *fmt, ...)
{
	char *text;
	va_list args;

	if (!extack)
		return err;
	text = text_of_current();
	va_start(args, fmt);
	vsnprintf(text, CTRACE_WHY_MAX, fmt, args);
	va_end(args);
	extack->_msg = text;
	return err;
}

int ctrace_netlink_failed(struct genl_info *info, int err, const char *why, const char *what)
{
	if (*why)
		return ctrace_netlink_error(ctrace_compat_extack(info), err, "%s", why);
	if (err == -ENOMEM || err == -ENOSPC)
		return ctrace_netlink_error(ctrace_compat_extack(info), err, "%s: %s", what, err == -ENOMEM ?
					    "not enough memory" : "all event types are used up");
	return ctrace_netlink_error(ctrace_compat_extack(info), err, "%s: error %d", what, err);
}

/* --- sets ---------------------------------------------------------------------- */

static const char *const set_names[CTRACE_A_MAX + 1] = {
	[CTRACE_A_SESSION] = "CTRACE_A_SESSION",
	[CTRACE_A_PROBE] = "CTRACE_A_PROBE",
	[CTRACE_A_TARGET] = "CTRACE_A_TARGET",
	[CTRACE_A_EVENT] = "CTRACE_A_EVENT",
	[CTRACE_A_FROZEN] = "CTRACE_A_FROZEN",
};

#define NAME(set, what)								\
	[CTRACE_A_##set][CTRACE_A_##set##_##what] = "_" #what,

static const char *const attr_names[CTRACE_A_MAX + 1][CTRACE_A_SESSION_MAX + 1] = { CTRACE_A_SETTABLE(NAME) };

static const char *name_of(int set, const struct netlink_ext_ack *extack)
{
	u32 type = extack && extack->bad_attr ? nla_type(extack->bad_attr) : 0;

	return (type <= CTRACE_A_SESSION_MAX ? attr_names[set][type] : NULL) ?: "";
}

int ctrace_netlink_set(struct nlattr **attrs, int set, struct nlattr **tb, int max,
		       const struct nla_policy *policy, struct netlink_ext_ack *extack)
{
	const char *core;
	int err;

	if (!attrs || !attrs[set])
		return ctrace_netlink_error(extack, -EINVAL, "%s is missing", set_names[set]);
	err = ctrace_compat_parse_nested(tb, max, attrs[set], policy, extack);
	if (!err)
		return 0;
	core = extack && extack->_msg ? extack->_msg : "malformed";
	return ctrace_netlink_error(extack, err, "%s%s: %s", set_names[set], name_of(set, extack),
				    core);
}

/* --- replies ------------------------------------------------------------------- */

struct sk_buff *ctrace_netlink_reply_new(struct genl_info *info, u8 cmd, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);

	if (skb)
		*hdr = genlmsg_put_reply(skb, info, &ctrace_genl_family, 0, cmd);
	else
		/* a text of its own: senders that may not trace get here, too */
		NL_SET_ERR_MSG(ctrace_compat_extack(info), "not enough memory for an answer");
	return skb;
}

int ctrace_netlink_reply_send(struct sk_buff *skb, struct genl_info *info, void *hdr, int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/* --- answers that come later ----------------------------------------------------- */

struct ctrace_netlink_answer {
	struct sk_buff *skb;	/* allocated before the work begins: who waits for an answer gets one */
	struct sock *sk;	/* the sender's socket; a reference */
	u32 portid;		/* its number */
	struct nlmsghdr h;	/* of the request */
};

struct ctrace_netlink_answer *ctrace_netlink_answer_new(const struct sk_buff *in, const struct genl_info *info)
{
	struct ctrace_netlink_answer *a = kzalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return NULL;
	a->skb = ctrace_compat_ack_new(CTRACE_WHY_MAX);
	if (!a->skb) {
		kfree(a);
		return NULL;
	}
	a->portid = info->snd_portid;
	a->h = *info->nlhdr;
	a->sk = NETLINK_CB(in).sk;
	sock_hold(a->sk);
	return a;
}

void ctrace_netlink_answer_free(struct ctrace_netlink_answer *a)
{
	nlmsg_free(a->skb);	/* NULL: it was sent */
	sock_put(a->sk);
	kfree(a);
}

/*
 * A socket that is closed right after the look may lose its number to another one, which then gets an
 * answer to a request that it never made. It knows by the sequence number, as after any late answer.
 */
void ctrace_netlink_answer_send(struct ctrace_netlink_answer *a, int err, const char *text)
{
	if ((err || a->h.nlmsg_flags & NLM_F_ACK) && !sock_flag(a->sk, SOCK_DEAD)) {
		ctrace_compat_ack_send(a->skb, a->portid, &a->h, err, text, 0);
		a->skb = NULL;
	}
	ctrace_netlink_answer_free(a);
}
