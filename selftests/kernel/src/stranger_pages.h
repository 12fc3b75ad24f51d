/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stranger_pages.h: attacks by calls that change a mapping, or reach into another process.
 */
#ifndef STRANGER_PAGES_H
#define STRANGER_PAGES_H

#include "stranger_hold.h"
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <linux/userfaultfd.h>

static int at_mmap(struct hold *h)
{
	static const int prots[] = { PROT_WRITE, PROT_READ | PROT_WRITE, PROT_EXEC, PROT_READ | PROT_EXEC };
	static const int flags[] = { MAP_SHARED, MAP_PRIVATE, MAP_PRIVATE | MAP_POPULATE, MAP_SHARED | MAP_LOCKED,
				     MAP_PRIVATE | MAP_GROWSDOWN, 3 /* MAP_SHARED_VALIDATE */ };
	size_t page = 4096;
	char *p;

	for (size_t f = 0; f < sizeof(flags) / sizeof(*flags); f++) {
		for (size_t i = 0; i < sizeof(prots) / sizeof(*prots); i++)
			MUST_NOT(h, mmap(NULL, h->size, prots[i], flags[f], h->fd, 0) != MAP_FAILED, "mapped to write or execute");
		/* each part of it shows its own part of the view, and none is beyond the end */
		for (size_t at = 0; at <= h->size; at += 64 * page) {
			p = mmap(NULL, page, PROT_READ, flags[f], h->fd, at);
			if (p == MAP_FAILED)
				continue;
			MUST_NOT(h, at >= h->size, "a page beyond the view");
			MUST_NOT(h, !hold_shows(p, h->map + at, page), "another page than asked for");
			munmap(p, page);
		}
		MUST_NOT(h, mmap(NULL, page, PROT_READ, flags[f], h->fd, -(off_t)page) != MAP_FAILED, "a page before it");
		MUST_NOT(h, mmap(NULL, h->size, PROT_READ, flags[f], h->fd, page) != MAP_FAILED, "one page too far");
	}
	return 0;
}

static int at_mprotect(struct hold *h)
{
	int key = syscall(SYS_pkey_alloc, 0, 0);
	char *private = mmap(NULL, h->size, PROT_READ, MAP_PRIVATE, h->fd, 0);
	char *maps[] = { h->map, private };

	for (int i = 0; i < 2; i++) {
		char *p = maps[i];

		if (p == MAP_FAILED)
			continue;
		for (int prot = 1; prot < 8; prot++) {
			MUST_NOT(h, prot & 6 && !mprotect(p, h->size, prot), "mprotect to write or execute");
			MUST_NOT(h, prot & 6 && !mprotect(p + 8192, 4096, prot), "mprotect of one page");
			MUST_NOT(h, key >= 0 && prot & 6 && !syscall(SYS_pkey_mprotect, p, h->size, prot, key),
				 "pkey_mprotect to write");
		}
		mprotect(p, h->size, PROT_NONE);
		MUST_NOT(h, !mprotect(p, h->size, PROT_READ | PROT_WRITE), "mprotect to write after PROT_NONE");
		mprotect(p, h->size, PROT_READ | PROT_GROWSDOWN);
		mprotect(p, h->size, PROT_READ);
		MUST_NOT(h, !hold_shows(p, i ? h->map : p, h->size), "another page after mprotect");
		if (key >= 0) {
			syscall(SYS_pkey_mprotect, p, h->size, PROT_READ, key);
			MUST_NOT(h, !hold_shows(p, h->map, h->size), "another page after pkey_mprotect");
		}
	}
	return 0;
}

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4	/* 5.7 */
#endif

