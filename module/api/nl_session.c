// SPDX-License-Identifier: GPL-2.0-only
/* Commands on sessions, their probes and their targets. */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/sched.h>
#include "api/may.h"
#include "api/netlink.h"
#include "api/put.h"
#include "api/reply.h"
#include "probe/sched_cut.h"
#include "probe/statedump.h"
#include "session/probe.h"
#include "session/session.h"
#include "session/target.h"
#include "identity/scan.h"

const struct nla_policy ctrace_policy_session[CTRACE_A_SESSION_MAX + 1] = {
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
	[CTRACE_A_SESSION_CONTAINERS] = { .type = NLA_U32 },
	[CTRACE_A_SESSION_DATA] = { .type = NLA_U32 },
	[CTRACE_A_SESSION_TABLE_SIZE] = { .type = NLA_U64 },
	[CTRACE_A_SESSION_FREEZE_MS] = { .type = NLA_U32 },
};

static const struct nla_policy policy_frozen[CTRACE_A_FROZEN_MAX + 1] = {
	[CTRACE_A_FROZEN_CID] = { .type = NLA_U32 },
};

static const struct nla_policy policy_probe[CTRACE_A_PROBE_MAX + 1] = {
	[CTRACE_A_PROBE_ID] = { .type = NLA_U32 },
	[CTRACE_A_PROBE_NAME] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_PROBE_FLAGS] = { .type = NLA_U32 },
	[CTRACE_A_PROBE_FILTER] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_PROBE_ONE_OF] = { .type = NLA_U32 },
	[CTRACE_A_PROBE_AGGREGATE] = { .type = NLA_NUL_STRING, .len = CTRACE_TEXT_MAX - 1 },
	[CTRACE_A_PROBE_ROWS] = { .type = NLA_U32 },
	[CTRACE_A_PROBE_COPY] = { .type = NLA_U32 },
	[CTRACE_A_PROBE_FREEZES] = { .type = NLA_U32 },
};

static const struct nla_policy policy_target[CTRACE_A_TARGET_MAX + 1] = {
	[CTRACE_A_TARGET_ID] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_KIND] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_CID] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_CGROUP] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_PID] = { .type = NLA_U32 },
	[CTRACE_A_TARGET_NOT] = { .type = NLA_U32 },
};

static int no_attr(struct genl_info *info, const char *attr)
{
	return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL, "%s is missing", attr);
}

/* --- sessions -------------------------------------------------------------------- */

