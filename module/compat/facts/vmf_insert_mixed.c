// SPDX-License-Identifier: GPL-2.0-only
/* since 4.17; before, vm_insert_mixed() returns an errno */
#include <linux/mm.h>
void *ctrace_fact(void);
void *ctrace_fact(void) { return vmf_insert_mixed; }
