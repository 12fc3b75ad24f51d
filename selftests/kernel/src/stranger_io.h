/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stranger_io.h: attacks by calls that take the view for a buffer: the kernel would write to it, or keep
 * its pages for later. Each returns the same as the ones of stranger_pages.h.
 */
#ifndef STRANGER_IO_H
#define STRANGER_IO_H

#include "stranger_pages.h"
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>

static int at_kernel_writes(struct hold *h)
{
	struct robust { void *next; long offset; void *pending; } list = { h->map + 4096, 64, h->map + 8192 };
	char *end = h->map + h->size;
	stack_t stack = { .ss_sp = end - 65536, .ss_size = 65536 };
	struct sigaction sa = { .sa_handler = SIG_IGN };

	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (pid) {
			waitpid(pid, NULL, 0);
			continue;
		}
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		if (i == 0) {			/* zeroed when the thread ends */
			syscall(SYS_set_tid_address, h->map);
		} else if (i == 1) {		/* marked as its owner's death */
			syscall(SYS_set_robust_list, &list, sizeof(list));
		} else if (i == 2) {		/* the processor's number, at each return */
			syscall(SYS_rseq, end - 4096, 32, 0, 0x53053053);
			sched_yield();
		} else if (i == 3) {		/* a signal's frame */
			sa.sa_handler = stranger_fault;
			sa.sa_flags = SA_ONSTACK;
			sigaction(SIGUSR1, &sa, NULL);
			sigaltstack(&stack, NULL);
			raise(SIGUSR1);
		} else {			/* a child's number, in the child and here */
			syscall(SYS_clone, CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, 0,
				h->map, h->map + 64, 0);
		}
		_exit(0);
	}
	return 0;
}

static int at_futex(struct hold *h)
{
	struct timespec soon = { 0, 1000000 };
	uint32_t own = 0, *zero = (uint32_t *)(h->map + h->size - 4), *magic = (uint32_t *)h->map;

	for (int private = 0; private <= 128; private += 128) {
		syscall(SYS_futex, zero, FUTEX_WAIT | private, 0, &soon, NULL, 0);
		syscall(SYS_futex, magic, FUTEX_WAKE | private, 1000, NULL, NULL, 0);
		syscall(SYS_futex, zero, FUTEX_CMP_REQUEUE | private, 1, 1, &own, 0);
		MUST_NOT(h, !syscall(SYS_futex, zero, FUTEX_LOCK_PI | private, 0, &soon, NULL, 0), "locked");
		MUST_NOT(h, !syscall(SYS_futex, zero, FUTEX_TRYLOCK_PI | private, 0, NULL, NULL, 0), "locked by trying");
		for (int op = 0; op < 5; op++)
			MUST_NOT(h, syscall(SYS_futex, &own, FUTEX_WAKE_OP | private, 1, 1, op & 1 ? zero : magic,
					    FUTEX_OP(op, 0x77, FUTEX_OP_CMP_NE, 0)) >= 0, "written by FUTEX_WAKE_OP");
	}
	return 0;
}

