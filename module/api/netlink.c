// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include "api/dev.h"
#include "api/may.h"
#include "api/netlink.h"
#include "api/put.h"
#include "api/reply.h"
#include "probe/table.h"
#include "session/session.h"
#include "session/spare.h"
#include "event/event.h"
#include "identity/container.h"
#include "identity/hierarchy.h"
#include "compat/heartbeat.h"

static const struct nla_policy policy_top[CTRACE_A_MAX + 1] = {
	[CTRACE_A_SESSION] = { .type = NLA_NESTED },
	[CTRACE_A_PROBE] = { .type = NLA_NESTED },
	[CTRACE_A_TARGET] = { .type = NLA_NESTED },
	[CTRACE_A_EVENT] = { .type = NLA_NESTED },
	[CTRACE_A_FROZEN] = { .type = NLA_NESTED },
};

const struct nla_policy ctrace_policy_event[CTRACE_A_EVENT_MAX + 1] = {
	[CTRACE_A_EVENT_ID] = { .type = NLA_U32 },
	[CTRACE_A_EVENT_NAME] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_EVENT_DEFINITION] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_EVENT_FLAGS] = { .type = NLA_U32 },
};

u64 ctrace_features(void)
{
	return (CTRACE_VIEWS ? CTRACE_FEATURE_VIEWS : 0) |
	       (CTRACE_COMPAT_MCAST_GUARDED ? CTRACE_FEATURE_GROUP_GUARDED : 0) |
	       (ctrace_family_sample.lacks ? 0 : CTRACE_FEATURE_SAMPLES);
}

/* A look at every task. */
static int put_spared(struct sk_buff *skb)
{
	struct ctrace_spare_info s = { };

	ctrace_spare_info(&s);
	return !s.tasks ? 0 :
	       nla_put_u32(skb, CTRACE_A_INFO_TASKS, s.tasks) || nla_put_u32(skb, CTRACE_A_INFO_SPARED, s.spared) ||
	       (s.why && nla_put_string(skb, CTRACE_A_INFO_SPARED_WHY, s.why)) ||
	       nla_put_u64_64bit(skb, CTRACE_A_INFO_RECALLS, s.recalls, CTRACE_A_INFO_PAD) ||
	       nla_put_u64_64bit(skb, CTRACE_A_INFO_RECALLED_NS, s.off_ns, CTRACE_A_INFO_PAD) ||
	       nla_put_u64_64bit(skb, CTRACE_A_INFO_RECALLED_OF_NS, s.ns, CTRACE_A_INFO_PAD);
}

static int put_blind(struct sk_buff *skb)
{
	const char *why = ctrace_compat_blind();
	u64 ns = ctrace_compat_blind_ns(true);

	return (why && nla_put_string(skb, CTRACE_A_INFO_BLIND, why)) ||
	       (ns && nla_put_u64_64bit(skb, CTRACE_A_INFO_BLIND_NS, ns, CTRACE_A_INFO_PAD));
}

/*
 * Numbers about others, not for every user: their changes show a stranger when others begin and end to work.
 */
static int put_counts(struct sk_buff *skb)
{
	return nla_put_u32(skb, CTRACE_A_INFO_CONTAINERS, ctrace_container_count()) ||
	       nla_put_u32(skb, CTRACE_A_INFO_SESSIONS, ctrace_session_count()) ||
	       nla_put_u64_64bit(skb, CTRACE_A_INFO_UNKNOWN, ctrace_container_unknown_count(), CTRACE_A_INFO_PAD) ||
	       put_spared(skb);
}

/* Takes no lock: every user may ask whether the module is loaded, and is always answered. */
static int info_get(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *nest;
	struct sk_buff *skb;
	void *hdr;
	int err;

	skb = ctrace_netlink_reply_new(info, CTRACE_CMD_INFO_GET, &hdr);
	if (!skb)
		return -ENOMEM;
	nest = nla_nest_start(skb, CTRACE_A_INFO);
	err = !nest || nla_put_u32(skb, CTRACE_A_INFO_ABI, CTRACE_ABI) ||
	      nla_put_u32(skb, CTRACE_A_INFO_ABI_COMPAT, CTRACE_ABI_COMPAT) ||
	      nla_put_string(skb, CTRACE_A_INFO_VERSION, THIS_MODULE->version ?: "") ||
	      nla_put_u64_64bit(skb, CTRACE_A_INFO_FEATURES, ctrace_features(), CTRACE_A_INFO_PAD) ||
	      nla_put_u32(skb, CTRACE_A_INFO_CGROUP_MODE, ctrace_identity_cgroup_mode()) ||
	      (ctrace_may_trace(in) && (put_counts(skb) || put_blind(skb)));
	if (!err)
		nla_nest_end(skb, nest);
	return ctrace_netlink_reply_send(skb, info, hdr, err ? -EMSGSIZE : 0);
}

