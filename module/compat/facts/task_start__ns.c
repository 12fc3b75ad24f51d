// SPDX-License-Identifier: GPL-2.0-only
/* since 3.17 */
#include <linux/sched.h>
u64 ctrace_fact(const struct task_struct *p);
u64 ctrace_fact(const struct task_struct *p) { return p->start_time; }