static int at_copied(struct hold *h)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), file = open(h->path, O_RDONLY | O_CLOEXEC), sv[2], p[2];
	struct iovec v[2] = { { h->map + 4096, 64 }, { h->map, 64 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, sv) || pipe2(p, O_NONBLOCK))
		return hold_bad(h, "no socket");
	for (size_t at = 0; at < h->size; at += h->size / 16 & ~4095ul) {
		char *to = h->map + at;

		if (write(p[1], "sixteen bytes...", 16) != 16 || send(sv[1], "sixteen bytes...", 16, 0) != 16)
			return hold_bad(h, "no pipe");
		MUST_NOT(h, read(zero, to, 64) > 0 || readv(zero, v, 2) > 0, "read from /dev/zero");
		MUST_NOT(h, pread(file, to, 4096, 0) > 0, "read from a file");
		MUST_NOT(h, read(p[0], to, 16) > 0, "read from a pipe");
		MUST_NOT(h, recv(sv[0], to, 16, 0) > 0, "received");
		send(sv[1], "sixteen bytes...", 16, 0);
		MUST_NOT(h, recvmsg(sv[0], &m, 0) > 0, "received as a message");
		MUST_NOT(h, read(h->fd, to, 4096) > 0, "records of the view, read into the view");
		MUST_NOT(h, !syscall(SYS_uname, to) || !syscall(SYS_clock_gettime, CLOCK_REALTIME, to) ||
			 syscall(SYS_getcwd, to, 64) > 0 || !syscall(SYS_sched_getparam, 0, to) ||
			 !syscall(SYS_getrusage, 0, to) || !syscall(SYS_pipe2, to, 0) ||
			 syscall(SYS_sched_getaffinity, 0, 128, to) > 0, "an answer of the kernel");
		if (!fork())
			_exit(7);
		MUST_NOT(h, syscall(SYS_wait4, -1, to, 0, NULL) > 0, "a child's status");
		while (wait(NULL) > 0)
			;
#ifdef SYS_getrandom
		MUST_NOT(h, syscall(SYS_getrandom, to, 64, 1) > 0, "random numbers");
#endif
	}
	return 0;
}

static int at_vmsplice(struct hold *h)
{
	char *private = mmap(NULL, h->size, PROT_READ, MAP_PRIVATE, h->fd, 0), *maps[] = { h->map, private };
	struct iovec v;
	int p[2];

	for (int i = 0; i < 2; i++) {
		if (maps[i] == MAP_FAILED)
			continue;
		for (unsigned int flags = 0; flags < 16; flags++) {
			if (pipe(p))
				return hold_bad(h, "no pipe");
			v = (struct iovec){ maps[i], h->size };
			MUST_NOT(h, vmsplice(p[1], &v, 1, flags | SPLICE_F_NONBLOCK) > 0, "a pipe keeps pages of the view");
			v = (struct iovec){ maps[i] + 8192, 4096 };
			MUST_NOT(h, vmsplice(p[1], &v, 1, flags | SPLICE_F_NONBLOCK) > 0, "a pipe keeps a page of the view");
			/* the other way: a pipe's pages, moved to the view */
			if (write(p[1], "sixteen bytes...", 16) != 16)
				return hold_bad(h, "no pipe");
			MUST_NOT(h, vmsplice(p[0], &v, 1, flags | SPLICE_F_NONBLOCK) > 0, "a pipe was read into the view");
			close(p[0]);
			close(p[1]);
		}
	}
	return 0;
}

