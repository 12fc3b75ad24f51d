// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/ioctls.h>
#include "event/call_memory.h"
#include "event/fd_name.h"
#include "compat/syscall.h"

/* --- which calls have what --------------------------------------------------------- */

#define IN	CTRACE_MEM_IN
#define OUT	0
#define PRIV	CTRACE_MEM_PRIVATE
#define BOTH	CTRACE_MEM_COMPAT

#define FIXED(a, n, f)		{ .arg = a, .how = CTRACE_MEM_FIXED, .flags = f, .max = n }
#define COUNT(a, b, u, n, f)	{ .arg = a, .how = CTRACE_MEM_COUNT, .by = b, .flags = f, .unit = u, .max = n }
#define AT(a, b, n, f)		{ .arg = a, .how = CTRACE_MEM_AT, .by = b, .flags = f, .max = n }
#define RET(a, u, n, f)		{ .arg = a, .how = CTRACE_MEM_RET, .flags = f, .unit = u, .max = n }
#define ADDR_IN(a, b)		COUNT(a, b, 1, SOCKADDR, CTRACE_MEM_IN | CTRACE_MEM_ADDRESS | CTRACE_MEM_COMPAT)
#define ADDR_OUT(a, b)		AT(a, b, SOCKADDR, CTRACE_MEM_ADDRESS | CTRACE_MEM_COMPAT)
#define BITS(a, b)		{ .arg = a, .how = CTRACE_MEM_BITS, .by = b, .flags = CTRACE_MEM_IN | CTRACE_MEM_AGAIN, .max = 128 }
#define IOVEC(a, b, f)								\
	{ .arg = a, .how = CTRACE_MEM_IOV, .by = b, .flags = CTRACE_MEM_IN, .unit = 16, .max = 16 * CTRACE_MEM_IOVECS }, \
	{ .arg = a, .how = CTRACE_MEM_IOV_BYTES, .by = b, .flags = (f) | PRIV, .max = CTRACE_DATA_MAX }
#define REMOTE(a, b)	{ .arg = a, .how = CTRACE_MEM_IOV, .by = b, .flags = IN, .unit = 16, .max = 16 * CTRACE_MEM_IOVECS }
#define MSGHDR(a, f)								\
	FIXED(a, 56, f), { .arg = a, .how = CTRACE_MEM_MSG_ADDR, .flags = (f) | CTRACE_MEM_ADDRESS, .max = SOCKADDR },	\
	{ .arg = a, .how = CTRACE_MEM_MSG_IOV, .flags = f, .max = 16 * CTRACE_MEM_IOVECS }, \
	{ .arg = a, .how = CTRACE_MEM_MSG_BYTES, .flags = (f) | PRIV, .max = CTRACE_DATA_MAX }

/* The kernel's own limit is sizeof(struct sockaddr_storage). */
#define SOCKADDR	128
#define TIMESPEC	16
#define NAME		255	/* of readlink(), getcwd() */

/*
 * The calls, and what of them. Sizes are those of the kernel's own structures for 64-bit programs; of longer ones, as
 * much as has what people ask for (the end of st_blocks, of stx_size, of ru_stime).
 */
