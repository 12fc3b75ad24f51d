// SPDX-License-Identifier: GPL-2.0-only
/* before 4.11 */
#include <linux/mm.h>
static int ctrace_fact_f(struct vm_area_struct *vma, struct vm_fault *vmf) { return 0; }
const struct vm_operations_struct ctrace_fact = { .fault = ctrace_fact_f };
