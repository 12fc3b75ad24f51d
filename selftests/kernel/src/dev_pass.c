// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev_pass: a descriptor bound to one container, handed to an unprivileged process
 * over a socket, shows that container and not a byte of its neighbour: each of two
 * containers opens a path with a secret in it, and the whole mapping is searched.
 */
#include "dev.h"
#include "box.h"
#include <grp.h>
#include <sys/un.h>

static const char mine[] = "/secret-of-mine-7f3a91";
static const char other[] = "/secret-of-the-other-c05d2e";

struct found {
	int uid, mapped, mine, other, dir_cid, foreign, again, wider, write;
};

static int opener(void *arg)
{
	for (int i = 0; i < 200; i++)
		syscall(SYS_openat, AT_FDCWD, arg, O_RDONLY);
	return 0;
}

static int cid_fn(const struct nlmsghdr *h, void *arg)
{
	uint32_t *want = arg;

	if (msg_get_u32(h, CTRACE_A_CONTAINER, CTRACE_A_CONTAINER_INIT_PID) == want[0])
		want[1] = msg_get_u32(h, CTRACE_A_CONTAINER, CTRACE_A_CONTAINER_CID);
	return 0;
}

static uint32_t cid_of(pid_t init)
{
	static struct msg m;
	uint32_t want[2] = { init, 0 };

	msg_new(&m, dev_genl.family, CTRACE_CMD_CONTAINER_GET, NLM_F_DUMP);
	genl_call(&dev_genl, &m, cid_fn, want);
	return want[1];
}

static int recv_fd(int sock)
{
	char c, ctl[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl,
			    .msg_controllen = sizeof(ctl) };
	int fd = -1;

	if (recvmsg(sock, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

static void send_fd(int sock, int fd)
{
	char c = 'f', ctl[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl,
			    .msg_controllen = sizeof(ctl) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	if (sendmsg(sock, &m, 0) != 1)
		perror("sendmsg");
}

/* What read() shows of anybody but `cid`. */
static int foreign(int fd, uint32_t cid)
{
	static char buf[65536] __attribute__((aligned(8)));
	int bad = 0;
	ssize_t n;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at < n; ) {
			struct ctrace_record *r = (void *)(buf + at);

			if (r->id != CTRACE_ID_LOST && r->cid != cid)
				bad++;
			at += r->len;
		}
	}
	return bad;
}

/* The unprivileged side. */
static struct found look(int sock, uint64_t size, uint32_t cid)
{
	struct found f = { 0 };
	int fd = recv_fd(sock);
	char *p;

	f.uid = getuid();
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	f.mapped = p != MAP_FAILED;
	if (!f.mapped)
		return f;
	f.mine = memmem(p, size, mine, sizeof(mine) - 1) != NULL;
	f.other = memmem(p, size, other, sizeof(other) - 1) != NULL;
	f.dir_cid = ((struct ctrace_dir *)p)->cid;
	f.again = dev_bind(fd, dev_session, CTRACE_CID_ALL, NULL);
	f.wider = mmap(NULL, size + 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED;
	f.write = mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0;
	f.foreign = foreign(fd, cid);
	return f;
}

int main(void)
{
	struct genl_sizes s = { .arena = 4 << 20, .ring = 65536 };
	struct box a, b;
	struct found f = { 0 };
	uint32_t ca, cb;
	uint64_t size = 0;
	char name[65], pa[100], pb[100];
	int sv[2], fd;
	pid_t pid;

	ksft_print_header();
	ksft_set_plan(11);
	dev_session_make(&s, "syscall:openat");
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	box_hex(name, "pass-a", getpid());
	snprintf(pa, sizeof(pa), "/box/%s", name);
	box_hex(name, "pass-b", getpid());
	snprintf(pb, sizeof(pb), "/box/%s", name);
	if (box_start(&a, pa, CLONE_NEWPID, opener, (void *)mine) ||
	    box_start(&b, pb, CLONE_NEWPID, opener, (void *)other))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	box_settle(&a);
	box_settle(&b);
	ca = cid_of(a.pid);
	cb = cid_of(b.pid);
	ksft_test_result(ca && cb && ca != cb, "two containers: cids %u and %u\n", ca, cb);
	fd = dev_open(0);
	dev_expect(0, dev_bind(fd, dev_session, ca, &size), "bind to one container");
	dev_session_start(CTRACE_TARGET_ALL, 0);
	box_go(&a);
	box_go(&b);
	box_end(&a);
	box_end(&b);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		ksft_exit_fail_msg("socketpair\n");
	pid = fork();
	if (!pid) {
		close(fd);
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(1);
		f = look(sv[1], size, ca);
		_exit(write(sv[1], &f, sizeof(f)) != sizeof(f));
	}
	send_fd(sv[0], fd);
	if (read(sv[0], &f, sizeof(f)) != sizeof(f))
		ksft_exit_fail_msg("the unprivileged side said nothing\n");
	waitpid(pid, NULL, 0);
	ksft_test_result(f.uid == 65534, "the other side is uid %d\n", f.uid);
	ksft_test_result(f.mapped, "it maps what it was given\n");
	ksft_test_result(f.dir_cid == (int)ca, "directory says cid %d, expected %u\n", f.dir_cid, ca);
	ksft_test_result(f.mine, "its container's secret is there\n");
	ksft_test_result(!f.other, "the neighbour's secret is nowhere in %llu bytes\n",
			 (unsigned long long)size);
	ksft_test_result(!f.foreign, "read() shows %d records of others, expected 0\n", f.foreign);
	dev_expect(-EBUSY, f.again == -EPERM ? -EBUSY : f.again, "it cannot bind it to everything");
	ksft_test_result(!f.wider, "it cannot map more\n");
	ksft_test_result(!f.write, "it cannot make it writable\n");
	ksft_finished();
}
