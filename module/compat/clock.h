/* SPDX-License-Identifier: GPL-2.0-only */
/* CLOCK_MONOTONIC in ns, from any context incl. NMI. */
#ifndef CTRACE_COMPAT_CLOCK_H
#define CTRACE_COMPAT_CLOCK_H

#include <linux/timekeeping.h>

#define ctrace_compat_clock()	ktime_get_mono_fast_ns()

#endif
