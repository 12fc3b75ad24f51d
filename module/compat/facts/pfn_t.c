// SPDX-License-Identifier: GPL-2.0-only
/* from 4.5 to 6.16 the page frame of vm_insert_mixed() and vmf_insert_mixed() is a pfn_t */
#include <linux/mm.h>
#include <linux/pfn_t.h>
pfn_t ctrace_fact(void);
pfn_t ctrace_fact(void) { return __pfn_to_pfn_t(0, 0); }
