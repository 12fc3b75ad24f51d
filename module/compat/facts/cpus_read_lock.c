// SPDX-License-Identifier: GPL-2.0-only
/* since 4.13; before, get_online_cpus() */
#include <linux/cpu.h>
void ctrace_fact(void);
void ctrace_fact(void) { cpus_read_lock(); cpus_read_unlock(); }
