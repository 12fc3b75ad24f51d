// SPDX-License-Identifier: GPL-2.0-only
/* since 4.8 */
#include <linux/mm.h>
void ctrace_fact(struct vm_area_struct *vma);
void ctrace_fact(struct vm_area_struct *vma) { handle_mm_fault(vma, 0ul, 0u); }
