// SPDX-License-Identifier: GPL-2.0-only
/*
 * manyio FILE N: writes N blocks of 4 KiB to FILE, a disk, all under way at one time, and no two beside each other.
 * Prints "made N", once all are done.
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK	4096

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0, done = 0, i, got;
	aio_context_t ctx = 0;
	struct io_event events[64];
	struct iocb *cbs;
	void *block;
	int fd;

	fd = n > 0 ? open(argv[1], O_WRONLY | O_DIRECT) : -1;
	cbs = calloc(n, sizeof(*cbs));
	if (fd < 0 || !cbs || posix_memalign(&block, BLOCK, BLOCK) || syscall(SYS_io_setup, n, &ctx)) {
		perror("manyio");
		return 1;
	}
	for (i = 0; i < n; i++) {
		struct iocb *cb = &cbs[i];

		cb->aio_lio_opcode = IOCB_CMD_PWRITE;
		cb->aio_fildes = fd;
		cb->aio_buf = (uintptr_t)block;
		cb->aio_nbytes = BLOCK;
		cb->aio_offset = i * 2 * BLOCK;
		if (syscall(SYS_io_submit, ctx, 1, &cb) != 1) {
			perror("manyio: io_submit");
			return 1;
		}
	}
	for (; done < n; done += got) {
		got = syscall(SYS_io_getevents, ctx, 1, 64, events, NULL);
		if (got <= 0) {
			perror("manyio: io_getevents");
			return 1;
		}
		for (i = 0; i < got; i++)
			if (events[i].res != BLOCK) {
				fprintf(stderr, "manyio: a write returned %lld\n", (long long)events[i].res);
				return 1;
			}
	}
	printf("made %ld\n", done);
	return 0;
}