int ctrace_netlink_session_new(struct sk_buff *in, struct genl_info *info)
{
	struct ctrace_session_opts o = { .wakeup_ns = 5 * NSEC_PER_MSEC, .sk = NETLINK_CB(in).sk,
					  .features = ctrace_features() };
	struct nlattr *tb[CTRACE_A_SESSION_MAX + 1];
	char why[CTRACE_WHY_MAX] = "";
	struct ctrace_arena_stats st;
	struct ctrace_session *s;
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_SESSION, tb, CTRACE_A_SESSION_MAX,
				 ctrace_policy_session, ctrace_compat_extack(info));
	if (err)
		return err;
	if (tb[CTRACE_A_SESSION_ARENA_SIZE])
		o.arena_size = nla_get_u64(tb[CTRACE_A_SESSION_ARENA_SIZE]);
	if (tb[CTRACE_A_SESSION_TABLE_SIZE])
		o.table_size = nla_get_u64(tb[CTRACE_A_SESSION_TABLE_SIZE]);
	if (tb[CTRACE_A_SESSION_RING_SIZE])
		o.ring_size = nla_get_u64(tb[CTRACE_A_SESSION_RING_SIZE]);
	if (tb[CTRACE_A_SESSION_SUBBUF_SIZE])
		o.subbuf_size = nla_get_u32(tb[CTRACE_A_SESSION_SUBBUF_SIZE]);
	if (tb[CTRACE_A_SESSION_CONTAINERS])
		o.containers = nla_get_u32(tb[CTRACE_A_SESSION_CONTAINERS]);
	if (tb[CTRACE_A_SESSION_WAKEUP_NS])
		o.wakeup_ns = nla_get_u64(tb[CTRACE_A_SESSION_WAKEUP_NS]);
	if (tb[CTRACE_A_SESSION_FLAGS])
		o.flags = nla_get_u32(tb[CTRACE_A_SESSION_FLAGS]);
	if (o.flags & ~(CTRACE_SESSION_F_STOP_FULL | CTRACE_SESSION_F_STATEDUMP | CTRACE_SESSION_F_PATHS |
			CTRACE_SESSION_F_NEIGHBOURS | CTRACE_SESSION_F_FILES))
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_SESSION_FLAGS: unknown flags in %#x", o.flags);
	if (tb[CTRACE_A_SESSION_FILTER])
		o.filter = nla_data(tb[CTRACE_A_SESSION_FILTER]);
	if (tb[CTRACE_A_SESSION_RATE])
		o.rate = nla_get_u32(tb[CTRACE_A_SESSION_RATE]);
	if (tb[CTRACE_A_SESSION_DATA])
		o.data = nla_get_u32(tb[CTRACE_A_SESSION_DATA]);
	if (o.data > CTRACE_DATA_MAX)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_SESSION_DATA: %u is more than %u bytes", o.data, CTRACE_DATA_MAX);
	if (o.wakeup_ns > NSEC_PER_SEC)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_SESSION_WAKEUP_NS: %llu is more than a second", o.wakeup_ns);
	if (tb[CTRACE_A_SESSION_FREEZE_MS])
		o.freeze_ms = nla_get_u32(tb[CTRACE_A_SESSION_FREEZE_MS]);
	if (o.freeze_ms > CTRACE_FREEZE_MS_MAX)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_SESSION_FREEZE_MS: %u is more than %u ms", o.freeze_ms,
			CTRACE_FREEZE_MS_MAX);
	if (tb[CTRACE_A_SESSION_NAME])
		strscpy(o.name, nla_data(tb[CTRACE_A_SESSION_NAME]), sizeof(o.name));
	o.owner = task_tgid_nr(current);
	o.user = current_uid();
	o.member = !ctrace_may_take_all(in);
	o.limited = !ctrace_may_take_memory(in);

	skb = ctrace_netlink_reply_new(info, CTRACE_CMD_SESSION_NEW, &hdr);
	if (!skb)
		return -ENOMEM;
	s = ctrace_session_new(&o, why);
	if (IS_ERR(s)) {
		nlmsg_free(skb);
		return ctrace_netlink_failed(info, PTR_ERR(s), why, "a new session");
	}
	ctrace_arena_stats_new(s->arena, &st);
	err = ctrace_put_session(skb, s, &st);
	if (err)
		ctrace_session_end(s);
	mutex_unlock(&ctrace_lock);
	if (err)
		ctrace_session_free(s);
	else
		ctrace_identity_scan();
	return ctrace_netlink_reply_send(skb, info, hdr, err);
}

/*
 * The session of the socket that `in` came from. On success ctrace_lock is held, and the caller unlocks it.
 * Else an ERR_PTR.
 */
static struct ctrace_session *own_session(struct sk_buff *in, struct genl_info *info, struct nlattr **tb)
{
	struct ctrace_session *s;
	u32 id;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_SESSION, tb, CTRACE_A_SESSION_MAX,
				 ctrace_policy_session, ctrace_compat_extack(info));
	if (err)
		return ERR_PTR(err);
	if (!tb[CTRACE_A_SESSION_ID])
		return ERR_PTR(no_attr(info, "CTRACE_A_SESSION_ID"));
	id = nla_get_u32(tb[CTRACE_A_SESSION_ID]);
	err = mutex_lock_killable(&ctrace_lock);
	if (err)
		return ERR_PTR(err);
	s = ctrace_session_find(id);
	if (s && s->sk == NETLINK_CB(in).sk)
		return s;
	mutex_unlock(&ctrace_lock);
	if (s)
		return ERR_PTR(ctrace_netlink_error(ctrace_compat_extack(info), -EPERM,
			"CTRACE_A_SESSION_ID: session %u belongs to another socket", id));
	return ERR_PTR(ctrace_netlink_error(ctrace_compat_extack(info), -ENOENT,
		"CTRACE_A_SESSION_ID: no session %u", id));
}

int ctrace_netlink_session_del(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_MAX + 1];
	struct ctrace_session *s = own_session(in, info, tb);

	if (IS_ERR(s))
		return PTR_ERR(s);
	ctrace_session_end(s);
	mutex_unlock(&ctrace_lock);
	ctrace_session_free(s);
	return 0;
}

