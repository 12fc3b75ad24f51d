// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev_pass: hands a descriptor bound to one container to an unprivileged process, over a socket. The
 * process must see that container, and not a byte of its neighbour, nor of containers that had the same slots
 * before. Each container opens a path with a secret in it, and the process searches the whole mapping.
 */
#include "dev.h"
#include "box.h"
#include <grp.h>
#include <sched.h>
#include <sys/uio.h>
#include <sys/un.h>

static const char mine[] = "/secret-of-mine-7f3a91";
static const char other[] = "/secret-of-the-other-c05d2e";
static const char gone[] = "/secret-of-those-gone-91b6f8";

/* Few slots, so that the containers that go use all of them. */
#define RING	65536
#define SLOTS	4	/* of each CPU; one of them is shared */
#define GONE	6

struct found {
	int uid, mapped, mine, other, gone, dir_cid, foreign, again, wider, write, kept, written;
};

static int opener(void *arg)
{
	for (int i = 0; i < 200; i++)
		syscall(SYS_openat, AT_FDCWD, arg, O_RDONLY);
	return 0;
}

/* On each CPU: each has slots of its own. */
static int opener_everywhere(void *arg)
{
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (!sched_setaffinity(0, sizeof(set), &set))
			opener(arg);
	}
	return 0;
}

/* Containers that use every slot, and go. */
static void leave_secrets(void)
{
	char name[65], path[100];
	struct box b;

	for (int i = 0; i < GONE; i++) {
		box_hex(name, "pass-gone", i);
		snprintf(path, sizeof(path), "/box/%s", name);
		if (box_start(&b, path, CLONE_NEWPID, opener_everywhere, (void *)gone))
			ksft_exit_fail_msg("no container: %s\n", strerror(errno));
		box_settle(&b);
		box_go(&b);
		box_end(&b);
	}
	sleep(3);	/* until their slots may be given again */
}

/* Counts what read() shows of containers other than `cid`. */
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

/* Pages of the mapping that were kept in a pipe would outlive the mapping, when their rings may belong to
 * another container. */
static int kept(char *map, size_t size)
{
	struct iovec v = { map, size };
	int p[2];

	return pipe(p) || vmsplice(p[1], &v, 1, SPLICE_F_NONBLOCK) > 0;
}

/* The unprivileged process. */
static struct found look(int sock, uint64_t size, uint32_t cid)
{
	struct found f = { 0 };
	int fd = dev_fd_recv(sock), into[2];
	char *p;

	f.uid = getuid();
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	f.mapped = p != MAP_FAILED;
	if (!f.mapped)
		return f;
	f.mine = memmem(p, size, mine, sizeof(mine) - 1) != NULL;
	f.other = memmem(p, size, other, sizeof(other) - 1) != NULL;
	f.gone = memmem(p, size, gone, sizeof(gone) - 1) != NULL;
	f.dir_cid = ((struct ctrace_dir *)p)->cid;
	f.again = dev_bind(fd, dev_session, CTRACE_CID_ALL, NULL);
	f.wider = mmap(NULL, size + 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED;
	f.write = mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0;
	f.kept = kept(p, size);
	f.written = !pipe(into) && write(into[1], p, 4096) == 4096;
	f.foreign = foreign(fd, cid);
	return f;
}

int main(void)
{
	struct genl_sizes s = { .arena = (uint64_t)RING * SLOTS * sysconf(_SC_NPROCESSORS_CONF) + RING,
				.ring = RING };
	struct box a, b;
	struct found f = { 0 };
	uint32_t ca, cb;
	uint64_t size = 0;
	char name[65], pa[100], pb[100];
	int sv[2], fd;
	pid_t pid;

	ksft_print_header();
	ksft_set_plan(14);
	dev_session_make(&s, "syscall:openat");
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	dev_session_start(CTRACE_TARGET_ALL, 0);
	leave_secrets();
	box_hex(name, "pass-a", getpid());
	snprintf(pa, sizeof(pa), "/box/%s", name);
	box_hex(name, "pass-b", getpid());
	snprintf(pb, sizeof(pb), "/box/%s", name);
	if (box_start(&a, pa, CLONE_NEWPID, opener, (void *)mine) ||
	    box_start(&b, pb, CLONE_NEWPID, opener, (void *)other))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	box_settle(&a);
	box_settle(&b);
	ca = dev_cid_of(a.pid);
	cb = dev_cid_of(b.pid);
	ksft_test_result(ca && cb && ca != cb, "two containers: cids %u and %u\n", ca, cb);
	fd = dev_open(0);
	dev_expect(0, dev_bind(fd, dev_session, ca, &size), "bind to one container");
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
	dev_fd_send(sv[0], fd);
	if (read(sv[0], &f, sizeof(f)) != sizeof(f))
		ksft_exit_fail_msg("the unprivileged side said nothing\n");
	waitpid(pid, NULL, 0);
	ksft_test_result(f.uid == 65534, "the other side is uid %d\n", f.uid);
	ksft_test_result(f.mapped, "it maps what it was given\n");
	ksft_test_result(f.dir_cid == (int)ca, "directory says cid %d, expected %u\n", f.dir_cid, ca);
	ksft_test_result(f.mine, "its container's secret is there\n");
	ksft_test_result(!f.other, "the neighbour's secret is nowhere in %llu bytes\n",
			 (unsigned long long)size);
	ksft_test_result(!f.gone, "nor is that of the containers that had its slots before\n");
	ksft_test_result(!f.foreign, "read() shows %d records of others, expected 0\n", f.foreign);
	dev_expect(-ENOTTY, f.again, "it cannot bind it to everything");
	ksft_test_result(!f.wider, "it cannot map more\n");
	ksft_test_result(!f.write, "it cannot make it writable\n");
	ksft_test_result(!f.kept, "it cannot keep its pages in a pipe\n");
	ksft_test_result(f.written, "but can write from it\n");
	ksft_finished();
}
