// SPDX-License-Identifier: GPL-2.0-only
/*
 * pointed
 * makes calls whose arguments point to memory: addresses of sockets, buffers, structures, arrays. What they say does not
 * change from run to run, but for addresses, ports, inodes and times.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/mqueue.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>

static void must(long ret, const char *what)
{
	if (ret >= 0)
		return;
	perror(what);
	exit(1);
}
#define MUST(x)		must(x, #x)

static struct sockaddr_in inet(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void tcp(void)
{
	struct sockaddr_in a = inet(4711), peer, nobody = inet(9);
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(9), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), one = 1, got;
	struct linger linger = { 1, 2 };
	socklen_t len = sizeof(peer), two = 2;
	struct sockaddr_storage large;
	char buf[64];

	MUST(setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	MUST(bind(server, (void *)&a, sizeof(a)));
	MUST(listen(server, 1));
	MUST(connect(client, (void *)&a, sizeof(a)));
	len = sizeof(large);
	got = accept(server, (void *)&large, &len);
	MUST(got);
	MUST(getpeername(got, (void *)&large, &two));
	len = sizeof(peer);
	MUST(getsockname(server, (void *)&peer, &len));
	MUST(setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	len = sizeof(one);
	MUST(getsockopt(client, SOL_SOCKET, SO_TYPE, &one, &len));
	MUST(send(client, "GET / HTTP/1.0\r\n\r\n", 18, 0));
	MUST(recv(got, buf, sizeof(buf), 0));
	MUST(write(got, "\0\1\2\033[1m\"\\\177\200\377 and so on until it is longer than that", 50));
	MUST(read(client, buf, sizeof(buf)));
	close(got);
	close(client);
	close(server);
	client = socket(AF_INET, SOCK_STREAM, 0);
	connect(client, (void *)&nobody, sizeof(nobody));
	close(client);
	client = socket(AF_INET6, SOCK_STREAM, 0);
	if (client >= 0)
		connect(client, (void *)&six, sizeof(six));
	close(client);
}

static void udp(void)
{
	struct sockaddr_in a = inet(4712), from;
	struct iovec out[] = { { "one", 3 }, { "two", 3 } }, in[] = { { malloc(4), 4 }, { malloc(8), 8 } };
	struct msghdr to = { .msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = out, .msg_iovlen = 2 };
	struct msghdr got = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = in, .msg_iovlen = 2 };
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(from);
	char buf[32];

	MUST(bind(s, (void *)&a, sizeof(a)));
	MUST(sendto(s, "hello", 5, 0, (void *)&a, sizeof(a)));
	MUST(recvfrom(s, buf, sizeof(buf), 0, (void *)&from, &len));
	MUST(sendmsg(s, &to, 0));
	MUST(recvmsg(s, &got, 0));
	close(s);
}

static void local(void)
{
	struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "/tmp/ctrace-pointed" };
	struct sockaddr_un abstract = { .sun_family = AF_UNIX, .sun_path = "\0ctrace-pointed" };
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int s = socket(AF_UNIX, SOCK_STREAM, 0), pair[2];

	unlink(path.sun_path);
	MUST(bind(s, (void *)&path, sizeof(path)));
	unlink(path.sun_path);
	close(s);
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	MUST(bind(s, (void *)&abstract, offsetof(struct sockaddr_un, sun_path) + 15));
	close(s);
	s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	MUST(bind(s, (void *)&nl, sizeof(nl)));
	close(s);
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	close(pair[0]);
	close(pair[1]);
}

/* Vectors of messages, and descriptors that a message passes on. */
static void messages(void)
{
	struct sockaddr_in a = inet(4713), from[2];
	struct iovec out[] = { { "one", 3 }, { "two", 3 }, { "three", 5 } };
	struct iovec in[] = { { malloc(8), 8 }, { malloc(9), 9 } };
	struct mmsghdr to[2] = {
		{ { .msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = out, .msg_iovlen = 2 }, 0 },
		{ { .msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = out + 2, .msg_iovlen = 1 }, 0 },
	};
	struct mmsghdr got[2] = {
		{ { .msg_name = &from[0], .msg_namelen = sizeof(a), .msg_iov = in, .msg_iovlen = 1 }, 0 },
		{ { .msg_name = &from[1], .msg_namelen = sizeof(a), .msg_iov = in + 1, .msg_iovlen = 1 }, 0 },
	};
	union { struct cmsghdr head; char room[CMSG_SPACE(2 * sizeof(int))]; } control = {
		.head = { CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS },
	};
	struct msghdr pass = { .msg_iov = out, .msg_iovlen = 1, .msg_control = &control,
			       .msg_controllen = sizeof(control) };
	int s = socket(AF_INET, SOCK_DGRAM, 0), pair[2], fds[2];
	struct sockaddr_storage large;

	MUST(bind(s, (void *)&a, sizeof(a)));
	MUST(sendmmsg(s, to, 2, MSG_NOSIGNAL));
	MUST(recvmmsg(s, got, 2, 0, NULL));
	MUST(sendto(s, "x", 1, 0, (void *)&a, sizeof(a)));
	MUST(recvmsg(s, &(struct msghdr){ .msg_name = &large, .msg_namelen = sizeof(large), .msg_iov = in,
					  .msg_iovlen = 1 }, 0));
	recvmsg(s, &(struct msghdr){ .msg_namelen = 7 }, MSG_DONTWAIT);
	close(s);
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	fds[0] = open("/dev/null", O_RDONLY);
	fds[1] = open("/proc/version", O_RDONLY);
	memcpy(CMSG_DATA(&control.head), fds, sizeof(fds));
	MUST(sendmsg(pair[0], &pass, 0));
	pass.msg_iov = in;
	MUST(recvmsg(pair[1], &pass, 0));
	close(fds[0]);
	close(fds[1]);
	close(pair[0]);
	close(pair[1]);
}

