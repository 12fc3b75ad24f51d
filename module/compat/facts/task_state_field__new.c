// SPDX-License-Identifier: GPL-2.0-only
/* since 5.14: task_struct.__state */
#include <linux/sched.h>
unsigned int ctrace_fact(struct task_struct *t);
unsigned int ctrace_fact(struct task_struct *t) { return t->__state; }
