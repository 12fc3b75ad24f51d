// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The connection: a generic netlink socket, one request at a time.
 *
 * libnl makes the socket, finds the family and builds messages. This file receives the answers
 * itself, because libnl's loop drops two things that are needed: the extended acknowledgement of an
 * error, and the error that ends a dump (in NLMSG_DONE).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <netlink/genl/ctrl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

#include "ext_ack.h"
#include "internal.h"

/* How many times to ask for a dump that the kernel calls inconsistent. */
#define DUMP_TRIES	16

int ctrace_ctl_error(struct ctrace *ct, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ct->err, sizeof(ct->err), fmt, ap);
	va_end(ap);
	return err;
}

const char *ctrace_errmsg(const struct ctrace *ct)
{
	return ct ? ct->err : "out of memory";
}

/* --- opening ---------------------------------------------------------------- */

/* sysfs shows modules in all namespaces. */
static bool module_is_live(void)
{
	int fd = open("/sys/module/ctrace/initstate", O_RDONLY | O_CLOEXEC);
	char state[4] = "";
	bool live = fd >= 0 && read(fd, state, sizeof(state)) == sizeof(state) &&
		    !memcmp(state, "live", sizeof(state));

	if (fd >= 0)
		close(fd);
	return live;
}

static int resolve(struct ctrace *ct)
{
	int fd, id;

	id = genl_ctrl_resolve(ct->sk, CTRACE_GENL_NAME);
	if (id < 0) {
		/*
		 * To ask for the family loads no module. To open the device does, if there is a node of its
		 * fixed number, which kmod and udev make at boot, for root alone.
		 */
		fd = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
		id = genl_ctrl_resolve(ct->sk, CTRACE_GENL_NAME);
	}
	/* The first network namespace alone has the family. */
	if (id == -NLE_OBJ_NOTFOUND && module_is_live())
		return ctrace_ctl_error(ct, -ENONET,
			"the kernel module is loaded, but answers only in the host's network namespace, and this is another one: run ctrace on the host ('nsenter --net=/proc/1/ns/net ctrace ...', where process 1 is the host's), or in a container that has the host's network (--network=host)");
	if (id == -NLE_OBJ_NOTFOUND)
		return ctrace_ctl_error(ct, -ENOENT,
			"the kernel module is not loaded: run 'modprobe ctrace' as root (if it is not installed for this kernel, build it: see README.md)");
	if (id < 0)
		return ctrace_ctl_error(ct, -EIO,
			"cannot look up the generic netlink family '%s': %s",
			CTRACE_GENL_NAME, nl_geterror(id));
	ct->family = id;
	return 0;
}

static int check_abi(struct ctrace *ct)
{
	struct ctrace_info info;
	int err = ctrace_info(ct, &info, sizeof(info));

	if (err)
		return err;
	if (info.abi_compat > CTRACE_ABI)
		return ctrace_ctl_error(ct, -EPROTO,
			"the kernel module (version %s, ABI %u) needs a user space of ABI %u or newer, but this one has ABI %u: install the user space of the module's version",
			info.version, info.abi, info.abi_compat, CTRACE_ABI);
	if (info.abi < CTRACE_ABI_COMPAT)
		return ctrace_ctl_error(ct, -EPROTO,
			"this user space (ABI %u) needs a kernel module of ABI %u or newer, but the loaded one (version %s) has ABI %u: install the module of this version and load it (rmmod ctrace, modprobe ctrace)",
			CTRACE_ABI, CTRACE_ABI_COMPAT, info.version, info.abi);
	return 0;
}

#ifndef CTRACE_VERSION
#define CTRACE_VERSION "unknown"	/* tests compile this file without the Makefile's word for it */
#endif

const char *ctrace_version(void)
{
	return CTRACE_VERSION;
}