/* Structures of calls that are made by programs of their own kind. */
static void objects(void)
{
	struct mq_attr attr = { .mq_maxmsg = 2, .mq_msgsize = 64 };
	struct perf_event_attr perf = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(perf), .disabled = 1 };
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1 };
	int mq = (int)syscall(SYS_mq_open, "ctrace-pointed", O_RDWR | O_CREAT, 0600, &attr);

	syscall(SYS_mq_getsetattr, mq, NULL, &attr);
	syscall(SYS_mq_unlink, "ctrace-pointed");
	close(mq);
	close((int)syscall(SYS_perf_event_open, &perf, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
	close((int)syscall(SYS_bpf, BPF_MAP_CREATE, &map, 20));
}

static void files(void)
{
	struct iovec out[] = { { "ab", 2 }, { "cdefg", 5 } }, in[] = { { malloc(3), 3 }, { malloc(100), 100 } };
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10 };
	int fd = open("/tmp/ctrace-pointed", O_RDWR | O_CREAT | O_TRUNC, 0640), other, fds[2];
	int64_t at = 1;
	struct timespec times[2] = { { 1, 2 }, { 0, UTIME_OMIT } };
	struct stat st;
	char buf[64];

	MUST(fd);
	MUST(writev(fd, out, 2));
	MUST(lseek(fd, 0, SEEK_SET));
	MUST(readv(fd, in, 2));
	MUST(pread(fd, buf, sizeof(buf), 1));
	MUST(pwrite(fd, "XY", 2, 2));
	MUST(fcntl(fd, F_SETLK, &lock));
	MUST(syscall(SYS_newfstatat, AT_FDCWD, "/tmp/ctrace-pointed", &st, 0));
	MUST(futimens(fd, times));
	MUST(pipe(fds));
	MUST(syscall(SYS_sendfile, fds[1], fd, &at, 3));
	MUST(syscall(SYS_splice, fd, &at, fds[1], NULL, 2, 0));
	close(fds[0]);
	close(fds[1]);
	other = fcntl(fd, F_DUPFD, 20);
	MUST(dup2(fd, 21));
	close(other);
	close(21);
	close(fd);
	unlink("/tmp/ctrace-pointed");
	unlink("/tmp/ctrace-link");
	MUST(symlink("/somewhere/else", "/tmp/ctrace-link"));
	MUST(readlink("/tmp/ctrace-link", buf, sizeof(buf)));
	unlink("/tmp/ctrace-link");
	MUST(chdir("/tmp"));
	MUST(syscall(SYS_getcwd, buf, sizeof(buf)));
	MUST(pipe(fds));
	MUST(write(fds[1], "x", 1));
	MUST(ioctl(fds[0], FIONREAD, &other));
	close(fds[0]);
	close(fds[1]);
}

static void ptys(void)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	struct winsize ws = { 24, 80, 0, 0 };

	if (fd < 0)
		return;
	MUST(ioctl(fd, TIOCSWINSZ, &ws));
	MUST(ioctl(fd, TIOCGWINSZ, &ws));
	close(fd);
}

static void waits(void)
{
	struct timespec short_time = { 0, 1000 }, none = { 0, 0 };
	struct pollfd p[2] = { { .events = POLLIN }, { .fd = -1, .events = POLLOUT } };
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = 0x1122334455667788 }, seen[2];
	struct itimerspec timer = { .it_value = { 1000, 5 } };
	uint64_t signals = 1 << (SIGUSR1 - 1) | 1 << (SIGCHLD - 1);
	struct { uint64_t *set, size; } mask = { &signals, sizeof(signals) };
	struct timespec long_time;
	struct timeval long_timeval;
	fd_set in, out, except;
	int efd = eventfd(3, 0), empty = eventfd(0, 0), ep = epoll_create1(0), tfd = timerfd_create(CLOCK_MONOTONIC, 0);

	/* each changes what it was given: what is ready, and a time that has passed */
