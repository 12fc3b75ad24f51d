/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * genl.h: as much generic netlink as hostile tests need, on a bare socket. libnl would correct the very
 * mistakes that these tests want to make. Threads may use it at once, each with a struct genl of its own.
 */
#ifndef GENL_H
#define GENL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <ctrace/ctrace.h>
#include <ctrace/ctrace_netlink.h>
#include <ext_ack.h>

struct genl {
	int fd;
	uint16_t family;
	uint32_t mcgrp;		/* id of the multicast group "containers" */
	uint32_t seq;
	char text[256];		/* the kernel's text for the last error */
};

struct msg {
	union {
		struct nlmsghdr h;
		char b[65536];
	};
};

/* Called for each reply that is not an acknowledgement; a result != 0 stops reading. */
typedef int (*genl_fn)(const struct nlmsghdr *h, void *arg);

static inline void msg_new(struct msg *m, uint16_t family, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr *g = NLMSG_DATA(&m->h);

	memset(m, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	m->h.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	m->h.nlmsg_type = family;
	m->h.nlmsg_flags = NLM_F_REQUEST | flags;
	g->cmd = cmd;
	g->version = CTRACE_GENL_VERSION;
}

static inline void msg_attr(struct msg *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *a = (void *)(m->b + m->h.nlmsg_len);

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy((char *)a + NLA_HDRLEN, data, len);
	memset((char *)a + a->nla_len, 0, NLA_ALIGN(a->nla_len) - a->nla_len);
	m->h.nlmsg_len += NLA_ALIGN(a->nla_len);
}

static inline void msg_u32(struct msg *m, uint16_t type, uint32_t v)
{
	msg_attr(m, type, &v, sizeof(v));
}

static inline void msg_u64(struct msg *m, uint16_t type, uint64_t v)
{
	msg_attr(m, type, &v, sizeof(v));
}

static inline void msg_str(struct msg *m, uint16_t type, const char *s)
{
	msg_attr(m, type, s, strlen(s) + 1);
}

static inline uint32_t msg_nest(struct msg *m, uint16_t type)
{
	uint32_t at = m->h.nlmsg_len;

	msg_attr(m, type | NLA_F_NESTED, NULL, 0);
	return at;
}

static inline void msg_nest_end(struct msg *m, uint32_t at)
{
	struct nlattr *a = (void *)(m->b + at);

	a->nla_len = m->h.nlmsg_len - at;
}

/* Finds an attribute in a run of attributes: returns its payload, and its length in *len. */
static inline const void *attr_in(const void *p, size_t room, uint16_t type, size_t *len)
{
	const struct nlattr *a = p;

	while (room >= NLA_HDRLEN && a->nla_len >= NLA_HDRLEN && a->nla_len <= room) {
		size_t step = NLA_ALIGN(a->nla_len);

		if ((a->nla_type & NLA_TYPE_MASK) == type) {
			if (len)
				*len = a->nla_len - NLA_HDRLEN;
			return (const char *)a + NLA_HDRLEN;
		}
		if (step >= room)
			break;
		room -= step;
		a = (const void *)((const char *)a + step);
	}
	return NULL;
}

/* Attribute `type` inside the set `set` of a message. */
static inline const void *msg_get(const struct nlmsghdr *h, uint16_t set, uint16_t type, size_t *len)
{
	size_t n;
	const char *p = (const char *)h + NLMSG_HDRLEN + GENL_HDRLEN;
	const void *s = attr_in(p, h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, set, &n);

	return s ? attr_in(s, n, type, len) : NULL;
}

static inline uint32_t msg_get_u32(const struct nlmsghdr *h, uint16_t set, uint16_t type)
{
	size_t n;
	uint32_t v = 0;
	const void *p = msg_get(h, set, type, &n);

	if (p && n == sizeof(v))
		memcpy(&v, p, n);
	return v;
}

static inline uint64_t msg_get_u64(const struct nlmsghdr *h, uint16_t set, uint16_t type)
{
	size_t n;
	uint64_t v = 0;
	const void *p = msg_get(h, set, type, &n);

	if (p && n == sizeof(v))
		memcpy(&v, p, n);
	return v;
}

static inline void genl_take_text(struct genl *g, const struct nlmsghdr *h, size_t skip)
{
	size_t n;
	const char *s = attr_in((const char *)h + skip, h->nlmsg_len - skip, NLMSGERR_ATTR_MSG, &n);

	if (s)
		snprintf(g->text, sizeof(g->text), "%.*s", (int)n, s);
}

/*
 * Sends m, and reads replies until an acknowledgement, the end of a dump, or an error. Returns 0 or the
 * kernel's -errno, with its text in g->text.
 */
static inline int genl_call(struct genl *g, struct msg *m, genl_fn fn, void *arg)
{
	static __thread char buf[65536] __attribute__((aligned(8)));
	int dump = (m->h.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	int stopped = 0;

	g->text[0] = 0;
	m->h.nlmsg_seq = ++g->seq;
	if (!dump)
		m->h.nlmsg_flags |= NLM_F_ACK;
	if (send(g->fd, m, m->h.nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		ssize_t n = recv(g->fd, buf, sizeof(buf), 0);
		struct nlmsghdr *h = (void *)buf;

		if (n < 0)
			return -errno;
		for (; NLMSG_OK(h, (size_t)n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_seq != g->seq)
				continue;
			if (h->nlmsg_type == NLMSG_ERROR) {
				struct nlmsgerr *e = NLMSG_DATA(h);
				size_t skip = NLMSG_HDRLEN + sizeof(*e);

				/* without CAPPED, the whole request is quoted before the text */
				if (!(h->nlmsg_flags & NLM_F_CAPPED) && e->error)
					skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
				if (e->error && h->nlmsg_flags & NLM_F_ACK_TLVS)
					genl_take_text(g, h, NLMSG_ALIGN(skip));
				return e->error;
			}
			if (h->nlmsg_type == NLMSG_DONE) {
				int err = *(int *)NLMSG_DATA(h);

				if (err && h->nlmsg_flags & NLM_F_ACK_TLVS)
					genl_take_text(g, h, NLMSG_HDRLEN + sizeof(int));
				return err;
			}
			if (fn && !stopped)
				stopped = fn(h, arg);
		}
	}
}

static inline int genl_family_fn(const struct nlmsghdr *h, void *arg)
{
	struct genl *g = arg;
	const char *p = (const char *)h + NLMSG_HDRLEN + GENL_HDRLEN;
	size_t room = h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, n, m;
	const void *id = attr_in(p, room, CTRL_ATTR_FAMILY_ID, &n);
	const void *grps = attr_in(p, room, CTRL_ATTR_MCAST_GROUPS, &m);

	if (id)
		memcpy(&g->family, id, 2);
	if (grps) {
		/* there is one group: entry number 1 */
		const void *one = attr_in(grps, m, 1, &n);
		const void *grp = one ? attr_in(one, n, CTRL_ATTR_MCAST_GRP_ID, NULL) : NULL;

		if (grp)
			memcpy(&g->mcgrp, grp, 4);
	}
	return 0;
}

/* Returns 0 or -errno; -ENOENT: there is no family, so no module. */
static inline int genl_open(struct genl *g)
{
	static __thread struct msg m;
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	int on = 1, err;

	memset(g, 0, sizeof(*g));
	g->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (g->fd < 0)
		return -errno;
	setsockopt(g->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(g->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	if (bind(g->fd, (void *)&nl, sizeof(nl)))
		return -errno;
	msg_new(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	msg_str(&m, CTRL_ATTR_FAMILY_NAME, CTRACE_GENL_NAME);
	err = genl_call(g, &m, genl_family_fn, g);
	if (!err && !g->family)
		err = -ENOENT;
	return err;
}

/* Random numbers, the same again for the same seed. */
static __thread uint64_t rnd_state __attribute__((unused));

static inline uint32_t rnd(void)
{
	rnd_state = rnd_state * 6364136223846793005ull + 1442695040888963407ull;
	return rnd_state >> 33;
}

/* --- the few commands that several tests need ------------------------------- */

struct genl_sizes {
	uint64_t arena, ring, wakeup_ns;	/* 0: default; wakeup_ns 1 means at once */
	uint32_t flags;
};

static inline int genl_session_fn(const struct nlmsghdr *h, void *arg)
{
	*(uint32_t *)arg = msg_get_u32(h, CTRACE_A_SESSION, CTRACE_A_SESSION_ID);
	return 0;
}

/* Returns the new session's id, or -errno. */
static inline int genl_session_new(struct genl *g, const struct genl_sizes *s)
{
	static __thread struct msg m;
	uint32_t id = 0, at;
	int err;

	msg_new(&m, g->family, CTRACE_CMD_SESSION_NEW, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_str(&m, CTRACE_A_SESSION_NAME, "selftest");
	if (s && s->arena)
		msg_u64(&m, CTRACE_A_SESSION_ARENA_SIZE, s->arena);
	if (s && s->ring)
		msg_u64(&m, CTRACE_A_SESSION_RING_SIZE, s->ring);
	if (s && s->wakeup_ns)
		msg_u64(&m, CTRACE_A_SESSION_WAKEUP_NS, s->wakeup_ns == 1 ? 0 : s->wakeup_ns);
	if (s && s->flags)
		msg_u32(&m, CTRACE_A_SESSION_FLAGS, s->flags);
	msg_nest_end(&m, at);
	err = genl_call(g, &m, genl_session_fn, &id);
	if (err)
		return err;
	return id ? (int)id : -EPROTO;
}

static inline int genl_session_do(struct genl *g, uint8_t cmd, uint32_t session, int state)
{
	static __thread struct msg m;
	uint32_t at;

	msg_new(&m, g->family, cmd, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	if (state >= 0)
		msg_u32(&m, CTRACE_A_SESSION_STATE, state);
	msg_nest_end(&m, at);
	return genl_call(g, &m, NULL, NULL);
}

static inline int genl_probe_fn(const struct nlmsghdr *h, void *arg)
{
	*(uint32_t *)arg = msg_get_u32(h, CTRACE_A_PROBE, CTRACE_A_PROBE_ID);
	return 0;
}

/* Returns the new probe's id, or -errno. */
static inline int genl_probe_add(struct genl *g, uint32_t session, const char *name)
{
	static __thread struct msg m;
	uint32_t id = 0, at;
	int err;

	msg_new(&m, g->family, CTRACE_CMD_PROBE_ADD, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	msg_nest_end(&m, at);
	at = msg_nest(&m, CTRACE_A_PROBE);
	msg_str(&m, CTRACE_A_PROBE_NAME, name);
	msg_nest_end(&m, at);
	err = genl_call(g, &m, genl_probe_fn, &id);
	return err ? err : (int)id;
}

static inline int genl_target_fn(const struct nlmsghdr *h, void *arg)
{
	*(uint32_t *)arg = msg_get_u32(h, CTRACE_A_TARGET, CTRACE_A_TARGET_ID);
	return 0;
}

/* value: the cid, pid or cgroup descriptor, as kind requires. Returns the new target's id, or -errno. */
static inline int genl_target_add(struct genl *g, uint32_t session, uint32_t kind, uint32_t value)
{
	static __thread struct msg m;
	uint32_t id = 0, at;
	int err;

	msg_new(&m, g->family, CTRACE_CMD_TARGET_ADD, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	msg_nest_end(&m, at);
	at = msg_nest(&m, CTRACE_A_TARGET);
	msg_u32(&m, CTRACE_A_TARGET_KIND, kind);
	if (kind == CTRACE_TARGET_CID)
		msg_u32(&m, CTRACE_A_TARGET_CID, value);
	else if (kind == CTRACE_TARGET_PID)
		msg_u32(&m, CTRACE_A_TARGET_PID, value);
	else if (kind == CTRACE_TARGET_CGROUP)
		msg_u32(&m, CTRACE_A_TARGET_CGROUP, value);
	msg_nest_end(&m, at);
	err = genl_call(g, &m, genl_target_fn, &id);
	return err ? err : id ? (int)id : -EPROTO;
}

static inline int genl_target_del(struct genl *g, uint32_t session, uint32_t id)
{
	static __thread struct msg m;
	uint32_t at;

	msg_new(&m, g->family, CTRACE_CMD_TARGET_DEL, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	msg_nest_end(&m, at);
	at = msg_nest(&m, CTRACE_A_TARGET);
	msg_u32(&m, CTRACE_A_TARGET_ID, id);
	msg_nest_end(&m, at);
	return genl_call(g, &m, NULL, NULL);
}

#endif