static const struct {
	const char *calls;		/* separated by blanks */
	struct ctrace_memory of[6];
} table[] = {
	{ "connect bind", { ADDR_IN(1, 2) } },
	{ "accept accept4 getsockname getpeername", { ADDR_OUT(1, 2), FIXED(2, 4, OUT | BOTH) } },
	{ "sendto", { COUNT(1, 2, 1, CTRACE_DATA_MAX, IN | PRIV | BOTH), ADDR_IN(4, 5) } },
	{ "recvfrom", { RET(1, 1, CTRACE_DATA_MAX, OUT | PRIV | BOTH), ADDR_OUT(4, 5),
			FIXED(5, 4, OUT | BOTH) } },
	{ "send", { COUNT(1, 2, 1, CTRACE_DATA_MAX, IN | PRIV | BOTH) } },
	{ "recv", { RET(1, 1, CTRACE_DATA_MAX, OUT | PRIV | BOTH) } },
	{ "sendmsg", { MSGHDR(1, IN) } },
	{ "recvmsg", { MSGHDR(1, OUT) } },
	{ "setsockopt", { COUNT(3, 4, 1, 64, IN | BOTH) } },
	{ "getsockopt", { AT(3, 4, 64, OUT | BOTH), FIXED(4, 4, OUT | BOTH) } },
	{ "socketpair", { FIXED(3, 8, OUT | BOTH) } },
	{ "pipe pipe2", { FIXED(0, 8, OUT | BOTH) } },

	{ "write pwrite64", { COUNT(1, 2, 1, CTRACE_DATA_MAX, IN | PRIV | BOTH) } },
	{ "read pread64", { RET(1, 1, CTRACE_DATA_MAX, OUT | PRIV | BOTH) } },
	{ "readv preadv preadv2", { IOVEC(1, 2, OUT) } },
	{ "execve", { { .arg = 1, .how = CTRACE_MEM_ARGV, .flags = IN | BOTH, .max = CTRACE_MEM_ARGV_MAX } } },
	{ "execveat", { { .arg = 2, .how = CTRACE_MEM_ARGV, .flags = IN | BOTH, .max = CTRACE_MEM_ARGV_MAX } } },
	{ "readlink", { RET(1, 1, NAME, OUT | BOTH) } },
	{ "readlinkat", { RET(2, 1, NAME, OUT | BOTH) } },
	{ "getcwd", { RET(0, 1, NAME, OUT | BOTH) } },
	{ "writev pwritev pwritev2 vmsplice", { IOVEC(1, 2, IN) } },
	{ "process_vm_readv process_vm_writev", { IOVEC(1, 2, IN), REMOTE(3, 4) } },
	{ "getrandom", { RET(0, 1, CTRACE_DATA_MAX, OUT | PRIV | BOTH) } },
	{ "getxattr lgetxattr fgetxattr", { RET(2, 1, CTRACE_DATA_MAX, OUT | PRIV | BOTH) } },
	{ "setxattr lsetxattr fsetxattr", { COUNT(2, 3, 1, CTRACE_DATA_MAX, IN | PRIV | BOTH) } },
	{ "listxattr llistxattr flistxattr", { RET(1, 1, CTRACE_DATA_MAX, OUT | PRIV | BOTH) } },
	{ "mq_timedsend", { COUNT(1, 2, 1, CTRACE_DATA_MAX, IN | PRIV | BOTH), FIXED(4, TIMESPEC, IN) } },
	{ "mq_timedreceive", { RET(1, 1, CTRACE_DATA_MAX, OUT | PRIV | BOTH), FIXED(3, 4, OUT | BOTH),
			     FIXED(4, TIMESPEC, IN) } },

	{ "stat lstat fstat newstat newlstat newfstat", { FIXED(1, 72, OUT) } },
	{ "newfstatat", { FIXED(2, 72, OUT) } },
	{ "statx", { FIXED(4, 48, OUT | BOTH) } },
	{ "statfs fstatfs", { FIXED(1, 120, OUT) } },
	{ "openat2", { COUNT(2, 3, 1, 24, IN | BOTH) } },
	{ "fcntl", { { .arg = 2, .how = CTRACE_MEM_FCNTL, .by = 1, .flags = IN, .max = 32 } } },
	{ "_llseek llseek", { FIXED(3, 8, OUT | BOTH) } },
	{ "ioctl", { { .arg = 2, .how = CTRACE_MEM_IOCTL, .by = 1, .flags = BOTH, .max = 64 } } },

	{ "poll", { COUNT(0, 1, 8, 256, IN | CTRACE_MEM_AGAIN | BOTH) } },
	{ "ppoll", { COUNT(0, 1, 8, 256, IN | CTRACE_MEM_AGAIN | BOTH), FIXED(2, TIMESPEC, IN), COUNT(3, 4, 1, 8, IN | BOTH) } },
	{ "select", { BITS(1, 0), BITS(2, 0), BITS(3, 0), FIXED(4, TIMESPEC, IN) } },
	{ "pselect6", { BITS(1, 0), BITS(2, 0), BITS(3, 0), FIXED(4, TIMESPEC, IN), FIXED(5, 16, IN) } },
	{ "epoll_ctl", { FIXED(3, 12, IN | BOTH) } },
	{ "epoll_wait", { RET(1, 12, 32 * 12, OUT | BOTH) } },
	{ "epoll_pwait", { RET(1, 12, 32 * 12, OUT | BOTH), COUNT(4, 5, 1, 8, IN | BOTH) } },
	{ "epoll_pwait2", { RET(1, 12, 32 * 12, OUT | BOTH), FIXED(3, TIMESPEC, IN | BOTH),
			    COUNT(4, 5, 1, 8, IN | BOTH) } },

	{ "nanosleep", { FIXED(0, TIMESPEC, IN), FIXED(1, TIMESPEC, CTRACE_MEM_BROKEN) } },
	{ "clock_nanosleep", { FIXED(2, TIMESPEC, IN), FIXED(3, TIMESPEC, CTRACE_MEM_BROKEN) } },
	{ "clock_settime", { FIXED(1, TIMESPEC, IN) } },
	{ "clock_gettime clock_getres sched_rr_get_interval", { FIXED(1, TIMESPEC, OUT) } },
	{ "gettimeofday", { FIXED(0, TIMESPEC, OUT), FIXED(1, 8, OUT | BOTH) } },
	{ "settimeofday", { FIXED(0, TIMESPEC, IN), FIXED(1, 8, IN | BOTH) } },
	{ "futex", { FIXED(3, TIMESPEC, IN) } },
	{ "utimensat futimesat", { FIXED(2, 2 * TIMESPEC, IN) } },
	{ "utime", { FIXED(1, 16, IN) } },
	{ "semtimedop", { FIXED(3, TIMESPEC, IN) } },
	{ "io_getevents io_pgetevents", { FIXED(4, TIMESPEC, IN) } },
	{ "utimes", { FIXED(1, 2 * TIMESPEC, IN) } },
	{ "getitimer timer_gettime timerfd_gettime", { FIXED(1, 2 * TIMESPEC, OUT) } },
	{ "setitimer", { FIXED(1, 2 * TIMESPEC, IN), FIXED(2, 2 * TIMESPEC, OUT) } },
	{ "timer_settime timerfd_settime", { FIXED(2, 2 * TIMESPEC, IN), FIXED(3, 2 * TIMESPEC, OUT) } },
	{ "clock_gettime64 clock_getres_time64", { FIXED(1, TIMESPEC, OUT | BOTH) } },
	{ "clock_settime64", { FIXED(1, TIMESPEC, IN | BOTH) } },
	{ "clock_nanosleep_time64 utimensat_time64", { FIXED(2, TIMESPEC, IN | BOTH) } },
	{ "futex_time64", { FIXED(3, TIMESPEC, IN | BOTH) } },

	{ "rt_sigaction", { FIXED(1, 32, IN), FIXED(2, 32, OUT) } },
	{ "rt_sigprocmask", { COUNT(1, 3, 1, 8, IN | BOTH), COUNT(2, 3, 1, 8, OUT | BOTH) } },
	{ "rt_sigpending", { COUNT(0, 1, 1, 8, OUT | BOTH) } },
	{ "rt_sigsuspend", { COUNT(0, 1, 1, 8, IN | BOTH) } },
	{ "rt_sigtimedwait", { COUNT(0, 3, 1, 8, IN), FIXED(1, 48, OUT), FIXED(2, TIMESPEC, IN) } },
	{ "rt_sigqueueinfo", { FIXED(2, 48, IN) } },
	{ "rt_tgsigqueueinfo", { FIXED(3, 48, IN) } },
	{ "signalfd4 signalfd", { COUNT(1, 2, 1, 8, IN | BOTH) } },
	{ "sigaltstack", { FIXED(0, 24, IN), FIXED(1, 24, OUT) } },

	{ "getrlimit", { FIXED(1, 16, OUT) } },
	{ "setrlimit", { FIXED(1, 16, IN) } },
	{ "prlimit64", { FIXED(2, 16, IN | BOTH), FIXED(3, 16, OUT | BOTH) } },
	{ "getrusage", { FIXED(1, 32, OUT) } },
	{ "wait4", { FIXED(1, 4, OUT | BOTH), FIXED(3, 32, OUT) } },
	{ "waitpid", { FIXED(1, 4, OUT | BOTH) } },
	{ "waitid", { FIXED(2, 48, OUT), FIXED(4, 32, OUT) } },
	{ "sysinfo", { FIXED(0, 112, OUT) } },
	{ "uname newuname", { FIXED(0, 390, OUT | BOTH) } },
	{ "times", { FIXED(0, 32, OUT) } },
	{ "clone3", { COUNT(0, 1, 1, 88, IN | BOTH) } },
	{ "sched_setaffinity", { COUNT(2, 1, 1, 128, IN) } },
	{ "sched_getaffinity", { RET(2, 1, 128, OUT) } },
	{ "sched_setscheduler", { FIXED(2, 4, IN | BOTH) } },
	{ "sched_setparam", { FIXED(1, 4, IN | BOTH) } },
	{ "sched_getparam", { FIXED(1, 4, OUT | BOTH) } },
	{ "capget capset", { FIXED(0, 8, IN | BOTH) } },
	{ "time", { FIXED(0, 8, OUT) } },
	{ "pidfd_send_signal", { FIXED(2, 48, IN) } },
	{ "recvmmsg", { FIXED(4, TIMESPEC, IN) } },
	{ "getresuid getresgid", { FIXED(0, 4, OUT | BOTH), FIXED(1, 4, OUT | BOTH), FIXED(2, 4, OUT | BOTH) } },
	{ "getgroups", { RET(1, 4, 128, OUT | BOTH) } },
	{ "setgroups", { COUNT(1, 0, 4, 128, IN | BOTH) } },
	{ "sendfile", { FIXED(2, 8, IN) } },
	{ "splice copy_file_range", { FIXED(1, 8, IN | BOTH), FIXED(3, 8, IN | BOTH) } },
};

