/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings of our pages. */
#ifndef CTRACE_COMPAT_MM_H
#define CTRACE_COMPAT_MM_H

#include <linux/mm.h>
#include "facts.h"

/* In ->mmap(), where the vma is not yet visible to others. */
static inline void ctrace_compat_vm_flags(struct vm_area_struct *vma, unsigned long set,
					  unsigned long clear)
{
#ifdef CTRACE_HAVE_VM_FLAGS_CLEAR
	vm_flags_set(vma, set);
	vm_flags_clear(vma, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#endif
