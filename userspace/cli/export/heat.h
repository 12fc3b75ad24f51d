/* SPDX-License-Identifier: GPL-2.0-only */
/* How often a duration was seen, over time: a fixed number of parts of time, powers of two of ns. */
#ifndef CTRACE_EXPORT_HEAT_H
#define CTRACE_EXPORT_HEAT_H

#include "base/util.h"

#define HEAT_PARTS	128u
#define HEAT_LEVELS	64u	/* level k: more than 2^(k-1) ns and up to 2^k */

struct heat {
	uint64_t began, width;	/* of the first part, and of each, ns */
	uint32_t cells[HEAT_PARTS][HEAT_LEVELS];
};

/* began: no time is before it. */
struct heat *heat_new(uint64_t began);
void heat_add(struct heat *h, uint64_t time, uint64_t duration);
/* The parts and levels that are not empty: from first to *last. False: none is. */
bool heat_levels(const struct heat *h, unsigned int *first, unsigned int *last);
unsigned int heat_parts(const struct heat *h);
uint32_t heat_most(const struct heat *h);

#endif
