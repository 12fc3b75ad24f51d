// SPDX-License-Identifier: GPL-2.0-only
/* before 6.12: the member does not exist */
#include <linux/sched.h>
struct ctrace_fact {
	struct sched_entity;
	int sched_delayed;
} ctrace_fact;