#define SETS()	do {								\
		FD_ZERO(&in);							\
		FD_SET(efd, &in);						\
		FD_SET(empty, &in);						\
		out = except = in;						\
		long_time = (struct timespec){ 1000, 0 };			\
		long_timeval = (struct timeval){ 1000, 0 };			\
	} while (0)
	SETS();
	MUST(syscall(SYS_pselect6, tfd, &in, NULL, &except, &long_time, &mask));
	SETS();
	MUST(syscall(SYS_pselect6, tfd, NULL, &out, NULL, &none, NULL));
	SETS();
	MUST(syscall(SYS_pselect6, tfd, NULL, NULL, &except, &none, NULL));
#ifdef SYS_select
	SETS();
	MUST(syscall(SYS_select, tfd, &in, &out, &except, &long_timeval));
#endif
	p[0].fd = efd;
	MUST(poll(p, 2, 0));
	MUST(ppoll(p, 1, &none, NULL));
	MUST(syscall(SYS_ppoll, p, 1, &long_time, NULL, 8));
	MUST(epoll_ctl(ep, EPOLL_CTL_ADD, efd, &e));
	MUST(syscall(SYS_epoll_wait, ep, seen, 2, 0));
	MUST(syscall(SYS_nanosleep, &short_time, NULL));
	MUST(clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL));
	MUST(timerfd_settime(tfd, 0, &timer, NULL));
	close(efd);
	close(empty);
	close(ep);
	close(tfd);
}

static void pidfds(void)
{
	/* of init, whose number is the same in each run; the call's number is the same everywhere */
	int fd = (int)syscall(434, 1, 0);

	fcntl(fd, F_GETFD);
	close(fd);
}

static void others(void)
{
	struct sock_filter f = { 0 };
	struct sock_fprog none = { 0, &f };
	struct ifreq lo = { .ifr_name = "lo" }, nobody = { .ifr_name = "nobody" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), dir;
	char buf[1024];

	MUST(fd);
	MUST(ioctl(fd, SIOCGIFINDEX, &lo));
	MUST(ioctl(fd, SIOCGIFNAME, &lo));
	MUST(ioctl(fd, SIOCGIFFLAGS, &lo));
	MUST(ioctl(fd, SIOCGIFMTU, &lo));
	ioctl(fd, SIOCGIFADDR, &nobody);
	close(fd);
	mkdir("/tmp/ctrace-dir", 0700);
	dir = open("/tmp/ctrace-dir", O_RDONLY | O_DIRECTORY);
	MUST(syscall(SYS_getdents64, dir, buf, sizeof(buf)));
	MUST(syscall(SYS_getdents64, dir, buf, sizeof(buf)));
	/* one that is open, and one that is not */
	MUST(dup2(dir, 0));
	MUST(dup3(dir, 30, O_CLOEXEC));
	close(dir);
	rmdir("/tmp/ctrace-dir");
	mount("none", "/nowhere", "tmpfs", MS_RDONLY, "size=1k,mode=700");
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &none);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &none);
}

static void processes(void)
{
	struct rlimit r = { 100, 4096 }, old;
	struct sigaction act = { .sa_handler = SIG_IGN, .sa_flags = SA_RESTART };
	char name[16];
	struct utsname u;
	sigset_t set;
	int status;
	pid_t pid;

	MUST(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &r, &old));
	sigaddset(&act.sa_mask, SIGINT);
	MUST(sigaction(SIGUSR1, &act, NULL));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	MUST(sigprocmask(SIG_BLOCK, &set, NULL));
	MUST(uname(&u));
	MUST(prctl(PR_SET_NAME, "named"));
	MUST(prctl(PR_GET_NAME, name));
	pid = fork();
	if (!pid)
		_exit(3);
	MUST(syscall(SYS_wait4, pid, &status, 0, NULL));
	execve("/nowhere", (char *[]){ "nowhere", "-x", "a b", NULL }, (char *[]){ NULL });
	execve("/bin/true", (char *[]){ "true", "one", NULL }, (char *[]){ NULL });
}

/* Memory that ends within what an argument points to, and memory that only the call brings in. */
static void edges(void)
{
	struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "/tmp/ctrace-pointed" };
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = page + 4096;
	struct pollfd *fds = (void *)(end - 2 * sizeof(*fds));
	struct iovec *v = (void *)(end - sizeof(*v));
	int s = socket(AF_UNIX, SOCK_STREAM, 0), file, p[2];
	socklen_t len = 16;

	if (page == MAP_FAILED || munmap(end, 4096))
		exit(1);
	/* the kernel cuts the address */
	MUST(bind(s, (void *)&path, sizeof(path)));
	MUST(getsockname(s, (void *)(end - 16), &len));
	unlink(path.sun_path);
	close(s);
	fds[0] = (struct pollfd){ .fd = -1 };
	fds[1] = (struct pollfd){ .fd = 0, .events = POLLIN };
	poll(fds, 3, 0);
	MUST(pipe(p));
	*v = (struct iovec){ "abc", 3 };
	writev(p[1], v, 2);
	file = open("/bin/sh", O_RDONLY);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	if (page == MAP_FAILED)
		exit(1);
	MUST(write(p[1], page, 4));
	close(file);
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	tcp();
	udp();
	local();
	messages();
	objects();
	files();
	ptys();
	waits();
	others();
	pidfds();
	edges();
	processes();
	return 1;
}
