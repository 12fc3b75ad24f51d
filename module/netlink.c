// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include "container.h"
#include "filter.h"
#include "identity.h"
#include "netlink.h"
#include "probe.h"
#include "session.h"
#include "compat/cred.h"
#include "compat/netlink.h"

static const struct nla_policy policy_top[CTRACE_A_NR] = {
	[CTRACE_A_SESSION] = { .type = NLA_NESTED },
	[CTRACE_A_PROBE] = { .type = NLA_NESTED },
	[CTRACE_A_TARGET] = { .type = NLA_NESTED },
	[CTRACE_A_EVENT] = { .type = NLA_NESTED },
};

const struct nla_policy ctrace_policy_session[CTRACE_A_SESSION_NR] = {
	[CTRACE_A_SESSION_ID] = { .type = NLA_U32 },
	[CTRACE_A_SESSION_ARENA_SIZE] = { .type = NLA_U64 },
	[CTRACE_A_SESSION_RING_SIZE] = { .type = NLA_U64 },
	[CTRACE_A_SESSION_SUBBUF_SIZE] = { .type = NLA_U32 },
	[CTRACE_A_SESSION_FLAGS] = { .type = NLA_U32 },
	[CTRACE_A_SESSION_WAKEUP_NS] = { .type = NLA_U64 },
	[CTRACE_A_SESSION_NAME] = { .type = NLA_NUL_STRING, .len = CTRACE_SESSION_NAME - 1 },
	[CTRACE_A_SESSION_STATE] = { .type = NLA_U32 },
	[CTRACE_A_SESSION_FILTER] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_SESSION_RATE] = { .type = NLA_U32 },
};

static const struct nla_policy policy_probe[CTRACE_A_PROBE_NR] = {
	[CTRACE_A_PROBE_ID] = { .type = NLA_U32 },
	[CTRACE_A_PROBE_NAME] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_PROBE_FLAGS] = { .type = NLA_U32 },
	[CTRACE_A_PROBE_FILTER] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_PROBE_ONE_OF] = { .type = NLA_U32 },
};

static const struct nla_policy policy_target[CTRACE_A_TARGET_NR] = {
	[CTRACE_A_TARGET_KIND] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_CID] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_CGROUP] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_PID] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_NOT] = { .type = NLA_U32 },
};

const struct nla_policy ctrace_policy_event[CTRACE_A_EVENT_NR] = {
	[CTRACE_A_EVENT_ID] = { .type = NLA_U32 },
	[CTRACE_A_EVENT_NAME] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_EVENT_DEFINITION] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
};

/* --- errors -------------------------------------------------------------------- */

/*
 * An extended ack keeps a pointer to its text and is sent after the handler has returned, outside any
 * lock, but by the same task. The core measures the text, allocates, and copies it; it warns if
 * the text has grown meanwhile. So each task has a place of its own, which goes to another
 * only when as many others as there are places have had an error since. Errors that anybody can make
 * take none (ctrace_netlink_denied()).
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

/* What a sender may set; the rest is the kernel's to say. */
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

static const char *attr_name(int set, const struct netlink_ext_ack *extack)
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
	err = nla_parse_nested(tb, max, attrs[set], policy, extack);
	if (!err)
		return 0;
	core = extack && extack->_msg ? extack->_msg : "malformed";
	return ctrace_netlink_error(extack, err, "%s%s: %s", set_names[set], attr_name(set, extack),
				    core);
}

static int no_attr(struct genl_info *info, const char *attr)
{
	return ctrace_netlink_error(info->extack, -EINVAL, "%s is missing", attr);
}

/* The error of a call that may or may not have said why. */
static int failed(struct genl_info *info, int err, const char *why, const char *what)
{
	if (*why)
		return ctrace_netlink_error(info->extack, err, "%s", why);
	if (err == -ENOMEM)
		return ctrace_netlink_error(info->extack, err, "%s: not enough memory", what);
	return ctrace_netlink_error(info->extack, err, "%s: error %d", what, err);
}

/* --- replies ------------------------------------------------------------------- */

