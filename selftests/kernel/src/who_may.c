// SPDX-License-Identifier: GPL-2.0-only
/*
 * who_may: the table of who may do what, with each operation tried by each caller. The same table, in
 * words, is in uapi/ctrace_netlink.h and uapi/ctrace.h.
 */
#include "dev.h"
#include "box.h"
#include "caps.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

/* The callers: one column each. */
static const char * const callers[] = {
	"root", "CAP_PERFMON alone", "CAP_SYS_ADMIN alone", "nobody", "root in nobody's user namespace",
	"root in a container (default capabilities, the host's network)", "root in a pid namespace",
	"root in a cgroup namespace", "root in a time namespace", "root in a net namespace",
	"root in nobody's user and net namespaces",
};
enum { ROOT, PERFMON, ADMIN, NOBODY, USERNS, CONTAINER, PIDNS, CGROUPNS, TIMENS, NETNS, USERNET, CALLERS };

/* What a caller finds: what others made, and what was passed to it. */
static struct {
	uint16_t family;
	uint32_t mcgrp;
	uint32_t others;		/* a session of another socket */
	uint32_t others_probe, others_target;
	struct genl owner;		/* that socket, opened by root */
	struct genl nobodys;		/* a socket that user nobody opened */
	struct genl g;			/* the caller's own */
	int own;			/* the caller's own session; `others` if it has none */
	int own_probe, own_target;
	int fd;				/* the caller's own descriptor */
	int whole, view, unbound;	/* passed on: bound to the session, a view of the host, not bound */
	int lost;			/* passed on: another view, to be taken back */
	uint64_t whole_size, view_size;
	bool heard_wanted;
} c;

/* --- operations: 0 or -errno ------------------------------------------------------------ */

static int call(struct genl *g, uint8_t cmd, uint32_t session, uint16_t set, uint16_t type, int value,
		const char *text)
{
	static struct msg m;
	uint32_t at;

	msg_new(&m, c.family, cmd, 0);
	if (session) {
		at = msg_nest(&m, CTRACE_A_SESSION);
		msg_u32(&m, CTRACE_A_SESSION_ID, session);
		if (set == CTRACE_A_SESSION)
			msg_u32(&m, type, value);
		msg_nest_end(&m, at);
	}
	if (set && set != CTRACE_A_SESSION) {
		at = msg_nest(&m, set);
		if (text)
			msg_str(&m, type, text);
		else
			msg_u32(&m, type, value);
		msg_nest_end(&m, at);
	}
	return genl_call(g, &m, NULL, NULL);
}

static int dump(uint8_t cmd)
{
	static struct msg m;

	msg_new(&m, c.family, cmd, NLM_F_DUMP);
	return genl_call(&c.g, &m, NULL, NULL);
}

static int info_get(void)	{ return call(&c.g, CTRACE_CMD_INFO_GET, 0, 0, 0, 0, NULL); }

static int counts_fn(const struct nlmsghdr *h, void *arg)
{
	static const uint16_t counts[] = { CTRACE_A_INFO_CONTAINERS, CTRACE_A_INFO_SESSIONS, CTRACE_A_INFO_UNKNOWN };
	int *n = arg;
	size_t len;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		*n += msg_get(h, CTRACE_A_INFO, counts[i], &len) != NULL;
	return 0;
}

/*
 * 0: got the numbers of containers, of sessions, and of events of no known container; -EPERM: got none of
 * these
 */
static int info_of_others(void)
{
	static struct msg m;
	int n = 0, err;

	msg_new(&m, c.family, CTRACE_CMD_INFO_GET, 0);
	err = genl_call(&c.g, &m, counts_fn, &n);
	return err ? err : n == 3 ? 0 : n ? -EBADMSG : -EPERM;
}

static int events_get(void)	{ return dump(CTRACE_CMD_EVENT_GET); }
static int session_get(void)	{ return dump(CTRACE_CMD_SESSION_GET); }
static int probe_get(void)	{ return dump(CTRACE_CMD_PROBE_GET); }
static int target_get(void)	{ return dump(CTRACE_CMD_TARGET_GET); }
static int container_get(void)	{ return dump(CTRACE_CMD_CONTAINER_GET); }
static int stats_get(void)	{ return dump(CTRACE_CMD_STATS_GET); }
static int tracepoint_get(void)	{ return dump(CTRACE_CMD_TRACEPOINT_GET); }
static int task_get(void)	{ return dump(CTRACE_CMD_TASK_GET); }
static int request_get(void)	{ return dump(CTRACE_CMD_REQUEST_GET); }
static int frozen_get(void)	{ return dump(CTRACE_CMD_FROZEN_GET); }

