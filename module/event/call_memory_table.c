// SPDX-License-Identifier: GPL-2.0-only
/* Which calls have what: the memory that arguments point to. */
#include <linux/kernel.h>
#include "event/call_memory.h"

#define IN	CTRACE_MEM_IN
#define OUT	0
#define AGAIN	CTRACE_MEM_AGAIN
#define CHANGED	(CTRACE_MEM_IN | CTRACE_MEM_AGAIN | CTRACE_MEM_BEFORE)
#define BROKEN	CTRACE_MEM_BROKEN
#define PRIV	CTRACE_MEM_PRIVATE
#define BOTH	CTRACE_MEM_COMPAT

#define FIXED(a, n, f)		{ .arg = a, .how = CTRACE_MEM_FIXED, .flags = f, .max = n }
/* n bytes for 64-bit programs, m for 32-bit ones */
#define SIZES(a, n, m, f)	{ .arg = a, .how = CTRACE_MEM_FIXED, .flags = f, .max = n, .narrow = m }
#define COUNT(a, b, u, n, f)	{ .arg = a, .how = CTRACE_MEM_COUNT, .by = b, .flags = f, .unit = u, .max = n }
#define AT(a, b, n, f)		{ .arg = a, .how = CTRACE_MEM_AT, .by = b, .flags = f, .max = n }
#define RET(a, u, n, f)		{ .arg = a, .how = CTRACE_MEM_RET, .flags = f, .unit = u, .max = n }
#define DATA_IN(a, b)		COUNT(a, b, 1, CTRACE_DATA_MAX, IN | PRIV | BOTH)
#define DATA_OUT(a)		RET(a, 1, CTRACE_DATA_MAX, OUT | PRIV | BOTH)
#define ADDR_IN(a, b)		COUNT(a, b, 1, SOCKADDR, IN | CTRACE_MEM_ADDRESS | BOTH)
#define ADDR_OUT(a, b)		AT(a, b, SOCKADDR, OUT | CTRACE_MEM_ADDRESS | BOTH)
#define SIGSET(a, b, f)		COUNT(a, b, 1, 8, (f) | BOTH)
#define BITS(a, b)		{ .arg = a, .how = CTRACE_MEM_BITS, .by = b, .flags = CHANGED | BOTH, .max = 128 }
#define STRING(a, b, u)		{ .arg = a, .how = CTRACE_MEM_STRING, .by = b, .unit = u, .flags = IN | BOTH, .max = 512 }
#define VARS(a)			{ .arg = a, .how = CTRACE_MEM_VARS, .flags = IN | BOTH, .max = 4 }
#define ENTRIES(a, u, m, f)	{ .arg = a, .how = CTRACE_MEM_ENTRIES, .unit = u, .flags = f, .max = 4, .narrow = m }
#define ARGV(a)			{ .arg = a, .how = CTRACE_MEM_ARGV, .flags = IN | BOTH, .max = CTRACE_MEM_ARGV_MAX }
#define LOCK(a, b)		{ .arg = a, .how = CTRACE_MEM_FCNTL, .by = b, .flags = IN | AGAIN, .max = 32, .narrow = 32 }
#define CAPS(a, b, f)		{ .arg = a, .how = CTRACE_MEM_CAPS, .by = b, .flags = (f) | BOTH, .max = 24 }

/* An iovec has 16 bytes, or 8. */
#define PIECES(a, b, h, f)							\
	{ .arg = a, .how = h, .by = b, .flags = f, .max = 16 * CTRACE_MEM_IOVECS, .narrow = 8 * CTRACE_MEM_IOVECS }
#define BYTES(a, b, h, f)							\
	{ .arg = a, .how = h, .by = b, .flags = (f) | PRIV, .max = CTRACE_DATA_MAX, .narrow = CTRACE_DATA_MAX }
