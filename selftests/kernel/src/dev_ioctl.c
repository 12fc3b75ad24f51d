// SPDX-License-Identifier: GPL-2.0-only
/* dev_ioctl: calls the ioctls of /dev/ctrace with every wrong number, size, pointer and value. */
#include "dev.h"
#include <pwd.h>
#include <sys/wait.h>

static int call(int fd, unsigned long nr, void *arg)
{
	return ioctl(fd, nr, arg) < 0 ? -errno : 0;
}

static void numbers(int fd)
{
	struct ctrace_bind b = { .session = dev_session, .cid = CTRACE_CID_ALL };
	int bad = 0;

	/* a struct of another size makes another ioctl number */
	dev_expect(-ENOTTY, call(fd, _IOWR(CTRACE_IOC_MAGIC, 1, char[16]), &b), "shorter struct");
	dev_expect(-ENOTTY, call(fd, _IOWR(CTRACE_IOC_MAGIC, 1, char[4000]), &b), "longer struct");
	dev_expect(-ENOTTY, call(fd, _IOW(CTRACE_IOC_MAGIC, 1, struct ctrace_bind), &b), "direction");
	for (unsigned int i = 0; i < 256; i++)
		if (i != 1 && call(fd, _IOWR(CTRACE_IOC_MAGIC, i, struct ctrace_bind), &b) != -ENOTTY)
			bad++;
	ksft_test_result(!bad, "255 other numbers: expected ENOTTY, %d were not\n", bad);
	for (unsigned int i = bad = 0; i < 256; i++)
		if (i != CTRACE_IOC_MAGIC && call(fd, _IOWR(i, 1, struct ctrace_bind), &b) == 0)
			bad++;
	ksft_test_result(!bad, "255 other types: expected a refusal, %d were taken\n", bad);
}

static void pointers(int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ctrace_bind *b = (void *)p;

	dev_expect(-EFAULT, call(fd, CTRACE_IOC_BIND, NULL), "NULL");
	dev_expect(-EFAULT, call(fd, CTRACE_IOC_BIND, (void *)-8l), "end of the address space");
	dev_expect(-EFAULT, call(fd, CTRACE_IOC_BIND, (void *)0xffffffff81000000ul), "kernel's text");
	mprotect(p + page, page, PROT_NONE);
	b = (void *)(p + page - sizeof(*b) / 2);
	b->session = dev_session;
	b->cid = CTRACE_CID_ALL;
	dev_expect(-EFAULT, call(fd, CTRACE_IOC_BIND, b), "half of it unmapped");
	b = (void *)p;
	b->session = dev_session;
	b->cid = CTRACE_CID_ALL;
	mprotect(p, page, PROT_READ);
	dev_expect(-EFAULT, call(fd, CTRACE_IOC_BIND, b), "read-only: the answer cannot be written");
	munmap(p, 2 * page);
}

static void values(void)
{
	static const struct {
		struct ctrace_bind b;
		int err;
		const char *what;
	} v[] = {
		{ { .session = 0xffffffff, .cid = CTRACE_CID_ALL }, -ENOENT, "no such session" },
		{ { .session = 0, .cid = CTRACE_CID_ALL }, -ENOENT, "session 0" },
		{ { .cid = 0x7ffffff0 }, -ENOENT, "no such container" },
		{ { .cid = CTRACE_CID_UNKNOWN }, -ENOENT, "the unknown container" },
		{ { .cid = CTRACE_CID_ALL, ._reserved = { 1, 0 } }, -EINVAL, "reserved[0] not 0" },
		{ { .cid = CTRACE_CID_ALL, ._reserved = { 0, 1u << 31 } }, -EINVAL, "reserved[1] not 0" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct ctrace_bind b = v[i].b;
		int fd = dev_open(0);

		if (i > 1)
			b.session = dev_session;
		dev_expect(v[i].err, call(fd, CTRACE_IOC_BIND, &b), v[i].what);
		close(fd);
	}
}

static void twice(int fd)
{
	uint64_t size;

	dev_expect(0, dev_bind(fd, dev_session, CTRACE_CID_ALL, &size), "after all that: bind");
	dev_expect(-EBUSY, dev_bind(fd, dev_session, CTRACE_CID_ALL, NULL), "bind again");
	dev_expect(-EBUSY, dev_bind(fd, dev_session, CTRACE_CID_HOST, NULL), "bind to another");
	ksft_test_result(size > CTRACE_PAGE, "map_size %llu\n", (unsigned long long)size);
}

static void unprivileged(void)
{
	int err[2] = { 0, 0 }, p[2];
	pid_t pid;

	if (pipe(p))
		ksft_exit_fail_msg("pipe\n");
	pid = fork();
	if (!pid) {
		int fd;

		if (setgid(65534) || setuid(65534))
			_exit(1);
		fd = open(CTRACE_DEVICE, O_RDONLY);
		err[0] = fd < 0 ? -errno : 0;
		err[1] = fd < 0 ? -errno : dev_bind(fd, dev_session, CTRACE_CID_ALL, NULL);
		if (write(p[1], err, sizeof(err)) < 0)
			_exit(1);
		_exit(0);
	}
	if (read(p[0], err, sizeof(err)) != sizeof(err))
		ksft_exit_fail_msg("child\n");
	waitpid(pid, NULL, 0);
	ksft_test_result(err[1] == -EPERM || err[0] == -EACCES,
			 "nobody binds: open %s, bind %s\n", strerror(-err[0]), strerror(-err[1]));
}

int main(void)
{
	struct genl_sizes s = { .arena = 2 << 20, .ring = 65536 };
	int fd;

	ksft_print_header();
	ksft_set_plan(5 + 5 + 6 + 1 + 4);
	dev_session_make(&s, "syscall:getpriority");
	fd = dev_open(0);
	numbers(fd);
	/* A failed answer must not leave the descriptor half bound, so this test gets a descriptor of its
	 * own. */
	close(fd);
	fd = dev_open(0);
	pointers(fd);
	close(fd);
	fd = dev_open(0);
	values();
	unprivileged();
	twice(fd);
	ksft_finished();
}
