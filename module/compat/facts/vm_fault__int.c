// SPDX-License-Identifier: GPL-2.0-only
/* 4.11 to 4.16: int. 4.17 named the type vm_fault_t, which does not exist here */
#include <linux/mm.h>
enum { vm_fault_t };
static int ctrace_fact_f(struct vm_fault *vmf) { return 0; }
const struct vm_operations_struct ctrace_fact = { .fault = ctrace_fact_f };
