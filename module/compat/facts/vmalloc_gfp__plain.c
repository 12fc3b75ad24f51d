// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/vmalloc.h>
void *ctrace_fact(unsigned long size);
void *ctrace_fact(unsigned long size) { return __vmalloc(size, GFP_KERNEL); }
