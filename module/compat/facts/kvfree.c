// SPDX-License-Identifier: GPL-2.0-only
/* since 3.15 */
#include <linux/mm.h>
#include <linux/slab.h>
void ctrace_fact(const void *p);
void ctrace_fact(const void *p) { kvfree(p); }