#define IOVEC(a, b, f)		PIECES(a, b, CTRACE_MEM_IOV, IN), BYTES(a, b, CTRACE_MEM_IOV_BYTES, f)
/* Its length is also there if the call fails. */
#define LENGTH(a)		{ .arg = a, .how = CTRACE_MEM_LENGTH, .flags = IN | AGAIN | BOTH, .max = 8 }
#define NAMES(a, n, u, f)	{ .arg = a, .how = CTRACE_MEM_NAMES, .by = n, .flags = (f) | BOTH, .unit = u, .max = 1024 }
#define SET_NAMES(a, b)		{ .arg = a, .how = CTRACE_MEM_SET_NAMES, .by = b, .flags = IN | BOTH, .max = 768 }
#define CONTROL(a, h, f)	{ .arg = a, .how = h, .flags = f, .max = 1024, .narrow = 1024 }
#define MSGHDR(a, f)								\
	{ .arg = a, .how = CTRACE_MEM_MSG_ADDR, .flags = (f) | CTRACE_MEM_ADDRESS, .max = SOCKADDR,	\
	  .narrow = SOCKADDR },							\
	PIECES(a, 0, CTRACE_MEM_MSG_IOV, f), BYTES(a, 0, CTRACE_MEM_MSG_BYTES, f),	\
	CONTROL(a, CTRACE_MEM_MSG_CONTROL, f), CONTROL(a, CTRACE_MEM_MSG_NAMES, f)
/* A msghdr with a length has 64 bytes, or 32. */
#define MSGS(a, b, h, f, n)	{ .arg = a, .how = h, .by = b, .flags = f, .max = n, .narrow = n }
#define MMSGHDR(a, b, f)							\
	MSGS(a, b, CTRACE_MEM_MSGS, (f) ? (f) | AGAIN : (f), 64 * CTRACE_MEM_VECTOR),	\
	MSGS(a, b, CTRACE_MEM_MSGS_ADDR, f, 2 * SOCKADDR),			\
	MSGS(a, b, CTRACE_MEM_MSGS_IOV, f, 16 * CTRACE_MEM_IOVECS * CTRACE_MEM_VECTOR),	\
	BYTES(a, b, CTRACE_MEM_MSGS_BYTES, f)

#define SOCKADDR	CTRACE_MEM_SOCKADDR
#define POLL		COUNT(0, 1, 8, 256, IN | AGAIN | BOTH)
#define SETS		BITS(1, 0), SET_NAMES(1, 0), BITS(2, 0), SET_NAMES(2, 0), BITS(3, 0), SET_NAMES(3, 0)
#define NAME		255	/* of readlink(), getcwd() */

#define SEMS		COUNT(1, 2, 6, 60, IN | BOTH)

/* Two longs: a time, a range, a limit, a pointer with a size. */
#define PAIR(a, f)	SIZES(a, 16, 8, f)
#define PAIRS(a, f)	SIZES(a, 32, 16, f)
/* A pointer to a set of signals, and its size. */
#define SIGMASK(a)	PAIR(a, IN), { .arg = a, .how = CTRACE_MEM_POINTED, .flags = IN, .max = 8, .narrow = 8 }
/* A time that has 64 bits for 32-bit programs, too. */
#define TIME64(a, f)	FIXED(a, 16, (f) | BOTH)
#define TIMES64(a, f)	FIXED(a, 32, (f) | BOTH)
/* siginfo, up to si_stime */
#define INFO(a, f)	SIZES(a, 48, 32, f)
#define INT(a, f)	FIXED(a, 4, (f) | BOTH)
#define INT64(a, f)	FIXED(a, 8, (f) | BOTH)

/*
 * Sizes are of the kernel's own structures for 64-bit programs, and for 32-bit ones; of longer ones, as much
 * as has what people ask for (the end of st_blocks, of stx_size, of ru_stime). Where sizes for 32-bit
 * programs differ among architectures, the longest: what lies behind is the program's own, and not shown.
 */