/* This way must give the same data as read(), in pages of its own. */
static int at_splice(struct hold *h)
{
	int p[2], q[2], sv[2], out = open(h->path, O_RDWR | O_CLOEXEC);
	static char buf[65536];
	loff_t from = 0;
	ssize_t n;

	fcntl(h->fd, F_SETFL, O_NONBLOCK);
	if (pipe2(p, O_NONBLOCK) || pipe2(q, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sv))
		return hold_bad(h, "no pipe");
	for (int i = 0; i < 8; i++) {
		n = splice(h->fd, NULL, p[1], NULL, 4096 << i, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		n = n > 0 ? n : sendfile(p[1], h->fd, NULL, 4096);
		while (tee(p[0], q[1], 65536, SPLICE_F_NONBLOCK) > 0 && read(q[0], buf, sizeof(buf)) > 0)
			if (read(p[0], buf, sizeof(buf)) <= 0)
				break;
		MUST_NOT(h, splice(h->fd, &from, p[1], NULL, 4096, SPLICE_F_NONBLOCK) > 0, "spliced from an offset");
		sendfile(sv[1], h->fd, NULL, 4096);
		sendfile(out, h->fd, NULL, 4096);
		from = 0;
		MUST_NOT(h, syscall(SYS_copy_file_range, h->fd, &from, out, NULL, 4096, 0) > 0, "copied by ranges");
		/* into the view's descriptor */
		if (write(p[1], "sixteen bytes...", 16) == 16)
			MUST_NOT(h, splice(p[0], NULL, h->fd, NULL, 16, SPLICE_F_NONBLOCK) > 0, "spliced into the view");
		MUST_NOT(h, sendfile(h->fd, out, NULL, 4096) > 0, "sent to the view");
	}
	return 0;
}

static int at_direct(struct hold *h)
{
	int fd = open(h->path, O_RDWR | O_DIRECT | O_CLOEXEC);
	struct iovec v[2] = { { h->map + 4096, 4096 }, { h->map + 65536, 4096 } };

	if (fd < 0)
		return hold_absent(h, "O_DIRECT");
	for (size_t at = 0; at < h->size; at += h->size / 16 & ~4095ul) {
		MUST_NOT(h, pread(fd, h->map + at, 4096, 0) > 0, "a disk was read into the view");
		MUST_NOT(h, pwrite(fd, h->map + at, 4096, 0) > 0, "pages of the view were kept for a disk");
	}
	MUST_NOT(h, preadv(fd, v, 2, 0) > 0 || pwritev(fd, v, 2, 0) > 0, "pages of the view were kept for a disk");
	close(fd);
	return 0;
}

static int at_aio(struct hold *h)
{
	static const int ops[] = { IOCB_CMD_PREAD, IOCB_CMD_PWRITE };
	aio_context_t ctx = 0;
	int fd = open(h->path, O_RDWR | O_DIRECT | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_io_setup, 8, &ctx))
		return hold_absent(h, "io_setup");
	for (int i = 0; i < 32; i++) {
		struct iocb cb = {
			.aio_fildes = fd, .aio_lio_opcode = ops[i % 2], .aio_nbytes = 4096,
			.aio_buf = (uintptr_t)h->map + (h->size / 32 & ~4095ul) * i,
		}, *cbs[] = { &cb };
		struct timespec soon = { 2, 0 };
		struct io_event e = { .res = -1 };

		if (syscall(SYS_io_submit, ctx, 1, cbs) == 1)
			MUST_NOT(h, syscall(SYS_io_getevents, ctx, 1, 1, &e, &soon) == 1 && (int64_t)e.res > 0,
				 i % 2 ? "pages of the view were kept for AIO" : "AIO read into the view");
	}
	/* the ring itself, for events: the kernel writes there, not where the view is */
	MUST_NOT(h, !syscall(SYS_io_setup, 8, h->map), "a context's number in the view");
	syscall(SYS_io_destroy, ctx);
	return 0;
}

struct uring_sqe { uint8_t op, flags; uint16_t prio; int32_t fd; uint64_t off, addr; uint32_t len, rw; uint64_t data[4]; };

/* Submits one operation; returns its result. */
static int uring_do(int ring, const struct newer_uring_params *par, const struct uring_sqe *sqe)
{
	const uint32_t *of = (const uint32_t *)par, *sq = of + 10, *cq = of + 20;
	char *r = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	char *c = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0x8000000);
	struct uring_sqe *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0x10000000);
	int res = -EIO;

	if (r == MAP_FAILED)
		r = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	if (c == MAP_FAILED)
		c = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0x8000000);
	if (r != MAP_FAILED && c != MAP_FAILED && s != MAP_FAILED) {
		uint32_t tail = *(uint32_t *)(r + sq[1]), mask = *(uint32_t *)(r + sq[2]), head = *(uint32_t *)(c + cq[0]);

		s[tail & mask] = *sqe;
		((uint32_t *)(r + sq[6]))[tail & mask] = tail & mask;
		__atomic_store_n((uint32_t *)(r + sq[1]), tail + 1, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, ring, 1, 1, 1 /* GETEVENTS */, NULL, 0) == 1) {
			uint32_t cmask = *(uint32_t *)(c + cq[2]);

			memcpy(&res, c + cq[5] + 16 * (head & cmask) + 8, sizeof(res));
			__atomic_store_n((uint32_t *)(c + cq[0]), head + 1, __ATOMIC_RELEASE);
		}
	}
	munmap(r, 65536);
	munmap(c, 65536);
	munmap(s, 4096);
	return res;
}

