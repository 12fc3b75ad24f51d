// SPDX-License-Identifier: GPL-2.0-only
/*
 * pointed32: a 32-bit program, without a library, that makes calls whose arguments point to memory, and some by
 * socketcall() and ipc(). The memory is on the stack, so that it is present when a call begins. The output is the same
 * in each run, but for addresses, times, and the state of the machine.
 */
#include <asm/unistd.h>

typedef unsigned int u32;
typedef unsigned long long u64;

/* call(NR, six arguments) */
long call(long nr, ...);
asm("call:\n"
    "	push %ebx\n	push %esi\n	push %edi\n	push %ebp\n"
    "	mov 20(%esp), %eax\n	mov 24(%esp), %ebx\n	mov 28(%esp), %ecx\n	mov 32(%esp), %edx\n"
    "	mov 36(%esp), %esi\n	mov 40(%esp), %edi\n	mov 44(%esp), %ebp\n	int $0x80\n"
    "	pop %ebp\n	pop %edi\n	pop %esi\n	pop %ebx\n	ret\n");

#define CWD	-100

struct pair {
	long a, b;
};

struct pair64 {
	u64 a, b;
};

struct in {
	unsigned short family, port;
	u32 addr, zero[2];
};

struct msg {
	void *name;
	u32 name_len;
	struct pair *iov;
	u32 iov_len;
	void *control;
	u32 control_len, flags;
};

static struct in inet(int port)
{
	return (struct in){ 2, (unsigned short)(port >> 8 | port << 8), 0x0100007f, { 0 } };
}

static void files(void)
{
	char path[] = "/tmp/ctrace-pointed32", one[] = "ab", two[] = "cdefg", in_one[4], in_two[100], root[] = "/proc";
	struct pair out[] = { { (long)one, 2 }, { (long)two, 5 } };
	struct pair in[] = { { (long)in_one, 3 }, { (long)in_two, 100 } };
	struct pair times[2] = { { 1, 2 }, { 0, (1 << 30) - 2 } };
	struct pair64 times64[2] = { { 1, 2 }, { 3, 4 } };
	struct { short type, whence; int start, len, pid; } lock = { 1, 0, 0, 10, 0 };
	struct __attribute__((packed)) {
		short type, whence;
		u64 start, len;
		int pid;
	} lock64 = { 1, 0, 1ull << 33, 10, 0 };
	u32 st[32], offset = 2;
	long fd = call(__NR_open, path, 02 | 0100 | 01000, 0640);

	call(__NR_writev, fd, out, 2);
	call(__NR_lseek, fd, 0, 0);
	call(__NR_readv, fd, in, 2);
	call(__NR_fcntl64, fd, 6, &lock);
	call(__NR_fcntl64, fd, 13, &lock64);
	call(__NR_fcntl64, fd, 37, &lock64);
	call(__NR_fstat64, fd, st);
	call(__NR_stat64, path, st);
	call(__NR_lstat64, root, st);
	call(__NR_fstatat64, CWD, path, st, 0x100);
	call(__NR_statfs64, root, 84, st);
	call(__NR_fstatfs64, fd, 84, 0);
	call(__NR_statfs, root, st);
	call(__NR_utimensat, CWD, path, times, 0);
	call(__NR_utimes, path, times);
	call(__NR_utime, path, times);
	call(__NR_utimensat_time64, CWD, path, times64, 0);
	call(__NR_sendfile, -1, fd, &offset, 1);
	call(__NR_close, fd);
	call(__NR_unlink, path);
}

static void sockets(void)
{
	char one[] = "one", two[] = "three", in_one[4], in_two[8];
	struct pair out[] = { { (long)one, 3 }, { (long)two, 5 } }, in[] = { { (long)in_one, 4 }, { (long)in_two, 8 } };
	struct in self = inet(4713), nobody = inet(9), from = { 0 };
	struct msg to = { &self, sizeof(self), out, 2, 0, 0, 0 }, got = { &from, sizeof(from), in, 2, 0, 0, 0 };
	u32 make[] = { 2, 2, 0 }, stream[] = { 2, 1, 6 }, some[6], len = sizeof(from);
	long s = call(__NR_socketcall, 1, make), t = call(__NR_socketcall, 1, stream);

	some[0] = s;
	some[1] = (u32)&self;
	some[2] = sizeof(self);
	call(__NR_socketcall, 2, some);			/* bind */
	call(__NR_sendmsg, s, &to, 0);
	call(__NR_recvmsg, s, &got, 0);
	some[0] = t;
	some[1] = (u32)&nobody;
	call(__NR_socketcall, 3, some);			/* connect */
	some[0] = s;
	some[1] = (u32)one;
	some[2] = 3;
	some[3] = 0;
	some[4] = (u32)&self;
	some[5] = sizeof(self);
	call(__NR_socketcall, 11, some);		/* sendto */
	some[1] = (u32)in_two;
	some[2] = 8;
	some[4] = 0;
	some[5] = 0;
	call(__NR_socketcall, 12, some);		/* recvfrom */
	some[1] = 5;
	call(__NR_socketcall, 4, some);			/* listen, which this socket cannot */
	some[1] = 2;
	call(__NR_socketcall, 13, some);		/* shutdown */
	call(__NR_connect, t, &nobody, sizeof(nobody));
	call(__NR_getsockname, s, &from, &len);
	call(__NR_close, s);
	call(__NR_close, t);
}