static int event_get(void)
{
	return call(&c.g, CTRACE_CMD_EVENT_GET, 0, CTRACE_A_EVENT, CTRACE_A_EVENT_ID, CTRACE_ID_SCHED_SWITCH, NULL);
}

static int event_new(void)
{
	return call(&c.g, CTRACE_CMD_EVENT_NEW, 0, CTRACE_A_EVENT, CTRACE_A_EVENT_DEFINITION, 0, "p:who_may do_exit");
}

static int event_del(void)
{
	return call(&c.g, CTRACE_CMD_EVENT_DEL, 0, CTRACE_A_EVENT, CTRACE_A_EVENT_NAME, 0, "who_may");
}

static int session_new(void)
{
	struct genl_sizes s = { .arena = 1 << 20, .ring = 16384 };
	int id = genl_session_new(&c.g, &s);

	c.own = id > 0 ? (uint32_t)id : c.others;
	return id > 0 ? 0 : id;
}

static int probe_add(void)
{
	c.own_probe = genl_probe_add(&c.g, c.own, "sched_switch");
	return c.own_probe > 0 ? 0 : c.own_probe;
}

static int state(struct genl *g, uint32_t session, int on)
{
	return call(g, CTRACE_CMD_SESSION_SET, session, CTRACE_A_SESSION, CTRACE_A_SESSION_STATE, on, NULL);
}

static int probe_gone(uint32_t session, int id)
{
	return call(&c.g, CTRACE_CMD_PROBE_DEL, session, CTRACE_A_PROBE, CTRACE_A_PROBE_ID, id, NULL);
}

static int target_add(void)
{
	c.own_target = genl_target_add(&c.g, c.own, CTRACE_TARGET_ALL, 0);
	return c.own_target > 0 ? 0 : c.own_target;
}

static int session_set(void)	{ return state(&c.g, c.own, 1); }
static int target_del(void)	{ return genl_target_del(&c.g, c.own, c.own_target); }
static int probe_del(void)	{ return probe_gone(c.own, c.own_probe); }
static int session_del(void)	{ return call(&c.g, CTRACE_CMD_SESSION_DEL, c.own, 0, 0, 0, NULL); }

#define THAW(s)	call(&c.g, CTRACE_CMD_THAW, s, CTRACE_A_FROZEN, CTRACE_A_FROZEN_CID, ~0, NULL)
static int own_thaw(void)	{ return THAW(c.own); }
static int others_thaw(void)	{ return THAW(c.others); }
static int others_set(void)	{ return state(&c.g, c.others, 1); }
static int others_probe(void)	{ return genl_probe_add(&c.g, c.others, "sched_wakeup"); }
static int others_unprobe(void)	{ return probe_gone(c.others, c.others_probe); }
static int others_target(void)	{ return genl_target_add(&c.g, c.others, CTRACE_TARGET_ALL, 0); }
static int others_untarget(void) { return genl_target_del(&c.g, c.others, c.others_target); }
static int others_del(void)	{ return call(&c.g, CTRACE_CMD_SESSION_DEL, c.others, 0, 0, 0, NULL); }

static int by_owners_socket(void) { return state(&c.owner, c.others, 0); }
static int by_nobodys_socket(void) { return genl_session_new(&c.nobodys, NULL); }

/* A child of ours makes containers all the time, so births are announced: -ESRCH if none arrives. */
static int listen_in(void)
{
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	struct timeval tv = { .tv_sec = c.heard_wanted ? 20 : 1 };
	char buf[8192];
	struct nlmsghdr *h = (void *)buf;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), err = 0;
	ssize_t n;

	if (fd < 0 || bind(fd, (void *)&nl, sizeof(nl)))
		err = -errno;
	else if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &c.mcgrp, sizeof(c.mcgrp)))
		/* In another network namespace some kernels return an error; others never deliver anything. */
		err = errno == ENOENT ? -ESRCH : -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	if (!err) {
		n = recv(fd, buf, sizeof(buf), 0);
		err = n > (ssize_t)NLMSG_HDRLEN && h->nlmsg_type == c.family ? 0 : -ESRCH;
	}
	close(fd);
	return err;
}

static int mapped(int fd, uint64_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, size);
	return 0;
}

