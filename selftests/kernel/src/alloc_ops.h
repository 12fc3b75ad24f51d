/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc_ops.h: the operations that alloc_fails runs with a fault, and what each needs beforehand. They are
 * everything that a caller can ask of the module, and what the module does by itself when a container is
 * born.
 */
#ifndef ALLOC_OPS_H
#define ALLOC_OPS_H

#include "dev.h"
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct {
	struct genl g;
	int session, probe, target, fd, cgroup, other;
	void *map;
	uint64_t size;
} x;
static struct msg m;
static const char *module = "/ctrace/ctrace.ko";

struct op {
	const char *name;
	int (*prepare)(const struct op *o);	/* 0 or -errno */
	int (*act)(const struct op *o);		/* with the fault */
	int (*check)(const struct op *o);	/* if it succeeded, did it succeed as a whole? Or NULL */
	const char *arg;
	uint32_t a;
	uint32_t nlflags;			/* of the message */
	uint32_t flags;				/* of the session that exists before */
	const char *thread;			/* the kernel thread that gets the fault; NULL: our own */
};

/*
 * A function that is hardly ever called, and that ftrace leaves alone. A kprobe by ftrace needs memory to
 * be removed. If there is none, the kernel (6.1) says so, and continues to use freed memory.
 */
#define QUIET	"ktime_get_boot_fast_ns"
#define DEF	"p:allocfails " QUIET " a=%di b=+0(%si):string c=$comm"

static void begin(uint8_t cmd)
{
	uint32_t at;

	msg_new(&m, x.g.family, cmd, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, x.session);
	msg_nest_end(&m, at);
}

/* --- what exists before ------------------------------------------------------------ */

static int with_socket(const struct op *o)
{
	struct timeval patience = { .tv_sec = 60 };
	int err = genl_open(&x.g);

	(void)o;
	if (!err)
		setsockopt(x.g.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return err;
}

static int with_session(const struct op *o)
{
	struct genl_sizes z = { .arena = 512 << 10, .ring = 32 << 10, .flags = o->flags };
	int err = with_socket(o);

	if (err)
		return err;
	x.session = genl_session_new(&x.g, &z);
	return x.session < 0 ? x.session : 0;
}

static int with_probe(const struct op *o)
{
	int err = with_session(o);

	if (!err)
		err = x.probe = genl_probe_add(&x.g, x.session, "syscall:getpriority");
	if (err >= 0)
		err = x.target = genl_target_add(&x.g, x.session, CTRACE_TARGET_ALL, 0);
	return err < 0 ? err : 0;
}

static int with_running(const struct op *o)
{
	int err = with_probe(o);

	return err ?: genl_session_do(&x.g, CTRACE_CMD_SESSION_SET, x.session, 1);
}

static int with_device(const struct op *o)
{
	int err = with_running(o);

	x.fd = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC);
	return x.fd < 0 ? -errno : err;
}

static int with_bound(const struct op *o)
{
	int err = with_device(o);

	if (!err)
		err = dev_bind(x.fd, x.session, o->a, &x.size);
	for (int i = 0; i < 10; i++)
		getpriority(0x4d41524b, i);
	return err;
}

#define CGROUP	"allocfails"

