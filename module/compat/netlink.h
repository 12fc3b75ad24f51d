/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_COMPAT_NETLINK_H
#define CTRACE_COMPAT_NETLINK_H

#include <linux/capability.h>
#include <linux/net.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>
#include <net/sock.h>
#include "facts.h"

/*
 * An initializer of struct genl_multicast_group: joining needs CAP_SYS_ADMIN.
 * Kernels that cannot ask for it (before the stable series of December 2023) let anybody
 * listen; what is said there stands in /proc and /sys/fs/cgroup for all to read as well.
 */
#if defined(CTRACE_HAVE_GENL_MCAST__FLAGS)
#define CTRACE_COMPAT_MCAST_ADMIN	.flags = GENL_MCAST_CAP_SYS_ADMIN
#elif defined(CTRACE_HAVE_GENL_MCAST__CAP)
#define CTRACE_COMPAT_MCAST_ADMIN	.cap_sys_admin = 1
#else
#define CTRACE_COMPAT_MCAST_ADMIN
#endif

#ifndef CTRACE_HAVE_NETLINK_EXT_ACK
struct netlink_ext_ack {
	const char *_msg;
	const struct nlattr *bad_attr;
};
/* RHEL 7 has one of its own, which tells the kernel's log */
#undef NL_SET_ERR_MSG
#define NL_SET_ERR_MSG(extack, msg)	do { if (extack) (extack)->_msg = (msg); } while (0)
#endif

#ifndef CTRACE_HAVE_NLA_PUT_U64_64BIT
/* as the kernels do that have no attribute to pad with: 8 bytes at 4 */
static inline int nla_put_u64_64bit(struct sk_buff *skb, int attr, u64 v, int pad)
{
	return nla_put(skb, attr, sizeof(v), &v);
}
#endif

/*
 * Where a sentence for who asked goes, in a command and in a dump; and how these are called. Where the
 * kernel does not pass a sentence on (before 4.12; of dumps, before 4.20) we send it ourselves, and
 * keep where it is in a place that the kernel leaves to us.
 */
#define CTRACE_COMPAT_EXTACK_ARG	5	/* of netlink_callback's args[] */
#ifdef CTRACE_HAVE_GENL_INFO_EXTACK
static inline struct netlink_ext_ack *ctrace_compat_extack(const struct genl_info *info)
{
	return info->extack;
}

static inline int ctrace_compat_do(struct sk_buff *skb, struct genl_info *info,
				   int (*fn)(struct sk_buff *, struct genl_info *))
{
	return fn(skb, info);
}
#else
static inline struct netlink_ext_ack *ctrace_compat_extack(const struct genl_info *info)
{
	return info->user_ptr[0];
}

int ctrace_compat_do(struct sk_buff *skb, struct genl_info *info,
		     int (*fn)(struct sk_buff *, struct genl_info *));
#endif

#ifdef CTRACE_HAVE_NETLINK_CALLBACK_EXTACK
static inline struct netlink_ext_ack *ctrace_compat_dump_extack(const struct netlink_callback *cb)
{
	return cb->extack;
}

static inline int ctrace_compat_dump(struct sk_buff *skb, struct netlink_callback *cb,
				     int (*fn)(struct sk_buff *, struct netlink_callback *))
{
	return fn(skb, cb);
}
#else
static inline struct netlink_ext_ack *ctrace_compat_dump_extack(const struct netlink_callback *cb)
{
	return (struct netlink_ext_ack *)cb->args[CTRACE_COMPAT_EXTACK_ARG];
}

int ctrace_compat_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       int (*fn)(struct sk_buff *, struct netlink_callback *));
#endif

/*
 * 0: attributes that no kernel since 5.2 refuses; there its own parsers look. policy NULL: whatever they
 * hold. They are some of a message, each within its end.
 */