static int readable(int fd)
{
	char b[4096];

	return read(fd, b, sizeof(b)) < 0 && errno != EAGAIN ? -errno : 0;
}

/* Who may not open the device cannot even try the rest on a descriptor of its own: this is what open() said. */
static int dev_opened(void)
{
	c.fd = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (c.fd < 0)
		c.fd = -errno;
	return c.fd < 0 ? c.fd : 0;
}

static int dev_written(void)
{
	int fd = open(CTRACE_DEVICE, O_RDWR | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = write(fd, "x", 1) < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int viewed(int fd)
{
	int view = dev_view(fd, c.others, CTRACE_CID_HOST, NULL);

	if (view >= 0)
		close(view);
	return view < 0 ? view : 0;
}

static int told(int fd)
{
	struct ctrace_shown s;

	return ioctl(fd, CTRACE_IOC_INFO, &s) ? -errno : 0;
}

#define OF_OWN(call)	(c.fd < 0 ? c.fd : (call))
static int dev_number(void)	{ return OF_OWN(ioctl(c.fd, _IO(CTRACE_IOC_MAGIC, 7)) ? -errno : 0); }
static int new_map(void)	{ return OF_OWN(mapped(c.fd, 4096, PROT_READ)); }
static int new_read(void)	{ return OF_OWN(readable(c.fd)); }
static int new_info(void)	{ return OF_OWN(told(c.fd)); }
static int new_bind(void)	{ return OF_OWN(dev_bind(c.fd, c.others, CTRACE_CID_ALL, NULL)); }
static int new_view(void)	{ return OF_OWN(viewed(c.fd)); }

static int whole_map(void)	{ return mapped(c.whole, c.whole_size, PROT_READ); }
static int whole_write(void)	{ return mapped(c.whole, c.whole_size, PROT_READ | PROT_WRITE); }
static int whole_read(void)	{ return readable(c.whole); }
static int whole_bind(void)	{ return dev_bind(c.whole, c.others, CTRACE_CID_ALL, NULL); }
static int whole_view(void)	{ return viewed(c.whole); }
static int view_map(void)	{ return mapped(c.view, c.view_size, PROT_READ); }
static int view_more(void)	{ return mapped(c.view, c.view_size + 4096, PROT_READ); }
static int view_read(void)	{ return readable(c.view); }
static int view_info(void)	{ return told(c.view); }
static int view_bind(void)	{ return dev_bind(c.view, c.others, CTRACE_CID_ALL, NULL); }
static int view_view(void)	{ return viewed(c.view); }
static int view_revoke(void)	{ return ioctl(c.lost, CTRACE_IOC_REVOKE) ? -errno : 0; }
static int unbound_map(void)	{ return mapped(c.unbound, 4096, PROT_READ); }
static int unbound_read(void)	{ return readable(c.unbound); }
static int unbound_view(void)	{ return viewed(c.unbound); }
static int unbound_bind(void)	{ return dev_bind(c.unbound, c.others, CTRACE_CID_ALL, NULL); }

/*
 * The operations: one line each, with the results expected for the callers, in their order:
 *	+ done, P EPERM, A EACCES, N ENOENT (no such family), B EBUSY, X ENXIO, V EINVAL,
 *	T ENOTTY, . nothing is heard
 */
#define ANYBODY		"+++++++++NN"
#define TRACERS		"+++PPP+++NN"	/* netlink commands: not in other net namespaces */
#define NOT_OWNER	"PPPPPPPPPNN"
#define MAY_TRACE	"+++PPP++++P"	/* the device, and sockets that are open */
#define IF_OPEN(e)	e e e "PPP" e e e e "P"	/* of the device: e, if the caller may open it */
#define ALL(e)		e e e e e e e e e e e
#define GROUP		"group of births and deaths"
#define GROUP_OPEN	"+++++++++.."	/* where the kernel cannot require CAP_SYS_ADMIN */
static const struct {
	const char *what, *expected;
	int (*fn)(void);
} rows[] = {
	{ "INFO_GET", ANYBODY, info_get },
	{ "INFO_GET, what others do", TRACERS, info_of_others },
	{ "EVENT_GET of one type", ANYBODY, event_get },
	{ "EVENT_GET, a dump", TRACERS, events_get },
	{ "SESSION_GET", TRACERS, session_get },
	{ "PROBE_GET", TRACERS, probe_get }, { "TARGET_GET", TRACERS, target_get },
	{ "CONTAINER_GET", TRACERS, container_get }, { "STATS_GET", TRACERS, stats_get },
	{ "TRACEPOINT_GET", TRACERS, tracepoint_get }, { "FROZEN_GET", TRACERS, frozen_get },
	{ "TASK_GET", TRACERS, task_get }, { "REQUEST_GET", TRACERS, request_get },
	{ "EVENT_NEW", TRACERS, event_new }, { "EVENT_DEL", TRACERS, event_del },
	{ "SESSION_NEW", TRACERS, session_new }, { "PROBE_ADD", TRACERS, probe_add },
	{ "TARGET_ADD", TRACERS, target_add },
	{ "SESSION_SET", TRACERS, session_set }, { "THAW", TRACERS, own_thaw },
	{ "TARGET_DEL", TRACERS, target_del }, { "PROBE_DEL", TRACERS, probe_del },
	{ "SESSION_DEL", TRACERS, session_del },
	{ "another's session: SESSION_SET", NOT_OWNER, others_set },
	{ "another's session: PROBE_ADD", NOT_OWNER, others_probe },
	{ "another's session: PROBE_DEL", NOT_OWNER, others_unprobe },
	{ "another's session: TARGET_ADD", NOT_OWNER, others_target },
	{ "another's session: TARGET_DEL", NOT_OWNER, others_untarget },
	{ "another's session: THAW", NOT_OWNER, others_thaw },
	{ "another's session: SESSION_DEL", NOT_OWNER, others_del },
	{ "the owner's socket, passed: SESSION_SET", MAY_TRACE, by_owners_socket },
	{ "a socket that nobody opened, passed: SESSION_NEW", ALL("P"), by_nobodys_socket },
	{ GROUP, "+P+PPP+++..", listen_in },
	{ "open", MAY_TRACE, dev_opened },
	{ "write", IF_OPEN("V"), dev_written },
	{ "an ioctl that is none", IF_OPEN("T"), dev_number },
	{ "mmap, not bound", IF_OPEN("X"), new_map },
	{ "read, not bound", IF_OPEN("X"), new_read },
	{ "asked, not bound", IF_OPEN("X"), new_info },
	{ "a view of a container", MAY_TRACE, new_view },
	{ "bind to a session", MAY_TRACE, new_bind },
	{ "bind it again", IF_OPEN("B"), new_bind },
	{ "passed, bound to a session: mmap", ALL("+"), whole_map },
	{ "passed, bound to a session: mmap to write", ALL("A"), whole_write },
	{ "passed, bound to a session: read", ALL("+"), whole_read },
	{ "passed, bound to a session: bind", IF_OPEN("B"), whole_bind },
	{ "passed, bound to a session: a view", MAY_TRACE, whole_view },
	{ "passed, a view: mmap", ALL("+"), view_map },
	{ "passed, a view: mmap of more", ALL("V"), view_more },
	{ "passed, a view: read", ALL("+"), view_read },
	{ "passed, a view: asked", ALL("+"), view_info },
	{ "passed, a view: bind", ALL("T"), view_bind },
	{ "passed, a view: a view", ALL("T"), view_view },
	{ "passed, a view: take it back", MAY_TRACE, view_revoke },
	{ "passed, not bound: mmap", ALL("X"), unbound_map },
	{ "passed, not bound: read", ALL("X"), unbound_read },
	{ "passed, not bound: a view", MAY_TRACE, unbound_view },
	{ "passed, not bound: bind", MAY_TRACE, unbound_bind },
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static char letter(int err)
{
	static const struct { int err; char c; } l[] = {
		{ 0, '+' }, { -EPERM, 'P' }, { -EACCES, 'A' }, { -ENOENT, 'N' }, { -EBUSY, 'B' }, { -ENXIO, 'X' },
		{ -EINVAL, 'V' }, { -ENOTTY, 'T' }, { -ESRCH, '.' },
	};

	for (size_t i = 0; i < sizeof(l) / sizeof(*l); i++)
		if (l[i].err == (err > 0 ? 0 : err))
			return l[i].c;
	return '?';
}

/* --- becoming a caller -------------------------------------------------------------------- */

static int put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -1;
	err = write(fd, text, strlen(text)) < 0;
	close(fd);
	return err;
}

/* 0 before 4.6: there are no cgroup namespaces, and root in a container is simply root */
static int cgroup_ns(void)
{
	return access("/proc/self/ns/cgroup", F_OK) ? 0 : CLONE_NEWCGROUP;
}

static int to_userns(int more)
{
	/* setgroups exists since 3.19 */
	return caps_of_nobody(0) || unshare(CLONE_NEWUSER | more) ||
	       (put("/proc/self/setgroups", "deny") && errno != ENOENT) ||
	       put("/proc/self/gid_map", "0 65534 1") || put("/proc/self/uid_map", "0 65534 1") ||
	       getuid() || !prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN);
}

/* pid and time namespaces take effect for children. True: this is the child, or none is needed. */
static bool in_child(void)
{
	pid_t pid = fork();
	int st = -1;

	if (!pid)
		return true;
	waitpid(pid, &st, 0);
	_exit(st != 0);
}

static int become(int who)
{
	/* the capabilities that container runtimes leave */
	const uint64_t usual = 1 << CAP_CHOWN | 1 << CAP_DAC_OVERRIDE | 1 << CAP_FOWNER | 1 << CAP_FSETID |
		1 << CAP_KILL | 1 << CAP_SETGID | 1 << CAP_SETUID | 1 << CAP_SETPCAP |
		1 << CAP_NET_BIND_SERVICE | 1 << CAP_NET_RAW | 1 << CAP_SYS_CHROOT | 1 << CAP_MKNOD |
		1 << CAP_AUDIT_WRITE | 1ull << CAP_SETFCAP;

	switch (who) {
	case PERFMON:
		return caps_of_nobody(1ull << 38);
	case ADMIN:
		return caps_of_nobody(1ull << CAP_SYS_ADMIN);
	case NOBODY:
		return caps_of_nobody(0);
	case USERNS:
		return to_userns(0);
	case USERNET:
		return to_userns(CLONE_NEWNET);
	case CONTAINER:
		return box_cgroup_enter("/box/who_may", 0) ||
		       unshare(CLONE_NEWPID | cgroup_ns() | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) ||
		       !in_child() || caps_only(usual);
	case PIDNS:
		return unshare(CLONE_NEWPID) || !in_child();
	case CGROUPNS:
		return unshare(cgroup_ns());
	case TIMENS:
		return unshare(CLONE_NEWTIME) ? errno == EINVAL ? 0 : -1 : !in_child();
	case NETNS:
		return unshare(CLONE_NEWNET);
	}
	return 0;
}

/* Runs in a child: tries everything as `who`, and writes a letter for each row. */
static void try_all(int who, int sock, int out)
{
	struct timeval tv = { .tv_sec = 30 };
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	char seen[ROWS];
	int on = 1;

	alarm(120);
	if (become(who))
		_exit(90);
	c.whole = dev_fd_recv(sock);
	c.view = dev_fd_recv(sock);
	c.lost = dev_fd_recv(sock);
	c.unbound = dev_fd_recv(sock);
	c.owner.fd = dev_fd_recv(sock);
	c.nobodys.fd = dev_fd_recv(sock);
	c.heard_wanted = who == ROOT || who == ADMIN || (who >= PIDNS && who <= TIMENS);
	/* Not genl_open(): in another net namespace the family cannot be looked up, but we know its number. */
	c.g.family = c.family;
	c.g.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	setsockopt(c.g.fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(c.g.fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(c.g.fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	if (c.g.fd < 0 || bind(c.g.fd, (void *)&nl, sizeof(nl)))
		_exit(91);
	for (size_t i = 0; i < ROWS; i++)
		seen[i] = letter(rows[i].fn());
	_exit(write(out, seen, ROWS) != ROWS);
}

static int nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* Asking for a container has it announced. */
static void asked_for(pid_t init)
{
	dev_cid_of(init);
}

static int features_fn(const struct nlmsghdr *h, void *arg)
{
	*(uint64_t *)arg = msg_get_u64(h, CTRACE_A_INFO, CTRACE_A_INFO_FEATURES);
	return 0;
}

/* Does the module itself say that the group is guarded? */
static bool says_guarded(void)
{
	static struct msg m;
	uint64_t features = 0;

	msg_new(&m, dev_genl.family, CTRACE_CMD_INFO_GET, 0);
	genl_call(&dev_genl, &m, features_fn, &features);
	return features & CTRACE_FEATURE_GROUP_GUARDED;
}

static int nobodys_socket(void)
{
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	int sv[2], fd;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		return -1;
	pid = fork();
	if (!pid) {
		if (caps_of_nobody(0))
			_exit(1);
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
		if (bind(fd, (void *)&nl, sizeof(nl)))
			_exit(1);
		dev_fd_send(sv[1], fd);
		_exit(0);
	}
	fd = dev_fd_recv(sv[0]);
	waitpid(pid, NULL, 0);
	close(sv[0]);
	close(sv[1]);
	return fd;
}

/* who_may [open]: with "open", the kernel lets any user listen to the group */
int main(int argc, char **argv)
{
	bool open_group = argc > 1 && !strcmp(argv[1], "open");
	struct genl_sizes s = { .arena = 2 << 20, .ring = 16384 };
	char seen[CALLERS][ROWS], line[CALLERS + 1], want[CALLERS + 1];
	int sv[2], p[2], st, fd;
	pid_t pid, busy;

	ksft_print_header();
	ksft_set_plan(ROWS + 2);
	if (box_init(BOX_MOUNTS) || box_cgroup_make("/box/who_may"))
		ksft_exit_fail_msg("no cgroups\n");
	dev_session_make(&s, "syscall:getpriority");
	c.owner = dev_genl;
	c.family = dev_genl.family;
	c.mcgrp = dev_genl.mcgrp;
	c.others = dev_session;
	c.others_probe = genl_probe_add(&dev_genl, dev_session, "sched_wakeup");
	c.others_target = genl_target_add(&dev_genl, dev_session, CTRACE_TARGET_CID, CTRACE_CID_HOST);
	c.whole = dev_open(O_NONBLOCK);
	c.view = dev_open(O_NONBLOCK);
	c.nobodys.fd = nobodys_socket();
	c.nobodys.family = c.family;
	if (dev_bind(c.whole, dev_session, CTRACE_CID_ALL, &c.whole_size) ||
	    dev_bind(c.view, dev_session, CTRACE_CID_HOST, &c.view_size) || c.nobodys.fd < 0)
		ksft_exit_fail_msg("cannot make what is handed to the callers\n");
	/* a socket of its own: the messages of two processes on one socket would mix */
	if (genl_open(&dev_genl))
		ksft_exit_fail_msg("no socket\n");
	busy = box_births("who", nothing, asked_for);
	memset(seen, '?', sizeof(seen));
	for (int who = 0; who < CALLERS; who++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv) || pipe(p))
			ksft_exit_fail_msg("no pipe\n");
		pid = fork();
		if (!pid)
			try_all(who, sv[1], p[1]);
		close(p[1]);
		close(sv[1]);
		fd = dev_open(O_NONBLOCK);
		dev_fd_send(sv[0], c.whole);
		dev_fd_send(sv[0], c.view);
		c.lost = dev_view(fd, dev_session, CTRACE_CID_HOST, NULL);
		dev_fd_send(sv[0], c.lost);
		close(c.lost);
		dev_fd_send(sv[0], fd);
		dev_fd_send(sv[0], c.owner.fd);
		dev_fd_send(sv[0], c.nobodys.fd);
		close(fd);
		if (read(p[0], seen[who], ROWS) != ROWS)
			ksft_print_msg("%s: no answer\n", callers[who]);
		waitpid(pid, &st, 0);
		if (st)
			ksft_print_msg("%s: status %#x\n", callers[who], st);
		close(p[0]);
		close(sv[0]);
	}
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	for (int who = 0; who < CALLERS; who++)
		ksft_print_msg("%*s%c %s\n", who, "", '|', callers[who]);
	for (size_t i = 0; i < ROWS; i++) {
		snprintf(want, sizeof(want), "%s", open_group && !strcmp(rows[i].what, GROUP) ? GROUP_OPEN :
			 rows[i].expected);
		/* before 5.8 there is no CAP_PERFMON */
		if (prctl(PR_CAPBSET_READ, 38) < 0)
			want[PERFMON] = want[NOBODY];
		for (int who = 0; who < CALLERS; who++)
			line[who] = seen[who][i];
		line[CALLERS] = 0;
		ksft_test_result(!strcmp(want, line), "%s %s: expected %s\n", line, rows[i].what, want);
	}
	ksft_test_result(says_guarded() != open_group, "the module's features say the same of the group\n");
	st = genl_session_do(&c.owner, CTRACE_CMD_SESSION_SET, c.others, 0);
	ksft_test_result(!st, "and the session is still its owner's (%s)\n", strerror(-st));
	ksft_finished();
}