static struct sk_buff *reply_new(struct genl_info *info, u8 cmd, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_put_reply(skb, info, &ctrace_genl_family, 0, cmd);
	return skb;
}

static int reply_send(struct sk_buff *skb, struct genl_info *info, void *hdr, int err)
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

	skb = reply_new(info, CTRACE_CMD_INFO_GET, &hdr);
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
	return reply_send(skb, info, hdr, err ? -EMSGSIZE : 0);
}

/* --- sessions -------------------------------------------------------------------- */

static int session_new(struct sk_buff *in, struct genl_info *info)
{
	struct ctrace_session_opts o = { .wakeup_ns = 5 * NSEC_PER_MSEC, .portid = info->snd_portid };
	struct nlattr *tb[CTRACE_A_SESSION_NR];
	char why[CTRACE_WHY_MAX] = "";
	struct ctrace_session *s;
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_SESSION, tb, CTRACE_A_SESSION_NR - 1,
				 ctrace_policy_session, info->extack);
	if (err)
		return err;
	if (tb[CTRACE_A_SESSION_ARENA_SIZE])
		o.arena_size = nla_get_u64(tb[CTRACE_A_SESSION_ARENA_SIZE]);
	if (tb[CTRACE_A_SESSION_RING_SIZE])
		o.ring_size = nla_get_u64(tb[CTRACE_A_SESSION_RING_SIZE]);
	if (tb[CTRACE_A_SESSION_SUBBUF_SIZE])
		o.subbuf_size = nla_get_u32(tb[CTRACE_A_SESSION_SUBBUF_SIZE]);
	if (tb[CTRACE_A_SESSION_WAKEUP_NS])
		o.wakeup_ns = nla_get_u64(tb[CTRACE_A_SESSION_WAKEUP_NS]);
	if (tb[CTRACE_A_SESSION_FLAGS])
		o.flags = nla_get_u32(tb[CTRACE_A_SESSION_FLAGS]);
	if (o.flags & ~(CTRACE_SESSION_F_STOP_FULL | CTRACE_SESSION_F_STATEDUMP))
		return ctrace_netlink_error(info->extack, -EINVAL,
			"CTRACE_A_SESSION_FLAGS: unknown flags in %#x", o.flags);
	if (tb[CTRACE_A_SESSION_FILTER])
		o.filter = nla_data(tb[CTRACE_A_SESSION_FILTER]);
	if (tb[CTRACE_A_SESSION_RATE])
		o.rate = nla_get_u32(tb[CTRACE_A_SESSION_RATE]);
	if (o.wakeup_ns > NSEC_PER_SEC)
		return ctrace_netlink_error(info->extack, -EINVAL,
			"CTRACE_A_SESSION_WAKEUP_NS: %llu is more than a second", o.wakeup_ns);
	if (tb[CTRACE_A_SESSION_NAME])
		strscpy(o.name, nla_data(tb[CTRACE_A_SESSION_NAME]), sizeof(o.name));
	o.owner = task_tgid_nr(current);

	skb = reply_new(info, CTRACE_CMD_SESSION_NEW, &hdr);
	if (!skb)
		return -ENOMEM;
	mutex_lock(&ctrace_lock);
	s = ctrace_session_new(&o, why);
	err = PTR_ERR_OR_ZERO(s);
	if (!err) {
		err = ctrace_put_session(skb, s);
		if (err)
			ctrace_session_end(s);
	}
	mutex_unlock(&ctrace_lock);
	if (IS_ERR(s)) {
		nlmsg_free(skb);
		return failed(info, err, why, "a new session");
	}
	return reply_send(skb, info, hdr, err);
}