const struct ctrace_memory_calls ctrace_memory_table[] = {
	{ "connect bind", { ADDR_IN(1, 2) } },
	{ "accept accept4 getsockname getpeername", { ADDR_OUT(1, 2), LENGTH(2) } },
	{ "sendto", { DATA_IN(1, 2), ADDR_IN(4, 5) } },
	{ "recvfrom", { DATA_OUT(1), ADDR_OUT(4, 5), LENGTH(5) } },
	{ "send", { DATA_IN(1, 2) } },
	{ "recv", { DATA_OUT(1) } },
	{ "sendmsg", { SIZES(1, 56, 28, IN), MSGHDR(1, IN) } },
	{ "recvmsg", {
		{ .arg = 1, .how = CTRACE_MEM_MSG, .flags = IN | AGAIN, .max = 60, .narrow = 32 }, MSGHDR(1, OUT)
	} },
	{ "sendmmsg", { MMSGHDR(1, 2, IN) } },
	{ "recvmmsg", { MMSGHDR(1, 2, OUT), PAIR(4, CHANGED) } },
	{ "recvmmsg_time64", { MMSGHDR(1, 2, OUT), TIME64(4, CHANGED) } },
	{ "setsockopt", { { .arg = 3, .how = CTRACE_MEM_SOCKOPT, .by = 4, .flags = IN | BOTH, .max = 64 } } },
	{ "getsockopt", { { .arg = 3, .how = CTRACE_MEM_SOCKOPT, .by = 4, .flags = OUT | BOTH, .max = 64 }, LENGTH(4) } },
	{ "socketpair", { FIXED(3, 8, OUT | BOTH), NAMES(3, 2, 4, OUT) } },
	{ "pipe pipe2", { FIXED(0, 8, OUT | BOTH), NAMES(0, 2, 4, OUT) } },
	{ "socketcall", {
		{ .arg = 1, .how = CTRACE_MEM_SOCKET_ARGS, .flags = IN | BOTH, .max = 24 },
		{ .arg = 1, .how = CTRACE_MEM_SOCKET_ADDR, .flags = IN | AGAIN | CTRACE_MEM_ADDRESS | BOTH,
		  .max = SOCKADDR },
		{ .arg = 1, .how = CTRACE_MEM_SOCKET_BYTES, .flags = IN | AGAIN | PRIV | BOTH, .max = CTRACE_DATA_MAX },
	} },
	{ "ipc", { { .arg = 4, .how = CTRACE_MEM_IPC, .by = 0, .flags = IN | BOTH, .max = 8 } } },

	{ "write pwrite64", { DATA_IN(1, 2) } },
	{ "read pread64", { DATA_OUT(1) } },
	{ "readv preadv preadv2", { IOVEC(1, 2, OUT) } },
	{ "execve", { ARGV(1), VARS(2) } },
	{ "execveat", { ARGV(2), VARS(3) } },
	{ "getdents", { ENTRIES(1, 16, 4, OUT) } },
	{ "getdents64", { ENTRIES(1, 16, 0, OUT | BOTH) } },
	{ "readlink", { RET(1, 1, NAME, OUT | BOTH) } },
	{ "readlinkat", { RET(2, 1, NAME, OUT | BOTH) } },
	{ "getcwd", { RET(0, 1, NAME, OUT | BOTH) } },
	{ "writev pwritev pwritev2 vmsplice", { IOVEC(1, 2, IN) } },
	{ "process_vm_readv process_vm_writev", { IOVEC(1, 2, IN), PIECES(3, 4, CTRACE_MEM_IOV, IN) } },
	{ "getrandom", { DATA_OUT(0) } },
	{ "getxattr lgetxattr fgetxattr", { DATA_OUT(2) } },
	{ "setxattr lsetxattr fsetxattr", { DATA_IN(2, 3) } },
	{ "listxattr llistxattr flistxattr", { RET(1, 1, NAME, OUT | BOTH) } },
	{ "mq_open", { SIZES(3, 32, 16, IN) } },
	{ "mq_getsetattr", { SIZES(1, 32, 16, IN), SIZES(2, 32, 16, OUT) } },
	{ "mq_notify", { SIZES(1, 32, 20, IN) } },
	{ "mq_timedsend", { DATA_IN(1, 2), PAIR(4, IN) } },
	{ "mq_timedsend_time64", { DATA_IN(1, 2), TIME64(4, IN) } },
	{ "mq_timedreceive", { DATA_OUT(1), INT(3, OUT), PAIR(4, IN) } },
	{ "mq_timedreceive_time64", { DATA_OUT(1), INT(3, OUT), TIME64(4, IN) } },

	{ "stat lstat fstat newstat newlstat newfstat", { SIZES(1, 72, 24, OUT) } },
	{ "newfstatat", { FIXED(2, 72, OUT) } },
	{ "stat64 lstat64 fstat64", { FIXED(1, 72, OUT | BOTH) } },
	{ "fstatat64", { FIXED(2, 72, OUT | BOTH) } },
	{ "statx", { FIXED(4, 48, OUT | BOTH) } },
	{ "statfs fstatfs", { SIZES(1, 120, 64, OUT) } },
	{ "statfs64 fstatfs64", { FIXED(2, 84, OUT | BOTH) } },
	{ "openat2", { COUNT(2, 3, 1, 24, IN | BOTH) } },
	{ "fcntl fcntl64", { LOCK(2, 1) } },
	{ "_llseek llseek", { INT64(3, OUT) } },
	{ "ioctl", { { .arg = 2, .how = CTRACE_MEM_IOCTL, .by = 1, .flags = IN | AGAIN | BOTH, .max = 64 } } },

	{ "poll", { POLL, NAMES(0, CTRACE_MEM_BY + 1, 8, IN) } },
	{ "ppoll", { POLL, NAMES(0, CTRACE_MEM_BY + 1, 8, IN), PAIR(2, CHANGED), SIGSET(3, 4, IN) } },
	{ "ppoll_time64", { POLL, NAMES(0, CTRACE_MEM_BY + 1, 8, IN), TIME64(2, CHANGED), SIGSET(3, 4, IN) } },
	{ "select _newselect", { SETS, PAIR(4, CHANGED) } },
	{ "pselect6", { SETS, PAIR(4, CHANGED), SIGMASK(5) } },
	{ "pselect6_time64", { SETS, TIME64(4, CHANGED), SIGMASK(5) } },
	{ "epoll_ctl", { FIXED(3, 12, IN | BOTH) } },
	{ "epoll_wait", { RET(1, 12, 32 * 12, OUT | BOTH) } },
	{ "epoll_pwait", { RET(1, 12, 32 * 12, OUT | BOTH), SIGSET(4, 5, IN) } },
	{ "epoll_pwait2", { RET(1, 12, 32 * 12, OUT | BOTH), TIME64(3, IN), SIGSET(4, 5, IN) } },

	{ "nanosleep", { PAIR(0, IN), PAIR(1, BROKEN) } },
	{ "clock_nanosleep", { PAIR(2, IN), PAIR(3, BROKEN) } },
	{ "clock_nanosleep_time64", { TIME64(2, IN), TIME64(3, BROKEN) } },
	{ "clock_settime", { PAIR(1, IN) } },
	{ "clock_settime64", { TIME64(1, IN) } },
	{ "clock_gettime clock_getres sched_rr_get_interval", { PAIR(1, OUT) } },
	{ "clock_gettime64 clock_getres_time64 sched_rr_get_interval_time64", { TIME64(1, OUT) } },
	{ "gettimeofday", { PAIR(0, OUT), FIXED(1, 8, OUT | BOTH) } },
	{ "settimeofday", { PAIR(0, IN), FIXED(1, 8, IN | BOTH) } },
	{ "futex", { PAIR(3, IN) } },
	{ "futex_time64", { TIME64(3, IN) } },
	{ "utimensat futimesat", { PAIRS(2, IN) } },
	{ "utimensat_time64", { TIMES64(2, IN) } },
	{ "utime", { PAIR(1, IN) } },
	{ "utimes", { PAIRS(1, IN) } },
	{ "semop", { SEMS } },
	{ "semtimedop", { SEMS, PAIR(3, IN) } },
	{ "semtimedop_time64", { SEMS, TIME64(3, IN) } },
	{ "io_setup", { SIZES(1, 8, 4, OUT) } },
	{ "io_submit", { { .arg = 2, .how = CTRACE_MEM_EACH, .by = 1, .flags = IN | BOTH, .unit = 64, .max = 256 } } },
	{ "io_cancel", { FIXED(1, 64, IN | BOTH), FIXED(2, 32, OUT | BOTH) } },
	{ "io_getevents", { RET(3, 32, 256, OUT | BOTH), PAIR(4, IN) } },
	{ "io_pgetevents", { RET(3, 32, 256, OUT | BOTH), PAIR(4, IN), SIGMASK(5) } },
	{ "io_pgetevents_time64", { RET(3, 32, 256, OUT | BOTH), TIME64(4, IN), SIGMASK(5) } },
	{ "timer_create", { SIZES(1, 32, 20, IN), INT(2, OUT) } },
	{ "adjtimex", { SIZES(0, 164, 84, OUT) } },
	{ "clock_adjtime", { SIZES(1, 164, 84, OUT) } },
	{ "clock_adjtime64", { FIXED(1, 164, OUT | BOTH) } },
	{ "getitimer timer_gettime timerfd_gettime", { PAIRS(1, OUT) } },
	{ "timer_gettime64 timerfd_gettime64", { TIMES64(1, OUT) } },
	{ "setitimer", { PAIRS(1, IN), PAIRS(2, OUT) } },
	{ "timer_settime timerfd_settime", { PAIRS(2, IN), PAIRS(3, OUT) } },
	{ "timer_settime64 timerfd_settime64", { TIMES64(2, IN), TIMES64(3, OUT) } },

	{ "rt_sigaction", { SIZES(1, 32, 20, IN), SIZES(2, 32, 20, OUT) } },
	{ "rt_sigprocmask", { SIGSET(1, 3, IN), SIGSET(2, 3, OUT) } },
	{ "rt_sigpending", { SIGSET(0, 1, OUT) } },
	{ "rt_sigsuspend", { SIGSET(0, 1, IN) } },
	{ "rt_sigtimedwait", { SIGSET(0, 3, IN), INFO(1, OUT), PAIR(2, IN) } },
	{ "rt_sigtimedwait_time64", { SIGSET(0, 3, IN), INFO(1, OUT), TIME64(2, IN) } },
	{ "rt_sigqueueinfo", { INFO(2, IN) } },
	{ "rt_tgsigqueueinfo", { INFO(3, IN) } },
	{ "signalfd4 signalfd", { SIGSET(1, 2, IN) } },
	{ "sigaltstack", { SIZES(0, 24, 12, IN), SIZES(1, 24, 12, OUT) } },

	{ "getrlimit ugetrlimit", { PAIR(1, OUT) } },
	{ "setrlimit", { PAIR(1, IN) } },
	{ "prlimit64", { FIXED(2, 16, IN | BOTH), FIXED(3, 16, OUT | BOTH) } },
	{ "getrusage", { PAIRS(1, OUT) } },
	/* the result is 0 if no child has ended yet; else it is 2 or more */
	{ "wait4", { RET(1, 4, 4, OUT | BOTH), { .arg = 3, .how = CTRACE_MEM_RET, .unit = 16, .max = 32, .narrow = 16 } } },
	{ "waitpid", { RET(1, 4, 4, OUT | BOTH) } },
	{ "prctl", {
		{ .arg = 1, .how = CTRACE_MEM_PRCTL, .by = 0, .flags = OUT | BOTH, .max = 16 },
		{ .arg = 2, .how = CTRACE_MEM_PRCTL, .by = 0, .flags = IN, .max = 16, .narrow = 8 },
	} },
	{ "quotactl", { { .arg = 3, .how = CTRACE_MEM_QUOTA, .by = 0, .flags = IN | AGAIN, .max = 72 } } },
	{ "quotactl_fd", { { .arg = 3, .how = CTRACE_MEM_QUOTA, .by = 1, .flags = IN | AGAIN, .max = 72 } } },
	{ "waitid", { INFO(2, OUT), PAIRS(4, OUT) } },
	{ "sysinfo", { SIZES(0, 112, 64, OUT) } },
	{ "uname newuname", { FIXED(0, 390, OUT | BOTH) } },
	{ "times", { PAIRS(0, OUT) } },
	{ "clone3", { COUNT(0, 1, 1, 88, IN | BOTH) } },
	{ "sched_setaffinity", { COUNT(2, 1, 1, 128, IN | BOTH) } },
	{ "sched_getaffinity", { RET(2, 1, 128, OUT | BOTH) } },
	{ "sched_setscheduler", { INT(2, IN) } },
	{ "sched_setparam", { INT(1, IN) } },
	{ "sched_getparam", { INT(1, OUT) } },
	{ "sched_setattr", { { .arg = 1, .how = CTRACE_MEM_SIZED, .by = 0, .flags = IN | BOTH, .unit = 48, .max = 56 } } },
	{ "sched_getattr", { COUNT(1, 2, 1, 56, OUT | BOTH) } },
	{ "perf_event_open", {
		{ .arg = 0, .how = CTRACE_MEM_SIZED, .by = 4, .flags = IN | BOTH, .unit = 64, .max = 136 },
	} },
	{ "io_uring_enter", { SIGSET(4, 5, IN) } },
	{ "arch_prctl", { FIXED(1, 8, OUT) } },
	{ "mount", { STRING(4, 0, 0) } },
	/* FSCONFIG_SET_STRING, _PATH, _PATH_EMPTY */
	{ "fsconfig", { STRING(3, 1, 1u << 1 | 1u << 3 | 1u << 4) } },
	{ "io_uring_setup", { FIXED(1, 120, IN | AGAIN | BOTH) } },
	{ "seccomp", { { .arg = 2, .how = CTRACE_MEM_SECCOMP, .by = 0, .flags = IN | AGAIN, .max = 16, .narrow = 16 } } },
	{ "sethostname setdomainname", { COUNT(0, 1, 1, 64, IN | BOTH) } },
	{ "process_madvise", { PIECES(1, 2, CTRACE_MEM_IOV, IN) } },
	{ "bpf", { COUNT(1, 2, 1, 152, IN | BOTH) } },
	{ "mincore", { { .arg = 2, .how = CTRACE_MEM_PAGES, .by = 1, .flags = OUT | BOTH, .max = 64 } } },
	{ "move_pages", {
		{ .arg = 2, .how = CTRACE_MEM_COUNT, .by = 1, .flags = IN, .unit = 8, .max = 256, .narrow = 128 },
		COUNT(3, 1, 4, 128, IN | BOTH), COUNT(4, 1, 4, 128, OUT | BOTH),
	} },
	{ "futex_waitv", { COUNT(0, 1, 24, 192, IN | BOTH) } },
	{ "getcpu", { INT(0, OUT), INT(1, OUT) } },
	{ "get_robust_list", { SIZES(1, 8, 4, OUT), SIZES(2, 8, 4, OUT) } },
	{ "landlock_create_ruleset", { COUNT(0, 1, 1, 24, IN | BOTH) } },
	{ "capget", { FIXED(0, 8, IN | BOTH), CAPS(1, 0, OUT) } },
	{ "capset", { FIXED(0, 8, IN | BOTH), CAPS(1, 0, IN) } },
	{ "time", { SIZES(0, 8, 4, OUT) } },
	{ "pidfd_send_signal", { INFO(2, IN) } },
	/* at its return the stack is another; 32-bit programs have frames of their own */
	{ "rt_sigreturn", { { .how = CTRACE_MEM_SIGFRAME, .flags = IN | CTRACE_MEM_BEFORE, .max = 8 } } },
	{ "getresuid getresgid getresuid32 getresgid32", { INT(0, OUT), INT(1, OUT), INT(2, OUT) } },
	{ "getgroups getgroups32", { RET(1, 4, 128, OUT | BOTH) } },
	{ "setgroups setgroups32", { COUNT(1, 0, 4, 128, IN | BOTH) } },
	{ "sendfile", { SIZES(2, 8, 4, CHANGED) } },
	{ "sendfile64", { INT64(2, CHANGED) } },
	{ "splice copy_file_range", { INT64(1, CHANGED), INT64(3, CHANGED) } },
};
const u32 ctrace_memory_ntable = ARRAY_SIZE(ctrace_memory_table);
