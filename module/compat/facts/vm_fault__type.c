// SPDX-License-Identifier: GPL-2.0-only
/* since 4.17 */
#include <linux/mm.h>
static vm_fault_t ctrace_fact_f(struct vm_fault *vmf) { return 0; }
const struct vm_operations_struct ctrace_fact = { .fault = ctrace_fact_f };
