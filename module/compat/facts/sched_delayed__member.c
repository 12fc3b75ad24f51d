// SPDX-License-Identifier: GPL-2.0-only
/* since 6.12: a task that sleeps may stay in the queue for a while */
#include <linux/sched.h>
unsigned int ctrace_fact(const struct sched_entity *s);
unsigned int ctrace_fact(const struct sched_entity *s) { return s->sched_delayed; }
