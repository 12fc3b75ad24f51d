// SPDX-License-Identifier: GPL-2.0-only
/* The dump of all tracepoint names of the kernel and its modules. */
#include <linux/kernel.h>
#include "api/netlink.h"
#include "compat/tracepoint.h"

struct dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	unsigned long at;	/* index of the next tracepoint */
	bool full;
};

static int put_name(struct sk_buff *skb, const char *name)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_EVENT);

	if (!nest || nla_put_string(skb, CTRACE_A_EVENT_NAME, name))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/*
 * cb->args[0] counts the names written. Built-in tracepoints keep their index for ever; if a module
 * goes between two messages, tracepoints of another may be left out.
 */
static void one(const char *name, void *data)
{
	struct dump *d = data;
	void *hdr;

	if (d->full || d->at++ < d->cb->args[0])
		return;
	hdr = genlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid, d->cb->nlh->nlmsg_seq,
			  &ctrace_genl_family, NLM_F_MULTI, CTRACE_CMD_TRACEPOINT_GET);
	if (!hdr || put_name(d->skb, name)) {
		if (hdr)
			genlmsg_cancel(d->skb, hdr);
		d->full = true;
		return;
	}
	genlmsg_end(d->skb, hdr);
	d->cb->args[0] = d->at;
}

int ctrace_dump_tracepoints(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump d = { .skb = skb, .cb = cb };

	ctrace_compat_tracepoint_each(one, &d);
	return skb->len;
}