#ifdef CTRACE_HAVE_NLMSG_PARSE__DEPRECATED
static inline int ctrace_compat_strict(const struct nlattr *head, int len, int max,
				       const struct nla_policy *policy,
				       struct netlink_ext_ack *extack)
{
	return 0;
}
#else
int ctrace_compat_strict(const struct nlattr *head, int len, int max, const struct nla_policy *policy,
			 struct netlink_ext_ack *extack);
#endif

/* The same of a whole request. */
static inline int ctrace_compat_strict_request(const struct nlmsghdr *h, int max,
					       const struct nla_policy *policy,
					       struct netlink_ext_ack *extack)
{
	return ctrace_compat_strict(nlmsg_attrdata(h, GENL_HDRLEN), nlmsg_attrlen(h, GENL_HDRLEN), max,
				    policy, extack);
}

/* The attributes of a request for a dump, max + 1 of them, whatever they hold. */
static inline int ctrace_compat_dump_parse(const struct netlink_callback *cb, struct nlattr **attrs,
					   int max)
{
#if defined(CTRACE_HAVE_NLMSG_PARSE__DEPRECATED)
	return nlmsg_parse_deprecated(cb->nlh, GENL_HDRLEN, attrs, max, NULL,
				      ctrace_compat_dump_extack(cb));
#elif defined(CTRACE_HAVE_NLMSG_PARSE__EXTACK)
	return ctrace_compat_strict_request(cb->nlh, max, NULL, ctrace_compat_dump_extack(cb)) ?:
	       nlmsg_parse(cb->nlh, GENL_HDRLEN, attrs, max, NULL, ctrace_compat_dump_extack(cb));
#else
	return ctrace_compat_strict_request(cb->nlh, max, NULL, NULL) ?:
	       nlmsg_parse(cb->nlh, GENL_HDRLEN, attrs, max, NULL);
#endif
}

static inline int ctrace_compat_parse_nested(struct nlattr **tb, int max, const struct nlattr *nest,
					     const struct nla_policy *policy,
					     struct netlink_ext_ack *extack)
{
	int err = ctrace_compat_strict(nla_data(nest), nla_len(nest), max, policy, extack);

	if (err)
		return err;
#ifdef CTRACE_HAVE_NLMSG_PARSE__PLAIN
	return nla_parse_nested(tb, max, nest, policy);
#else
	return nla_parse_nested(tb, max, nest, policy, extack);
#endif
}

/* Initializers: one policy for all commands stands in the family, or in each. */
#ifdef CTRACE_HAVE_GENL_FAMILY_POLICY
#define CTRACE_COMPAT_FAMILY_POLICY(p)	.policy = (p),
#define CTRACE_COMPAT_OP_POLICY(p)
#else
#define CTRACE_COMPAT_FAMILY_POLICY(p)
#define CTRACE_COMPAT_OP_POLICY(p)	.policy = (p),
#endif

/* Initializers: a family's commands and groups stand in it, or are handed over with it. */
#ifdef CTRACE_HAVE_GENL_FAMILY_OPS__MEMBER
#define CTRACE_COMPAT_OPS_CONST		const
#define CTRACE_COMPAT_FAMILY_OPS(o)	.ops = (o), .n_ops = ARRAY_SIZE(o),
#else
#define CTRACE_COMPAT_OPS_CONST
#define CTRACE_COMPAT_FAMILY_OPS(o)
#endif
#ifdef CTRACE_HAVE_GENL_MCGRPS__MEMBER
#define CTRACE_COMPAT_MCGRPS_CONST	const
#define CTRACE_COMPAT_FAMILY_MCGRPS(g)	.mcgrps = (g), .n_mcgrps = ARRAY_SIZE(g),
#else
#define CTRACE_COMPAT_MCGRPS_CONST
#define CTRACE_COMPAT_FAMILY_MCGRPS(g)
#endif

