// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include "api/netlink.h"
#include "session/session.h"
#include "event/event.h"
#include "identity/container.h"
#include "identity/identity.h"

static const struct nla_policy policy_top[CTRACE_A_NR] = {
	[CTRACE_A_SESSION] = { .type = NLA_NESTED },
	[CTRACE_A_PROBE] = { .type = NLA_NESTED },
	[CTRACE_A_TARGET] = { .type = NLA_NESTED },
	[CTRACE_A_EVENT] = { .type = NLA_NESTED },
};

const struct nla_policy ctrace_policy_event[CTRACE_A_EVENT_NR] = {
	[CTRACE_A_EVENT_ID] = { .type = NLA_U32 },
	[CTRACE_A_EVENT_NAME] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_EVENT_DEFINITION] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
};

/* --- errors -------------------------------------------------------------------- */

/*
 * An extended ack keeps a pointer to its text. It is sent after the handler has returned, outside
 * any lock, but by the same task: the core measures the text, allocates, and copies it, and warns
 * if the text has grown meanwhile. So each task has a place of its own. Another task takes it over
 * only after TEXTS others have had an error since. Errors that a sender without rights can cause
 * take no place (ctrace_netlink_denied()).
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

int ctrace_netlink_denied(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "needs CAP_SYS_ADMIN or CAP_PERFMON in the initial user namespace");
	return -EPERM;
}

static const char *const set_names[CTRACE_A_NR] = {
	[CTRACE_A_SESSION] = "CTRACE_A_SESSION",
	[CTRACE_A_PROBE] = "CTRACE_A_PROBE",
	[CTRACE_A_TARGET] = "CTRACE_A_TARGET",
	[CTRACE_A_EVENT] = "CTRACE_A_EVENT",
};

/* Attributes that a sender may set; only the kernel sends the others. */
static const char *const attr_names[CTRACE_A_NR][CTRACE_A_SESSION_NR] = {
	[CTRACE_A_SESSION] = {
		[CTRACE_A_SESSION_ID] = "_ID",
		[CTRACE_A_SESSION_ARENA_SIZE] = "_ARENA_SIZE",
		[CTRACE_A_SESSION_RING_SIZE] = "_RING_SIZE",
		[CTRACE_A_SESSION_SUBBUF_SIZE] = "_SUBBUF_SIZE",
		[CTRACE_A_SESSION_FLAGS] = "_FLAGS",
		[CTRACE_A_SESSION_WAKEUP_NS] = "_WAKEUP_NS",
		[CTRACE_A_SESSION_NAME] = "_NAME",
		[CTRACE_A_SESSION_STATE] = "_STATE",
		[CTRACE_A_SESSION_FILTER] = "_FILTER",
		[CTRACE_A_SESSION_RATE] = "_RATE",
	},
	[CTRACE_A_PROBE] = {
		[CTRACE_A_PROBE_ID] = "_ID",
		[CTRACE_A_PROBE_NAME] = "_NAME",
		[CTRACE_A_PROBE_FLAGS] = "_FLAGS",
		[CTRACE_A_PROBE_FILTER] = "_FILTER",
		[CTRACE_A_PROBE_ONE_OF] = "_ONE_OF",
	},
	[CTRACE_A_TARGET] = {
		[CTRACE_A_TARGET_KIND] = "_KIND",
		[CTRACE_A_TARGET_CID] = "_CID",
		[CTRACE_A_TARGET_CGROUP] = "_CGROUP",
		[CTRACE_A_TARGET_PID] = "_PID",
		[CTRACE_A_TARGET_NOT] = "_NOT",
	},
	[CTRACE_A_EVENT] = {
		[CTRACE_A_EVENT_ID] = "_ID",
		[CTRACE_A_EVENT_NAME] = "_NAME",
		[CTRACE_A_EVENT_DEFINITION] = "_DEFINITION",
	},
};

