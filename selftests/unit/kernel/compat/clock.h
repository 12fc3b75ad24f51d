/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_UNIT_CLOCK_H
#define CTRACE_UNIT_CLOCK_H
#include "unit_kernel.h"

static inline u64 ctrace_compat_clock(void)
{
	struct timespec t;

	/* the program's own time: on a busy machine, nothing takes longer by it */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec + kernel_clock_ahead;
}
#endif
