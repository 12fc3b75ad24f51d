// SPDX-License-Identifier: GPL-2.0-only
/* before 3.17 */
#include <linux/sched.h>
s64 ctrace_fact(const struct task_struct *p);
s64 ctrace_fact(const struct task_struct *p) { return timespec_to_ns(&p->start_time); }