static void waits(void)
{
	struct pair brief = { 0, 1000 }, none = { 0, 0 }, timer[2] = { { 1, 2 }, { 1000, 5 } }, off[2] = { { 0 } };
	struct pair64 brief64 = { 0, 1000 }, none64 = { 0, 0 }, timer64[2] = { { 1, 2 }, { 1000, 5 } };
	u32 sets[3][32] = { { 0 } }, mask[2] = { 1 << 9, 0 }, word = 0;
	struct { int fd; short events, revents; } poll = { -1, 1, 0 };
	long fd = call(__NR_timerfd_create, 1, 0);

	call(__NR_nanosleep, &brief, 0);
	call(__NR_clock_nanosleep, 1, 0, &brief, 0);
	call(__NR_clock_nanosleep_time64, 1, 0, &brief64, 0);
	call(__NR_clock_getres, 1, &none);
	none.b = 0;
	call(__NR_clock_getres_time64, 1, &none64);
	none64.b = 0;
	call(__NR_timerfd_settime, fd, 0, timer, off);
	call(__NR_timerfd_settime64, fd, 0, timer64, 0);
	call(__NR_setitimer, 0, off, timer);
	call(__NR_getitimer, 0, off);
	call(__NR_futex, &word, 0, 1, &brief);
	call(__NR_futex_time64, &word, 0, 1, &brief64);
	call(__NR_ppoll, &poll, 1, &none, mask, 8);
	call(__NR_ppoll_time64, &poll, 1, &none64, mask, 8);
	call(__NR__newselect, 0, 0, 0, 0, &none);
	sets[0][1] = 8;
	call(__NR__newselect, 70, sets[0], 0, sets[2], &none);
	call(__NR_pselect6, 0, 0, 0, 0, &none, 0);
	call(__NR_rt_sigtimedwait, mask, 0, &none, 8);
	call(__NR_close, fd);
}

static void processes(void)
{
	struct pair limit = { 100, 4096 }, some;
	struct { u32 handler, flags, restorer, mask[2]; } act = { 1, 0x10000000, 0, { 1 << 1, 0 } }, old;
	struct { void *sp; int flags; u32 size; } stack = { 0, 2, 8192 };
	struct { u32 version; int pid; } header = { 0x20080522, 0 };
	u32 caps[6] = { 0 }, info[16], signal[32] = { 10, 0, 0, 7, 8 };

	call(__NR_setrlimit, 7, &limit);
	call(__NR_ugetrlimit, 7, &some);
	call(__NR_ugetrlimit, 9, &some);
	call(__NR_rt_sigaction, 10, &act, 0, 8);
	call(__NR_rt_sigaction, 10, 0, &old, 8);
	call(__NR_sigaltstack, &stack, 0);
	call(__NR_capget, &header, caps);
	caps[0] &= 0xff;
	call(__NR_capset, &header, caps);
	call(__NR_rt_sigqueueinfo, 0x7fffffff, 10, signal);
	call(__NR_sysinfo, info);
	call(__NR_times, info);
}

/* None of these has such an object. */
static void objects(void)
{
	long two[2] = { 0, -2 };

	call(__NR_ipc, 2, 0x1234, 1, 0600, 0, 0);		/* semget */
	call(__NR_ipc, 1, -1, 1, 0, 0, 0);			/* semop */
	call(__NR_ipc, 13, 0x1234, 0, 0, 0, 0);			/* msgget */
	call(__NR_ipc, 11, -1, 5, 04000, 0, 0);			/* msgsnd */
	call(__NR_ipc, 12, -1, 5, 04000, two, 0);		/* msgrcv */
	call(__NR_ipc, 1 << 16 | 12, -1, 5, 04000, 0, -2);	/* msgrcv */
	call(__NR_ipc, 23, 0x1234, 4096, 0600, 0, 0);		/* shmget */
	call(__NR_ipc, 22, 0, 0, 0, 0x1000, 0);			/* shmdt */
}

void _start(void)
{
	call(__NR_getppid);
	files();
	sockets();
	waits();
	processes();
	objects();
	call(__NR_exit, 0);
}