static int with_cgroup(const struct op *o)
{
	int err = with_session(o);

	mkdir("/sys/fs/cgroup/" CGROUP, 0755);
	x.cgroup = open("/sys/fs/cgroup/" CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return x.cgroup < 0 ? -errno : err;
}

static int event(const char *text, uint8_t cmd)
{
	uint32_t at;

	msg_new(&m, x.g.family, cmd, 0);
	at = msg_nest(&m, CTRACE_A_EVENT);
	msg_str(&m, cmd == CTRACE_CMD_EVENT_NEW ? CTRACE_A_EVENT_DEFINITION : CTRACE_A_EVENT_NAME, text);
	msg_nest_end(&m, at);
	return genl_call(&x.g, &m, NULL, NULL);
}

static int with_event(const struct op *o)
{
	int err = with_session(o);

	return err ?: event(DEF, CTRACE_CMD_EVENT_NEW);
}

static int without_module(const struct op *o)
{
	(void)o;
	for (int i = 0; i < 100; i++) {
		if (!syscall(SYS_delete_module, "ctrace", O_NONBLOCK) || errno == ENOENT) {
			x.fd = open(module, O_RDONLY | O_CLOEXEC);
			return x.fd < 0 ? -errno : 0;
		}
		usleep(50000);
	}
	return -errno;
}

/* --- what runs with the fault -------------------------------------------------------------- */

static int session_new(const struct op *o)
{
	uint32_t at, id = 0;

	msg_new(&m, x.g.family, CTRACE_CMD_SESSION_NEW, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u64(&m, CTRACE_A_SESSION_ARENA_SIZE, 256 << 10);
	msg_u64(&m, CTRACE_A_SESSION_RING_SIZE, 16 << 10);
	if (o->arg)
		msg_str(&m, CTRACE_A_SESSION_FILTER, o->arg);
	if (o->a)
		msg_u32(&m, CTRACE_A_SESSION_RATE, o->a);
	msg_nest_end(&m, at);
	return genl_call(&x.g, &m, genl_session_fn, &id);
}

static int session_set(const struct op *o)
{
	return genl_session_do(&x.g, CTRACE_CMD_SESSION_SET, x.session, o->a);
}

static int session_del(const struct op *o)
{
	(void)o;
	return genl_session_do(&x.g, CTRACE_CMD_SESSION_DEL, x.session, -1);
}

static int simple(const struct op *o)
{
	msg_new(&m, x.g.family, o->a, o->nlflags);
	return genl_call(&x.g, &m, NULL, NULL);
}

/* "NAME|FILTER" */
static int probe_add(const struct op *o)
{
	const char *bar = strchr(o->arg, '|');
	char name[200];
	uint32_t at;

	snprintf(name, sizeof(name), "%.*s", bar ? (int)(bar - o->arg) : 199, o->arg);
	begin(CTRACE_CMD_PROBE_ADD);
	at = msg_nest(&m, CTRACE_A_PROBE);
	msg_str(&m, CTRACE_A_PROBE_NAME, name);
	if (bar && bar[1])
		msg_str(&m, CTRACE_A_PROBE_FILTER, bar + 1);
	if (bar)
		msg_u32(&m, CTRACE_A_PROBE_ONE_OF, 3);
	if (o->a)
		msg_u32(&m, CTRACE_A_PROBE_FLAGS, o->a);
	msg_nest_end(&m, at);
	return genl_call(&x.g, &m, NULL, NULL);
}

static int probe_del(const struct op *o)
{
	uint32_t at;

	(void)o;
	begin(CTRACE_CMD_PROBE_DEL);
	at = msg_nest(&m, CTRACE_A_PROBE);
	msg_u32(&m, CTRACE_A_PROBE_ID, x.probe);
	msg_nest_end(&m, at);
	return genl_call(&x.g, &m, NULL, NULL);
}

static int target_del(const struct op *o)
{
	(void)o;
	return genl_target_del(&x.g, x.session, x.target);
}

static int target_add(const struct op *o)
{
	uint32_t value = o->a == CTRACE_TARGET_PID ? (uint32_t)getpid() :
			 o->a == CTRACE_TARGET_CGROUP ? (uint32_t)x.cgroup : 0;
	int err = genl_target_add(&x.g, x.session, o->a, value);

	return err < 0 ? err : 0;
}

static int path_fn(const struct nlmsghdr *h, void *arg)
{
	size_t n;
	const char *path = msg_get(h, CTRACE_A_TARGET, CTRACE_A_TARGET_PATH, &n);

	*(bool *)arg = path && !strcmp(path, "/" CGROUP);
	return 0;
}

/* A target without its path would miss the cgroups below it. */
static int has_path(const struct op *o)
{
	bool has = false;
	int err;

	(void)o;
	msg_new(&m, x.g.family, CTRACE_CMD_TARGET_GET, NLM_F_DUMP);
	err = genl_call(&x.g, &m, path_fn, &has);
	return err ?: has ? 0 : -EPROTO;
}

static int event_new(const struct op *o)
{
	return event(o->arg, CTRACE_CMD_EVENT_NEW);
}

static int event_del(const struct op *o)
{
	(void)o;
	return event("allocfails", CTRACE_CMD_EVENT_DEL);
}

static int dev_opened(const struct op *o)
{
	(void)o;
	x.other = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC);
	return x.other < 0 ? -errno : 0;
}

static int bound(const struct op *o)
{
	return dev_bind(x.fd, x.session, o->a, &x.size);
}

static int mapped(const struct op *o)
{
	volatile char *p;

	(void)o;
	x.map = mmap(NULL, x.size, PROT_READ, MAP_SHARED, x.fd, 0);
	if (x.map == MAP_FAILED)
		return -errno;
	for (p = x.map; p < (char *)x.map + x.size; p += 4096)
		(void)*p;
	return 0;
}

static int polled(const struct op *o)
{
	struct epoll_event e = { .events = EPOLLIN };
	struct pollfd p = { .fd = x.fd, .events = POLLIN };
	int ep, err = 0;

	(void)o;
	if (poll(&p, 1, 0) < 0)
		return -errno;
	ep = epoll_create1(EPOLL_CLOEXEC);
	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, x.fd, &e))
		err = -errno;
	close(ep);
	return err;
}

