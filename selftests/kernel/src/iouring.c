// SPDX-License-Identifier: GPL-2.0-only
/*
 * iouring [-s] [-b] [-w] [-f DIR]: does some operations by io_uring, by its bare system calls, one after the
 * other. For each it prints what it asked for and got, in evdump's words: "user_data=0x4d02 ret=-2 fd=-1
 * opcode=18 sqe_flags=0 file=1 path="/no/such/file"".
 *
 *	-f DIR	others: on a file in DIR, which it makes, and on a pipe
 *	-s	with a thread of the kernel's that submits (SQPOLL)
 *	-b	an operation that does not exist, and nothing else
 *	-w	waits for a timer of 500 ms, again and again, until it is killed
 *
 * Exits with 4 if the kernel has no io_uring, or none for this user.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#ifdef __has_include
#if __has_include(<linux/io_uring.h>)
#define HAVE_IO_URING
#endif
#endif

#ifdef HAVE_IO_URING
#include <linux/io_uring.h>
#include <linux/time_types.h>

#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup 425
#define __NR_io_uring_enter 426
#define __NR_io_uring_register 427
#endif
/* newer than 5.10's header */
#define OP_RENAMEAT	35
#define OP_UNLINKAT	36

static struct io_uring_params params;
static char *sq, *cq;
static struct io_uring_sqe *sqes;
static int ring;

static uint32_t *word(char *base, uint32_t off)
{
	return (uint32_t *)(base + off);
}

static char *map(size_t len, off_t what)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);

	if (p == MAP_FAILED) {
		perror("iouring: mmap");
		exit(1);
	}
	return p;
}

