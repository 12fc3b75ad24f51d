/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_COMPAT_NETLINK_H
#define CTRACE_COMPAT_NETLINK_H

#include <net/genetlink.h>
#include "facts.h"

/*
 * An initializer of struct genl_multicast_group: joining needs CAP_SYS_ADMIN.
 * Kernels that cannot ask for it (before the stable series of December 2023) let anybody
 * listen; what is said there stands in /proc and /sys/fs/cgroup for all to read as well.
 */
#if defined(CTRACE_HAVE_GENL_MCAST_FLAGS)
#define CTRACE_COMPAT_MCAST_ADMIN	.flags = GENL_MCAST_CAP_SYS_ADMIN
#elif defined(CTRACE_HAVE_GENL_MCAST_CAP)
#define CTRACE_COMPAT_MCAST_ADMIN	.cap_sys_admin = 1
#else
#define CTRACE_COMPAT_MCAST_ADMIN
#endif

#ifndef CTRACE_HAVE_NETLINK_EXT_ACK
struct netlink_ext_ack {
	const char *_msg;
	const struct nlattr *bad_attr;
};
#define NL_SET_ERR_MSG(extack, msg)	((void)(extack))
#endif

/* Where a sentence for who asked goes. NULL: this kernel passes none on. */
static inline struct netlink_ext_ack *ctrace_compat_extack(const struct genl_info *info)
{
#ifdef CTRACE_HAVE_GENL_INFO_EXTACK
	return info->extack;
#else
	return NULL;
#endif
}

/* The same for a dump. */
static inline struct netlink_ext_ack *ctrace_compat_dump_extack(const struct netlink_callback *cb)
{
#ifdef CTRACE_HAVE_NETLINK_CALLBACK_EXTACK
	return cb->extack;
#else
	return NULL;
#endif
}

/* The attributes of a request for a dump, max + 1 of them, whatever they hold. */
static inline int ctrace_compat_dump_parse(const struct netlink_callback *cb, struct nlattr **attrs,
					   int max)
{
#if defined(CTRACE_HAVE_NLMSG_PARSE__DEPRECATED)
	return nlmsg_parse_deprecated(cb->nlh, GENL_HDRLEN, attrs, max, NULL,
				      ctrace_compat_dump_extack(cb));
#elif defined(CTRACE_HAVE_NLMSG_PARSE__EXTACK)
	return nlmsg_parse(cb->nlh, GENL_HDRLEN, attrs, max, NULL, ctrace_compat_dump_extack(cb));
#else
	return nlmsg_parse(cb->nlh, GENL_HDRLEN, attrs, max, NULL);
#endif
}

static inline int ctrace_compat_parse_nested(struct nlattr **tb, int max, const struct nlattr *nest,
					     const struct nla_policy *policy,
					     struct netlink_ext_ack *extack)
{
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

/* Families that give themselves a number (before 4.10) are in a list by a part of their own. */
#ifdef GENL_ID_GENERATE
#define CTRACE_COMPAT_FAMILY_CONST
#else
#define CTRACE_COMPAT_FAMILY_CONST	__ro_after_init
#endif

#endif