/* --- births and deaths --------------------------------------------------------------- */

static CTRACE_COMPAT_MCGRPS_CONST struct genl_multicast_group groups[] = {
	{ .name = CTRACE_GENL_MCGRP, CTRACE_COMPAT_MCAST_ADMIN },
};

/*
 * Containers are still born and die after the family has gone, and the number of its group may be another
 * family's then.
 */
static bool there;
static DEFINE_MUTEX(there_lock);	/* there; held while something is announced */

static void announce_there(struct ctrace_container *c, bool born)
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

static void announce(struct ctrace_container *c, bool born)
{
	mutex_lock(&there_lock);
	if (there)
		announce_there(c, born);
	mutex_unlock(&there_lock);
}

static void set_there(bool is)
{
	mutex_lock(&there_lock);
	there = is;
	mutex_unlock(&there_lock);
}

const struct ctrace_container_watcher ctrace_netlink_watcher = { .told = announce };

/* --- family ---------------------------------------------------------------------------- */

/* A sender that is too new knows that from INFO_GET; one that is too old may never have asked. */
static int too_old(struct genl_info *info)
{
	return ctrace_netlink_error(ctrace_compat_extack(info), -EPROTO,
		"the request has ABI %u, but the module (version %s) has ABI %u and takes %u or newer: install the user space of the module's version",
		info->genlhdr->version, THIS_MODULE->version ?: "", CTRACE_ABI, CTRACE_ABI_COMPAT);
}

/* What each command does. Both kinds of functions below find it here, by the command of the request. */
static const struct {
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
} commands[] = {
	[CTRACE_CMD_INFO_GET]		= { .doit = info_get },
	[CTRACE_CMD_SESSION_NEW]	= { .doit = ctrace_netlink_session_new },
	[CTRACE_CMD_SESSION_DEL]	= { .doit = ctrace_netlink_session_del },
	[CTRACE_CMD_SESSION_SET]	= { .doit = ctrace_netlink_session_set },
	[CTRACE_CMD_SESSION_GET]	= { .dumpit = ctrace_dump_sessions },
	[CTRACE_CMD_PROBE_ADD]		= { .doit = ctrace_netlink_probe_add },
	[CTRACE_CMD_PROBE_DEL]		= { .doit = ctrace_netlink_probe_del },
	[CTRACE_CMD_PROBE_GET]		= { .dumpit = ctrace_dump_probes },
	[CTRACE_CMD_TARGET_ADD]		= { .doit = ctrace_netlink_target_add },
	[CTRACE_CMD_TARGET_DEL]		= { .doit = ctrace_netlink_target_del },
	[CTRACE_CMD_TARGET_GET]		= { .dumpit = ctrace_dump_targets },
	[CTRACE_CMD_CONTAINER_GET]	= { .dumpit = ctrace_dump_containers },
	[CTRACE_CMD_EVENT_GET]		= { .doit = ctrace_netlink_event_get,
					    .dumpit = ctrace_dump_events },
	[CTRACE_CMD_EVENT_NEW]		= { .doit = ctrace_netlink_event_new },
	[CTRACE_CMD_EVENT_DEL]		= { .doit = ctrace_netlink_event_del },
	[CTRACE_CMD_STATS_GET]		= { .dumpit = ctrace_dump_stats },
	[CTRACE_CMD_TRACEPOINT_GET]	= { .dumpit = ctrace_dump_tracepoints },
	[CTRACE_CMD_TASK_GET]		= { .dumpit = ctrace_dump_tasks },
	[CTRACE_CMD_REQUEST_GET]	= { .dumpit = ctrace_dump_requests },
	[CTRACE_CMD_FROZEN_GET]		= { .dumpit = ctrace_dump_frozen },
	[CTRACE_CMD_THAW]		= { .doit = ctrace_netlink_thaw },
};

/*
 * Set when the module's loading can fail no more. A dump that begins before that would hold a module that the
 * kernel frees all the same if loading fails; a session would be there without a device.
 */
static bool begun;

static int not_begun(struct netlink_ext_ack *extack)
{
	/* pairs with ctrace_netlink_begin() */
	return smp_load_acquire(&begun) ? 0 :
	       ctrace_netlink_error(extack, -EAGAIN, "the module is still being loaded: try again");
}

