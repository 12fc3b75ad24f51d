// SPDX-License-Identifier: GPL-2.0-only
/* 4.11 to 4.16; vm_fault_t was that at first, and is no name here */
#include <linux/mm.h>
typedef long vm_fault_t;
static int f(struct vm_fault *vmf) { return 0; }
const struct vm_operations_struct ctrace_fact = { .fault = f };
