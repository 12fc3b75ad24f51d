/* SPDX-License-Identifier: GPL-2.0-only */
/* A reader over hand-made rings, and the time. */
#ifndef CTRACE_FAKE_READER_H
#define CTRACE_FAKE_READER_H

#include <time.h>

#include "internal.h"
#include "fake_ring.h"
#include "ktap.h"

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static struct ctrace_reader *open_fake(struct fake *f, unsigned int flags)
{
	struct ctrace_reader *r;

	check_eq(ctrace_reader_open_map(f->dir, f->len, flags, &r), 0);
	return r;
}

#endif /* CTRACE_FAKE_READER_H */