static int at_mremap(struct hold *h)
{
	size_t n = h->size, page = 4096;
	char *room = mmap(NULL, 4 * n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *again = mmap(NULL, n, PROT_READ, MAP_SHARED, h->fd, 0), *p, *q;

	MUST_NOT(h, room == MAP_FAILED || again == MAP_FAILED, "no room");
	for (int kind = 0; kind < 2; kind++) {
		p = mmap(NULL, n, PROT_READ, kind ? MAP_PRIVATE : MAP_SHARED, h->fd, 0);
		if (p == MAP_FAILED)
			continue;
		/* moved, and its middle part after that, untouched pages too */
		q = mremap(p, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, room + n);
		p = q == MAP_FAILED ? p : q;
		MUST_NOT(h, !hold_shows(p, again, n), "another page after a move");
		q = mremap(p + 2 * page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, room);
		MUST_NOT(h, q != MAP_FAILED && !hold_shows(q, again + 2 * page, page), "another page after a part's move");
		/* grown: at its end, and from a single page, in place and elsewhere */
		MUST_NOT(h, mremap(p + n - page, page, 2 * page, 0) != MAP_FAILED, "grown in place");
		MUST_NOT(h, mremap(p + n - page, page, 2 * page, MREMAP_MAYMOVE) != MAP_FAILED, "grown and moved");
		MUST_NOT(h, mremap(p, page, 2 * n, MREMAP_MAYMOVE | MREMAP_FIXED, room + 2 * n) != MAP_FAILED, "grown over others");
		MUST_NOT(h, mremap(p, 0, 2 * n, MREMAP_MAYMOVE) != MAP_FAILED, "doubled and grown");
		/* kept behind */
		q = mremap(p + 8 * page, 8 * page, 8 * page, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
		MUST_NOT(h, q != MAP_FAILED && !hold_shows(q, again + 8 * page, 8 * page), "another page with DONTUNMAP");
		MUST_NOT(h, q != MAP_FAILED && !kind && !hold_shows(p + 8 * page, again + 8 * page, 8 * page),
			 "another page where it was kept behind");
		/* shrunk, and grown to what it was */
		q = mremap(again, n, n - page, 0);
		MUST_NOT(h, q != MAP_FAILED && mremap(again, n - page, n + page, MREMAP_MAYMOVE) != MAP_FAILED, "shrunk, then grown");
		munmap(p, n);
		munmap(again, n);
		again = mmap(NULL, n, PROT_READ, MAP_SHARED, h->fd, 0);
	}
	return 0;
}

static int at_remap(struct hold *h)
{
	size_t page = 4096, pages = h->size / page;

	/* emulated by a new mapping since 4.0: then it is the page that was asked for */
	for (size_t i = 0; i < 64; i++) {
		size_t to = (i * 7919) % pages;
		char *p = mmap(NULL, 4 * page, PROT_READ, MAP_SHARED, h->fd, 0);

		if (!syscall(SYS_remap_file_pages, p, page, 0, to, 0))
			MUST_NOT(h, !hold_shows(p, h->map + to * page, page), "another page than asked for");
		MUST_NOT(h, !syscall(SYS_remap_file_pages, p, 2 * page, 0, pages - 1, 0), "beyond the end");
		MUST_NOT(h, !syscall(SYS_remap_file_pages, p, page, PROT_WRITE, 0, 0), "to write");
		munmap(p, 4 * page);
	}
	return 0;
}

/* Advice that must be refused: it would write, drop for all, or take a page from everybody. */
static bool harmful_advice(int n)
{
	/* FREE, REMOVE, HWPOISON, SOFT_OFFLINE, POPULATE_WRITE */
	return n == 8 || n == 9 || n == 100 || n == 101 || n == 23;
}

static int at_madvise(struct hold *h)
{
	char what[64];

	for (int n = 0; n < 128; n++) {
		int whole = madvise(h->map, h->size, n), one = madvise(h->map + 4096, 4096, n);

		snprintf(what, sizeof(what), "advice %d was taken", n);
		MUST_NOT(h, harmful_advice(n) && (!whole || !one), what);
		/* guard pages are the holder's own affair; lift them */
		madvise(h->map, h->size, 103);
	}
	MUST_NOT(h, !hold_shows(h->map, h->map, h->size), "pages that are gone");
	return 0;
}

static int at_process_madvise(struct hold *h)
{
	struct iovec v = { h->other_map, h->size };
	int fd = syscall(SYS_pidfd_open, h->other, 0);

	if (fd < 0)
		return hold_absent(h, "pidfd_open");
	if (syscall(SYS_process_madvise, fd, &v, 1, 20, 0) < 0 && errno == ENOSYS)
		return hold_absent(h, "process_madvise");
	for (int n = 0; n < 128; n++) {
		v = (struct iovec){ h->other_map, h->size };
		MUST_NOT(h, syscall(SYS_process_madvise, fd, &v, 1, n, 0) > 0 && harmful_advice(n),
			 "harmful advice was taken for another");
	}
	MUST_NOT(h, kill(h->other, 0), "the other holder is gone");
	return 0;
}

static int at_mlock(struct hold *h)
{
	mlock(h->map, h->size);
	syscall(NEWER_CALL(325, 284) /* mlock2 */, h->map, h->size, 1);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	msync(h->map, h->size, MS_SYNC);
	munlockall();
	mlockall(MCL_CURRENT);
	for (int i = 0; i < 4; i++)
		if (!fork())
			_exit(0);
	while (wait(NULL) > 0)
		;
	munlock(h->map, h->size);
	MUST_NOT(h, !hold_shows(h->map, h->map, h->size), "pages that are gone");
	return 0;
}

static int at_numa(struct hold *h)
{
	void *pages[32];
	int nodes[32] = { 0 }, status[32];
	unsigned long mask = 1;

	for (int i = 0; i < 32; i++)
		pages[i] = h->map + i * 4096;
	for (int flags = 0; flags < 8; flags += 2) {
		memset(status, 0x55, sizeof(status));
		if (syscall(SYS_move_pages, 0, 32, pages, nodes, status, flags) >= 0 && flags)
			for (int i = 0; i < 32; i++)
				MUST_NOT(h, status[i] >= 0 && status[i] != 0x55555555, "a page was moved");
	}
	/* MPOL_BIND, MPOL_INTERLEAVE; MPOL_MF_STRICT, MOVE, MOVE_ALL */
	for (int mode = 1; mode < 4; mode++)
		for (int flags = 0; flags < 8; flags++)
			syscall(SYS_mbind, h->map, h->size, mode, &mask, 8 * sizeof(mask), flags);
	syscall(SYS_migrate_pages, 0, 8 * sizeof(mask), &mask, &mask);
	syscall(SYS_migrate_pages, h->other, 8 * sizeof(mask), &mask, &mask);
	MUST_NOT(h, !hold_shows(h->map, h->map, h->size), "pages that are gone");
	return 0;
}

static int at_userfaultfd(struct hold *h)
{
	static char bytes[8192] __attribute__((aligned(4096)));
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | 1 /* UFFD_USER_MODE_ONLY, 5.11 */);

	if (fd < 0)
		fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		return hold_absent(h, "userfaultfd");
	memset(bytes, 0x66, sizeof(bytes));
	for (int mode = 1; mode < 8; mode++) {	/* MISSING, WP, MINOR */
		struct uffdio_register r = { .range = { (uintptr_t)h->map, h->size }, .mode = mode };

		MUST_NOT(h, !ioctl(fd, UFFDIO_REGISTER, &r), "registered");
		r.range = (struct uffdio_range){ (uintptr_t)h->map + 4096, 4096 };
		MUST_NOT(h, !ioctl(fd, UFFDIO_REGISTER, &r), "a page registered");
	}
	for (size_t at = 0; at < h->size; at += h->size / 8 & ~4095ul) {
		struct uffdio_copy c = { .dst = (uintptr_t)h->map + at, .src = (uintptr_t)bytes, .len = 4096 };
		struct uffdio_zeropage z = { .range = { (uintptr_t)h->map + at, 4096 } };
		struct { uint64_t start, len, mode; int64_t done; } more = { (uintptr_t)h->map + at, 4096, 0, 0 };

		MUST_NOT(h, !ioctl(fd, UFFDIO_COPY, &c), "copied into");
		MUST_NOT(h, !ioctl(fd, UFFDIO_ZEROPAGE, &z), "zeroed");
		for (int nr = 5; nr < 10; nr++)	/* MOVE, WRITEPROTECT, CONTINUE, POISON */
			MUST_NOT(h, !ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 0xaa, nr, nr == 6 ? 24 : 32), &more),
				 "a newer ioctl of userfaultfd was taken");
	}
	close(fd);
	return 0;
}

