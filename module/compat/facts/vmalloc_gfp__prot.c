// SPDX-License-Identifier: GPL-2.0-only
/* before 5.8: (size, flags, protection) */
#include <linux/mm.h>
#include <linux/vmalloc.h>
void *ctrace_fact(unsigned long size);
void *ctrace_fact(unsigned long size) { return __vmalloc(size, GFP_KERNEL, PAGE_KERNEL); }