/* A session of the sender: locked on success, ctrace_lock is the caller's to unlock. */
static struct ctrace_session *own_session(struct genl_info *info, struct nlattr **tb)
{
	struct ctrace_session *s;
	u32 id;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_SESSION, tb, CTRACE_A_SESSION_NR - 1,
				 ctrace_policy_session, info->extack);
	if (err)
		return ERR_PTR(err);
	if (!tb[CTRACE_A_SESSION_ID])
		return ERR_PTR(no_attr(info, "CTRACE_A_SESSION_ID"));
	id = nla_get_u32(tb[CTRACE_A_SESSION_ID]);
	mutex_lock(&ctrace_lock);
	s = ctrace_session_find(id);
	if (s && s->portid == info->snd_portid)
		return s;
	mutex_unlock(&ctrace_lock);
	if (s)
		return ERR_PTR(ctrace_netlink_error(info->extack, -EPERM,
			"CTRACE_A_SESSION_ID: session %u belongs to another socket", id));
	return ERR_PTR(ctrace_netlink_error(info->extack, -ENOENT,
		"CTRACE_A_SESSION_ID: no session %u", id));
}

static int session_del(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_NR];
	struct ctrace_session *s = own_session(info, tb);

	if (IS_ERR(s))
		return PTR_ERR(s);
	ctrace_session_end(s);
	mutex_unlock(&ctrace_lock);
	return 0;
}

static int session_set(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_NR];
	struct ctrace_session *s = own_session(info, tb);
	int err = 0;
	u32 state;

	if (IS_ERR(s))
		return PTR_ERR(s);
	if (!tb[CTRACE_A_SESSION_STATE]) {
		err = no_attr(info, "CTRACE_A_SESSION_STATE");
	} else {
		state = nla_get_u32(tb[CTRACE_A_SESSION_STATE]);
		if (state > 1)
			err = ctrace_netlink_error(info->extack, -EINVAL,
				"CTRACE_A_SESSION_STATE: %u is neither 0 (stop) nor 1 (record)", state);
		else
			ctrace_session_record(s, state);
	}
	mutex_unlock(&ctrace_lock);
	return err;
}

/* --- probes ---------------------------------------------------------------------- */

static int probe_add(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_NR], *pa[CTRACE_A_PROBE_NR];
	char why[CTRACE_WHY_MAX] = "";
	struct ctrace_probe_opts o = { };
	struct ctrace_session *s;
	struct ctrace_probe *p;
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_PROBE, pa, CTRACE_A_PROBE_NR - 1,
				 policy_probe, info->extack);
	if (err)
		return err;
	if (!pa[CTRACE_A_PROBE_NAME])
		return no_attr(info, "CTRACE_A_PROBE_NAME");
	o.name = nla_data(pa[CTRACE_A_PROBE_NAME]);	/* the policy has seen its NUL */
	if (pa[CTRACE_A_PROBE_FILTER])
		o.filter = nla_data(pa[CTRACE_A_PROBE_FILTER]);
	if (pa[CTRACE_A_PROBE_ONE_OF])
		o.one_of = nla_get_u32(pa[CTRACE_A_PROBE_ONE_OF]);
	if (pa[CTRACE_A_PROBE_FLAGS])
		o.flags = nla_get_u32(pa[CTRACE_A_PROBE_FLAGS]);
	if (o.flags & ~(CTRACE_PROBE_F_STACK | CTRACE_PROBE_F_USER_STACK))
		return ctrace_netlink_error(info->extack, -EINVAL,
			"CTRACE_A_PROBE_FLAGS: unknown flags in %#x", o.flags);
	skb = reply_new(info, CTRACE_CMD_PROBE_ADD, &hdr);
	if (!skb)
		return -ENOMEM;
	s = own_session(info, tb);
	if (IS_ERR(s)) {
		nlmsg_free(skb);
		return PTR_ERR(s);
	}
	p = ctrace_probe_add(s, &o, why);
	err = PTR_ERR_OR_ZERO(p);
	if (!err) {
		err = ctrace_put_probe(skb, p);
		if (err)
			ctrace_probe_del(p);
	}
	mutex_unlock(&ctrace_lock);
	if (IS_ERR(p)) {
		nlmsg_free(skb);
		return failed(info, err, why, "CTRACE_A_PROBE");
	}
	return reply_send(skb, info, hdr, err);
}

