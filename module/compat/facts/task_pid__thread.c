// SPDX-License-Identifier: GPL-2.0-only
/* since 4.19 */
#include <linux/pid.h>
#include <linux/sched.h>
struct pid *ctrace_fact(const struct task_struct *p);
struct pid *ctrace_fact(const struct task_struct *p) { return p->thread_pid; }
