// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "net/sock_diag.h"

#define TIME_MAX	(NSEC_PER_SEC / 2)	/* for one namespace */
#define ADDRESSES_OF_NS	256u
#define BATCH		512u
#define BUFFER		32768

/* Newer than the headers that may be here: linux/inet_diag.h */
enum { DIAG_SKV6ONLY = 11, DIAG_CGROUP_ID = 21 };
/* ... and struct tcp_info of linux/tcp.h, whose members stay where they are */
enum { TCPI_BACKOFF = 4, TCPI_RTO = 8, TCPI_BYTES_ACKED = 120, TCPI_BYTES_RECEIVED = 128 };
/* the kernel's TCP states */
enum {
	ESTABLISHED = 1, SYN_SENT = 2, SYN_RECV = 3, FIN_WAIT1 = 4, FIN_WAIT2 = 5, CLOSE_WAIT = 8,
	LAST_ACK = 9, LISTENING = 10, CLOSING = 11,
};
enum { TIMER_RETRANSMITS = 1, TIMER_TIME_WAIT = 3 };
#define RTO_MAX		(120 * NSEC_PER_SEC)	/* the kernel's: it does not grow further */

struct ask {
	struct far *f;
	struct sock_told v[BATCH];
	size_t n;		/* in v */
	uint32_t left;		/* how many more are taken */
	uint64_t until;		/* CLOCK_MONOTONIC, ns */
	bool cut;
	int err;		/* errno: they cannot be read; 0: they can */
};

static void flush(struct ask *a)
{
	if (a->n)
		far_tell(a->f, (const char *)a->v, a->n * sizeof(a->v[0]));
	a->n = 0;
}

static void tell(struct ask *a, const struct sock_told *t)
{
	a->v[a->n++] = *t;
	if (a->n == BATCH)
		flush(a);
}

static void put_address(uint8_t *to, int family, const void *from)
{
	memset(to, 0, 16);
	if (family == AF_INET6) {
		memcpy(to, from, 16);
	} else {
		memset(to + 10, 0xff, 2);
		memcpy(to + 12, from, 4);
	}
}

/* Is there room for another one? It is asked for each, and looks at the clock now and then. */
static bool goes_on(struct ask *a)
{
	if (!a->left || (!(a->left & 63) && clock_ns(CLOCK_MONOTONIC) > a->until)) {
		a->cut = true;
		return false;
	}
	a->left--;
	return true;
}

/* nla_get_u64() takes a const pointer only in newer libnl. */
static uint64_t number(const struct nlattr *a, size_t at)
{
	uint64_t n = 0;

	if (a && nla_len(a) >= (int)(at + sizeof(n)))
		memcpy(&n, (const char *)nla_data(a) + at, sizeof(n));
	return n;
}

static uint32_t byte(const struct nlattr *a, size_t at)
{
	return a && (size_t)nla_len(a) > at ? ((const uint8_t *)nla_data(a))[at] : 0;
}

/*
 * How long ago a connect sent its first SYN, in ns; 0: not known. The kernel waits before it sends the SYN
 * again, and doubles that time `backoff` times, at the end of `again` waits (since 6.5 not at the first
 * ones); the wait that is under way ends in `expires`.
 */
static uint64_t age_of(const struct inet_diag_msg *d, const struct nlattr *info)
{
	/* us, and ms */
	uint64_t rto = (uint32_t)number(info, TCPI_RTO) * 1000ull;
	uint64_t left = d->idiag_expires * 1000000ull, all = 0;
	uint32_t backoff = byte(info, TCPI_BACKOFF), again = d->idiag_retrans;

	if (d->idiag_timer != TIMER_RETRANSMITS || !rto || rto >= RTO_MAX || backoff > again || left > rto)
		return 0;
	for (uint32_t i = 0, as_first = again - backoff; i < again; i++)
		all += (rto >> backoff) << (i > as_first ? i - as_first : 0);
	return all + rto - left;
}

/* A socket that listens at [::], with this attribute. */
static bool takes_v4(const struct nlattr *v6only)
{
	return !v6only || !nla_len(v6only) || !*(const uint8_t *)nla_data(v6only);
}

