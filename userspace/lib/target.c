// SPDX-License-Identifier: LGPL-2.1-only
/* The targets of sessions: whose events to record. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "internal.h"

/* How the sentence of an error begins. */
static void say(char *to, size_t size, const struct ctrace_target *t)
{
	const char *verb = t->exclude ? "leave out" : "trace";

	switch (t->kind) {
	case CTRACE_TARGET_CID:
		snprintf(to, size, "cannot %s container %u", verb, t->cid);
		break;
	case CTRACE_TARGET_PID:
		snprintf(to, size, "cannot %s process %u", verb, t->pid);
		break;
	case CTRACE_TARGET_CGROUP:
		snprintf(to, size, "cannot %s cgroup '%.256s'", verb, t->cgroup ? t->cgroup : "");
		break;
	case CTRACE_TARGET_BORN:
		snprintf(to, size, "cannot %s containers that start later", verb);
		break;
	default:
		snprintf(to, size, "cannot %s everything", verb);
	}
}

/* Ends the request with TARGET{...}; fd: of the cgroup. */
static struct nl_msg *put_target(struct nl_msg *msg, const struct ctrace_target *t, int fd)
{
	struct nlattr *nest;
	int err;

	if (!msg)
		return NULL;
	nest = nla_nest_start(msg, CTRACE_A_TARGET | NLA_F_NESTED);
	err = !nest || nla_put_u32(msg, CTRACE_A_TARGET_KIND, t->kind);
	if (!err && t->kind == CTRACE_TARGET_CID)
		err = nla_put_u32(msg, CTRACE_A_TARGET_CID, t->cid);
	if (!err && t->kind == CTRACE_TARGET_PID)
		err = nla_put_u32(msg, CTRACE_A_TARGET_PID, t->pid);
	if (!err && t->kind == CTRACE_TARGET_CGROUP)
		err = nla_put_u32(msg, CTRACE_A_TARGET_CGROUP, (uint32_t)fd);
	if (!err && t->exclude)
		err = nla_put_u32(msg, CTRACE_A_TARGET_NOT, 1);
	if (err) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, nest);
	return msg;
}

static int id_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_TARGET_MAX + 1];

	if (ctrace_attr_nested(a, CTRACE_A_TARGET_MAX, sets[CTRACE_A_TARGET]))
		return -EPROTO;
	*(uint32_t *)arg = ctrace_attr_u32(a[CTRACE_A_TARGET_ID]);
	return 0;
}

int ctrace_target_add(struct ctrace_session *s, const struct ctrace_target *target, uint32_t *target_id)
{
	struct ctrace_target t = { .sz = sizeof(t), .kind = CTRACE_TARGET_ALL };
	uint32_t id = 0;
	char what[320];
	int err, fd = -1;

	if (!s->ct)
		return -ESHUTDOWN;
	err = target ? ctrace_opts_take(&t, sizeof(t), target) : 0;
	if (err)
		return ctrace_ctl_error(s->ct, err, "cannot add a target: %s", ctrace_opts_error(err));
	say(what, sizeof(what), &t);
	if (t.kind == CTRACE_TARGET_CGROUP) {
		if (!t.cgroup)
			return ctrace_ctl_error(s->ct, -EINVAL, "%s: its directory is not set", what);
		fd = open(t.cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return ctrace_ctl_error(s->ct, -errno, "%s: %s", what, strerror(errno));
	}
	err = ctrace_ctl_call(s->ct, put_target(ctrace_session_msg(s, CTRACE_CMD_TARGET_ADD), &t, fd),
			      what, id_reply, &id);
	if (fd >= 0)
		close(fd);
	if (!err && target_id)
		*target_id = id;
	return err;
}

/* cid: NULL, or the one container that the target lets go */
static int target_del(struct ctrace_session *s, uint32_t target_id, const uint32_t *cid, const char *what)
{
	struct nlattr *nest;
	struct nl_msg *msg;

	if (!s->ct)
		return -ESHUTDOWN;
	msg = ctrace_session_msg(s, CTRACE_CMD_TARGET_DEL);
	if (msg) {
		nest = nla_nest_start(msg, CTRACE_A_TARGET | NLA_F_NESTED);
		if (!nest || nla_put_u32(msg, CTRACE_A_TARGET_ID, target_id) ||
		    (cid && nla_put_u32(msg, CTRACE_A_TARGET_CID, *cid))) {
			nlmsg_free(msg);
			msg = NULL;
		} else {
			nla_nest_end(msg, nest);
		}
	}
	return ctrace_ctl_call(s->ct, msg, what, NULL, NULL);
}

int ctrace_target_del(struct ctrace_session *s, uint32_t target_id)
{
	char what[64];

	snprintf(what, sizeof(what), "cannot remove target %u", target_id);
	return target_del(s, target_id, NULL, what);
}

int ctrace_target_let_go(struct ctrace_session *s, uint32_t target_id, uint32_t cid)
{
	char what[64];

	snprintf(what, sizeof(what), "cannot let container %u go", cid);
	return target_del(s, target_id, &cid, what);
}

static int list_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_TARGET_MAX + 1];
	struct ctrace_target_info *i;

	if (ctrace_attr_nested(a, CTRACE_A_TARGET_MAX, sets[CTRACE_A_TARGET]))
		return -EPROTO;
	i = ctrace_list_add(arg);
	if (!i)
		return -ENOMEM;
	i->session = ctrace_attr_session(sets);
	i->id = ctrace_attr_u32(a[CTRACE_A_TARGET_ID]);
	i->kind = ctrace_attr_u32(a[CTRACE_A_TARGET_KIND]);
	i->cid = ctrace_attr_u32(a[CTRACE_A_TARGET_CID]);
	i->pid = ctrace_attr_u32(a[CTRACE_A_TARGET_PID]);
	i->exclude = ctrace_attr_u32(a[CTRACE_A_TARGET_NOT]);
	ctrace_attr_str(a[CTRACE_A_TARGET_PATH], i->cgroup, sizeof(i->cgroup));
	return 0;
}

int ctrace_target_each(struct ctrace *ct, uint32_t session, ctrace_target_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_target_info) };
	const struct ctrace_target_info *v;
	size_t i;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_TARGET_GET, session, "cannot list targets", list_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(&v[i], arg);
	free(l.items);
	return err;
}