/* A family with n commands and one group. */
static inline int ctrace_compat_genl_register(struct genl_family *f,
					      CTRACE_COMPAT_OPS_CONST struct genl_ops *ops, size_t n,
					      CTRACE_COMPAT_MCGRPS_CONST struct genl_multicast_group *g)
{
	int err;

#ifdef CTRACE_HAVE_GENL_FAMILY_OPS__MEMBER
	err = genl_register_family(f);
#else
	err = genl_register_family_with_ops(f, ops, n);
#endif
#ifdef CTRACE_HAVE_GENL_MCGRPS__CALL
	if (!err)
		err = genl_register_mc_group(f, g);
	if (err)
		genl_unregister_family(f);	/* which does no harm to one that is not there */
#endif
	return err;
}

/* f's one group, in the initial network namespace: as functions of f know it; and its number for all others */
#ifdef CTRACE_HAVE_GENL_MCGRPS__CALL
#define CTRACE_COMPAT_MCGRP(g)		((g)->id)
#define CTRACE_COMPAT_MCGRP_ID(f, g)	((g)->id)
#else
#define CTRACE_COMPAT_MCGRP(g)		0
#define CTRACE_COMPAT_MCGRP_ID(f, g)	((f)->mcgrp_offset)
#endif

static inline bool ctrace_compat_genl_listeners(struct genl_family *f,
						const struct genl_multicast_group *g)
{
#if defined(CTRACE_HAVE_GENL_HAS_LISTENERS__NET)
	return genl_has_listeners(f, &init_net, CTRACE_COMPAT_MCGRP(g));
#elif defined(CTRACE_HAVE_GENL_HAS_LISTENERS__SOCK)
	return genl_has_listeners(f, init_net.genl_sock, CTRACE_COMPAT_MCGRP(g));
#else
	return netlink_has_listeners(init_net.genl_sock, CTRACE_COMPAT_MCGRP_ID(f, g));
#endif
}

/* Each listener's next read says so. */
static inline void ctrace_compat_genl_set_err(struct genl_family *f,
					      const struct genl_multicast_group *g, int err)
{
#ifdef CTRACE_HAVE_GENL_SET_ERR__FAMILY
	genl_set_err(f, &init_net, 0, CTRACE_COMPAT_MCGRP(g), err);
#else
	netlink_set_err(init_net.genl_sock, 0, CTRACE_COMPAT_MCGRP_ID(f, g), err);
#endif
}

static inline void ctrace_compat_genl_multicast(struct genl_family *f,
						const struct genl_multicast_group *g,
						struct sk_buff *skb)
{
#ifdef CTRACE_HAVE_GENLMSG_MULTICAST__FAMILY
	genlmsg_multicast(f, skb, 0, CTRACE_COMPAT_MCGRP(g), GFP_KERNEL);
#else
	genlmsg_multicast(skb, 0, CTRACE_COMPAT_MCGRP(g), GFP_KERNEL);
#endif
}

/*
 * Families that give themselves a number (before 4.10) are in a list by a part of their own; and
 * __ro_after_init is there since 4.6.
 */
#if defined(GENL_ID_GENERATE) || !defined(__ro_after_init)
#define CTRACE_COMPAT_FAMILY_CONST
#else
#define CTRACE_COMPAT_FAMILY_CONST	__ro_after_init
#endif

#ifndef CTRACE_HAVE_NETLINK_CAPABLE
/* since 3.15, and in later ones of older series; who runs is in the middle of sending or reading, so its socket stays */
static inline bool netlink_capable(const struct sk_buff *skb, int cap)
{
	return file_ns_capable(NETLINK_CB(skb).sk->sk_socket->file, &init_user_ns, cap) && capable(cap);
}
#endif

/* The sender of a netlink message, and the opener of its socket, both. As ctrace_compat_may_trace(). */
static inline bool ctrace_compat_netlink_may_trace(struct sk_buff *skb)
{
#ifdef CTRACE_HAVE_CAP_PERFMON
	if (netlink_capable(skb, CAP_PERFMON))
		return true;
#endif
	return netlink_capable(skb, CAP_SYS_ADMIN);
}

#endif
