// SPDX-License-Identifier: GPL-2.0-only
/* since 4.19: process numbers have a type of their own */
#include <linux/pid.h>
enum pid_type ctrace_fact(void);
enum pid_type ctrace_fact(void) { return PIDTYPE_TGID; }
