// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
void ctrace_fact(struct vm_area_struct *vma);
void ctrace_fact(struct vm_area_struct *vma)
{
	vm_flags_clear(vma, VM_MAYWRITE);
}
