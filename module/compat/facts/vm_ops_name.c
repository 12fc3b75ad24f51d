// SPDX-License-Identifier: GPL-2.0-only
/* since 3.16; before, only arch_vma_name() knows, which modules cannot call */
#include <linux/mm.h>
const char *ctrace_fact(struct vm_area_struct *vma);
const char *ctrace_fact(struct vm_area_struct *vma) { return vma->vm_ops->name(vma); }
