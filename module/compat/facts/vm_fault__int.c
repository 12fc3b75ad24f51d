// SPDX-License-Identifier: GPL-2.0-only
/* 4.11 to 4.16; in 4.17 it got the name vm_fault_t, which is free here */
#include <linux/mm.h>
enum { vm_fault_t };
static int f(struct vm_fault *vmf) { return 0; }
const struct vm_operations_struct ctrace_fact = { .fault = f };
