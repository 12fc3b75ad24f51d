// SPDX-License-Identifier: GPL-2.0-only
/*
 * since 5.11: user space may map a page that is charged as the kernel's memory; before, its mark was where mappings are
 * counted. Without CONFIG_MEMCG there is nothing to charge.
 */
#include <linux/memcontrol.h>
int ctrace_fact(void);
int ctrace_fact(void) { return MEMCG_DATA_KMEM; }