/* Calls that return a descriptor. */
static const char makers[] =
	" open openat openat2 open_by_handle_at creat socket accept accept4 dup dup2 dup3 epoll_create epoll_create1"
	" eventfd eventfd2 inotify_init inotify_init1 timerfd_create signalfd signalfd4 memfd_create memfd_secret"
	" pidfd_open pidfd_getfd perf_event_open userfaultfd fanotify_init io_uring_setup mq_open fsopen fspick fsmount"
	" open_tree landlock_create_ruleset ";

/* --- which field is which ----------------------------------------------------------- */

struct field {
	struct ctrace_memory m;
	u8 phases;		/* bits of enum ctrace_call_phase: which records have it */
	char *name;
};

static struct field *fields __read_mostly;
static u32 nfields, room;

struct ctrace_memory_fields ctrace_memory_fields[2][CTRACE_NR_SYSCALLS] __read_mostly;

static bool one_of(const char *list, const char *name)
{
	size_t n = strlen(name);
	const char *at = list;

	while ((at = strstr(at, name))) {
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
		at += n;
	}
	return false;
}

static bool is_descriptor(const struct ctrace_syscall *c, u32 i)
{
	size_t n = strlen(c->args[i]);

	if (c->kinds[i] == 'P' || c->kinds[i] == 'T' || !strcmp(c->name, "close_range"))
		return false;
	return !strcmp(c->args[i], "fildes") || (strstr(c->args[i], "fd") && c->args[i][n - 1] != 's');
}

