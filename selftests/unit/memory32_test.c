// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that arguments of 32-bit programs point to, as text, and the calls that socketcall() and ipc()
 * make. The bytes are
 * those that i386 has; kernel/08_cli/as_strace_32 compares with strace.
 */
#include "built_call.h"
#include "ktap.h"
#include "strace/inner_call.h"

#define WORDS	26

struct memory32 {
	int arg;		/* < 0: no more */
	enum about about;
	size_t n;		/* bytes */
	union {
		uint32_t w[WORDS];
		char s[4 * WORDS];
	};
};

#define NO	{ .arg = -1 }

static const struct {
	const char *name;
	uint64_t args[NARGS];
	int64_t ret;
	struct memory32 mem[4];
	const char *want;
} calls[] = {
	{ "nanosleep", { 16, 0 }, 0, { { 0, ABOUT_DATA, 8, { { 1, 2 } } }, NO },
	  "compat_nanosleep({tv_sec=1, tv_nsec=2}, NULL) = 0" },
	{ "nanosleep", { 16, 0 }, 0, { { 0, ABOUT_DATA, 8, { { -5u, 0 } } }, NO },
	  "compat_nanosleep({tv_sec=-5, tv_nsec=0}, NULL) = 0" },
	{ "timerfd_settime", { 3, 0, 16, 0 }, 0, { { 2, ABOUT_DATA, 16, { { 1, 2, 3, 4 } } }, NO },
	  "compat_timerfd_settime(3, 0, {it_interval={tv_sec=1, tv_nsec=2}, it_value={tv_sec=3, tv_nsec=4}}, "
	  "NULL) = 0" },
	{ "clock_gettime64", { 1, 16 }, 0, { { 1, ABOUT_DATA, 16, { { 1, 1, 2, 0 } } }, NO },
	  "compat_clock_gettime64(CLOCK_MONOTONIC, {tv_sec=4294967297, tv_nsec=2}) = 0" },
	{ "utimensat", { (uint32_t)-100, 0, 16, 0 }, 0,
	  { { 2, ABOUT_DATA, 16, { { 1, 2, 0, (1 << 30) - 2 } } }, NO },
	  "compat_utimensat(AT_FDCWD, NULL, [{tv_sec=1, tv_nsec=2} /* 1970-01-01T00:00:01.000000002+0000 */, "
	  "UTIME_OMIT], 0) = 0" },
	{ "writev", { 1, 16, 2 }, 5,
	  { { 1, ABOUT_DATA, 16, { { 0x1000, 2, 0x2000, 3 } } }, { 1, ABOUT_PIECES, 5, { .s = "abcde" } }, NO },
	  "compat_writev(1, [{iov_base=\"ab\", iov_len=2}, {iov_base=\"cde\", iov_len=3}], 2) = 5" },
	{ "preadv", { 1, 16, 2, 8, 9 }, 3,
	  { { 1, ABOUT_DATA, 16, { { 0x1000, 2, 0x2000, 3 } } }, { 1, ABOUT_PIECES, 3, { .s = "abc" } }, NO },
	  "compat_preadv(1, [{iov_base=\"ab\", iov_len=2}, {iov_base=\"c\", iov_len=3}], 2, 8, 9) = 3" },
	{ "sendmsg", { 3, 16, 0 }, 3,
	  { { 1, ABOUT_DATA, 28, { { 0x1000, 16, 0x2000, 1, 0, 0, 0 } } },
	    { 1, ABOUT_ADDR, 16, { { 0x50000002, 0x04030201 } } }, { 1, ABOUT_IOV, 8, { { 0x3000, 3 } } },
	    { 1, ABOUT_PIECES, 3, { .s = "abc" } } },
	  "compat_sendmsg(3, {msg_name={sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"1.2.3.4\")}, "
	  "msg_namelen=16, msg_iov=[{iov_base=\"abc\", iov_len=3}], msg_iovlen=1, msg_controllen=0, "
	  "msg_flags=0}, 0) = 3" },
	{ "sendmmsg", { 3, 16, 2, 0 }, 2,
	  { { 1, ABOUT_DATA, 64, { { 0x1000, 16, 0x2000, 1, 0, 0, 0, 3, 0, 0, 0x2008, 1, 0, 0, 0, 2 } } },
	    { 1, ABOUT_ADDR, 16, { { 0x50000002, 0x04030201 } } }, { 1, ABOUT_IOV, 16, { { 0x3000, 3, 0x4000, 2 } } },
	    { 1, ABOUT_PIECES, 5, { .s = "abcde" } } },
	  "compat_sendmmsg(3, [{msg_hdr={msg_name={sa_family=AF_INET, sin_port=htons(80), "
	  "sin_addr=inet_addr(\"1.2.3.4\")}, msg_namelen=16, msg_iov=[{iov_base=\"abc\", iov_len=3}], msg_iovlen=1, "
	  "msg_controllen=0, msg_flags=0}, msg_len=3}, {msg_hdr={msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"de\", "
	  "iov_len=2}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, msg_len=2}], 2, 0) = 2" },
	{ "mq_getsetattr", { 3, 0, 16 }, 0, { { 2, ABOUT_DATA, 16, { { 04000, 10, 64, 1 } } }, NO },
	  "compat_mq_getsetattr(3, NULL, {mq_flags=O_NONBLOCK, mq_maxmsg=10, mq_msgsize=64, mq_curmsgs=1}) = 0" },
	{ "timer_create", { 1, 16, 16 }, 0, { { 1, ABOUT_DATA, 20, { { 7, 14, 0, 0, 0 } } }, { 2, ABOUT_DATA, 4, { { 2 } } }, NO },
	  "compat_timer_create(CLOCK_MONOTONIC, {sigev_value={sival_int=7, sival_ptr=0x7}, sigev_signo=SIGALRM, "
	  "sigev_notify=SIGEV_SIGNAL}, [2]) = 0" },
	{ "getsockname", { 3, 16, 16 }, 0, { { 1, ABOUT_DATA, 16, { { 0x50000002, 0x04030201 } } },
	    { 2, ABOUT_DATA, 8, { { 16, 2 } } }, NO }, "compat_getsockname(3, {sa_family=AF_INET}, [2 => 16]) = 0" },
	{ "ugetrlimit", { 7, 16 }, 0, { { 1, ABOUT_DATA, 8, { { 4096, -1u } } }, NO },
	  "compat_ugetrlimit(RLIMIT_NOFILE, {rlim_cur=4*1024, rlim_max=RLIM_INFINITY}) = 0" },
	{ "rt_sigaction", { 10, 16, 0, 8 }, 0, { { 1, ABOUT_DATA, 20, { { 1, 0x14000000, 0x1234, 2, 0 } } }, NO },
	  "compat_rt_sigaction(SIGUSR1, {sa_handler=SIG_IGN, sa_mask=[INT], sa_flags=SA_RESTORER|SA_RESTART, "
	  "sa_restorer=0x1234}, NULL, 8) = 0" },
	{ "sigaltstack", { 16, 0 }, 0, { { 0, ABOUT_DATA, 12, { { 0x1000, 2, 8192 } } }, NO },
	  "compat_sigaltstack({ss_sp=0x1000, ss_flags=SS_DISABLE, ss_size=8192}, NULL) = 0" },
#ifdef __x86_64__
	{ "fstat64", { 3, 16 }, 0,
	  { { 1, ABOUT_DATA, 72, { { 0, 0, 0, 0, 0100644, 1, 0, 0, 0, 0, 0, 1234, 1 } } }, NO },
	  "compat_fstat64(3, {st_mode=S_IFREG|0644, st_size=4294968530, ...}) = 0" },
	{ "fcntl64", { 3, 38, 16 }, 0, { { 2, ABOUT_DATA, 24, { { 0, 5, 1, 7, 0, 9 } } }, NO }, NULL },
#endif
	{ "statfs64", { 0, 84, 16 }, 0, { { 2, ABOUT_DATA, 84, { { 0x9fa0, 4096, 1, 1 } } }, NO },
	  "compat_statfs64(NULL, 84, {f_type=PROC_SUPER_MAGIC, f_bsize=4096, f_blocks=4294967297, f_bfree=0, "
	  "f_bavail=0, f_files=0, f_ffree=0, f_fsid={val=[0, 0]}, f_namelen=0, f_frsize=0}) = 0" },
	{ "getrusage", { 0, 16 }, 0, { { 1, ABOUT_DATA, 16, { { 1, 2, 3, 4 } } }, NO },
	  "compat_getrusage(RUSAGE_SELF, {ru_utime={tv_sec=1, tv_usec=2}, ru_stime={tv_sec=3, tv_usec=4}, ...}) = 0" },
	{ "sysinfo", { 16 }, 0, { { 0, ABOUT_DATA, 64, { { 5, 1, 2, 3, 4, 0, 0, 0, 0, 0, 7, 0, 0, 1 } } }, NO },
	  "compat_sysinfo({uptime=5, loads=[1, 2, 3], totalram=4, freeram=0, sharedram=0, bufferram=0, totalswap=0, "
	  "freeswap=0, procs=7, totalhigh=0, freehigh=0, mem_unit=1}) = 0" },
	{ "pselect6", { 0, 0, 0, 0, 16, 16 }, 0,
	  { { 4, ABOUT_DATA, 8, { { 1, 2 } } }, { 5, ABOUT_DATA, 8, { { 0x1000, 8 } } }, NO },
	  "compat_pselect6(0, NULL, NULL, NULL, {tv_sec=1, tv_nsec=2}, {sigmask=0x1000, sigsetsize=8}) = 0 (Timeout)" },
	{ "sendfile", { 1, 2, 16, 5 }, 5, { { 2, ABOUT_DATA, 4, { { 7 } } }, NO },
	  "compat_sendfile(1, 2, [7], 5) = 5" },
	{ "capset", { 16, 16 }, 0,
	  { { 0, ABOUT_DATA, 8, { { 0x20080522, 0 } } }, { 1, ABOUT_DATA, 24, { { 0x21, 1, 0, 2, 0, 0 } } }, NO },
	  "compat_capset({version=_LINUX_CAPABILITY_VERSION_3, pid=0}, {effective=1<<CAP_CHOWN|1<<CAP_KILL|"
	  "1<<CAP_MAC_ADMIN, permitted=1<<CAP_CHOWN, inheritable=0}) = 0" },
	/* of the first version */
	{ "capset", { 16, 16 }, 0, { { 1, ABOUT_DATA, 12, { { 0, 1, 0 } } }, NO },
	  "compat_capset(0x10, {effective=0, permitted=1<<CAP_CHOWN, inheritable=0}) = 0" },
	{ "rt_sigqueueinfo", { 1, 10, 16 }, 0, { { 2, ABOUT_DATA, 32, { { 10, 0, 0, 7, 8 } } }, NO },
	  "compat_rt_sigqueueinfo(1, SIGUSR1, {si_signo=SIGUSR1, si_code=SI_USER, si_pid=7, si_uid=8}) = 0" },
	{ "waitid", { 0, 0, 16, 4, 0 }, 0, { { 2, ABOUT_DATA, 32, { { 17, 0, 1, 7, 8, 3, 0, 0 } } }, NO },
	  "compat_waitid(P_ALL, 0, {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=7, si_uid=8, si_status=3, si_utime=0, "
	  "si_stime=0}, WEXITED, NULL) = 0" },
	/* what is laid out in another way, but not described */
	{ "getresuid", { 16, 0, 0 }, 0, { { 0, ABOUT_DATA, 4, { { 10 } } }, NO }, "compat_getresuid(0x10, NULL, NULL) = 0" },
	/* by socketcall() */
	{ "socketcall", { 1, 16 }, 3, { { 1, ABOUT_DATA, 12, { { 2, 1, 6 } } }, NO },
	  "compat_socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3" },
	{ "socketcall", { 3, 16 }, 0,
	  { { 1, ABOUT_DATA, 12, { { 3, 0x1000, 16 } } }, { 1, ABOUT_ADDR, 16, { { 0x50000002, 0x04030201 } } }, NO },
	  "compat_connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"1.2.3.4\")}, 16) = 0" },
	{ "socketcall", { 12, 16 }, 3,
	  { { 1, ABOUT_DATA, 24, { { 3, 0x1000, 20, 0, 0, 0 } } }, { 1, ABOUT_PIECES, 3, { .s = "abc" } }, NO },
	  "compat_recvfrom(3, \"abc\", 20, 0, NULL, NULL) = 3" },
	/* one argument is not there; no such call */
	{ "socketcall", { 1, 16 }, -14, { { 1, ABOUT_DATA, 8, { { 2, 1 } } }, NO },
	  "compat_socketcall(SYS_SOCKET, [2, 1]) = -1 EFAULT (Bad address)" },
	{ "socketcall", { 1, 16 }, -14, { { 1, ABOUT_DATA, 0, { { 0 } } }, NO },
	  "compat_socketcall(SYS_SOCKET, 0x10) = -1 EFAULT (Bad address)" },
	{ "socketcall", { 21, 16 }, -22, { { 1, ABOUT_DATA, 0, { { 0 } } }, NO },
	  "compat_socketcall(0x15 /* SYS_??? */, 0x10) = -1 EINVAL (Invalid argument)" },
	/* by ipc() */
	{ "ipc", { 21, 5, 010000, 0x2000, 0x1000, 0 }, 0, { NO }, "compat_shmat(5, 0x1000, SHM_RDONLY) = 0" },
	{ "ipc", { 12, 5, 100, 04000, 0x1000, 0 }, 4, { { 4, ABOUT_DATA, 8, { { 0x3000, -2u } } }, NO },
	  "compat_msgrcv(5, 0x3000, 100, -2, IPC_NOWAIT) = 4" },
	{ "ipc", { 1 << 16 | 12, 5, 100, 04000, 0x1000, -2u }, 4, { NO },
	  "compat_msgrcv(5, 0x1000, 100, -2, IPC_NOWAIT) = 4" },
	{ "ipc", { 5, 1, 2, 3, 0x1000, 4 }, -38, { NO }, NULL },
};

