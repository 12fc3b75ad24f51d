/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time of day of moments of CLOCK_MONOTONIC, while a program runs. The difference changes if the clock is
 * set, and if the machine sleeps: CLOCK_MONOTONIC does not count sleep.
 */
#ifndef CTRACE_WALL_H
#define CTRACE_WALL_H

#include <stdint.h>

struct wall {
	int64_t offset;		/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	int64_t before;		/* the same until `since` */
	uint64_t since;		/* CLOCK_MONOTONIC; 0: it has always been so */
	uint64_t looked;	/* when the clocks were last compared; 0: never */
};

/* Compares the clocks, unless that was done in the last hundredth of a second. */
void wall_look(struct wall *w);
/* What wall_look() learns: the clocks differ by offset at that moment. */
void wall_seen(struct wall *w, int64_t offset, uint64_t now);
/* CLOCK_REALTIME at a moment of CLOCK_MONOTONIC that was before the last wall_look(). */
uint64_t wall_at(const struct wall *w, uint64_t time);

#endif