static void state_dumped(void *answer, bool whole)
{
	if (whole)
		ctrace_netlink_answer_send(answer, 0, NULL);
	else
		ctrace_netlink_answer_send(answer, -ECANCELED, "the session was stopped before its state dump was complete");
}

/*
 * The probes are armed before the dump: nobody is missed between the dump and the events. The sender is
 * answered when the dump is written, but waits in recv() for that, with no lock of ours or the kernel's.
 */
static int record_and_dump(struct ctrace_session *s, struct sk_buff *in, struct genl_info *info)
{
	struct ctrace_netlink_answer *a = ctrace_netlink_answer_new(in, info);
	struct ctrace_statedump *d = a ? ctrace_statedump_new(state_dumped, a) : NULL;

	if (!d) {
		if (a)
			ctrace_netlink_answer_free(a);
		return ctrace_netlink_failed(info, -ENOMEM, "", "a state dump");
	}
	ctrace_session_record(s, true);
	ctrace_statedump_start(s, d);
	return CTRACE_COMPAT_NO_ANSWER;
}

/* Waits that have not ended are written up to now: when a session stops, and if it is to record once more. */
static void record(struct ctrace_session *s, bool on)
{
	bool recorded = s->recording;

	ctrace_sched_cut(s);
	if (!on || !recorded)
		ctrace_session_record(s, on);
}

int ctrace_netlink_session_set(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_MAX + 1];
	struct ctrace_session *s = own_session(in, info, tb);
	int err = 0;
	u32 state;

	if (IS_ERR(s))
		return PTR_ERR(s);
	if (!tb[CTRACE_A_SESSION_STATE]) {
		err = no_attr(info, "CTRACE_A_SESSION_STATE");
	} else {
		state = nla_get_u32(tb[CTRACE_A_SESSION_STATE]);
		if (state != CTRACE_SESSION_STOPPED && state != CTRACE_SESSION_RECORDING)
			err = ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
				"CTRACE_A_SESSION_STATE: %u is neither 0 (stop) nor 1 (record)", state);
		else if (state == CTRACE_SESSION_RECORDING && !s->recording && s->flags & CTRACE_SESSION_F_STATEDUMP)
			err = record_and_dump(s, in, info);
		else
			record(s, state == CTRACE_SESSION_RECORDING);
	}
	mutex_unlock(&ctrace_lock);
	return err;
}

int ctrace_netlink_thaw(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_MAX + 1], *fa[CTRACE_A_FROZEN_MAX + 1];
	struct ctrace_session *s;
	int err;
	u32 cid;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_FROZEN, fa, CTRACE_A_FROZEN_MAX,
				 policy_frozen, ctrace_compat_extack(info));
	if (err)
		return err;
	if (!fa[CTRACE_A_FROZEN_CID])
		return no_attr(info, "CTRACE_A_FROZEN_CID");
	cid = nla_get_u32(fa[CTRACE_A_FROZEN_CID]);
	s = own_session(in, info, tb);
	if (IS_ERR(s))
		return PTR_ERR(s);
	err = ctrace_arena_thaw(s->arena, cid);
	if (err)
		ctrace_netlink_error(ctrace_compat_extack(info), err,
			"CTRACE_A_FROZEN_CID: container %u is not frozen in session %u", cid, s->id);
	mutex_unlock(&ctrace_lock);
	return err;
}

/* --- probes ---------------------------------------------------------------------- */