static int take_socket(struct nl_msg *m, void *arg)
{
	const struct inet_diag_msg *d = nlmsg_data(nlmsg_hdr(m));
	struct nlattr *a[DIAG_CGROUP_ID + 1];
	struct sock_told t = { .kind = SOCK_CONNECTION };
	const struct in_addr any4 = { INADDR_ANY };

	if (nlmsg_hdr(m)->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    nlmsg_parse(nlmsg_hdr(m), sizeof(*d), a, DIAG_CGROUP_ID, NULL) < 0 ||
	    (d->idiag_family != AF_INET && d->idiag_family != AF_INET6))
		return NL_SKIP;
	/* what remains of a connection that has ended */
	if (d->idiag_timer == TIMER_TIME_WAIT)
		return NL_SKIP;
	if (!goes_on(arg))
		return NL_STOP;
	put_address(t.ends.local, d->idiag_family, d->id.idiag_src);
	put_address(t.ends.remote, d->idiag_family, d->id.idiag_dst);
	t.ends.lport = ntohs(d->id.idiag_sport);
	t.ends.rport = ntohs(d->id.idiag_dport);
	t.cookie = (uint64_t)d->id.idiag_cookie[1] << 32 | d->id.idiag_cookie[0];
	t.cgroup = number(a[DIAG_CGROUP_ID], 0);
	t.tx = number(a[INET_DIAG_INFO], TCPI_BYTES_ACKED);
	t.rx = number(a[INET_DIAG_INFO], TCPI_BYTES_RECEIVED);
	if (d->idiag_state == SYN_SENT || d->idiag_state == SYN_RECV) {
		t.kind = d->idiag_state == SYN_SENT ? SOCK_CONNECTS : SOCK_ANSWERS;
		t.again = d->idiag_timer == TIMER_RETRANSMITS ? d->idiag_retrans : 0;
		t.age = t.kind == SOCK_CONNECTS ? age_of(d, a[INET_DIAG_INFO]) : 0;
	}
	if (d->idiag_state == LISTENING) {
		t.kind = SOCK_LISTENS;
		memset(t.ends.remote, 0, sizeof(t.ends.remote));
	}
	tell(arg, &t);
	if (t.kind == SOCK_LISTENS && !memcmp(t.ends.local, &in6addr_any, 16) && takes_v4(a[DIAG_SKV6ONLY])) {
		put_address(t.ends.local, AF_INET, &any4);
		tell(arg, &t);
	}
	return NL_OK;
}

static int take_address(struct nl_msg *m, void *arg)
{
	const struct ifaddrmsg *i = nlmsg_data(nlmsg_hdr(m));
	struct nlattr *a[IFA_LOCAL + 1];
	struct sock_told t = { .kind = SOCK_ADDRESS };
	const struct nlattr *at;
	int size = i->ifa_family == AF_INET6 ? 16 : 4;

	if (nlmsg_hdr(m)->nlmsg_type != RTM_NEWADDR ||
	    nlmsg_parse(nlmsg_hdr(m), sizeof(*i), a, IFA_LOCAL, NULL) < 0 ||
	    (i->ifa_family != AF_INET && i->ifa_family != AF_INET6))
		return NL_SKIP;
	if (!goes_on(arg))
		return NL_STOP;
	at = a[IFA_LOCAL] ? a[IFA_LOCAL] : a[IFA_ADDRESS];
	/* of one link alone, or of the namespace itself: such an address says nothing elsewhere */
	if (!at || nla_len(at) < size || i->ifa_scope >= RT_SCOPE_LINK)
		return NL_OK;
	put_address(t.ends.local, i->ifa_family, nla_data(at));
	t.bits = i->ifa_family == AF_INET6 ? i->ifa_prefixlen : 96u + i->ifa_prefixlen;
	tell(arg, &t);
	return NL_OK;
}

