/* SPDX-License-Identifier: GPL-2.0-only */
/* fuzz_dev.h: calls on /dev/ctrace for fuzz.c, sound ones and others. */
#ifndef FUZZ_DEV_H
#define FUZZ_DEV_H

#include "fuzz_msg.h"
#include <sys/uio.h>

/*
 * Makes one call. The caller keeps the descriptor, its mapping and the mapping's length; *wrong counts
 * calls that should have failed.
 */
static void device_call(int *fd, char **map, size_t *size, unsigned long *wrong)
{
	static __thread char buf[65536];
	struct ctrace_bind b = { .session = any_session(), .cid = chance(2) ? CTRACE_CID_ALL : any_cid() };
	struct ctrace_view_args w = { .session = b.session, .cid = any_cid() };
	struct pollfd p = { .fd = *fd, .events = rnd() };
	int pipes[2], view;
	uint32_t cmd;
	void *bad[] = { NULL, (void *)-4096l, (void *)0xffff888000000000ul, *map, buf + sizeof(buf) - 8, (void *)8 };
	struct iovec v = { buf, rnd() % sizeof(buf) };
	off_t off;

	switch (rnd() % 20) {
	case 0:
	case 1:
	case 2:
		if (*fd >= 0)
			close(*fd);
		*fd = open(CTRACE_DEVICE, (chance(4) ? O_RDWR : O_RDONLY) | O_CLOEXEC | (chance(20) ? 0 : O_NONBLOCK));
		/* A descriptor that blocks must not block for ever. */
		if (*fd >= 0 && !(fcntl(*fd, F_GETFL) & O_NONBLOCK))
			fcntl(*fd, F_SETFL, O_NONBLOCK);
		break;
	case 3:
		/* in the descriptor's place: a view, or one that may be taken back */
		if (chance(10))
			w._reserved[rnd() % 2] = rnd();
		if (chance(20))
			w.flags = rnd();
		view = ioctl(*fd, CTRACE_IOC_VIEW, chance(10) ? ANY(bad) : &w);
		if (view >= 0) {
			close(*fd);
			*fd = view;
			fcntl(view, F_SETFL, O_NONBLOCK);
			*size = w.map_size && w.map_size < 64 << 20 ? w.map_size : *size;
		} else if (chance(4)) {
			ioctl(*fd, CTRACE_IOC_REVOKE, rnd());
		}
		break;
	case 4:
	case 5:
		if (chance(10))
			b._reserved[rnd() % 2] = rnd();
		ioctl(*fd, CTRACE_IOC_BIND, chance(10) ? ANY(bad) : &b);
		if (b.map_size && b.map_size < 64 << 20)
			*size = b.map_size;
		break;
	case 6:
		cmd = chance(4) ? rnd() : _IOC(rnd() % 4, CTRACE_IOC_MAGIC, chance(2) ? rnd() % 6 : _IOC_NR(CTRACE_IOC_BIND),
					       rnd() % (chance(2) ? 64 : 1 << _IOC_SIZEBITS));
		memcpy(buf, &b, sizeof(b));
		view = ioctl(*fd, cmd, chance(4) ? ANY(bad) : buf);
		if (cmd == CTRACE_IOC_VIEW && view >= 0)
			close(view);
		else if (view >= 0 && cmd != CTRACE_IOC_BIND && cmd != CTRACE_IOC_INFO && cmd != CTRACE_IOC_REVOKE &&
			 !(*wrong)++)
			ksft_print_msg("expected a refusal, seen it taken: ioctl %#x\n", cmd);
		break;
	case 7:
	case 8:
	case 9:
		if (*map)
			munmap(*map, *size);
		off = chance(4) ? (off_t)(rnd() % 64) * 4096 : chance(10) ? (off_t)(ANY(limits64) & ~4095ull) : 0;
		*map = mmap(NULL, *size, chance(8) ? rnd() % 8 : PROT_READ, chance(3) ? MAP_PRIVATE : chance(4) ?
			    MAP_SHARED | MAP_POPULATE : MAP_SHARED, *fd, off);
		if (*map == MAP_FAILED)
			*map = NULL;
		break;
	case 10:
	case 11:
		/* Read it through a pipe: then what cannot be read is an error, not a signal. */
		if (*map && !pipe(pipes)) {
			fcntl(pipes[1], F_SETFL, O_NONBLOCK);
			for (size_t at = 0; at < *size; at += 4096)
				if (write(pipes[1], *map + at, 1) < 0 && errno == EAGAIN)
					break;
			close(pipes[0]);
			close(pipes[1]);
		}
		break;
	case 12:
	case 13:
		if (read(*fd, chance(20) ? ANY(bad) : buf, rnd() % sizeof(buf)) < 0)
			errno = 0;
		break;
	case 14:
		if (readv(*fd, &v, 1) < 0 || pread(*fd, buf, 4096, rnd()) < 0)
			errno = 0;
		break;
	case 15:
		poll(&p, 1, rnd() % 3);
		break;
	case 16:
		/* Stay within the mapping: what lies behind it is this program's own. */
		if (*map) {
			size_t n = *size / 4096, at = rnd() % n;

			madvise(*map + at * 4096, 4096 * (1 + rnd() % (n - at)), rnd() % 26);
		}
		break;
	case 17:
		if (!pipe(pipes)) {
			splice(*fd, NULL, pipes[1], NULL, 65536, SPLICE_F_NONBLOCK);
			v.iov_base = *map;
			if (*map)
				vmsplice(pipes[1], &v, 1, SPLICE_F_NONBLOCK);
			close(pipes[0]);
			close(pipes[1]);
		}
		break;
	case 18:
		lseek(*fd, rnd(), rnd() % 5);
		if (!ftruncate(*fd, 0) || !fsync(*fd))
			errno = 0;
		fcntl(*fd, F_SETFL, O_NONBLOCK | (chance(2) ? O_ASYNC : 0));
		break;
	default:
		if (*map) {
			char *q = mremap(*map, *size, chance(2) ? *size : *size + 4096, MREMAP_MAYMOVE);

			if (q != MAP_FAILED)
				*map = q;
		}
	}
}

#endif
