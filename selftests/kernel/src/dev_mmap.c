// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev_mmap: tries every wrong offset, length and protection, and the ways to change a protection
 * afterwards. A mapping must always be read-only.
 */
#include "dev.h"
#include "box.h"
#include <setjmp.h>

static int fd;
static size_t size;
static sigjmp_buf back;

static int map(size_t len, int prot, int flags, off_t off)
{
	void *p = mmap(NULL, len, prot, flags, fd, off);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, len);
	return 0;
}

static void fault(int sig)
{
	siglongjmp(back, sig);
}

/* Returns the signal that touching p causes, 0 if none. */
static int touch(volatile char *p, int write)
{
	int sig = sigsetjmp(back, 1);

	if (!sig) {
		if (write)
			*p = 1;
		else
			(void)*p;
	}
	return sig;
}

static void lengths(void)
{
	static const off_t off[] = { 1, 4095, -4096, 1ull << 40, INT64_MAX & ~4095ll };
	char what[80];

	dev_expect(-EINVAL, map(0, PROT_READ, MAP_SHARED, 0), "length 0");
	dev_refused(map(size + 4096, PROT_READ, MAP_SHARED, 0), "one page too many");
	dev_refused(map(size * 16, PROT_READ, MAP_SHARED, 0), "sixteen times as long");
	dev_refused(map(4096, PROT_READ, MAP_SHARED, size), "offset at the end");
	dev_refused(map(size, PROT_READ, MAP_SHARED, 4096), "right length, one page in");
	dev_refused(map(8192, PROT_READ, MAP_SHARED, size - 4096), "over the end by a page");
	for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++) {
		snprintf(what, sizeof(what), "offset %#llx", (long long)off[i]);
		dev_refused(map(4096, PROT_READ, MAP_SHARED, off[i]), what);
	}
	dev_expect(0, map(4096, PROT_READ, MAP_SHARED, 0), "directory alone");
	dev_expect(0, map(size, PROT_READ, MAP_SHARED, 0), "whole");
}

static void protections(void)
{
	dev_refused(map(size, PROT_READ | PROT_WRITE, MAP_SHARED, 0), "write");
	dev_refused(map(size, PROT_WRITE, MAP_SHARED, 0), "write alone");
	dev_refused(map(size, PROT_READ | PROT_EXEC, MAP_SHARED, 0), "execute");
	dev_refused(map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0), "private and write");
	dev_refused(map(size, PROT_READ | PROT_EXEC, MAP_PRIVATE, 0), "private and execute");
}

static void afterwards(void)
{
	char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), *q;
	int st;
	pid_t pid;

	dev_expect(-EACCES, mprotect(p, size, PROT_READ | PROT_WRITE) ? -errno : 0,
		   "mprotect to write");
	dev_expect(-EACCES, mprotect(p, 4096, PROT_READ | PROT_EXEC) ? -errno : 0,
		   "mprotect to execute");
	dev_expect(0, mprotect(p, 4096, PROT_NONE) ? -errno : 0, "mprotect to nothing");
	dev_expect(0, mprotect(p, 4096, PROT_READ) ? -errno : 0, "mprotect back to read");
	ksft_test_result(touch(p, 1) == SIGSEGV, "a write to it kills the writer\n");
	q = mremap(p, size, size * 2, MREMAP_MAYMOVE);
	dev_refused(q == MAP_FAILED ? -errno : 0, "mremap to twice the length");
	if (q != MAP_FAILED)
		p = q;
	/* moved, not grown: the same pages */
	q = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	q = mremap(p, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	if (q != MAP_FAILED)
		p = q;
	ksft_test_result(((struct ctrace_dir *)p)->magic == CTRACE_MAGIC,
			 "after mremap elsewhere the directory is there\n");
	pid = fork();
	if (!pid)
		_exit(((struct ctrace_dir *)p)->magic != CTRACE_MAGIC ||
		      touch(p + size - 1, 0) || !mprotect(p, size, PROT_READ | PROT_WRITE));
	waitpid(pid, &st, 0);
	ksft_test_result(st == 0, "a child sees the mapping, and may not write to it either\n");
	ksft_test_result(!touch(p + size - 1, 0), "the last byte can be read\n");
	close(fd);
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
	ksft_test_result(((volatile struct ctrace_dir *)p)->state == CTRACE_DIR_ENDED &&
			 !touch(p + size - 1, 0),
			 "with session and descriptor gone the mapping stands, and says so\n");
	munmap(p, size);
}

static void unbound(void)
{
	int save = fd, none = dev_open(O_NONBLOCK);
	struct pollfd pfd = { .fd = none, .events = POLLIN };
	char b[64];

	fd = none;
	dev_refused(map(4096, PROT_READ, MAP_SHARED, 0), "unbound: mmap");
	dev_refused(read(none, b, sizeof(b)) < 0 ? -errno : 0, "unbound: read");
	poll(&pfd, 1, 0);
	ksft_test_result(!(pfd.revents & POLLIN), "unbound: poll finds nothing to read (%#x)\n",
			 pfd.revents);
	close(none);
	fd = save;
}

/* The layout is as the header promises, field by field. */
static void layout(void)
{
	const struct ctrace_dir *d = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	ksft_test_result(d->magic == CTRACE_MAGIC && d->abi == CTRACE_ABI &&
			 d->abi_compat <= CTRACE_ABI, "magic and version\n");
	ksft_test_result(d->session == dev_session && d->cid == CTRACE_CID_ALL, "session and cid\n");
	ksft_test_result(d->nslots == d->ncpus * d->slots_per_cpu && d->ncpus >= 1 &&
			 d->slot_stride == CTRACE_PAGE + d->ring_size &&
			 !(d->ring_size & (d->ring_size - 1)) && !(d->subbuf_size & (d->subbuf_size - 1)) &&
			 d->subbuf_size <= d->ring_size / 2, "sizes agree\n");
	ksft_test_result(d->map_size == size &&
			 d->slots_off + d->nslots * d->slot_stride <= d->map_size &&
			 d->heads_off + d->ncpus * d->heads_stride <= d->slots_off, "all within the mapping\n");
	ksft_test_result(!(d->heads_off % 64) && !(d->heads_stride % 64) && d->heads_stride >= 8ull * d->slots_per_cpu,
			 "no two CPUs' hints share a cache line\n");
	munmap((void *)d, size);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = fault, .sa_flags = SA_NODEFER };
	struct genl_sizes s = { .arena = 2 << 20, .ring = 65536 };

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	ksft_print_header();
	ksft_set_plan(13 + 6 + 10 + 3 + 4);
	dev_session_make(&s, "syscall:getpriority");
	/* Open it for writing too: the kernel itself makes no writable mapping of a file that was not
	 * opened for writing. */
	fd = dev_open(O_RDWR);
	if (dev_bind(fd, dev_session, CTRACE_CID_ALL, &size))
		ksft_exit_fail_msg("bind: %s\n", strerror(errno));
	ksft_print_msg("mapping of %zu bytes\n", size);
	unbound();
	layout();
	lengths();
	protections();
	afterwards();
	ksft_finished();
}