static const char *name_of(int set, const struct netlink_ext_ack *extack)
{
	u32 type = extack && extack->bad_attr ? nla_type(extack->bad_attr) : 0;

	return (type < CTRACE_A_SESSION_NR ? attr_names[set][type] : NULL) ?: "";
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
		ctrace_netlink_error(ctrace_compat_extack(info), -ENOMEM, "not enough memory for an answer");
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

static int info_get(struct sk_buff *in, struct genl_info *info)
{
	struct ctrace_session *s;
	struct nlattr *nest;
	struct sk_buff *skb;
	u32 sessions = 0;
	void *hdr;
	int err;

	skb = ctrace_netlink_reply_new(info, CTRACE_CMD_INFO_GET, &hdr);
	if (!skb)
		return -ENOMEM;
	mutex_lock(&ctrace_lock);
	list_for_each_entry(s, &ctrace_session_list, list)
		sessions++;
	mutex_unlock(&ctrace_lock);
	nest = nla_nest_start(skb, CTRACE_A_INFO);
	err = !nest || nla_put_u32(skb, CTRACE_A_INFO_ABI, CTRACE_ABI) ||
	      nla_put_u32(skb, CTRACE_A_INFO_ABI_COMPAT, CTRACE_ABI_COMPAT) ||
	      nla_put_string(skb, CTRACE_A_INFO_VERSION, THIS_MODULE->version ?: "") ||
	      nla_put_u32(skb, CTRACE_A_INFO_CONTAINERS, ctrace_container_count()) ||
	      nla_put_u32(skb, CTRACE_A_INFO_SESSIONS, sessions) ||
	      nla_put_u64_64bit(skb, CTRACE_A_INFO_UNKNOWN, ctrace_container_unknown_count(),
				CTRACE_A_INFO_PAD) ||
	      nla_put_u32(skb, CTRACE_A_INFO_CGROUP_MODE, ctrace_identity_cgroup_mode());
	if (!err)
		nla_nest_end(skb, nest);
	return ctrace_netlink_reply_send(skb, info, hdr, err ? -EMSGSIZE : 0);
}

/* --- births and deaths --------------------------------------------------------------- */

static CTRACE_COMPAT_MCGRPS_CONST struct genl_multicast_group groups[] = {
	{ .name = CTRACE_GENL_MCGRP, CTRACE_COMPAT_MCAST_ADMIN },
};

static void announce(struct ctrace_container *c, bool born)
{
	struct sk_buff *skb;
	void *hdr = NULL;

	if (!ctrace_compat_genl_listeners(&ctrace_genl_family, groups))
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (skb)
		hdr = genlmsg_put(skb, 0, 0, &ctrace_genl_family, 0,
				  born ? CTRACE_CMD_CONTAINER_NEW : CTRACE_CMD_CONTAINER_GONE);
	if (!hdr || ctrace_put_container(skb, c)) {
		nlmsg_free(skb);
		/* as if the listeners' buffers were full: they list the containers again */
		ctrace_compat_genl_set_err(&ctrace_genl_family, groups, -ENOBUFS);
		return;
	}
	genlmsg_end(skb, hdr);
	ctrace_compat_genl_multicast(&ctrace_genl_family, groups, skb);
}

const struct ctrace_container_watcher ctrace_netlink_watcher = { .told = announce };

/* --- family ---------------------------------------------------------------------------- */

static bool open_to_all(u8 cmd)
{
	return cmd == CTRACE_CMD_INFO_GET || cmd == CTRACE_CMD_EVENT_GET;
}

/* A sender that is too new knows that from INFO_GET; one that is too old may never have asked. */
static int too_old(struct genl_info *info)
{
	return ctrace_netlink_error(ctrace_compat_extack(info), -EPROTO,
		"this request is of ABI %u, the module (version %s) is of ABI %u and takes %u or newer: install the user space of the module's version",
		info->genlhdr->version, THIS_MODULE->version ?: "", CTRACE_ABI, CTRACE_ABI_COMPAT);
}

#define DO(fn)									\
static int checked_##fn(struct sk_buff *skb, struct genl_info *info)		\
{										\
	if (!open_to_all(info->genlhdr->cmd) && !ctrace_compat_netlink_may_trace(skb)) \
		return ctrace_netlink_denied(ctrace_compat_extack(info));			\
	if (info->genlhdr->cmd != CTRACE_CMD_INFO_GET &&			\
	    info->genlhdr->version < CTRACE_ABI_COMPAT)				\
		return too_old(info);						\
	return ctrace_compat_strict_request(info->nlhdr, CTRACE_A_NR - 1, policy_top,	\
					    ctrace_compat_extack(info)) ?: fn(skb, info); \
}										\
static int do_##fn(struct sk_buff *skb, struct genl_info *info)			\
{										\
	return ctrace_compat_do(skb, info, checked_##fn);			\
}
DO(info_get)
DO(ctrace_netlink_session_new) DO(ctrace_netlink_session_del) DO(ctrace_netlink_session_set)
DO(ctrace_netlink_probe_add) DO(ctrace_netlink_probe_del)
DO(ctrace_netlink_target_add) DO(ctrace_netlink_target_del)
DO(ctrace_netlink_event_new) DO(ctrace_netlink_event_del)

#define DUMP(what)								\
static int dump_##what(struct sk_buff *skb, struct netlink_callback *cb)	\
{										\
	return ctrace_compat_dump(skb, cb, ctrace_dump_##what);			\
}
DUMP(sessions) DUMP(probes) DUMP(targets) DUMP(containers) DUMP(events) DUMP(stats) DUMP(tracepoints)

#define OP(c, how, fn)	{ .cmd = c, .how = fn, CTRACE_COMPAT_OP_POLICY(policy_top) }

static CTRACE_COMPAT_OPS_CONST struct genl_ops ops[] = {
	OP(CTRACE_CMD_INFO_GET, doit, do_info_get),
	OP(CTRACE_CMD_SESSION_NEW, doit, do_ctrace_netlink_session_new),
	OP(CTRACE_CMD_SESSION_DEL, doit, do_ctrace_netlink_session_del),
	OP(CTRACE_CMD_SESSION_SET, doit, do_ctrace_netlink_session_set),
	OP(CTRACE_CMD_SESSION_GET, dumpit, dump_sessions),
	OP(CTRACE_CMD_PROBE_ADD, doit, do_ctrace_netlink_probe_add),
	OP(CTRACE_CMD_PROBE_DEL, doit, do_ctrace_netlink_probe_del),
	OP(CTRACE_CMD_PROBE_GET, dumpit, dump_probes),
	OP(CTRACE_CMD_TARGET_ADD, doit, do_ctrace_netlink_target_add),
	OP(CTRACE_CMD_TARGET_DEL, doit, do_ctrace_netlink_target_del),
	OP(CTRACE_CMD_TARGET_GET, dumpit, dump_targets),
	OP(CTRACE_CMD_CONTAINER_GET, dumpit, dump_containers),
	OP(CTRACE_CMD_EVENT_GET, dumpit, dump_events),
	OP(CTRACE_CMD_EVENT_NEW, doit, do_ctrace_netlink_event_new),
	OP(CTRACE_CMD_EVENT_DEL, doit, do_ctrace_netlink_event_del),
	OP(CTRACE_CMD_STATS_GET, dumpit, dump_stats),
	OP(CTRACE_CMD_TRACEPOINT_GET, dumpit, dump_tracepoints),
};

struct genl_family ctrace_genl_family CTRACE_COMPAT_FAMILY_CONST = {
	.name = CTRACE_GENL_NAME,
	.version = CTRACE_GENL_VERSION,
	.maxattr = CTRACE_A_NR - 1,
	CTRACE_COMPAT_FAMILY_POLICY(policy_top)
	.module = THIS_MODULE,
	CTRACE_COMPAT_FAMILY_OPS(ops)
	CTRACE_COMPAT_FAMILY_MCGRPS(groups)
};

int ctrace_netlink_init(void)
{
	return ctrace_compat_genl_register(&ctrace_genl_family, ops, ARRAY_SIZE(ops), groups);
}

void ctrace_netlink_exit(void)
{
	genl_unregister_family(&ctrace_genl_family);
}