static int probe_del(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_NR], *pa[CTRACE_A_PROBE_NR];
	struct ctrace_session *s;
	struct ctrace_probe *p;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_PROBE, pa, CTRACE_A_PROBE_NR - 1,
				 policy_probe, info->extack);
	if (err)
		return err;
	if (!pa[CTRACE_A_PROBE_ID])
		return no_attr(info, "CTRACE_A_PROBE_ID");
	s = own_session(info, tb);
	if (IS_ERR(s))
		return PTR_ERR(s);
	p = ctrace_probe_find(s, nla_get_u32(pa[CTRACE_A_PROBE_ID]));
	if (p)
		ctrace_probe_del(p);
	else
		err = ctrace_netlink_error(info->extack, -ENOENT,
			"CTRACE_A_PROBE_ID: session %u has no probe %u", s->id,
			nla_get_u32(pa[CTRACE_A_PROBE_ID]));
	mutex_unlock(&ctrace_lock);
	return err;
}

/* --- targets --------------------------------------------------------------------- */

static int target_change(struct genl_info *info,
			 int (*change)(struct ctrace_session *, u32, u32, bool, char *))
{
	struct nlattr *tb[CTRACE_A_SESSION_NR], *ta[CTRACE_A_TARGET_NR];
	static const struct { int attr; const char *name; } args[] = {
		[CTRACE_TARGET_CID] = { CTRACE_A_TARGET_CID, "CTRACE_A_TARGET_CID" },
		[CTRACE_TARGET_CGROUP] = { CTRACE_A_TARGET_CGROUP, "CTRACE_A_TARGET_CGROUP" },
		[CTRACE_TARGET_PID] = { CTRACE_A_TARGET_PID, "CTRACE_A_TARGET_PID" },
	};
	char why[CTRACE_WHY_MAX] = "";
	struct ctrace_session *s;
	u32 kind, arg = 0, not = 0;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_TARGET, ta, CTRACE_A_TARGET_NR - 1,
				 policy_target, info->extack);
	if (err)
		return err;
	if (!ta[CTRACE_A_TARGET_KIND])
		return no_attr(info, "CTRACE_A_TARGET_KIND");
	kind = nla_get_u32(ta[CTRACE_A_TARGET_KIND]);
	if (kind < CTRACE_TARGET_ALL || kind > CTRACE_TARGET_PID)
		return ctrace_netlink_error(info->extack, -EINVAL,
			"CTRACE_A_TARGET_KIND: no kind %u", kind);
	if (kind != CTRACE_TARGET_ALL) {
		if (!ta[args[kind].attr])
			return no_attr(info, args[kind].name);
		arg = nla_get_u32(ta[args[kind].attr]);
	}
	if (ta[CTRACE_A_TARGET_NOT])
		not = nla_get_u32(ta[CTRACE_A_TARGET_NOT]);
	if (not > 1)
		return ctrace_netlink_error(info->extack, -EINVAL,
			"CTRACE_A_TARGET_NOT: %u is neither 0 nor 1", not);
	s = own_session(info, tb);
	if (IS_ERR(s))
		return PTR_ERR(s);
	err = change(s, kind, arg, not, why);
	mutex_unlock(&ctrace_lock);
	return err ? failed(info, err, why, "CTRACE_A_TARGET") : 0;
}

static int target_add(struct sk_buff *in, struct genl_info *info)
{
	return target_change(info, ctrace_target_add);
}

static int target_del(struct sk_buff *in, struct genl_info *info)
{
	return target_change(info, ctrace_target_del);
}

/* --- births and deaths --------------------------------------------------------------- */

void ctrace_container_announce_hook(struct ctrace_container *c, bool born)
{
	struct sk_buff *skb;
	void *hdr;

	if (!genl_has_listeners(&ctrace_genl_family, &init_net, 0))
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb)
		return;
	hdr = genlmsg_put(skb, 0, 0, &ctrace_genl_family, 0,
			  born ? CTRACE_CMD_CONTAINER_NEW : CTRACE_CMD_CONTAINER_GONE);
	if (!hdr || ctrace_put_container(skb, c)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast(&ctrace_genl_family, skb, 0, 0, GFP_KERNEL);
}