static u8 phases(const struct ctrace_memory *m)
{
	bool in = m->flags & CTRACE_MEM_IN || m->how == CTRACE_MEM_PATH;
	u8 of = BIT(CTRACE_CALL_WHOLE);

	if (in)
		of |= BIT(CTRACE_CALL_ENTRY);
	if (!in || m->flags & CTRACE_MEM_AGAIN)
		of |= BIT(CTRACE_CALL_EXIT);
	return of;
}

static int add(const char *arg, const struct ctrace_memory *m)
{
	static const char *const suffix[] = {
		[CTRACE_MEM_IOV_BYTES] = "bytes", [CTRACE_MEM_MSG_BYTES] = "bytes", [CTRACE_MEM_MSG_ADDR] = "addr",
		[CTRACE_MEM_MSG_IOV] = "iov", [CTRACE_MEM_PATH] = "path", [CTRACE_MEM_RET_PATH] = "path",
	};
	struct field *f = &fields[nfields];

	if (WARN_ON_ONCE(nfields == room))
		return -ENOMEM;
	f->m = *m;
	f->phases = phases(m);
	f->name = kasprintf(GFP_KERNEL, "%s_%s", arg, suffix[m->how] ?: "data");
	if (!f->name)
		return -ENOMEM;
	nfields++;
	return 0;
}