static int at_forks(struct hold *h)
{
	int bad = 0, st;

	for (int round = 0; round < 24; round++) {
		if (round == 8)
			madvise(h->map, h->size, MADV_DONTFORK);
		if (round == 16)
			madvise(h->map, h->size, MADV_DOFORK);
		for (int i = 0; i < 8; i++) {
			if (fork())
				continue;
			if (round / 8 == 1) {
				char c;

				_exit(!stranger_copy(&c, h->map, 1));
			}
			if (i % 4 == 0 && !fork())
				_exit(!hold_shows(h->map, h->map, h->size / 8));
			if (i % 4 == 1)
				munmap(h->map + 4096 * round, 4096);
			if (i % 4 == 2)
				raise(SIGKILL);
			_exit(i % 4 != 1 && !hold_shows(h->map, h->map, h->size / 8));
		}
		while (wait(&st) > 0)
			bad += WIFEXITED(st) && WEXITSTATUS(st);
	}
	MUST_NOT(h, bad, "children saw other pages, or pages that they must not inherit");
	return 0;
}

static int at_proc(struct hold *h)
{
	char path[64], bytes[64];
	int fd, n;

	memset(bytes, 0x44, sizeof(bytes));
	snprintf(path, sizeof(path), "/proc/%d/mem", h->other);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		for (size_t at = 0; at < h->size; at += h->size / 32 & ~4095ul)
			MUST_NOT(h, pwrite(fd, bytes, sizeof(bytes), (off_t)(uintptr_t)h->other_map + at) > 0,
				 "written through another's mem");
		n = pread(fd, bytes, 4, (off_t)(uintptr_t)h->other_map);
		MUST_NOT(h, n == 4 && memcmp(bytes, h->map, 4), "other bytes than the view's by mem");
		close(fd);
	}
	for (int what = '1'; what < '6'; what++) {
		snprintf(path, sizeof(path), "/proc/%d/clear_refs", h->other);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		/* its own user may, for its own pages */
		n = fd < 0 ? -1 : write(fd, &what, 1);
		close(fd);
	}
	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (unsigned long)h->map, (unsigned long)h->map + h->size);
	fd = open(path, O_RDWR | O_CLOEXEC);
	MUST_NOT(h, fd >= 0 && mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED,
		 "mapped to write through map_files");
	close(fd);
	/* page frame numbers are not for nobody */
	fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		uint64_t entry = 0;

		if (pread(fd, &entry, 8, (uintptr_t)h->map / 4096 * 8) == 8)
			MUST_NOT(h, entry & ((1ull << 55) - 1), "a page frame number");
		close(fd);
	}
	return 0;
}

