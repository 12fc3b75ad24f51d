/* SPDX-License-Identifier: GPL-2.0-only */
/* secrets.h: what the containers of secrets.c and the host plant, and how they give it away. */
#ifndef SECRETS_H
#define SECRETS_H

#include "box.h"
#include "genl.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/un.h>
#include <netinet/in.h>

/*
 * The secrets of one container, or of the host: random after the last slash. Only the secrets of `mine`
 * consist of digits. So where five letters of the others' alphabet stand together, that is a piece of
 * another's
 * secret.
 */
enum { COMM, THREAD, PATH, EXEC, SOCK, CGROUP, WORDS };
struct secrets {
	char word[WORDS][80];
};
#define LETTERS	"\xc1\xc2\xc3\xc4"
static struct secrets mine, beside;

static int ping[2], pong[2], half[2];

/* An address in the kernel's memory that a program passes as a string of its own, or as its stack. */
static uint64_t banner;
static char banner_text[32];
#define PAST	(-banner % 8 + 8)	/* where the return address would be, if this were a frame */

static void make_up(struct secrets *s)
{
	static const char * const before[CGROUP] = { "", "", "/tmp/p", "/tmp/x", "/tmp/s" };
	const char *letters = s == &mine ? "0123" : LETTERS;

	for (int i = 0; i < CGROUP; i++) {
		char *c = stpcpy(s->word[i], before[i]);

		for (int k = 0; k < 15; k++)
			*c++ = letters[rnd() % 4];
		*c = 0;
	}
	/* hexadecimal, as a container's name is */
	strcpy(s->word[CGROUP], "/box/");
	box_hex(s->word[CGROUP] + 5, s->word[COMM], rnd());
}

/* --- giving them away --------------------------------------------------------------------- */

static void *thread(void *arg)
{
	prctl(PR_SET_NAME, arg);
	usleep(1000);
	return NULL;
}

static void quiet(int sig)
{
	(void)sig;
}

/* kill(), with the kernel's memory for a stack */
static void kill_on_wrong_stack(void)
{
#ifdef __x86_64__
	long nr = SYS_kill;

	asm volatile("push %%rbp\n\tmov %3, %%rbp\n\tsyscall\n\tpop %%rbp" : "+a"(nr)
		     : "D"((long)getpid()), "S"((long)SIGUSR1), "r"(banner + PAST - 8) : "rcx", "r11", "memory");
#endif
}

/*
 * Binds the socket, if it is not bound, to a port that is free. The kernel's choice might have 0xff for its low
 * byte. With the length and the family before it, which a record of the call has, that looks like an address.
 */
static void name_socket(int sock, struct sockaddr_in *in)
{
	for (int i = 0; i < 100; i++) {
		in->sin_port = htons((uint16_t)(20000 + 256 * i));
		if (!bind(sock, (void *)in, sizeof(*in)) || errno != EADDRINUSE)
			return;
	}
}

/* Gives the secrets to everything that a record might take a word from. */
static void give_away(const struct secrets *s, int sock)
{
	const char *path = s->word[PATH], *exec = s->word[EXEC];
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct itimerval it = { .it_value.tv_usec = 1000 };
	socklen_t len = sizeof(in);
	pthread_t t;
	char *p;
	pid_t pid;
	int fd;

	prctl(PR_SET_NAME, s->word[COMM]);
	for (int i = 0; i < 8; i++) {
		syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
		syscall(SYS_openat, AT_FDCWD, banner, O_RDONLY);
		syscall(SYS_mkdirat, AT_FDCWD, path, 0700);
		syscall(SYS_renameat, AT_FDCWD, path, AT_FDCWD, exec);
		syscall(SYS_unlinkat, AT_FDCWD, exec, AT_REMOVEDIR);
		syscall(SYS_symlinkat, path, AT_FDCWD, exec);
		syscall(SYS_unlinkat, AT_FDCWD, exec, 0);
	}
	pthread_create(&t, NULL, thread, (void *)s->word[THREAD]);
	pthread_join(t, NULL);
	if (symlink("/bin/true", exec))
		return;
	pid = fork();
	if (!pid) {
		execl(exec, s->word[COMM], NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	unlink(exec);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", s->word[SOCK]);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(fd, (void *)&un, sizeof(un));
	unlink(un.sun_path);
	close(fd);
	name_socket(sock, &in);
	getsockname(sock, (void *)&in, &len);
	sendto(sock, path, strlen(path), 0, (void *)&in, sizeof(in));
	setitimer(ITIMER_REAL, &it, NULL);
	kill(getpid(), SIGUSR1);
	kill_on_wrong_stack();
	p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 1 << 16; i += 4096)
		snprintf(p + i, 64, "%s", path);
	munmap(p, 1 << 16);
	usleep(2000);
}

static bool go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* The init of a container. It runs on every CPU, because each CPU has rings of its own. */
static int live(void *arg)
{
	const struct secrets *s = arg;
	bool two = s == &mine || s == &beside;
	int in = s == &mine ? pong[0] : ping[0], out = s == &mine ? ping[1] : pong[1];
	int sock = socket(AF_INET, SOCK_DGRAM, 0);
	char b[4096] = "";

	signal(SIGALRM, quiet);
	signal(SIGUSR1, quiet);
	/* Before there is a view of it: on one CPU write over everything that was in it, on the others over
	 * a part. */
	if (s == &mine) {
		go_to(0);
		give_away(s, sock);
		if (write(half[1], b, 1) != 1 || read(half[1], b, 1) != 1)
			return 1;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!go_to(cpu))
			continue;
		give_away(s, sock);
		/* each is switched to from the other, and wakes it */
		for (int i = 0; i < 50 && two; i++)
			if (write(out, b, 1) != 1 || read(in, b, 1) != 1)
				break;
	}
	/* the other container runs on to its end */
	return two && write(out, b, sizeof(b)) < 0;
}

#endif