static int was_read(const struct op *o)
{
	static char buf[8192];

	(void)o;
	return read(x.fd, buf, sizeof(buf)) < 0 ? -errno : 0;
}

static int subscribed(const struct op *o)
{
	(void)o;
	return setsockopt(x.g.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &x.g.mcgrp,
			  sizeof(x.g.mcgrp)) ? -errno : 0;
}

/* A container is born and dies. There is no caller to return an error to, but an error must do no harm. */
static int born(const struct op *o)
{
	int status;
	pid_t pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);

	(void)o;
	if (pid < 0)
		return -errno;
	if (!pid) {
		for (int i = 0; i < 3; i++)
			getpriority(0x4d41524b, i);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

static int cgroup_made(const struct op *o)
{
	char path[128] = "/sys/fs/cgroup/";

	(void)o;
	memset(path + 15, 'a', 64);
	/* It exists already if its removal failed. */
	if (mkdir(path, 0755) && errno != EEXIST)
		return -errno;
	return rmdir(path) ? -errno : 0;
}

static int loaded(const struct op *o)
{
	(void)o;
	return syscall(SYS_finit_module, x.fd, "", 0) ? -errno : 0;
}

static const struct op ops[] = {
	{ "info_get", with_socket, .act = simple, .a = CTRACE_CMD_INFO_GET },
	{ "session_new", with_socket, .act = session_new },
	{ "session_new filter", with_socket, .act = session_new, .arg = "$comm ~ \"a*\" && $uid != 3" },
	{ "session_new rate", with_socket, .act = session_new, .arg = "$cid == 0", .a = 100 },
	{ "session_start", with_probe, .act = session_set, .a = 1 },
	{ "session_start statedump", with_probe, .act = session_set, .a = 1, .flags = CTRACE_SESSION_F_STATEDUMP },
	{ "session_stop", with_running, .act = session_set, .a = 0 },
	{ "session_del", with_running, .act = session_del },
	{ "probe_add syscalls", with_session, .act = probe_add, .arg = "syscalls" },
	{ "probe_add syscall", with_session, .act = probe_add, .arg = "syscall:openat|$comm ~ \"a*\"" },
	{ "probe_add calls", with_session, .act = probe_add, .arg = "calls" },
	{ "probe_add call", with_session, .act = probe_add, .arg = "call:openat|ret < 0", .a = 3 },
	{ "probe_add event", with_session, .act = probe_add, .arg = "sched_switch|prev_prio > 3" },
	{ "probe_add block", with_session, .act = probe_add, .arg = "block_rq_issue" },
	{ "probe_add page fault", with_session, .act = probe_add, .arg = "page_fault_user" },
	{ "probe_add tracepoint", with_session, .act = probe_add, .arg = "workqueue:workqueue_queue_work|arg1 > 3" },
	{ "probe_add raw", with_session, .act = probe_add, .arg = "raw:sched_switch" },
	{ "probe_add kprobe", with_session, .act = probe_add, .arg = "kprobe:" QUIET },
	{ "probe_add kretprobe", with_session, .act = probe_add, .arg = "kretprobe:" QUIET },
	{ "probe_add p", with_session, .act = probe_add, .arg = DEF "|a > 1" },
	{ "probe_add r", with_session, .act = probe_add, .arg = "r8:allocret " QUIET " n=$retval:s64|n < 0", .a = 1 },
	{ "probe_add defined", with_event, .act = probe_add, .arg = "allocfails" },
	{ "probe_add sample", with_session, .act = probe_add, .arg = "sample:99|" },
	{ "probe_add sample, on CPU 0", with_session, .act = probe_add, .arg = "sample:99", .thread = "cpuhp/0" },
	{ "probe_add sample, on CPU 1", with_session, .act = probe_add, .arg = "sample:99", .thread = "cpuhp/1" },
	{ "probe_del", with_probe, .act = probe_del },
	{ "event_new", with_session, .act = event_new, .arg = DEF },
	{ "event_del", with_event, .act = event_del },
	{ "target_add all", with_session, .act = target_add, .a = CTRACE_TARGET_ALL },
	{ "target_add cid", with_session, .act = target_add, .a = CTRACE_TARGET_CID },
	{ "target_add pid", with_session, .act = target_add, .a = CTRACE_TARGET_PID },
	{ "target_add cgroup", with_cgroup, .act = target_add, .check = has_path, .a = CTRACE_TARGET_CGROUP },
	{ "target_del", with_probe, .act = target_del },
	{ "sessions", with_running, .act = simple, .a = CTRACE_CMD_SESSION_GET, .nlflags = NLM_F_DUMP },
	{ "probes", with_running, .act = simple, .a = CTRACE_CMD_PROBE_GET, .nlflags = NLM_F_DUMP },
	{ "targets", with_running, .act = simple, .a = CTRACE_CMD_TARGET_GET, .nlflags = NLM_F_DUMP },
	{ "containers", with_running, .act = simple, .a = CTRACE_CMD_CONTAINER_GET, .nlflags = NLM_F_DUMP },
	{ "events", with_running, .act = simple, .a = CTRACE_CMD_EVENT_GET, .nlflags = NLM_F_DUMP },
	{ "stats", with_running, .act = simple, .a = CTRACE_CMD_STATS_GET, .nlflags = NLM_F_DUMP },
	{ "tracepoints", with_running, .act = simple, .a = CTRACE_CMD_TRACEPOINT_GET, .nlflags = NLM_F_DUMP },
	{ "tasks", with_running, .act = simple, .a = CTRACE_CMD_TASK_GET, .nlflags = NLM_F_DUMP },
	{ "requests", with_running, .act = simple, .a = CTRACE_CMD_REQUEST_GET, .nlflags = NLM_F_DUMP },
	{ "frozen", with_running, .act = simple, .a = CTRACE_CMD_FROZEN_GET, .nlflags = NLM_F_DUMP },
	{ "open", with_running, .act = dev_opened },
	{ "bind", with_device, .act = bound, .a = CTRACE_CID_ALL },
	{ "bind container", with_device, .act = bound, .a = CTRACE_CID_HOST },
	{ "mmap", with_bound, .act = mapped, .a = CTRACE_CID_ALL },
	{ "mmap container", with_bound, .act = mapped, .a = CTRACE_CID_HOST },
	{ "poll", with_bound, .act = polled, .a = CTRACE_CID_ALL },
	{ "read", with_bound, .act = was_read, .a = CTRACE_CID_ALL },
	{ "read container", with_bound, .act = was_read, .a = CTRACE_CID_HOST },
	{ "subscribe", with_socket, .act = subscribed },
	{ "container", with_running, .act = born },
	{ "cgroup", with_running, .act = cgroup_made },
	{ "insmod", without_module, .act = loaded },
};

#endif
