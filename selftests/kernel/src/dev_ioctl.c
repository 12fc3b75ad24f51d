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
		{ { .cid = CTRACE_CID_HOST }, -EINVAL, "bind to a container" },
		{ { .cid = CTRACE_CID_UNKNOWN }, -EINVAL, "bind to the unknown container" },
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

static int open_files(void)
{
	int n = 0;

	for (int i = 0; i < 1024; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

static void view_values(int fd)
{
	static const struct {
		struct ctrace_view_args v;
		int err;
		const char *what;
	} v[] = {
		{ { .session = 0xffffffff }, -ENOENT, "a view of no such session" },
		{ { .session = 0 }, -ENOENT, "a view of session 0" },
		{ { .cid = 0x7ffffff0 }, -ENOENT, "a view of no such container" },
		{ { .cid = CTRACE_CID_UNKNOWN }, -ENOENT, "a view of the unknown container" },
		{ { .cid = CTRACE_CID_ALL }, -ENOENT, "a view of all" },
		{ { .flags = 1 }, -EINVAL, "a view with flags" },
		{ { ._pad = 1 }, -EINVAL, "a view, _pad not 0" },
		{ { ._reserved = { 1, 0 } }, -EINVAL, "a view, reserved[0] not 0" },
		{ { ._reserved = { 0, 1u << 31 } }, -EINVAL, "a view, reserved[1] not 0" },
	};
	int before = open_files();

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct ctrace_view_args a = v[i].v;

		if (i > 1)
			a.session = dev_session;
		dev_expect(v[i].err, call(fd, CTRACE_IOC_VIEW, &a), v[i].what);
	}
	dev_expect(-EFAULT, call(fd, CTRACE_IOC_VIEW, (void *)-8l), "a view, a bad address");
	ksft_test_result(open_files() == before, "refused views leave no descriptor\n");
}

/* A view is a file of its own, that can be asked and taken back and nothing else. */
static void view(int fd)
{
	struct ctrace_shown s = { .session = 1 };
	uint64_t size = 0;
	int view = dev_view(fd, dev_session, CTRACE_CID_HOST, &size), r, w;

	ksft_test_result(view >= 0 && fcntl(view, F_GETFD) == FD_CLOEXEC, "a view: %d\n", view);
	r = call(view, CTRACE_IOC_INFO, &s);
	ksft_test_result(!r && s.session == dev_session && s.cid == CTRACE_CID_HOST && s.map_size == size,
			 "it says what it shows: %d\n", r);
	dev_expect(-EFAULT, call(view, CTRACE_IOC_INFO, NULL), "asked with a bad address");
	dev_expect(-ENOTTY, dev_bind(view, dev_session, CTRACE_CID_ALL, NULL), "it cannot be bound");
	dev_expect(-ENOTTY, dev_view(view, dev_session, CTRACE_CID_HOST, NULL), "nor make another view");
	dev_expect(-EINVAL, write(view, "x", 1) < 0 ? errno == EBADF ? -EINVAL : -errno : 0, "nor be written");
	dev_expect(-ESPIPE, lseek(view, 0, SEEK_SET) < 0 ? -errno : 0, "nor sought in");
	dev_expect(-ENOTTY, call(fd, CTRACE_IOC_REVOKE, NULL), "a descriptor of the device cannot be taken back");
	r = call(view, CTRACE_IOC_REVOKE, NULL);
	w = call(view, CTRACE_IOC_REVOKE, NULL);
	ksft_test_result(!r && !w, "a view can, also twice: %d, %d\n", r, w);
	dev_expect(0, call(view, CTRACE_IOC_INFO, &s), "and still says what it showed");
	close(view);
}

static void twice(int fd)
{
	struct ctrace_shown s;
	uint64_t size;

	dev_expect(-ENXIO, call(fd, CTRACE_IOC_INFO, &s), "not bound: shows nothing");
	dev_expect(0, dev_bind(fd, dev_session, CTRACE_CID_ALL, &size), "after all that: bind");
	dev_expect(-EBUSY, dev_bind(fd, dev_session, CTRACE_CID_ALL, NULL), "bind again");
	dev_expect(0, call(fd, CTRACE_IOC_INFO, &s), "bound: shows something");
	ksft_test_result(size > CTRACE_PAGE && s.map_size == size && s.cid == CTRACE_CID_ALL, "map_size %llu\n",
			 (unsigned long long)size);
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
	ksft_set_plan(5 + 5 + 6 + 11 + 10 + 1 + 5);
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
	view_values(fd);
	view(fd);
	unprivileged();
	twice(fd);
	ksft_finished();
}