static struct inner_call *room;

static void put(struct sbuf *to, const struct built *b)
{
	const struct call_values *inner = inner_call(&room, &b->c, &b->c);
	const struct call_form *form;

	sbuf_reset(to);
	sbuf_printf(to, "%s(", (inner ?: &b->c)->p->call.name);
	form = syscall_put_args(to, inner ?: &b->c, inner ?: &b->c);
	sbuf_puts(to, ") ");
	syscall_put_result(to, form, &b->c, &b->c, (int64_t)b->v[1].u);
}

/* cut: no more bytes of each than that */
static void build(struct built *b, size_t i, size_t cut)
{
	begin(b, calls[i].args, calls[i].ret);
	for (const struct memory32 *m = calls[i].mem; m < calls[i].mem + 4 && m->arg >= 0 && m->arg < NARGS; m++)
		if (m == calls[i].mem || m->n)
			add_about(b, m->arg, m->about, m->s, m->n < cut ? m->n : cut);
	finish_call(b, calls[i].name, true, false);
}

static void text(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct sbuf line = { 0 };
		struct built b;

		build(&b, i, SIZE_MAX);
		put(&line, &b);
		if (calls[i].want)
			check_str(line.s, calls[i].want);
		sbuf_free(&line);
		end(&b);
	}
}

/* Each length up to the whole: it is read no further, and the line is one of printable characters. */
static void cut(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		for (size_t n = 0; n <= 4 * WORDS; n++) {
			struct sbuf line = { 0 };
			struct built b;

			build(&b, i, n);
			put(&line, &b);
			for (size_t k = 0; k < line.len; k++)
				if (!check(line.s[k] >= ' ' && line.s[k] < 0x7f))
					break;
			sbuf_free(&line);
			end(&b);
		}
}

static const struct ktap_case cases[] = {
	{ "structures of 32-bit programs, socketcall() and ipc()", text },
	{ "memory of each length", cut },
};

int main(void)
{
	int failed;

	setenv("TZ", "UTC", 1);
	failed = ktap_run(cases, ARRAY_SIZE(cases));
	free(room);
	return failed;
}