static int add_memories(const struct ctrace_syscall *c, bool is32)
{
	const struct ctrace_memory *m;
	int err = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (one_of(table[i].calls, c->name))
			break;
	if (i == ARRAY_SIZE(table))
		return 0;
	for (m = table[i].of; !err && m < table[i].of + ARRAY_SIZE(table[i].of) && m->max; m++)
		if (m->arg < strlen(c->kinds) && c->kinds[m->arg] != 'T' && (!is32 || m->flags & CTRACE_MEM_COMPAT))
			err = add(c->args[m->arg], m);
	return err;
}

static int add_paths(const struct ctrace_syscall *c)
{
	struct ctrace_memory m = { .how = CTRACE_MEM_PATH, .max = CTRACE_STR_MAX };
	int err = 0;

	for (m.arg = 0; !err && c->kinds[m.arg]; m.arg++)
		if (is_descriptor(c, m.arg))
			err = add(c->args[m.arg], &m);
	if (!strncmp(c->name, "fcntl", 5))
		m.by = 1;
	m.how = CTRACE_MEM_RET_PATH;
	if (!err && (m.by || one_of(makers, c->name)))
		err = add("ret", &m);
	return err;
}

static bool is_path(const struct ctrace_memory *m)
{
	return m->how == CTRACE_MEM_PATH || m->how == CTRACE_MEM_RET_PATH;
}

/* Only sessions that ask for it get any. */
static bool is_detail(const struct ctrace_memory *m)
{
	return is_path(m) || m->flags & CTRACE_MEM_PRIVATE;
}

/* Of the fields that a record of that phase has. */
struct tail {
	u32 len;	/* bytes if all are empty */
	bool all;	/* for every session, some are not */
	bool data;	/* some are bytes: these begin at a place that depends on the strings before them */
};

static struct tail tail(u32 first, u8 phase)
{
	struct tail t = {};
	u32 i;

	for (i = first; i < nfields; i++) {
		if (!(fields[i].phases & BIT(phase)))
			continue;
		t.all |= !is_detail(&fields[i].m);
		t.data |= !is_path(&fields[i].m);
		t.len += is_path(&fields[i].m) ? 1 : sizeof(u32);
	}
	return t;
}

static int add_call(u32 nr, bool is32, const struct ctrace_syscall *c)
{
	struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[is32][nr];
	struct ctrace_memory_fields *of = &ctrace_memory_fields[is32][nr];
	struct tail entry, exit, whole;
	u32 first = nfields, i;
	int err;

	err = add_memories(c, is32) ?: add_paths(c);
	if (err)
		return err;
	of->first = first;
	of->n = nfields - first;
	l->closes = !strcmp(c->name, "close");
	for (i = first; i < nfields; i++)
		l->detail |= is_detail(&fields[i].m);
	entry = tail(first, CTRACE_CALL_ENTRY);
	exit = tail(first, CTRACE_CALL_EXIT);
	whole = tail(first, CTRACE_CALL_WHOLE);
	l->tail = whole.len;
	l->room |= whole.all;
	l->exit = exit.len;
	l->out = exit.all;
	of->whole = whole.data ? CTRACE_MEM_OTHERS : whole.len;
	of->entry = entry.data ? CTRACE_MEM_OTHERS : entry.len;
	/* the quick way has one word of zeros */
	l->in = l->strings || entry.all || entry.len > sizeof(u64);
	l->len = l->in ? 0 : l->len + (entry.len ? sizeof(u64) : 0);
	return 0;
}