/* Sends the request, and gives each message of the answer to take(). */
static void dump(struct ask *a, int protocol, int type, const void *request, size_t size,
		 nl_recvmsg_msg_cb_t take)
{
	struct nl_sock *s = nl_socket_alloc();
	int err;

	if (!s)
		return;
	nl_socket_set_msg_buf_size(s, BUFFER);
	nl_socket_modify_cb(s, NL_CB_VALID, NL_CB_CUSTOM, take, a);
	err = nl_connect(s, protocol);
	if (!err)
		err = nl_send_simple(s, type, NLM_F_DUMP, (void *)request, size);
	if (err >= 0)
		err = nl_recvmsgs_default(s);
	/* a table that changes while it is read is no error */
	if (err == -NLE_OBJ_NOTFOUND)
		a->err = EPROTONOSUPPORT;	/* this kernel has no tcp_diag */
	else
		a->cut |= err < 0 && err != -NLE_DUMP_INTR;
	nl_socket_free(s);	/* with what was not read */
}

static void ask_all(struct ask *a, uint32_t sockets, int what)
{
	const int families[] = { AF_INET, AF_INET6 };
	const uint32_t opening = 1 << SYN_SENT | 1 << SYN_RECV;
	const uint32_t connected = 1 << ESTABLISHED | 1 << FIN_WAIT1 | 1 << FIN_WAIT2 | 1 << CLOSE_WAIT |
				   1 << LAST_ACK | 1 << CLOSING;
	const struct ifaddrmsg any = { .ifa_family = AF_UNSPEC };

	a->left = ADDRESSES_OF_NS;
	dump(a, NETLINK_ROUTE, RTM_GETADDR, &any, sizeof(any), take_address);
	a->cut = false;
	a->left = sockets;
	/* listeners are few, and answer more questions */
	for (int pass = 0; pass < 2; pass++) {
		const uint32_t later = what & SOCK_DIAG_OPENING ? opening : connected;

		for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
			const struct inet_diag_req_v2 r = {
				.sdiag_family = (uint8_t)families[i], .sdiag_protocol = IPPROTO_TCP,
				.idiag_ext = what && pass ? 1 << (INET_DIAG_INFO - 1) : 0,
				.idiag_states = pass ? later : 1 << LISTENING,
			};

			if (!a->cut)
				dump(a, NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, &r, sizeof(r), take_socket);
		}
	}
	if (a->cut)
		tell(a, &(struct sock_told){ .kind = SOCK_LEFT_OUT });
	if (a->err)
		tell(a, &(struct sock_told){ .kind = SOCK_REFUSED, .bits = (uint32_t)a->err });
}

/* Enters the namespace. 0, or errno: the process has gone, or is another one; or we may not. */
static int enter(int pid, unsigned long long inode)
{
	char path[64];
	struct stat st;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	far_at(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (fstat(fd, &st))
		err = errno;
	else if (st.st_ino != inode)
		err = ESRCH;
	else
		err = setns(fd, CLONE_NEWNET) ? errno : 0;
	close(fd);
	return err;
}

void sock_diag_serve(struct far *f, void *arg, const char *request)
{
	struct ask *a = xcalloc(1, sizeof(*a));
	int pid, what, err = EINVAL, own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	unsigned long long inode;
	unsigned int sockets;
	bool entered = false;
	struct stat st;

	(void)arg;
	a->f = f;
	a->until = clock_ns(CLOCK_MONOTONIC) + TIME_MAX;
	if (sscanf(request, SOCK_DIAG_REQUEST, &pid, &inode, &sockets, &what) == 4 && own >= 0 &&
	    !fstat(own, &st)) {
		err = st.st_ino == inode ? 0 : enter(pid, inode);
		entered = !err && st.st_ino != inode;
	}
	if (!err)
		ask_all(a, sockets, what);
	else
		tell(a, &(struct sock_told){ .kind = SOCK_REFUSED, .bits = (uint32_t)err });
	/* the process must not keep the namespace of a container that has ended */
	if (entered && setns(own, CLONE_NEWNET))
		_exit(0);
	if (own >= 0)
		close(own);
	flush(a);
	free(a);
}
