// SPDX-License-Identifier: GPL-2.0-only
/* Strict parsing and error texts for kernels that lack them. */
#include <linux/string.h>
#include <net/sock.h>
#include "compat/netlink.h"

/* --- answers of our own -------------------------------------------------------------- */

/* As in newer kernels: a refusal holds only the header of the request, and attributes follow it. */
#define ACK_FLAGS	(0x100 | 0x200)	/* NLM_F_CAPPED, NLM_F_ACK_TLVS */
#define ACK_MSG		1		/* NLMSGERR_ATTR_MSG */
#define ACK_OFFS	2		/* NLMSGERR_ATTR_OFFS */

struct sk_buff *ctrace_compat_ack_new(size_t text)
{
	return nlmsg_new(sizeof(struct nlmsgerr) + nla_total_size(text) + nla_total_size(4), GFP_KERNEL);
}

int ctrace_compat_ack_send(struct sk_buff *skb, u32 portid, const struct nlmsghdr *h, int err,
			   const char *text, u32 offset)
{
	struct nlmsgerr *e;
	struct nlmsghdr *nlh;

	nlh = nlmsg_put(skb, portid, h->nlmsg_seq, NLMSG_ERROR, sizeof(*e), text ? ACK_FLAGS : 0);
	if (!nlh || (text && nla_put_string(skb, ACK_MSG, text)) ||
	    (offset && nla_put_u32(skb, ACK_OFFS, offset))) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	e = nlmsg_data(nlh);
	e->error = err;
	e->msg = *h;
	nlmsg_end(skb, nlh);
	return nlmsg_unicast(init_net.genl_sock, skb, portid);
}

/* --- refusals with a text ------------------------------------------------------------ */

#ifndef CTRACE_HAVE_NETLINK_CALLBACK_EXTACK

/* Refuses message `in`, whose header is h, to its sender. False: nothing was sent. */
static bool refuse(const struct sk_buff *in, const struct nlmsghdr *h, int err,
		   const struct netlink_ext_ack *ack)
{
	struct sk_buff *skb = ack->_msg ? ctrace_compat_ack_new(strlen(ack->_msg) + 1) : NULL;

	return skb && !ctrace_compat_ack_send(skb, NETLINK_CB(in).portid, h, err, ack->_msg, ack->bad_attr ?
					      (const char *)ack->bad_attr - (const char *)h : 0);
}

/* On error we answer first: the kernel's own answer comes too late for the reader to take it. */
int ctrace_compat_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       int (*fn)(struct sk_buff *, struct netlink_callback *))
{
	struct netlink_ext_ack ack = { };
	int err;

	cb->args[CTRACE_COMPAT_EXTACK_ARG] = (long)&ack;
	err = fn(skb, cb);
	cb->args[CTRACE_COMPAT_EXTACK_ARG] = 0;
	if (err < 0)
		refuse(cb->skb, cb->nlh, err, &ack);
	return err;
}

#endif

#ifndef CTRACE_HAVE_GENL_INFO_EXTACK

int ctrace_compat_do(struct sk_buff *skb, struct genl_info *info,
		     int (*fn)(struct sk_buff *, struct genl_info *))
{
	struct netlink_ext_ack ack = { };
	int err;

	info->user_ptr[0] = &ack;
	err = fn(skb, info);
	info->user_ptr[0] = NULL;
	/* -EINTR makes the kernel send no answer of its own */
	return err < 0 && refuse(skb, info->nlhdr, err, &ack) ? -EINTR : err;
}

#endif

/* --- strictness ------------------------------------------------------------------------- */

#ifndef CTRACE_HAVE_NLMSG_PARSE__DEPRECATED

static int wrong(struct netlink_ext_ack *extack, const struct nlattr *at, const char *what)
{
	if (extack) {
		extack->_msg = what;
		extack->bad_attr = at;
	}
	return -EINVAL;
}

/*
 * As strict as the kernel's parsers since 5.2: no unknown attribute, none longer than it may be,
 * nothing after the last one. Older parsers refuse some of that as well, but do not say which
 * attribute it is.
 */
int ctrace_compat_strict(const struct nlattr *head, int len, int max, const struct nla_policy *policy,
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *a;
	int rem;

	nla_for_each_attr(a, head, len, rem) {
		u16 type = nla_type(a);
		bool nested = a->nla_type & NLA_F_NESTED;

		if (!type || type > max)
			return wrong(extack, a, "Unknown attribute type");
		if (!policy)
			continue;
		switch (policy[type].type) {
		case NLA_NESTED:
			if (!nested)
				return wrong(extack, a, "NLA_F_NESTED is missing");
			continue;
		case NLA_U32:
		case NLA_U64:
			if (nla_len(a) != (policy[type].type == NLA_U32 ? 4 : 8))
				return wrong(extack, a, "invalid attribute length");
			break;
		case NLA_NUL_STRING:
			if (nla_len(a) > policy[type].len + 1 || !memchr(nla_data(a), 0, nla_len(a)))
				return wrong(extack, a, "Attribute failed policy validation");
			break;
		default:
			return wrong(extack, a, "Unsupported attribute");
		}
		if (nested)
			return wrong(extack, a, "NLA_F_NESTED not expected");
	}
	return rem > 0 ? wrong(extack, NULL, "bytes leftover after parsing attributes") : 0;
}

#endif