int ctrace_memory_init(const struct ctrace_syscall *(*call)(u32 nr, bool is32))
{
	const struct ctrace_syscall *c;
	int err = 0;
	u32 nr, i;

	BUILD_BUG_ON(sizeof(struct ctrace_syscall_layout) != 8);
	room = 2048;
	fields = vzalloc(room * sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	for (i = 0; i < 2; i++)
		for (nr = 0; !err && nr < CTRACE_NR_SYSCALLS; nr++) {
			c = call(nr, i);
			if (c)
				err = add_call(nr, i, c);
		}
	if (err)
		ctrace_memory_exit();
	return err;
}

void ctrace_memory_exit(void)
{
	while (nfields)
		kfree(fields[--nfields].name);
	vfree(fields);
}

u32 ctrace_memory_describe(u32 nr, bool is32, u8 phase, struct ctrace_field_desc *f)
{
	u32 first = ctrace_memory_fields[is32][nr].first, i, n = 0;

	for (i = first; i < first + ctrace_memory_fields[is32][nr].n; i++) {
		const struct ctrace_memory *m = &fields[i].m;

		if (!(fields[i].phases & BIT(phase)))
			continue;
		memset(&f[n], 0, sizeof(f[n]));
		f[n].name = fields[i].name;
		f[n].kind = is_path(m) ? CTRACE_FK_STRING : CTRACE_FK_SEQ;
		f[n].size = is_path(m) ? 0 : 1;
		f[n].display = m->flags & CTRACE_MEM_ADDRESS ? CTRACE_FD_SOCKADDR : CTRACE_FD_DEFAULT;
		n++;
	}
	return n;
}

/* --- reading ------------------------------------------------------------------------- */

/* The program's own, of 64 bits. */
struct piece {
	u64 base, len;
};

struct msg {
	u64 name;
	u32 name_len, pad;
	u64 iov, iov_len, control, control_len;
	u32 flags;
};

static bool read_user(void *to, u64 from, u32 n)
{
	return from && !ctrace_compat_read_user(to, (const void __user *)(uintptr_t)from, n);
}

/* n bytes, or none */
static u32 copy(char *to, u64 from, u32 n)
{
	return n && read_user(to, from, n) ? n : 0;
}

static u32 elements(u64 count, u32 unit, u32 max)
{
	return min_t(u64, count, max / unit) * unit;
}

/* The kernel's struct termios, and those of a few words; requests that say their size themselves are as old as these. */
static u32 ioctl_size(u32 request)
{
	switch (request) {
	case TCGETS:
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
		return 36;
	case TIOCGWINSZ:
	case TIOCSWINSZ:
		return 8;
	case FIONREAD:
	case FIONBIO:
	case FIOASYNC:
	case TIOCGPGRP:
	case TIOCSPGRP:
	case TIOCGSID:
	case TIOCOUTQ:
	case TIOCGPTN:
	case TIOCSPTLCK:
		return 4;
	default:
		return 0;
	}
}

static u32 fcntl_size(u32 command)
{
	switch (command) {
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return 32;
	case F_GETOWN_EX:
	case F_SETOWN_EX:
		return 8;
	default:
		return 0;
	}
}

static u32 size(const struct ctrace_memory *m, const struct ctrace_memory_call *c)
{
	u64 by = c->args[m->by];
	u32 n;

	switch (m->how) {
	case CTRACE_MEM_FIXED:
		return m->max;
	case CTRACE_MEM_COUNT:
		return elements(by, m->unit, m->max);
	case CTRACE_MEM_AT:
		return read_user(&n, by, sizeof(n)) ? n : 0;
	case CTRACE_MEM_RET:
		return elements(c->ret, m->unit, m->max);
	case CTRACE_MEM_BITS:
		return (s32)by > 0 ? ((u32)by + 63) / 64 * 8 : 0;
	case CTRACE_MEM_IOCTL:
		return ioctl_size(by);
	case CTRACE_MEM_FCNTL:
		return fcntl_size(by);
	default:
		return 0;
	}
}

static u32 put_iov(char *to, u64 iov, u64 count, u32 max)
{
	return copy(to, iov, elements(count, sizeof(struct piece), min_t(u32, max, CTRACE_MEM_IOVECS * sizeof(struct piece))));
}

/* most: bytes that the pieces have in all */
static u32 put_pieces(char *to, u64 iov, u64 count, u64 most, u32 max)
{
	struct piece p;
	u32 i, n, len = 0;

	max = min_t(u64, max, most);
	for (i = 0; i < min_t(u64, count, CTRACE_MEM_IOVECS) && len < max; i++) {
		if (!read_user(&p, iov + i * sizeof(p), sizeof(p)))
			break;
		n = copy(to + len, p.base, min_t(u64, p.len, max - len));
		len += n;
		if (n < p.len)
			break;
	}
	return len;
}

u32 ctrace_memory_argv(char *to, u64 from, bool is32, u32 max)
{
	u32 each = is32 ? sizeof(u32) : sizeof(u64), len = 0;
	u64 at;
	long n;

	for (; len < max; from += each) {
		at = 0;
		if (!read_user(&at, from, each) || !at)
			break;
		n = ctrace_compat_read_user_string(to + len, (const char __user *)(uintptr_t)at, max - len);
		if (n < 0)
			break;
		len += n;
		if (len < max - 1)	/* not cut: its NUL counts */
			len++;
		else
			break;
	}
	return len;
}

/* At most max bytes of the field. */
static u32 put_field(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	u64 from = c->args[m->arg], most = m->flags & CTRACE_MEM_IN ? ~0ull : (u64)c->ret;
	struct msg msg;

	max = min_t(u32, max, m->max);
	switch (m->how) {
	case CTRACE_MEM_IOV:
		return put_iov(to, from, c->args[m->by], max);
	case CTRACE_MEM_IOV_BYTES:
		return put_pieces(to, from, c->args[m->by], most, max);
	case CTRACE_MEM_MSG_ADDR:
	case CTRACE_MEM_MSG_IOV:
	case CTRACE_MEM_MSG_BYTES:
		if (!read_user(&msg, from, sizeof(msg)))
			return 0;
		if (m->how == CTRACE_MEM_MSG_ADDR)
			return copy(to, msg.name, min(msg.name_len, max));
		if (m->how == CTRACE_MEM_MSG_IOV)
			return put_iov(to, msg.iov, msg.iov_len, max);
		return put_pieces(to, msg.iov, msg.iov_len, most, max);
	case CTRACE_MEM_ARGV:
		if (!c->argv)
			return ctrace_memory_argv(to, from, c->is32, max);
		max = min(max, c->argv_len);
		memcpy(to, c->argv, max);
		return max;
	default:
		return copy(to, from, min(size(m, c), max));
	}
}

static u32 put_memory(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	bool broken = c->ret == -EINTR || c->ret == -ERESTART_RESTARTBLOCK;

	if (m->flags & CTRACE_MEM_BROKEN ? !broken : !(m->flags & CTRACE_MEM_IN) && IS_ERR_VALUE(c->ret))
		return 0;
	if (m->flags & CTRACE_MEM_PRIVATE)
		max = min(max, c->detail->data);
	return put_field(m, c, to, max);
}

static u32 put_path(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	long fd = m->how == CTRACE_MEM_PATH ? (int)c->args[m->arg] : c->ret;

	*to = 0;
	if (!c->detail->paths || max < CTRACE_STR_MAX)
		return 1;
	if (m->how == CTRACE_MEM_RET_PATH && m->by && c->args[m->by] != F_DUPFD && c->args[m->by] != F_DUPFD_CLOEXEC)
		return 1;
	if (c->closed && m->how == CTRACE_MEM_PATH)
		return strscpy(to, c->closed, CTRACE_STR_MAX) + 1;
	return fd == AT_FDCWD ? ctrace_cwd_name(to, CTRACE_STR_MAX) : fd < 0 ? 1 : ctrace_fd_name(fd, to, CTRACE_STR_MAX);
}

u32 ctrace_memory_put(const struct ctrace_memory_call *c, char *to, u32 len, u32 max)
{
	const struct ctrace_memory_fields *of = &ctrace_memory_fields[c->is32][c->nr];
	const struct field *f = &fields[of->first], *end = f + of->n;
	u32 left, bytes;

	for (; f < end; f++) {
		const struct ctrace_memory *m = &f->m;

		if (!(f->phases & BIT(c->phase)))
			continue;
		/* the fields behind this one need what they need if they are empty */
		left = len + (end - f) * (3 + sizeof(u32));
		left = left < max ? max - left : 0;
		if (is_path(m)) {
			len += put_path(m, c, to + len, left);
			continue;
		}
		memset(to + len, 0, sizeof(u32));
		len = ALIGN(len, 4);
		bytes = put_memory(m, c, to + len + sizeof(u32), left);
		*(u32 *)(to + len) = bytes;
		len += sizeof(u32) + bytes;
	}
	return len;
}
