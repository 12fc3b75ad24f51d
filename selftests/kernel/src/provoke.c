// SPDX-License-Identifier: GPL-2.0-only
/*
 * provoke WHAT: does one thing whose events a test knows, and prints what the test needs to compare them.
 * Linked statically, so that it runs anywhere.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int do_open(void)
{
	/* It is written to, so that its page is in memory. On older kernels the page of a constant may not
	 * be. */
	char path[] = "/etc/passwd";

	printf("fd=%ld pid=%d\n", syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), getpid());
	syscall(SYS_openat, AT_FDCWD, "/no/such/file \"quoted\"\n", O_WRONLY | O_CREAT, 0644);
	return 0;
}

static int do_long(void)
{
	char *s = malloc(4096);

	memset(s, 'x', 4095);
	s[0] = '/';
	for (int n = 254; n <= 258; n++) {
		s[n] = 0;
		syscall(SYS_openat, AT_FDCWD, s, O_RDONLY, 0);
		s[n] = 'x';
	}
	s[4095] = 0;
	syscall(SYS_openat, AT_FDCWD, s, O_RDONLY, 0);
	return 0;
}

/* Pointers that cannot be read, and a string that ends where its page does. */
static int do_bad(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p + page, page);
	memcpy(p + page - 6, "/edge", 6);
	syscall(SYS_openat, AT_FDCWD, p + page - 6, O_RDONLY, 0);
	memcpy(p + page - 5, "/torn", 5);
	syscall(SYS_openat, AT_FDCWD, p + page - 5, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, (char *)0xffffffff81000000ul, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, (char *)-1l, O_RDONLY, 0);
	return 0;
}

/* Paths on pages that this process has not touched; and a path that is NULL. */
static int do_unread(void)
{
	char name[] = "/tmp/provoke-XXXXXX", text[4096] = "";
	int fd = mkstemp(name), n = 3;
	long page = sysconf(_SC_PAGESIZE);
	char *p;

	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "/not/there/%d", i);
		if (pwrite(fd, text, sizeof(text), i * page) != sizeof(text))
			return 1;
	}
	unlink(name);
	/* one mapping each, or the kernel may bring in several pages at once */
	for (int i = 0; i < n; i++) {
		p = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, i * page);
		if (p == MAP_FAILED)
			return 1;
		syscall(SYS_openat, AT_FDCWD, p, O_RDONLY, 0);
		munmap(p, page);
	}
	syscall(SYS_utimensat, -1, NULL, NULL, 0);
	return 0;
}

/*
 * The same of a call that sleeps until another task has made calls on the same CPU. The other task opens the FIFO for writing,
 * which fails until this one waits for a writer.
 */
static int do_unread_asleep(void)
{
	char name[] = "/tmp/provoke-XXXXXX", fifo[64], text[4096] = "";
	int fd = mkstemp(name), status;
	cpu_set_t cpu;
	char *p;

	snprintf(fifo, sizeof(fifo), "%s.fifo", name);
	strcpy(text, fifo);
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (mkfifo(fifo, 0600) || sched_setaffinity(0, sizeof(cpu), &cpu) ||
	    write(fd, text, sizeof(text)) != sizeof(text))
		return 1;
	unlink(name);
	p = mmap(NULL, sizeof(text), PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	if (!fork()) {
		while (syscall(SYS_openat, AT_FDCWD, fifo, O_WRONLY | O_NONBLOCK, 0) < 0 && errno == ENXIO)
			sched_yield();
		_exit(0);
	}
	syscall(SYS_openat, AT_FDCWD, p, O_RDONLY, 0);
	wait(&status);
	unlink(fifo);
	return 0;
}

/* Calls that a seccomp filter answers, one that it lets through, and one that fails by itself. */
static int do_denied(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		/* success, as for programs that are to believe it */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(f) / sizeof(f[0]), f };
	char from[] = "from", to[] = "to", type[] = "type", path[] = "/not/there";

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 4;
	syscall(SYS_mount, from, to, type, 5, NULL);
	syscall(SYS_getpriority, 1, 2);
	syscall(SYS_getsid, 7);
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
	if (!fork())
		_exit(0);
	wait(NULL);
	return 0;
}

/* A child waits for a message, until its queue is removed when standard input ends: EIDRM. */
static int do_removed(void)
{
	int queue = msgget(IPC_PRIVATE, 0600);
	char c[64];
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(syscall(SYS_msgrcv, queue, c, 8, 0, 0) >= 0);
	printf("%d\n", pid);
	fflush(stdout);
	while (read(0, c, 1) > 0)
		;
	msgctl(queue, IPC_RMID, NULL);
	waitpid(pid, NULL, 0);
	return 0;
}

static int do_mount(void)
{
	char from[] = "from", to[] = "to", type[] = "type";

	syscall(SYS_mount, from, to, type, 5, NULL);
	return 0;
}

static int do_numbers(void)
{
	char path[] = "/nonexistent/marked";

	/* numbers beyond the table, far beyond it, and negative; and arguments that show which is which */
	syscall(1000, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66);
	syscall(100000, 1, 2, 3, 4, 5, 6);
	syscall(-5, 1, 2, 3, 4, 5, 6);
	syscall(SYS_mmap, NULL, 0x3000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	syscall(SYS_getppid);
	syscall(SYS_pread64, -1, NULL, 0x77, 0x123456789aull);
	syscall(SYS_fanotify_mark, -1, 0x11, 0x123456789aull, AT_FDCWD, path);
	syscall(SYS_clone, CLONE_THREAD, 0x11, 0x2222222222, 0x3333333333, 0x4444444444);
	return 0;
}

#ifdef __x86_64__
/* int 0x80 uses the 32-bit table from a 64-bit program. */
static long compat(long nr, long a, long b, long c, long d, long e)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
		     : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}

