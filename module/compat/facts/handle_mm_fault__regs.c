// SPDX-License-Identifier: GPL-2.0-only
/* since 5.9: it counts major and minor faults itself */
#include <linux/mm.h>
void ctrace_fact(struct vm_area_struct *vma, struct pt_regs *regs);
void ctrace_fact(struct vm_area_struct *vma, struct pt_regs *regs) { handle_mm_fault(vma, 0ul, 0u, regs); }
