/* SPDX-License-Identifier: GPL-2.0-only */
/* readers.h: readers that count, for tests where seen + lost must equal made. */
#ifndef READERS_H
#define READERS_H

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <ctrace/libctrace.h>
#include "libshort.h"

/* In memory shared with the process that judges it. */
struct result {
	int done;	/* -1: reads, 1: has ended */
	uint64_t seen, overrun, full, nested, backwards, foreign, undecodable;
};

/* Called for each record, once it is counted. */
typedef void (*readers_fn)(struct result *res, const struct ctrace_record *rec);

/* Reads through libctrace, until *stop is set and all is read. */
static inline void readers_library(struct result *res, uint32_t session, const int *stop, readers_fn each)
{
	const struct ctrace_record *rec;
	struct ctrace_losses l;
	struct ctrace_reader *r;
	uint64_t time = 0;
	int more, last;

	if (reader_of(session, CTRACE_CID_ALL, &r)) {
		fprintf(stderr, "# reader: %s\n", ctrace_reader_errmsg(r));
		_exit(1);
	}
	__atomic_store_n(&res->done, -1, __ATOMIC_RELEASE);
	do {
		last = __atomic_load_n(stop, __ATOMIC_ACQUIRE);
		if (!last)
			ctrace_reader_poll(r, 50);
		for (more = 0; ctrace_reader_next(r, &rec) == 1; more = 1) {
			res->seen++;
			res->backwards += rec->time < time;
			time = rec->time;
			each(res, rec);
		}
	} while (!last || more);
	ctrace_reader_losses(r, &l, sizeof(l));
	res->backwards += l.seen != res->seen;
	res->overrun = l.overrun;
	res->full = l.full;
	res->nested = l.nested;
	res->done = 1;
}

/* Reads through read(), where losses are records. */
static inline void readers_plain(struct result *res, uint32_t session, const int *stop, readers_fn each)
{
	static char buf[65536] __attribute__((aligned(8)));
	struct ctrace_bind b = { .session = session, .cid = CTRACE_CID_ALL };
	int fd = open(CTRACE_DEVICE, O_RDONLY | O_NONBLOCK), last;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (ioctl(fd, CTRACE_IOC_BIND, &b))
		_exit(1);
	__atomic_store_n(&res->done, -1, __ATOMIC_RELEASE);
	do {
		last = __atomic_load_n(stop, __ATOMIC_ACQUIRE);
		if (!last)
			poll(&p, 1, 50);
		while ((n = read(fd, buf, sizeof(buf))) > 0) {
			for (ssize_t at = 0; at < n; ) {
				struct ctrace_record *r = (void *)(buf + at);
				uint32_t cause;
				uint64_t count;

				at += r->len;
				if (r->id != CTRACE_ID_LOST) {
					res->seen++;
					each(res, r);
					continue;
				}
				memcpy(&cause, r + 1, 4);
				memcpy(&count, (char *)(r + 1) + 8, 8);
				if (cause == CTRACE_LOSS_OVERRUN)
					res->overrun += count;
				else if (cause == CTRACE_LOSS_FULL)
					res->full += count;
				else
					res->nested += count;
			}
		}
	} while (!last);
	res->done = 1;
}

/* For the `each` of a slow reader: it pauses again and again, but not near the end. */
static inline void readers_rest(const struct result *res, const int *stop)
{
	if (!(res->seen % 64) && !__atomic_load_n(stop, __ATOMIC_ACQUIRE))
		usleep(20000);
}

#endif