static int at_uring(struct hold *h)
{
	struct newer_uring_params par = { 0 }, nommap = { 0 };
	struct iovec v[2] = { { h->map, h->size }, { h->map + 8192, 4096 } };
	struct { uint32_t nr, flags; uint64_t resv, data, tags; } reg2 = { 1, 0, 0, (uintptr_t)&v[1], 0 };
	struct { uint64_t addr; uint32_t entries; uint16_t bgid, flags; uint64_t resv[3]; } pbuf = { 0 };
	struct uring_sqe sqe = { .len = 4096 };
	int file = open(h->path, O_RDWR | O_CLOEXEC), direct = open(h->path, O_RDWR | O_DIRECT | O_CLOEXEC), fd;

	fd = syscall(SYS_io_uring_setup, 4, &par);
	if (fd < 0)
		return hold_absent(h, "io_uring_setup");
	for (int i = 0; i < 2; i++) {
		MUST_NOT(h, !syscall(SYS_io_uring_register, fd, NEWER_URING_REGISTER_BUFFERS, &v[i], 1), "buffers registered");
		reg2.data = (uintptr_t)&v[i];
		MUST_NOT(h, !syscall(SYS_io_uring_register, fd, NEWER_URING_REGISTER_BUFFERS2, &reg2, sizeof(reg2)),
			 "buffers registered, with tags");
		pbuf.addr = (uintptr_t)v[i].iov_base;
		pbuf.entries = 8 << i;
		MUST_NOT(h, !syscall(SYS_io_uring_register, fd, NEWER_URING_REGISTER_PBUF_RING, &pbuf, 1),
			 "a ring of buffers in the view");
	}
	/* READ and WRITE, READ_FIXED and WRITE_FIXED, of a file, cached and not */
	for (size_t at = 0; at < h->size; at += h->size / 8 & ~4095ul) {
		static const struct { uint8_t op; bool writes; } ops[] = { { 22, true }, { 23, false }, { 4, true }, { 5, false } };

		for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
			sqe.op = ops[i].op;
			sqe.addr = (uintptr_t)h->map + at;
			sqe.fd = file;
			MUST_NOT(h, uring_do(fd, &par, &sqe) > 0 && (ops[i].writes || i > 1), "io_uring wrote to the view");
			sqe.fd = direct;
			MUST_NOT(h, direct >= 0 && uring_do(fd, &par, &sqe) > 0, "io_uring kept pages of the view");
		}
	}
	close(fd);
	/* the rings themselves in the view: the kernel writes to them */
	((uint32_t *)&nommap)[2] = NEWER_URING_SETUP_NO_MMAP;
	nommap.words[9] = (uintptr_t)h->map + 65536;	/* sq_off.user_addr */
	nommap.words[14] = (uintptr_t)h->map;		/* cq_off.user_addr */
	MUST_NOT(h, syscall(SYS_io_uring_setup, 4, &nommap) >= 0, "io_uring's rings in the view");
	nommap.words[9] = nommap.words[14] = (uintptr_t)h->map + h->size - 4096;
	MUST_NOT(h, syscall(SYS_io_uring_setup, 1, &nommap) >= 0, "io_uring's small rings in the view");
	return 0;
}

