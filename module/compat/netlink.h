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
 * Kernels that cannot demand it (before the stable series of December 2023) let every
 * process listen; the same information is in /proc and /sys/fs/cgroup for all to read. GUARDED: can
 * this kernel demand it?
 */
#if defined(CTRACE_HAVE_GENL_MCAST__FLAGS)
#define CTRACE_COMPAT_MCAST_ADMIN	.flags = GENL_MCAST_CAP_SYS_ADMIN
#define CTRACE_COMPAT_MCAST_GUARDED	1
#elif defined(CTRACE_HAVE_GENL_MCAST__CAP)
#define CTRACE_COMPAT_MCAST_ADMIN	.cap_sys_admin = 1
#define CTRACE_COMPAT_MCAST_GUARDED	1
#else
#define CTRACE_COMPAT_MCAST_ADMIN
#define CTRACE_COMPAT_MCAST_GUARDED	0
#endif

#ifndef CTRACE_HAVE_NETLINK_EXT_ACK
struct netlink_ext_ack {
	const char *_msg;
	const struct nlattr *bad_attr;
};
/* RHEL 7 has an NL_SET_ERR_MSG of its own, which writes to the kernel's log */
#undef NL_SET_ERR_MSG
#define NL_SET_ERR_MSG(extack, msg)	do { if (extack) (extack)->_msg = (msg); } while (0)
#endif

#ifndef CTRACE_HAVE_NLA_PUT_U64_64BIT
/* like kernels that have no padding attribute: the 8 bytes are aligned to 4 */
static inline int nla_put_u64_64bit(struct sk_buff *skb, int attr, u64 v, int pad)
{
	return nla_put(skb, attr, sizeof(v), &v);
}
#endif

/*
 * Where the error text of a command or of a dump goes, and how handlers of both are called. Kernels
 * before 4.12 (for dumps, before 4.20) do not pass a text on. There we send it ourselves, and keep the
 * pointer to it in a field that the kernel leaves to us.
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
 * The kernel's answer to a command, sent by us, when the command's function has returned
 * CTRACE_COMPAT_NO_ANSWER: then the kernel sends none, on all kernels. new: room for a text of so many
 * bytes, with its NUL. send: to the request with header h, on a socket of the initial net namespace; text may
 * be NULL, offset 0. Consumes skb. Process context.
 */
#define CTRACE_COMPAT_NO_ANSWER	(-EINTR)
struct sk_buff *ctrace_compat_ack_new(size_t text);
int ctrace_compat_ack_send(struct sk_buff *skb, u32 portid, const struct nlmsghdr *h, int err,
			   const char *text, u32 offset);

/*
 * Refuses attributes that kernels since 5.2 refuse; there the kernel's parsers do it. 0: they are fine.
 * policy NULL: only types are checked, not contents. The attributes must lie within a message.
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

/* The same for a whole request. */
static inline int ctrace_compat_strict_request(const struct nlmsghdr *h, int max,
					       const struct nla_policy *policy,
					       struct netlink_ext_ack *extack)
{
	return ctrace_compat_strict(nlmsg_attrdata(h, GENL_HDRLEN), nlmsg_attrlen(h, GENL_HDRLEN), max,
				    policy, extack);
}

/* Parses a dump request into attrs[max + 1]; contents are not checked. */
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

/* Initializers: the one policy for all commands is in the family, or in each command. */
#ifdef CTRACE_HAVE_GENL_FAMILY_POLICY
#define CTRACE_COMPAT_FAMILY_POLICY(p)	.policy = (p),
#define CTRACE_COMPAT_OP_POLICY(p)
#else
#define CTRACE_COMPAT_FAMILY_POLICY(p)
#define CTRACE_COMPAT_OP_POLICY(p)	.policy = (p),
#endif

/* Initializers: a family's commands and groups are members of it, or are passed when it is registered. */
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

/* Registers a family with n commands and one group. */
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
		genl_unregister_family(f);	/* harmless if f was not registered */
#endif
	return err;
}

/*
 * f's one group, in the initial network namespace. MCGRP: as functions that take f know it.
 * MCGRP_ID: its global number, for all other functions.
 */
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

/* The next read of each listener fails with err. */
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
 * Before 4.10 (GENL_ID_GENERATE) the kernel writes to a family after init, as it links a member of
 * it into a list. __ro_after_init exists since 4.6.
 */
#if defined(GENL_ID_GENERATE) || !defined(__ro_after_init)
#define CTRACE_COMPAT_FAMILY_CONST
#else
#define CTRACE_COMPAT_FAMILY_CONST	__ro_after_init
#endif

#ifndef CTRACE_HAVE_NETLINK_CAPABLE
/*
 * Since 3.15, and in later releases of older series. The running task is in the middle of sending or
 * reading, so its socket stays.
 */
static inline bool netlink_capable(const struct sk_buff *skb, int cap)
{
	return file_ns_capable(NETLINK_CB(skb).sk->sk_socket->file, &init_user_ns, cap) && capable(cap);
}
#endif

/* As ctrace_compat_may_trace(), for both the sender of a netlink message and the opener of its socket. */
static inline bool ctrace_compat_netlink_may_trace(struct sk_buff *skb)
{
#ifdef CTRACE_HAVE_CAP_PERFMON
	if (netlink_capable(skb, CAP_PERFMON))
		return true;
#endif
	return netlink_capable(skb, CAP_SYS_ADMIN);
}

#endif