int ctrace_netlink_probe_add(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_MAX + 1], *pa[CTRACE_A_PROBE_MAX + 1];
	char why[CTRACE_WHY_MAX] = "";
	struct ctrace_probe_opts o = { };
	struct ctrace_session *s;
	struct ctrace_probe *p;
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_PROBE, pa, CTRACE_A_PROBE_MAX,
				 policy_probe, ctrace_compat_extack(info));
	if (err)
		return err;
	if (!pa[CTRACE_A_PROBE_NAME])
		return no_attr(info, "CTRACE_A_PROBE_NAME");
	o.name = nla_data(pa[CTRACE_A_PROBE_NAME]);	/* the policy has checked for a NUL */
	if (pa[CTRACE_A_PROBE_FILTER])
		o.filter = nla_data(pa[CTRACE_A_PROBE_FILTER]);
	if (pa[CTRACE_A_PROBE_ONE_OF])
		o.one_of = nla_get_u32(pa[CTRACE_A_PROBE_ONE_OF]);
	if (pa[CTRACE_A_PROBE_FLAGS])
		o.flags = nla_get_u32(pa[CTRACE_A_PROBE_FLAGS]);
	if (o.flags & ~(CTRACE_PROBE_F_STACK | CTRACE_PROBE_F_USER_STACK | CTRACE_PROBE_F_USER_COPY |
			CTRACE_PROBE_F_FREEZE))
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_PROBE_FLAGS: unknown flags in %#x", o.flags);
	o.copy = pa[CTRACE_A_PROBE_COPY] ? nla_get_u32(pa[CTRACE_A_PROBE_COPY]) : CTRACE_COPY_DEFAULT;
	if (o.copy > CTRACE_COPY_MAX)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_PROBE_COPY: %u is more than %u bytes", o.copy, CTRACE_COPY_MAX);
	if (pa[CTRACE_A_PROBE_AGGREGATE])
		o.aggregate = nla_data(pa[CTRACE_A_PROBE_AGGREGATE]);
	if (pa[CTRACE_A_PROBE_ROWS])
		o.rows = nla_get_u32(pa[CTRACE_A_PROBE_ROWS]);
	if (o.rows && !o.aggregate)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_PROBE_ROWS: only a probe with CTRACE_A_PROBE_AGGREGATE has rows");
	if (o.rows > CTRACE_TABLE_ROWS_MAX)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_PROBE_ROWS: %u is more than %u", o.rows, CTRACE_TABLE_ROWS_MAX);
	if (pa[CTRACE_A_PROBE_FREEZES])
		o.freezes = nla_get_u32(pa[CTRACE_A_PROBE_FREEZES]);
	if (o.freezes && !(o.flags & CTRACE_PROBE_F_FREEZE))
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_PROBE_FREEZES: only a probe with CTRACE_PROBE_F_FREEZE freezes");
	if (o.flags & CTRACE_PROBE_F_FREEZE && o.aggregate)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_PROBE_FLAGS: CTRACE_PROBE_F_FREEZE needs records, and an aggregate has none");
	if (o.flags && o.aggregate)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_PROBE_FLAGS: %#x asks for stacks with records, but with CTRACE_A_PROBE_AGGREGATE there are none: use the keys stack and ustack",
			o.flags);
	skb = ctrace_netlink_reply_new(info, CTRACE_CMD_PROBE_ADD, &hdr);
	if (!skb)
		return -ENOMEM;
	s = own_session(in, info, tb);
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
		return ctrace_netlink_failed(info, err, why, "CTRACE_A_PROBE");
	}
	return ctrace_netlink_reply_send(skb, info, hdr, err);
}

int ctrace_netlink_probe_del(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_MAX + 1], *pa[CTRACE_A_PROBE_MAX + 1];
	struct ctrace_session *s;
	struct ctrace_probe *p;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_PROBE, pa, CTRACE_A_PROBE_MAX,
				 policy_probe, ctrace_compat_extack(info));
	if (err)
		return err;
	if (!pa[CTRACE_A_PROBE_ID])
		return no_attr(info, "CTRACE_A_PROBE_ID");
	s = own_session(in, info, tb);
	if (IS_ERR(s))
		return PTR_ERR(s);
	p = ctrace_probe_find(s, nla_get_u32(pa[CTRACE_A_PROBE_ID]));
	if (p)
		ctrace_probe_del(p);
	else
		err = ctrace_netlink_error(ctrace_compat_extack(info), -ENOENT,
			"CTRACE_A_PROBE_ID: session %u has no probe %u", s->id,
			nla_get_u32(pa[CTRACE_A_PROBE_ID]));
	mutex_unlock(&ctrace_lock);
	return err;
}

/* --- targets --------------------------------------------------------------------- */

