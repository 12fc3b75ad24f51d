/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_UNIT_CLOCK_H
#define CTRACE_UNIT_CLOCK_H
#include "unit_kernel.h"

static inline u64 ctrace_compat_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec + kernel_clock_ahead;
}
#endif