static int at_zerocopy(struct hold *h)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static const int types[] = { SOCK_DGRAM, SOCK_STREAM };
	socklen_t len = sizeof(a);
	int on = 1, tried = 0;

	for (int i = 0; i < 2; i++) {
		int to = socket(AF_INET, types[i], 0), from = socket(AF_INET, types[i] | SOCK_NONBLOCK, 0);

		a.sin_port = 0;
		if (to < 0 || bind(to, (void *)&a, sizeof(a)) || getsockname(to, (void *)&a, &len) ||
		    (i && listen(to, 1)))
			continue;
		if (setsockopt(from, SOL_SOCKET, 60 /* SO_ZEROCOPY, 4.14 */, &on, sizeof(on)))
			continue;
		fcntl(from, F_SETFL, 0);
		if (connect(from, (void *)&a, sizeof(a)))
			continue;
		tried++;
		for (size_t at = 0; at < h->size; at += h->size / 8 & ~4095ul)
			MUST_NOT(h, send(from, h->map + at, 4096, MSG_NOSIGNAL | MSG_DONTWAIT | 0x4000000 /* MSG_ZEROCOPY */) > 0,
				 i ? "TCP keeps pages of the view" : "UDP keeps pages of the view");
		close(from);
		close(to);
	}
	return tried ? 0 : hold_absent(h, "SO_ZEROCOPY");
}

static int at_packets(struct hold *h)
{
	struct { uint64_t addr, len; uint32_t chunk, headroom, flags, more; } umem = { .chunk = 4096 };
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return hold_absent(h, "a user namespace");
	fd = socket(44 /* AF_XDP, 4.18 */, SOCK_RAW, 0);
	if (fd < 0)
		return hold_absent(h, "AF_XDP");
	for (size_t pages = 1; pages <= 64; pages *= 8) {
		umem.addr = (uintptr_t)h->map + 4096;
		umem.len = pages * 4096;
		MUST_NOT(h, !setsockopt(fd, 283 /* SOL_XDP */, 4 /* XDP_UMEM_REG */, &umem, sizeof(umem)) ||
			 !setsockopt(fd, 283, 4, &umem, 24), "packets would be received into the view");
	}
	return 0;
}

static int at_fd(struct hold *h)
{
	char path[64], bytes[64] = "overwritten";
	int fd;

	MUST_NOT(h, write(h->fd, bytes, 11) > 0 || pwrite(h->fd, bytes, 11, 0) > 0, "written");
	MUST_NOT(h, !ftruncate(h->fd, 4096) || !fallocate(h->fd, 0, 0, 4096) || !fallocate(h->fd, 3, 0, 4096), "another size");
	MUST_NOT(h, !fchmod(h->fd, 0666) || !fchown(h->fd, NOBODY, NOBODY), "another mode or owner");
	for (unsigned int nr = 0; nr < 32; nr++)
		for (unsigned int dir = 0; dir < 4; dir++)
			for (unsigned int size = 0; size <= 64; size += 8) {
				MUST_NOT(h, ioctl(h->fd, _IOC(dir, CTRACE_IOC_MAGIC, nr, size), h->map) >= 0, "an ioctl was taken");
#ifdef CTRACE_IOC_INFO
				if (_IOC(dir, CTRACE_IOC_MAGIC, nr, size) == CTRACE_IOC_INFO)
					continue;	/* what he holds: session, container, size */
#endif
				MUST_NOT(h, ioctl(h->fd, _IOC(dir, CTRACE_IOC_MAGIC, nr, size), bytes) >= 0, "an ioctl was taken");
			}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", h->fd);
	for (int mode = O_RDONLY; mode <= O_RDWR; mode++) {
		fd = open(path, mode | O_CLOEXEC);
		MUST_NOT(h, fd >= 0 && mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED,
			 "opened again, it is mapped");
		close(fd);
	}
	flock(h->fd, LOCK_EX | LOCK_NB);
	fcntl(h->fd, F_SETFL, O_ASYNC | O_NONBLOCK);
	fcntl(h->fd, F_SETOWN, h->other);
	fcntl(h->fd, F_SETFL, 0);
	return 0;
}

#endif