static int do_compat(void)
{
	char *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	long pid, fd;

	strcpy(low, "/etc/hostname");
	pid = compat(20, 0, 0, 0, 0, 0);	/* getpid */
	fd = compat(5, (long)low, 0, 0, 0, 0);	/* open */
	compat(3, -1, 0, 5, 0, 0);		/* read */
	compat(180, -1, 0, 7, 8, 9);		/* pread64 */
	printf("pid=%ld fd=%ld mine=%d\n", pid, fd, getpid());
	return 0;
}
#elif defined(__aarch64__)
#define ORIGIN	0x10000
#define HEADERS	(sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr))

/* This needs another program: 32-bit ones have another instruction set, which our compiler does not make. */
static const uint32_t arm[] = {
	0xe3a07014, 0xef000000,					/* getpid() */
	0xe28f002c, 0xe3a01000, 0xe3a02000, 0xe3a07005, 0xef000000,	/* open(pc + 44, 0, 0) */
	0xe3e00000, 0xe3a01000, 0xe3a02005, 0xe3a07003, 0xef000000,	/* read(-1, 0, 5) */
	0xe3a00000, 0xe3a07001, 0xef000000,			/* exit(0) */
};
static const char arm_path[] = "/etc/hostname";

static int run_arm(void)
{
	const uint32_t size = HEADERS + sizeof(arm) + sizeof(arm_path);
	const Elf32_Ehdr e = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_ARM, .e_version = EV_CURRENT,
		.e_entry = ORIGIN + HEADERS, .e_phoff = sizeof(e), .e_flags = EF_ARM_EABI_VER5,
		.e_ehsize = sizeof(e), .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1,
	};
	const Elf32_Phdr p = {
		.p_type = PT_LOAD, .p_vaddr = ORIGIN, .p_paddr = ORIGIN, .p_filesz = size,
		.p_memsz = size, .p_flags = PF_R | PF_X, .p_align = 0x1000,
	};
	char *argv[] = { "arm", NULL };
	int fd = memfd_create("arm", 0);

	if (write(fd, &e, sizeof(e)) == sizeof(e) && write(fd, &p, sizeof(p)) == sizeof(p) &&
	    write(fd, arm, sizeof(arm)) == sizeof(arm) &&
	    write(fd, arm_path, sizeof(arm_path)) == sizeof(arm_path))
		fexecve(fd, argv, argv + 1);
	return 127;
}

static int do_compat(void)
{
	pid_t pid = fork();
	int st;

	if (!pid)
		_exit(run_arm());
	waitpid(pid, &st, 0);
	printf("pid=%d mine=%d\n", pid, st ? -1 : pid);
	return 0;
}
#else
static int do_compat(void)
{
	return 4;
}
#endif

static int do_fork(void)
{
	int st;
	pid_t pid = fork();

	if (!pid)
		_exit(37);
	waitpid(pid, &st, 0);
	printf("parent=%d child=%d status=%d\n", getpid(), pid, WEXITSTATUS(st));
	pid = fork();
	if (!pid)
		pause();
	kill(pid, SIGKILL);
	waitpid(pid, &st, 0);
	printf("killed=%d signal=%d\n", pid, WTERMSIG(st));
	return 0;
}

static void *thread(void *arg)
{
	*(pid_t *)arg = syscall(SYS_gettid);
	syscall(SYS_getppid);
	return NULL;
}

static int do_thread(void)
{
	pthread_t t;
	pid_t tid = 0;

	pthread_create(&t, NULL, thread, &tid);
	pthread_join(t, NULL);
	printf("pid=%d tid=%d\n", getpid(), tid);
	return 0;
}

/* Two tasks on one CPU that wake each other. */
static int do_pingpong(void)
{
	int a[2], b[2];
	cpu_set_t set;
	char c = 'x';
	pid_t pid;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(a) || pipe(b))
		return 1;
	pid = fork();
	for (int i = 0; i < 50; i++) {
		if (!pid) {
			if (read(a[0], &c, 1) != 1 || write(b[1], &c, 1) != 1)
				_exit(1);
		} else if (write(a[1], &c, 1) != 1 || read(b[0], &c, 1) != 1) {
			return 1;
		}
	}
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	printf("a=%d b=%d\n", getpid(), pid);
	return 0;
}

static int do_exec(char *path)
{
	if (!path)
		return 1;
	execl(path, path, "one argument", NULL);
	return 1;
}

/* A blocked call, ended by a signal. */
static void nothing(int sig)
{
	(void)sig;
}

static int do_interrupted(void)
{
	struct sigaction sa = { .sa_handler = nothing };
	int p[2];

	sigaction(SIGALRM, &sa, NULL);
	alarm(1);
	if (pipe(p) || read(p[0], &sa, 1) >= 0)
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int (*fn)(void); } what[] = {
		{ "open", do_open }, { "long", do_long }, { "bad", do_bad }, { "unread", do_unread },
		{ "unread-asleep", do_unread_asleep },
		{ "denied", do_denied }, { "removed", do_removed }, { "mount", do_mount }, { "numbers", do_numbers },
		{ "compat", do_compat }, { "fork", do_fork }, { "thread", do_thread },
		{ "pingpong", do_pingpong }, { "interrupted", do_interrupted },
	};

	if (argc > 2 && !strcmp(argv[1], "exec"))
		return do_exec(argv[2]);
	for (size_t i = 0; argc > 1 && i < sizeof(what) / sizeof(*what); i++)
		if (!strcmp(argv[1], what[i].name))
			return what[i].fn();
	fprintf(stderr, "provoke: what?\n");
	return 2;
}
