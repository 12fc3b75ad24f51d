// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched.h>
long ctrace_fact(struct task_struct *t);
long ctrace_fact(struct task_struct *t) { return t->state; }
