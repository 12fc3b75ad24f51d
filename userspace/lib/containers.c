// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Containers: the listing, and notices of births and deaths.
 *
 * Notices have a socket of their own: they never come between a request and its answer, and they
 * cannot overflow the socket that owns the sessions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

#include "internal.h"

/* Bytes: room for about 10,000 births between two calls of ctrace_container_dispatch(). */
#define NOTICE_BUFFER	(8 << 20)

static int parse(struct nlattr *set, struct ctrace_container *c)
{
	struct nlattr *a[CTRACE_A_CONTAINER_MAX + 1];

	if (!set || ctrace_attr_nested(a, CTRACE_A_CONTAINER_MAX, set))
		return -EPROTO;
	c->cid = ctrace_attr_u32(a[CTRACE_A_CONTAINER_CID]);
	c->parent = ctrace_attr_u32(a[CTRACE_A_CONTAINER_PARENT]);
	c->hierarchy = ctrace_attr_u32(a[CTRACE_A_CONTAINER_HIERARCHY]);
	c->pidns = ctrace_attr_u32(a[CTRACE_A_CONTAINER_PIDNS]);
	c->init_pid = ctrace_attr_u32(a[CTRACE_A_CONTAINER_INIT_PID]);
	c->flags = ctrace_attr_u32(a[CTRACE_A_CONTAINER_FLAGS]);
	c->cgroup_id = ctrace_attr_u64(a[CTRACE_A_CONTAINER_CGROUP_ID]);
	c->first_seen = ctrace_attr_u64(a[CTRACE_A_CONTAINER_FIRST_SEEN]);
	c->gone = ctrace_attr_u64(a[CTRACE_A_CONTAINER_GONE]);
	ctrace_attr_str(a[CTRACE_A_CONTAINER_RUNTIME], c->runtime, sizeof(c->runtime));
	ctrace_attr_str(a[CTRACE_A_CONTAINER_RUNTIME_ID], c->runtime_id, sizeof(c->runtime_id));
	ctrace_attr_str(a[CTRACE_A_CONTAINER_CGROUP_PATH], c->path, sizeof(c->path));
	return 0;
}

/* Keeps the answer as it is: there may be very many, and a struct ctrace_container is thrice as large. */
static int list_reply(struct nlattr **sets, void *arg)
{
	const struct nlattr *set = sets[CTRACE_A_CONTAINER];
	void *to;

	if (!set)
		return -EPROTO;
	to = ctrace_list_add_n(arg, NLA_ALIGN(set->nla_len) / NLA_ALIGNTO);
	if (!to)
		return -ENOMEM;
	memcpy(to, set, set->nla_len);
	return 0;
}

int ctrace_container_each(struct ctrace *ct, ctrace_container_fn fn, void *arg)
{
	struct ctrace_list l = { .size = NLA_ALIGNTO };
	struct ctrace_container c;
	struct nlattr *set;
	size_t at = 0;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_CONTAINER_GET, 0, "cannot list containers",
			      list_reply, &l);
	while (!err && at < l.n) {
		set = (struct nlattr *)((char *)l.items + at * NLA_ALIGNTO);
		at += NLA_ALIGN(set->nla_len) / NLA_ALIGNTO;
		memset(&c, 0, sizeof(c));
		if (parse(set, &c))
			err = ctrace_ctl_error(ct, -EPROTO, "cannot list containers: the module's answer is malformed");
		else
			err = fn(&c, arg);
	}
	free(l.items);
	return err;
}

/* --- notices ---------------------------------------------------------------- */

static int join(struct ctrace *ct, struct nl_sock *sk)
{
	int group, err, size = NOTICE_BUFFER;

	err = genl_connect(sk);
	if (err < 0)
		return ctrace_ctl_error(ct, -EPROTONOSUPPORT,
			"cannot open a generic netlink socket: %s", nl_geterror(err));
	group = genl_ctrl_resolve_grp(ct->sk, CTRACE_GENL_NAME, CTRACE_GENL_MCGRP);
	if (group < 0)
		return ctrace_ctl_error(ct, -ENOENT,
			"cannot watch containers: the module's multicast group '%s': %s",
			CTRACE_GENL_MCGRP, nl_geterror(group));
	/* With CAP_NET_ADMIN the size may exceed rmem_max; without, take what is allowed. */
	if (setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	err = nl_socket_add_membership(sk, group);
	if (err == -NLE_PERM || err == -NLE_NOACCESS)
		return ctrace_ctl_error(ct, -EPERM, "cannot watch containers: %s",
					ctrace_error_hint(-EPERM));
	if (err < 0)
		return ctrace_ctl_error(ct, -EIO, "cannot watch containers: %s",
					nl_geterror(err));
	return 0;
}

int ctrace_container_subscribe(struct ctrace *ct, ctrace_container_event_fn fn, void *arg)
{
	struct nl_sock *sk;
	int err;

	if (!ct->notices) {
		if (!ct->notice_buf)
			ct->notice_buf = malloc(CTRACE_RECV_SIZE);
		sk = nl_socket_alloc();
		if (!sk || !ct->notice_buf) {
			nl_socket_free(sk);
			return ctrace_ctl_error(ct, -ENOMEM, "out of memory");
		}
		err = join(ct, sk);
		if (err) {
			nl_socket_free(sk);
			return err;
		}
		ct->notices = sk;
	}
	ct->notice_fn = fn;
	ct->notice_arg = arg;
	return nl_socket_get_fd(ct->notices);
}

static int notice(struct ctrace *ct, struct nlmsghdr *nlh)
{
	struct nlattr *sets[CTRACE_A_MAX + 1];
	struct ctrace_container c = { 0 };
	const struct genlmsghdr *g = nlmsg_data(nlh);

	if (nlh->nlmsg_type != ct->family || nlmsg_datalen(nlh) < (int)GENL_HDRLEN)
		return 0;
	if (g->cmd != CTRACE_CMD_CONTAINER_NEW && g->cmd != CTRACE_CMD_CONTAINER_GONE)
		return 0;
	if (genlmsg_parse(nlh, 0, sets, CTRACE_A_MAX, NULL) < 0 || parse(sets[CTRACE_A_CONTAINER], &c))
		return ctrace_ctl_error(ct, -EPROTO, "a notice from the module is malformed");
	return ct->notice_fn(&c, g->cmd == CTRACE_CMD_CONTAINER_NEW, ct->notice_arg);
}

/* Returns the number of datagrams handled (0 once there are none), or the first result of fn other than 0. */
int ctrace_container_dispatch(struct ctrace *ct)
{
	struct sockaddr_nl from;
	struct nlmsghdr *nlh;
	socklen_t from_len;
	int left, ret, n = 0;
	ssize_t got;

	if (!ct->notices)
		return ctrace_ctl_error(ct, -EINVAL, "containers are not being watched: subscribe first");
	for (;;) {
		from_len = sizeof(from);
		got = recvfrom(nl_socket_get_fd(ct->notices), ct->notice_buf, CTRACE_RECV_SIZE,
			       MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return n;
		if (got < 0)
			return ctrace_ctl_error(ct, -errno, errno == ENOBUFS ?
				"notices of containers were lost: list the containers again" :
				"cannot receive notices of containers");
		if (from.nl_pid != 0)
			continue;
		n++;
		left = (int)got;
		for (nlh = ct->notice_buf; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left)) {
			ret = notice(ct, nlh);
			if (ret)
				return ret;
		}
	}
}