static int put_target_id(struct sk_buff *skb, u32 id)
{
	struct nlattr *nest = nla_nest_start(skb, CTRACE_A_TARGET);

	if (!nest || nla_put_u32(skb, CTRACE_A_TARGET_ID, id))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int ctrace_netlink_target_add(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_MAX + 1], *ta[CTRACE_A_TARGET_MAX + 1];
	static const struct { int attr; const char *name; } args[] = {
		[CTRACE_TARGET_CID] = { CTRACE_A_TARGET_CID, "CTRACE_A_TARGET_CID" },
		[CTRACE_TARGET_CGROUP] = { CTRACE_A_TARGET_CGROUP, "CTRACE_A_TARGET_CGROUP" },
		[CTRACE_TARGET_PID] = { CTRACE_A_TARGET_PID, "CTRACE_A_TARGET_PID" },
	};
	char why[CTRACE_WHY_MAX] = "";
	u32 kind, arg = 0, not = 0;
	struct ctrace_session *s;
	struct ctrace_target *t;
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_TARGET, ta, CTRACE_A_TARGET_MAX,
				 policy_target, ctrace_compat_extack(info));
	if (err)
		return err;
	if (!ta[CTRACE_A_TARGET_KIND])
		return no_attr(info, "CTRACE_A_TARGET_KIND");
	kind = nla_get_u32(ta[CTRACE_A_TARGET_KIND]);
	if (kind < CTRACE_TARGET_ALL || kind > CTRACE_TARGET_BORN)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_TARGET_KIND: unknown kind %u", kind);
	if (kind < ARRAY_SIZE(args) && args[kind].attr) {
		if (!ta[args[kind].attr])
			return no_attr(info, args[kind].name);
		arg = nla_get_u32(ta[args[kind].attr]);
	}
	if (ta[CTRACE_A_TARGET_NOT])
		not = nla_get_u32(ta[CTRACE_A_TARGET_NOT]);
	if (not > 1)
		return ctrace_netlink_error(ctrace_compat_extack(info), -EINVAL,
			"CTRACE_A_TARGET_NOT: %u is neither 0 nor 1", not);
	skb = ctrace_netlink_reply_new(info, CTRACE_CMD_TARGET_ADD, &hdr);
	if (!skb)
		return -ENOMEM;
	s = own_session(in, info, tb);
	if (IS_ERR(s)) {
		nlmsg_free(skb);
		return PTR_ERR(s);
	}
	t = ctrace_target_add(s, kind, arg, not, why);
	err = PTR_ERR_OR_ZERO(t);
	if (!err) {
		err = ctrace_put_session_id(skb, s->id) ?: put_target_id(skb, t->id);
		if (err)
			ctrace_target_del(s, t);
	}
	mutex_unlock(&ctrace_lock);
	if (!err && kind == CTRACE_TARGET_CGROUP)
		ctrace_identity_scan();
	if (IS_ERR(t)) {
		nlmsg_free(skb);
		return ctrace_netlink_failed(info, err, why, "CTRACE_A_TARGET");
	}
	return ctrace_netlink_reply_send(skb, info, hdr, err);
}

int ctrace_netlink_target_del(struct sk_buff *in, struct genl_info *info)
{
	struct nlattr *tb[CTRACE_A_SESSION_MAX + 1], *ta[CTRACE_A_TARGET_MAX + 1];
	char why[CTRACE_WHY_MAX] = "";
	struct ctrace_session *s;
	struct ctrace_target *t;
	int err;

	err = ctrace_netlink_set(info->attrs, CTRACE_A_TARGET, ta, CTRACE_A_TARGET_MAX,
				 policy_target, ctrace_compat_extack(info));
	if (err)
		return err;
	if (!ta[CTRACE_A_TARGET_ID])
		return no_attr(info, "CTRACE_A_TARGET_ID");
	s = own_session(in, info, tb);
	if (IS_ERR(s))
		return PTR_ERR(s);
	t = ctrace_target_find(s, nla_get_u32(ta[CTRACE_A_TARGET_ID]));
	if (t && ta[CTRACE_A_TARGET_CID])
		err = ctrace_target_let_go(s, t, nla_get_u32(ta[CTRACE_A_TARGET_CID]), why);
	else if (t)
		ctrace_target_del(s, t);
	else
		err = ctrace_netlink_error(ctrace_compat_extack(info), -ENOENT,
			"CTRACE_A_TARGET_ID: session %u has no target %u", s->id,
			nla_get_u32(ta[CTRACE_A_TARGET_ID]));
	mutex_unlock(&ctrace_lock);
	return *why ? ctrace_netlink_failed(info, err, why, "CTRACE_A_TARGET") : err;
}
