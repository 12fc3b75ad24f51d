// SPDX-License-Identifier: GPL-2.0-only
/* before 5.1 */
#include <linux/rcupdate.h>
void ctrace_fact(void);
void ctrace_fact(void) { synchronize_sched(); }
