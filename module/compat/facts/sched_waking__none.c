// SPDX-License-Identifier: GPL-2.0-only
/* before 4.3 */
#include <linux/sched.h>
#include <trace/events/sched.h>
int trace_sched_waking;