static int checked_do(struct sk_buff *skb, struct genl_info *info)
{
	struct netlink_ext_ack *extack = ctrace_compat_extack(info);
	u8 cmd = info->genlhdr->cmd;
	int err = not_begun(extack) ?: ctrace_may_send(cmd, false, skb, extack);

	if (err)
		return err;
	if (cmd != CTRACE_CMD_INFO_GET && cmd != CTRACE_CMD_EVENT_GET && info->genlhdr->version < CTRACE_ABI_COMPAT)
		return too_old(info);
	return ctrace_compat_strict_request(info->nlhdr, CTRACE_A_MAX, policy_top, extack) ?:
	       commands[cmd].doit(skb, info);
}

/* The kernel calls it for the commands below only, so that commands[] has them. */
static int command_do(struct sk_buff *skb, struct genl_info *info)
{
	return ctrace_compat_do(skb, info, checked_do);
}

static int checked_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genlmsghdr *hdr = nlmsg_data(cb->nlh);
	struct netlink_ext_ack *extack = ctrace_compat_dump_extack(cb);

	return not_begun(extack) ?: ctrace_may_send(hdr->cmd, true, cb->skb, extack) ?:
	       commands[hdr->cmd].dumpit(skb, cb);
}

static int command_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ctrace_compat_dump(skb, cb, checked_dump);
}

#define DO(c)	{ .cmd = CTRACE_CMD_##c, .doit = command_do, CTRACE_COMPAT_OP_POLICY(policy_top) }
#define BOTH(c)	{ .cmd = CTRACE_CMD_##c, .doit = command_do, .dumpit = command_dump,	\
		  CTRACE_COMPAT_OP_POLICY(policy_top) }
#define DUMP(c)	{ .cmd = CTRACE_CMD_##c, .dumpit = command_dump, CTRACE_COMPAT_OP_POLICY(policy_top) }

static CTRACE_COMPAT_OPS_CONST struct genl_ops ops[] = {
	DO(INFO_GET), DO(SESSION_NEW), DO(SESSION_DEL), DO(SESSION_SET), DUMP(SESSION_GET),
	DO(PROBE_ADD), DO(PROBE_DEL), DUMP(PROBE_GET), DO(TARGET_ADD), DO(TARGET_DEL), DUMP(TARGET_GET),
	DUMP(CONTAINER_GET), BOTH(EVENT_GET), DO(EVENT_NEW), DO(EVENT_DEL), DUMP(STATS_GET),
	DUMP(TRACEPOINT_GET), DUMP(TASK_GET), DUMP(REQUEST_GET), DUMP(FROZEN_GET), DO(THAW),
};

/*
 * parallel_ops: the kernel calls us without genl_mutex, which is one for all families that do not say so.
 * Then our commands run in parallel: each is on its own stack, and ctrace_lock orders what they change. So
 * nobody who uses generic netlink waits for ctrace, but for one case: the kernel calls commands, and a dump's
 * first part, with a lock held for reading (cb_lock), which it takes for writing to add or remove a family.
 * So a state dump, which takes many seconds, is not written in a command (ctrace_netlink_answer_new()). An
 * arena is made in one: one of many gigabytes takes seconds to zero.
 *
 * Nothing of ours runs after genl_unregister_family(), on all kernels since 3.10: it takes cb_lock for
 * writing, so it waits for commands. A dump continues outside that lock, but holds the module from its first
 * part to its last (.module), so that module exit is not reached before all dumps have ended.
 */
struct genl_family ctrace_genl_family CTRACE_COMPAT_FAMILY_CONST = {
	.name = CTRACE_GENL_NAME,
	.version = CTRACE_GENL_VERSION,
	.maxattr = CTRACE_A_MAX,
	CTRACE_COMPAT_FAMILY_POLICY(policy_top)
	.module = THIS_MODULE,
	.parallel_ops = true,
	CTRACE_COMPAT_FAMILY_OPS(ops)
	CTRACE_COMPAT_FAMILY_MCGRPS(groups)
};

int ctrace_netlink_init(void)
{
	int err;

	/* first: a listener that joins the group as soon as it exists misses nobody */
	set_there(true);
	err = ctrace_compat_genl_register(&ctrace_genl_family, ops, ARRAY_SIZE(ops), groups);
	if (err)
		set_there(false);
	return err;
}

void ctrace_netlink_begin(void)
{
	smp_store_release(&begun, true);	/* pairs with not_begun() */
}

void ctrace_netlink_exit(void)
{
	set_there(false);
	genl_unregister_family(&ctrace_genl_family);
}