static void setup(int poll)
{
	if (poll) {
		params.flags = IORING_SETUP_SQPOLL;
		params.sq_thread_idle = 200;
	}
	ring = (int)syscall(__NR_io_uring_setup, 4, &params);
	if (ring < 0) {
		perror("iouring: io_uring_setup");
		exit(4);
	}
	sq = map(params.sq_off.array + params.sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
	cq = map(params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	sqes = (struct io_uring_sqe *)map(params.sq_entries * sizeof(*sqes), IORING_OFF_SQES);
}

static const char *path_of(const struct io_uring_sqe *wish)
{
	switch (wish->opcode) {
	case IORING_OP_OPENAT:
	case OP_RENAMEAT:
	case OP_UNLINKAT:
		return (const char *)(uintptr_t)wish->addr;
	}
	return "";
}

/* Is it on a path, a regular file or a directory? A registered descriptor is our file. */
static int is_file(const struct io_uring_sqe *wish, int shown)
{
	struct stat st;

	if (*path_of(wish) || wish->flags & IOSQE_FIXED_FILE)
		return 1;
	return shown >= 0 && !fstat(shown, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* Returns the result. shown: the descriptor that an event should have */
static int operate(const struct io_uring_sqe *wish, int shown)
{
	uint32_t tail = *word(sq, params.sq_off.tail), at = tail & *word(sq, params.sq_off.ring_mask);
	uint32_t head = *word(cq, params.cq_off.head), flags = IORING_ENTER_GETEVENTS;
	const struct io_uring_cqe *e;

	sqes[at] = *wish;
	word(sq, params.sq_off.array)[at] = at;
	__atomic_store_n(word(sq, params.sq_off.tail), tail + 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(word(sq, params.sq_off.flags), __ATOMIC_SEQ_CST) & IORING_SQ_NEED_WAKEUP)
		flags |= IORING_ENTER_SQ_WAKEUP;
	if (syscall(__NR_io_uring_enter, ring, 1, 1, flags, NULL, 0) < 0) {
		perror("iouring: io_uring_enter");
		exit(1);
	}
	while (__atomic_load_n(word(cq, params.cq_off.tail), __ATOMIC_ACQUIRE) == head)
		usleep(1000);
	e = (struct io_uring_cqe *)(cq + params.cq_off.cqes) + (head & *word(cq, params.cq_off.ring_mask));
	printf("user_data=%#llx ret=%d fd=%d opcode=%u sqe_flags=%#x file=%d path=\"%s\"\n",
	       (unsigned long long)e->user_data, e->res, shown, wish->opcode, wish->flags, is_file(wish, shown),
	       path_of(wish));
	__atomic_store_n(word(cq, params.cq_off.head), head + 1, __ATOMIC_RELEASE);
	return e->res;
}

static int open_file(const char *path, uint64_t data)
{
	struct io_uring_sqe s = { .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .user_data = data };

	s.addr = (uintptr_t)path;
	s.open_flags = O_RDONLY;
	return operate(&s, -1);
}

static void read_file(int fd, int flags, uint64_t data)
{
	static char buf[16];
	struct io_uring_sqe s = { .opcode = IORING_OP_READ, .fd = fd, .flags = (uint8_t)flags, .user_data = data };

	s.addr = (uintptr_t)buf;
	s.len = sizeof(buf);
	operate(&s, fd);
}

static void wait_a_while(long ms, uint64_t data)
{
	struct __kernel_timespec t = { .tv_nsec = ms * 1000 * 1000 };
	struct io_uring_sqe s = { .opcode = IORING_OP_TIMEOUT, .fd = -1, .len = 1, .user_data = data };

	s.addr = (uintptr_t)&t;
	operate(&s, -1);
}

/* --- -f ------------------------------------------------------------------------------ */

static int on_path(int opcode, const char *path, const char *second, int flags, uint64_t data)
{
	struct io_uring_sqe s = { .opcode = (uint8_t)opcode, .fd = AT_FDCWD, .user_data = data };

	s.addr = (uintptr_t)path;
	if (opcode == IORING_OP_OPENAT) {
		s.open_flags = (uint32_t)flags;
		s.len = 0600;
	} else if (second) {
		s.addr2 = (uintptr_t)second;
		s.len = (uint32_t)AT_FDCWD;	/* the second directory */
	}
	return operate(&s, -1);
}

static int on_fd(int opcode, int fd, int flags, uint64_t offset, size_t len, uint64_t data)
{
	static char buf[8192];
	struct io_uring_sqe s = { .opcode = (uint8_t)opcode, .fd = fd, .user_data = data };

	s.flags = (uint8_t)flags;
	if (opcode != IORING_OP_FSYNC) {
		s.addr = (uintptr_t)buf;
		s.len = (uint32_t)len;
		s.off = offset;
	}
	return operate(&s, fd);
}

static void files(const char *dir)
{
	char path[256], other[256], none[256];
	uint64_t data = 0x4f00;
	int fd, ends[2], slots[1];

	snprintf(path, sizeof(path), "%s/made", dir);
	snprintf(other, sizeof(other), "%s/renamed", dir);
	snprintf(none, sizeof(none), "%s/not there", dir);
	if (pipe(ends))
		exit(1);
	fd = on_path(IORING_OP_OPENAT, path, NULL, O_CREAT | O_RDWR, data++);
	on_path(IORING_OP_OPENAT, none, NULL, O_RDONLY, data++);
	for (unsigned int i = 0; i < 8; i++)
		on_fd(IORING_OP_WRITE, fd, 0, i * 1000, 1000, data++);
	on_fd(IORING_OP_FSYNC, fd, 0, 0, 0, data++);
	on_fd(IORING_OP_READ, fd, 0, 0, 5000, data++);
	on_fd(IORING_OP_READ, fd, IOSQE_ASYNC, 0, 5000, data++);
	slots[0] = fd;
	if (syscall(__NR_io_uring_register, ring, IORING_REGISTER_FILES, slots, 1))
		exit(1);
	on_fd(IORING_OP_READ, 0, IOSQE_FIXED_FILE, 0, 5000, data++);
	on_fd(IORING_OP_WRITE, ends[1], 0, (uint64_t)-1, 10, data++);
	on_fd(IORING_OP_READ, ends[0], 0, (uint64_t)-1, 10, data++);
	on_path(OP_RENAMEAT, path, other, 0, data++);
	on_path(OP_UNLINKAT, none, NULL, 0, data++);
}

int main(int argc, char **argv)
{
	const char *dir = NULL;
	struct io_uring_sqe none = { .opcode = 255, .fd = -1, .user_data = 0x4dff };
	uint64_t data = 0x4d00;
	int o, fd, bad = 0, poll = 0, waits = 0;

	while ((o = getopt(argc, argv, "sbwf:")) != -1) {
		poll |= o == 's';
		bad |= o == 'b';
		waits |= o == 'w';
		dir = o == 'f' ? optarg : dir;
	}
	setup(poll);
	if (bad) {
		operate(&none, -1);
		return 0;
	}
	while (waits)
		wait_a_while(500, data);
	if (dir) {
		files(dir);
		return 0;
	}
	fd = open_file("/etc/passwd", data + 1);
	open_file("/no/such/file", data + 2);
	read_file(fd, 0, data + 3);
	read_file(fd, IOSQE_ASYNC, data + 4);		/* by a worker */
	read_file(1000, 0, data + 5);			/* no such descriptor */
	wait_a_while(50, data + 6);
	return 0;
}
#else
int main(void)
{
	return 4;
}
#endif
