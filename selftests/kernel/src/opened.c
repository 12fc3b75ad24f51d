// SPDX-License-Identifier: GPL-2.0-only
/*
 * opened DIR [headless]: has descriptors of many kinds, with DIR/root for its root, and says "ready". Of its three
 * threads one shares the first one's descriptors, and one has a copy of them, and a file more. At SIGUSR1 the first
 * and the last call fcntl(N, F_GETFD) for each number. headless: the first thread ends, and only the last one calls.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <linux/netlink.h>

#define HIGH 900

static int must(int ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
	return ret;
}
#define MUST(x)		must(x, #x)

static pthread_barrier_t at_start, at_signal;

static void listening(int family, int type)
{
	struct sockaddr_in6 a = { .sin6_family = family };
	socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(a);
	int s = socket(family, type, 0), c;

	if (s < 0 && errno == EAFNOSUPPORT)
		return;
	MUST(s);
	MUST(bind(s, (struct sockaddr *)&a, len));
	MUST(getsockname(s, (struct sockaddr *)&a, &len));
	if (type == SOCK_STREAM)
		MUST(listen(s, 1));
	/* without lo being up, it stays as it is */
	c = MUST(socket(family, type, 0));
	if (connect(c, (struct sockaddr *)&a, len) && errno != ENETUNREACH && errno != EADDRNOTAVAIL)
		warn("connect");
}

static void sockets(const char *dir)
{
	struct sockaddr_un named = { .sun_family = AF_UNIX, .sun_path = "/socket" },
			   abstract = { .sun_family = AF_UNIX };
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	int p[2];

	/* of all in the network namespace */
	snprintf(abstract.sun_path + 1, sizeof(abstract.sun_path) - 1, "%s", dir);
	listening(AF_INET, SOCK_STREAM);
	listening(AF_INET6, SOCK_STREAM);
	listening(AF_INET, SOCK_DGRAM);
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, p));
	MUST(bind(MUST(socket(AF_UNIX, SOCK_STREAM, 0)), (struct sockaddr *)&named, sizeof(named)));
	MUST(bind(MUST(socket(AF_UNIX, SOCK_DGRAM, 0)), (struct sockaddr *)&abstract,
		  offsetof(struct sockaddr_un, sun_path) + 1 + strlen(dir)));
	MUST(bind(MUST(socket(AF_NETLINK, SOCK_RAW, 0)), (struct sockaddr *)&nl, sizeof(nl)));
	MUST(socket(AF_INET, SOCK_STREAM, 0));
}

/* A path that no name has room for, and one that just fits: a name has 255 bytes. */
static void long_paths(void)
{
	char name[256], path[300];
	int i;

	memset(name, 'x', 200);
	name[200] = 0;
	snprintf(path, sizeof(path), "/%s", name);
	MUST(mkdir(path, 0700));
	for (i = 53; i <= 54; i++) {
		snprintf(path, sizeof(path), "/%s/%.*s", name, i, name);
		MUST(open(path, O_CREAT | O_RDWR, 0600));
	}
}

static void files(const char *dir)
{
	int p[2];

	MUST(mkdir(dir, 0755));
	MUST(chdir(dir));
	MUST(mkdir("root", 0755));
	MUST(open("/dev/null", O_WRONLY));
	MUST(open("/proc/self/ns/net", O_RDONLY));
	MUST(open("outside", O_CREAT | O_RDWR, 0600));
	MUST(chroot("root"));
	MUST(open(".", O_RDONLY | O_DIRECTORY));
	MUST(chdir("/"));
	MUST(open("/", O_RDONLY | O_DIRECTORY));
	MUST(open("/inside", O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
	MUST(open("/inside", O_PATH));
	MUST(open("/was", O_CREAT | O_RDWR | O_NONBLOCK, 0600));
	MUST(rename("/was", "/is"));
	MUST(mkdir("/sub", 0755));
	MUST(open("/sub/deleted", O_CREAT | O_RDWR, 0600));
	MUST(unlink("/sub/deleted"));
	MUST(pipe(p));
	MUST(epoll_create1(EPOLL_CLOEXEC));
	MUST(eventfd(0, 0));
	if (syscall(434, getpid(), 0) < 0 && errno != ENOSYS)
		err(1, "pidfd_open");
#ifdef SYS_memfd_create
	if (syscall(SYS_memfd_create, "memory", 0) < 0 && errno != ENOSYS)
		err(1, "memfd_create");
#endif
	MUST(dup2(p[0], HIGH));
}

static void call(void)
{
	for (int fd = 0; fd < 1024; fd++)
		fcntl(fd, F_GETFD);
}

static void *shares(void *arg)
{
	pthread_barrier_wait(&at_start);
	for (;;)
		pause();
	return arg;
}

static void *copies(void *arg)
{
	sigset_t usr1;
	int sig, *headless = arg;

	MUST(unshare(CLONE_FILES));
	MUST(open("/own", O_CREAT | O_RDWR, 0600));
	pthread_barrier_wait(&at_start);
	if (*headless) {
		sigemptyset(&usr1);
		sigaddset(&usr1, SIGUSR1);
		sigwait(&usr1, &sig);
	} else {
		pthread_barrier_wait(&at_signal);
	}
	call();
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	int sig, headless = argc > 2;
	pthread_t t[2];
	sigset_t usr1;

	if (argc < 2)
		errx(2, "which directory?");
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	MUST(sigprocmask(SIG_BLOCK, &usr1, NULL));
	files(argv[1]);
	long_paths();
	sockets(argv[1]);
	pthread_barrier_init(&at_start, NULL, 3);
	pthread_barrier_init(&at_signal, NULL, 2);
	if (pthread_create(&t[0], NULL, shares, NULL) || pthread_create(&t[1], NULL, copies, &headless))
		errx(1, "no thread");
	pthread_barrier_wait(&at_start);
	puts("ready");
	fflush(stdout);
	if (headless)
		syscall(SYS_exit, 0);
	sigwait(&usr1, &sig);
	pthread_barrier_wait(&at_signal);
	call();
	for (;;)
		pause();
}