/* --- family ---------------------------------------------------------------------------- */

static bool open_to_all(u8 cmd)
{
	return cmd == CTRACE_CMD_INFO_GET || cmd == CTRACE_CMD_EVENT_GET;
}

/* A sender that is too new knows it from INFO_GET; one that is too old may never have asked. */
static int too_old(struct genl_info *info)
{
	return ctrace_netlink_error(info->extack, -EPROTO,
		"this request is of ABI %u, the module (version %s) is of ABI %u and takes %u or newer: install the user space of the module's version",
		info->genlhdr->version, THIS_MODULE->version ?: "", CTRACE_ABI, CTRACE_ABI_COMPAT);
}

#define DO(fn)									\
static int do_##fn(struct sk_buff *skb, struct genl_info *info)			\
{										\
	if (!open_to_all(info->genlhdr->cmd) && !ctrace_compat_netlink_may_trace(skb)) \
		return ctrace_netlink_denied(info->extack);			\
	if (info->genlhdr->cmd != CTRACE_CMD_INFO_GET &&			\
	    info->genlhdr->version < CTRACE_ABI_COMPAT)				\
		return too_old(info);						\
	return fn(skb, info);							\
}
DO(info_get) DO(session_new) DO(session_del) DO(session_set)
DO(probe_add) DO(probe_del) DO(target_add) DO(target_del)
DO(ctrace_netlink_event_new) DO(ctrace_netlink_event_del)

static const struct genl_ops ops[] = {
	{ .cmd = CTRACE_CMD_INFO_GET, .doit = do_info_get },
	{ .cmd = CTRACE_CMD_SESSION_NEW, .doit = do_session_new },
	{ .cmd = CTRACE_CMD_SESSION_DEL, .doit = do_session_del },
	{ .cmd = CTRACE_CMD_SESSION_SET, .doit = do_session_set },
	{ .cmd = CTRACE_CMD_SESSION_GET, .dumpit = ctrace_dump_sessions },
	{ .cmd = CTRACE_CMD_PROBE_ADD, .doit = do_probe_add },
	{ .cmd = CTRACE_CMD_PROBE_DEL, .doit = do_probe_del },
	{ .cmd = CTRACE_CMD_PROBE_GET, .dumpit = ctrace_dump_probes },
	{ .cmd = CTRACE_CMD_TARGET_ADD, .doit = do_target_add },
	{ .cmd = CTRACE_CMD_TARGET_DEL, .doit = do_target_del },
	{ .cmd = CTRACE_CMD_TARGET_GET, .dumpit = ctrace_dump_targets },
	{ .cmd = CTRACE_CMD_CONTAINER_GET, .dumpit = ctrace_dump_containers },
	{ .cmd = CTRACE_CMD_EVENT_GET, .dumpit = ctrace_dump_events },
	{ .cmd = CTRACE_CMD_EVENT_NEW, .doit = do_ctrace_netlink_event_new },
	{ .cmd = CTRACE_CMD_EVENT_DEL, .doit = do_ctrace_netlink_event_del },
	{ .cmd = CTRACE_CMD_STATS_GET, .dumpit = ctrace_dump_stats },
	{ .cmd = CTRACE_CMD_TRACEPOINT_GET, .dumpit = ctrace_dump_tracepoints },
};

static const struct genl_multicast_group groups[] = {
	{ .name = CTRACE_GENL_MCGRP, CTRACE_COMPAT_MCAST_ADMIN },
};

struct genl_family ctrace_genl_family __ro_after_init = {
	.name = CTRACE_GENL_NAME,
	.version = CTRACE_GENL_VERSION,
	.maxattr = CTRACE_A_NR - 1,
	.policy = policy_top,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

int ctrace_netlink_init(void)
{
	return genl_register_family(&ctrace_genl_family);
}

void ctrace_netlink_exit(void)
{
	genl_unregister_family(&ctrace_genl_family);
}