static int at_ptrace(struct hold *h)
{
	struct iovec v;
	char regs[1024];
	int st;

	if (ptrace(PTRACE_ATTACH, h->other, 0, 0))
		return hold_absent(h, "PTRACE_ATTACH");
	waitpid(h->other, &st, 0);
	for (size_t at = 0; at < h->size; at += h->size / 32 & ~4095ul) {
		MUST_NOT(h, !ptrace(PTRACE_POKEDATA, h->other, h->other_map + at, 0x41414141L), "poked");
		MUST_NOT(h, !ptrace(PTRACE_POKETEXT, h->other, h->other_map + at, 0x41414141L), "poked as text");
	}
	/* what the kernel writes for a tracer goes to the tracer's memory: that is the view */
	v = (struct iovec){ h->map, 512 };
	MUST_NOT(h, !ptrace(PTRACE_GETREGSET, h->other, 1 /* NT_PRSTATUS */, &v), "registers written to the view");
	MUST_NOT(h, !ptrace(PTRACE_GETSIGINFO, h->other, 0, h->map + 4096), "a signal written to the view");
	v = (struct iovec){ regs, sizeof(regs) };
	ptrace(PTRACE_GETREGSET, h->other, 1, &v);
	ptrace(PTRACE_DETACH, h->other, 0, 0);
	return 0;
}

static int at_vm(struct hold *h)
{
	static char bytes[65536];
	struct iovec mine = { bytes, sizeof(bytes) }, view = { h->map, sizeof(bytes) },
		     others = { h->other_map, sizeof(bytes) };
	ssize_t n;

	memset(bytes, 0x33, sizeof(bytes));
	for (size_t at = 0; at < h->size; at += h->size / 16 & ~4095ul) {
		others.iov_base = h->other_map + at;
		view.iov_base = h->map + at;
		MUST_NOT(h, process_vm_writev(h->other, &mine, 1, &others, 1, 0) > 0, "written to another's view");
		MUST_NOT(h, process_vm_readv(h->other, &view, 1, &others, 1, 0) > 0, "another's view read into the view");
		MUST_NOT(h, process_vm_readv(getpid(), &view, 1, &mine, 1, 0) > 0, "read into the view");
	}
	/* reading may work: then it is the view, copied */
	others.iov_base = h->other_map;
	n = process_vm_readv(h->other, &mine, 1, &others, 1, 0);
	MUST_NOT(h, n >= 24 && memcmp(bytes, h->map, 24), "other bytes than the view's");
	return 0;
}

#endif
