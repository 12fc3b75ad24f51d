// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <time.h>
#include "base/util.h"
#include "base/wall.h"

#define LOOK_AGAIN	(NSEC_PER_SEC / 100)
/*
 * A smaller difference is that of two measurements. A slow correction of the time changes both clocks alike.
 */
#define STEP		(NSEC_PER_SEC / 1000)
#define TRIES		4

/* The program may lose the CPU between the clocks: the closest of several tries. */
static int64_t measure(void)
{
	uint64_t best = UINT64_MAX, a, real, b;
	int64_t offset = 0;

	for (int i = 0; i < TRIES && best > STEP / 100; i++) {
		a = clock_ns(CLOCK_MONOTONIC);
		real = clock_ns(CLOCK_REALTIME);
		b = clock_ns(CLOCK_MONOTONIC);
		if (b - a >= best)
			continue;
		best = b - a;
		offset = (int64_t)(real - (a + b) / 2);
	}
	return offset;
}

void wall_seen(struct wall *w, int64_t offset, uint64_t now)
{
	if (!w->looked) {
		w->offset = w->before = offset;
	} else if (llabs(offset - w->offset) > (int64_t)STEP) {
		w->before = w->offset;
		w->offset = offset;
		w->since = w->looked;
	}
	w->looked = now;
}

void wall_look(struct wall *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!w->looked || now - w->looked > LOOK_AGAIN)
		wall_seen(w, measure(), now);
}

uint64_t wall_at(const struct wall *w, uint64_t time)
{
	return time + (uint64_t)(time < w->since ? w->before : w->offset);
}