int ctrace_open(struct ctrace **out)
{
	struct ctrace *ct = calloc(1, sizeof(*ct));
	int one = 1, err;

	*out = ct;
	if (!ct)
		return -ENOMEM;
	ct->buf = malloc(CTRACE_RECV_SIZE);
	ct->sk = nl_socket_alloc();
	if (!ct->buf || !ct->sk)
		return ctrace_ctl_error(ct, -ENOMEM, "out of memory");

	err = genl_connect(ct->sk);
	if (err < 0)
		return ctrace_ctl_error(ct, -EPROTONOSUPPORT,
			"cannot open a generic netlink socket: %s", nl_geterror(err));
	err = resolve(ct);
	if (err)
		return err;
	/* Kernels before 4.12 do not know this option: their errors are numbers only. */
	setsockopt(nl_socket_get_fd(ct->sk), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	err = check_abi(ct);
	if (err)
		ct->family = 0;	/* nothing more goes over this connection */
	return err;
}

void ctrace_close(struct ctrace *ct)
{
	struct ctrace_session *s;

	if (!ct)
		return;
	/* The caller still owns the session objects; the kernel ends the sessions with the socket. */
	for (s = ct->sessions; s; s = s->next)
		s->ct = NULL;
	ctrace_schema_detach(ct);
	if (ct->notices)
		nl_socket_free(ct->notices);
	if (ct->sk)
		nl_socket_free(ct->sk);
	free(ct->notice_buf);
	free(ct->buf);
	free(ct);
}

/* --- a request -------------------------------------------------------------- */

/*
 * Callers that open a set of attributes pass NLA_F_NESTED themselves: libnl before 3.5 does not add
 * it, and the kernel refuses a set without it.
 */
struct nl_msg *ctrace_ctl_msg(struct ctrace *ct, int cmd, int flags)
{
	struct nl_msg *msg = ct->family ? nlmsg_alloc() : NULL;

	if (!msg)
		return NULL;
	if (++ct->seq == 0)
		ct->seq = 1;
	/* Not libnl's numbers: to genlmsg_put(), a sequence number of 0 means "choose one". */
	if (!genlmsg_put(msg, nl_socket_get_local_port(ct->sk), ct->seq, ct->family, 0,
			 NLM_F_REQUEST | NLM_F_ACK | flags, cmd, CTRACE_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

struct request {
	struct ctrace *ct;
	struct nlmsghdr *nlh;	/* as sent: the offsets in errors are offsets into it */
	const char *what;
	ctrace_reply_fn fn;
	void *arg;
	bool done;
	bool interrupted;	/* NLM_F_DUMP_INTR seen */
	int err;
};

/*
 * Keeps the sentence of a refusal: the kernel's text if it sent one, else our hint or the errno's
 * words. It ends with the name of the attribute, if the kernel pointed at one.
 */
static int fail(struct request *rq, const struct nlmsghdr *nlh, int err)
{
	struct ctrace_ext_ack ack;
	const char *attr, *hint = ctrace_error_hint(err);

	ctrace_ext_ack_parse(nlh, &ack);
	attr = ctrace_attr_name_at(rq->nlh, ack.offset);
	if (ack.msg[0] && attr)
		return ctrace_ctl_error(rq->ct, err, "%s: %s (attribute %s)",
					rq->what, ack.msg, attr);
	if (ack.msg[0])
		return ctrace_ctl_error(rq->ct, err, "%s: %s", rq->what, ack.msg);
	if (attr)
		return ctrace_ctl_error(rq->ct, err, "%s: %s (attribute %s)",
					rq->what, strerror(-err), attr);
	return ctrace_ctl_error(rq->ct, err, "%s: %s", rq->what, hint ? hint : strerror(-err));
}

/* NLMSG_ERROR and NLMSG_DONE both start with an int; 0 is success. */
static void take_end(struct request *rq, struct nlmsghdr *nlh)
{
	int err = 0;

	if (nlmsg_datalen(nlh) >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(nlh), sizeof(err));
	rq->done = true;
	if (err < 0 && !rq->err)
		rq->err = fail(rq, nlh, err);
}

static void take_one(struct request *rq, struct nlmsghdr *nlh)
{
	struct nlattr *sets[CTRACE_A_MAX + 1];
	int err;

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		rq->interrupted = true;
	switch (nlh->nlmsg_type) {
	case NLMSG_NOOP:
		return;
	case NLMSG_ERROR:
	case NLMSG_DONE:
		take_end(rq, nlh);
		return;
	}
	/*
	 * After an error of fn, the rest of the answer is still received, and dropped: the next
	 * request starts on an empty socket.
	 */
	if (nlh->nlmsg_type != rq->ct->family || rq->err || !rq->fn)
		return;
	if (genlmsg_parse(nlh, 0, sets, CTRACE_A_MAX, NULL) < 0) {
		rq->err = ctrace_ctl_error(rq->ct, -EPROTO,
					   "%s: the module's answer is malformed", rq->what);
		return;
	}
	err = rq->fn(sets, rq->arg);
	if (err < 0)
		rq->err = ctrace_ctl_error(rq->ct, err, "%s: %s", rq->what, strerror(-err));
}

static int receive(struct request *rq)
{
	struct ctrace *ct = rq->ct;
	struct sockaddr_nl from;
	struct nlmsghdr *nlh;
	socklen_t from_len;
	ssize_t got;
	int left;

	while (!rq->done) {
		from_len = sizeof(from);
		got = recvfrom(nl_socket_get_fd(ct->sk), ct->buf, CTRACE_RECV_SIZE, MSG_TRUNC,
			       (struct sockaddr *)&from, &from_len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ctrace_ctl_error(ct, -errno, "%s: no answer from the module: %s",
						rq->what, strerror(errno));
		if (got == 0 || got > CTRACE_RECV_SIZE)
			return ctrace_ctl_error(ct, -EPROTO,
						"%s: the module's answer is malformed", rq->what);
		if (from.nl_pid != 0)	/* not from the kernel */
			continue;
		left = (int)got;
		for (nlh = ct->buf; nlmsg_ok(nlh, left) && !rq->done;
		     nlh = nlmsg_next(nlh, &left))
			if (nlh->nlmsg_seq == rq->nlh->nlmsg_seq)
				take_one(rq, nlh);
	}
	if (!rq->err && rq->interrupted)
		return -EINTR;
	return rq->err;
}

int ctrace_ctl_call(struct ctrace *ct, struct nl_msg *msg, const char *what,
		    ctrace_reply_fn fn, void *arg)
{
	struct request rq = { .ct = ct, .what = what, .fn = fn, .arg = arg };
	struct nlmsghdr *nlh;
	ssize_t sent;
	int err;

	if (!ct->family)
		return -ENOTCONN;	/* ctrace_open() failed; its sentence still says why */
	if (!msg)
		return ctrace_ctl_error(ct, -ENOMEM, "%s: out of memory", what);
	nlh = rq.nlh = nlmsg_hdr(msg);
	do {
		sent = send(nl_socket_get_fd(ct->sk), nlh, nlh->nlmsg_len, 0);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0)
		err = ctrace_ctl_error(ct, -errno, "%s: cannot reach the module: %s",
				       what, strerror(errno));
	else
		err = receive(&rq);
	/*
	 * Older kernels end a refused dump twice, both before send() returns. The next request starts on an
	 * empty socket.
	 */
	while (err && recv(nl_socket_get_fd(ct->sk), ct->buf, CTRACE_RECV_SIZE, MSG_DONTWAIT) > 0)
		;
	nlmsg_free(msg);
	return err;
}

/* --- dumps ----------------------------------------------------------------- */

void *ctrace_list_add_n(struct ctrace_list *l, size_t n)
{
	size_t max = l->max ? l->max * 2 : 32;
	void *items = l->items;

	while (max < l->n + n)
		max *= 2;
	if (l->n + n > l->max) {
		/* max * size does not overflow, here and in schema.c: half of it is allocated */
		items = realloc(items, max * l->size);
		if (!items)
			return NULL;
		l->items = items;
		l->max = max;
	}
	items = (char *)l->items + l->n * l->size;
	l->n += n;
	return memset(items, 0, n * l->size);
}

void *ctrace_list_add(struct ctrace_list *l)
{
	return ctrace_list_add_n(l, 1);
}

int ctrace_ctl_dump(struct ctrace *ct, int cmd, uint32_t session, const char *what,
		    ctrace_reply_fn fn, struct ctrace_list *list)
{
	struct nlattr *nest;
	struct nl_msg *msg;
	int err, tries = DUMP_TRIES;

	do {
		list->n = 0;
		msg = ctrace_ctl_msg(ct, cmd, NLM_F_DUMP);
		if (msg && session) {
			nest = nla_nest_start(msg, CTRACE_A_SESSION | NLA_F_NESTED);
			if (!nest || nla_put_u32(msg, CTRACE_A_SESSION_ID, session)) {
				nlmsg_free(msg);
				msg = NULL;
			} else {
				nla_nest_end(msg, nest);
			}
		}
		err = ctrace_ctl_call(ct, msg, what, fn, list);
	} while (err == -EINTR && --tries > 0);
	/* The list changes faster than it can be dumped: the last answer is good enough. */
	return err == -EINTR ? 0 : err;
}

/* --- attributes ------------------------------------------------------------ */

uint32_t ctrace_attr_u32(const struct nlattr *a)
{
	uint32_t v = 0;

	if (a && nla_len(a) >= 4)	/* nla_get_u32() takes a const pointer only since libnl 3.2.28 */
		memcpy(&v, nla_data(a), sizeof(v));
	return v;
}

uint64_t ctrace_attr_u64(const struct nlattr *a)
{
	uint64_t v = 0;

	if (a && nla_len(a) >= 8)
		memcpy(&v, nla_data(a), sizeof(v));	/* attributes are 4-byte aligned */
	return v;
}

void ctrace_attr_str(const struct nlattr *a, char *to, size_t size)
{
	size_t len = a ? strnlen(nla_data(a), nla_len(a)) : 0;

	if (len > size - 1)
		len = size - 1;
	if (len)
		memcpy(to, nla_data(a), len);
	to[len] = '\0';
}

int ctrace_attr_nested(struct nlattr **tb, int max, struct nlattr *a)
{
	if (!a) {
		memset(tb, 0, sizeof(*tb) * (max + 1));
		return 0;
	}
	return nla_parse_nested(tb, max, a, NULL) < 0 ? -EPROTO : 0;
}

/* --- the module ------------------------------------------------------------- */

static int info_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_INFO_MAX + 1];
	struct ctrace_info *info = arg;
	int err = ctrace_attr_nested(a, CTRACE_A_INFO_MAX, sets[CTRACE_A_INFO]);

	if (err)
		return err;
	info->abi = ctrace_attr_u32(a[CTRACE_A_INFO_ABI]);
	info->abi_compat = ctrace_attr_u32(a[CTRACE_A_INFO_ABI_COMPAT]);
	info->containers = ctrace_attr_u32(a[CTRACE_A_INFO_CONTAINERS]);
	info->sessions = ctrace_attr_u32(a[CTRACE_A_INFO_SESSIONS]);
	info->cgroup_mode = ctrace_attr_u32(a[CTRACE_A_INFO_CGROUP_MODE]);
	info->features = ctrace_attr_u64(a[CTRACE_A_INFO_FEATURES]);
	info->unknown = ctrace_attr_u64(a[CTRACE_A_INFO_UNKNOWN]);
	ctrace_attr_str(a[CTRACE_A_INFO_VERSION], info->version, sizeof(info->version));
	info->tasks = ctrace_attr_u32(a[CTRACE_A_INFO_TASKS]);
	info->spared = ctrace_attr_u32(a[CTRACE_A_INFO_SPARED]);
	ctrace_attr_str(a[CTRACE_A_INFO_SPARED_WHY], info->spared_why, sizeof(info->spared_why));
	info->recalls = ctrace_attr_u64(a[CTRACE_A_INFO_RECALLS]);
	info->recalled_ns = ctrace_attr_u64(a[CTRACE_A_INFO_RECALLED_NS]);
	info->recalled_of_ns = ctrace_attr_u64(a[CTRACE_A_INFO_RECALLED_OF_NS]);
	info->blind_ns = ctrace_attr_u64(a[CTRACE_A_INFO_BLIND_NS]);
	ctrace_attr_str(a[CTRACE_A_INFO_BLIND], info->blind, sizeof(info->blind));
	return 0;
}

int ctrace_info(struct ctrace *ct, struct ctrace_info *to, size_t sz)
{
	struct ctrace_info info = { 0 };
	int err = ctrace_ctl_call(ct, ctrace_ctl_msg(ct, CTRACE_CMD_INFO_GET, 0),
				  "cannot ask the module for its version", info_reply, &info);

	ctrace_struct_give(to, sz, &info, sizeof(info));
	return err;
}
