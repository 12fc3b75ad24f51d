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

/* The head of a vma's fault handler, and the vma in it. */
#if defined(CTRACE_HAVE_VM_FAULT__VMA)
#define CTRACE_COMPAT_FAULT(fn)	int fn(struct vm_area_struct *vma, struct vm_fault *vmf)
#define CTRACE_COMPAT_FAULT_VMA	vma
#elif defined(CTRACE_HAVE_VM_FAULT__INT)
#define CTRACE_COMPAT_FAULT(fn)	int fn(struct vm_fault *vmf)
#define CTRACE_COMPAT_FAULT_VMA	(vmf->vma)
#else
#define CTRACE_COMPAT_FAULT(fn)	vm_fault_t fn(struct vm_fault *vmf)
#define CTRACE_COMPAT_FAULT_VMA	(vmf->vma)
#endif

static inline unsigned long ctrace_compat_fault_address(const struct vm_fault *vmf)
{
#ifdef CTRACE_HAVE_VMF_ADDRESS
	return vmf->address;
#else
	return (unsigned long)vmf->virtual_address;
#endif
}

/* Maps a page without a reference. For fault handlers of VM_PFNMAP vmas, which return its result. */
static inline int ctrace_compat_insert_pfn(struct vm_area_struct *vma, unsigned long address,
					   unsigned long pfn)
{
#ifdef CTRACE_HAVE_VMF_INSERT_PFN
	return (__force int)vmf_insert_pfn(vma, address, pfn);
#else
	int err = vm_insert_pfn(vma, address, pfn);

	/* -EBUSY: another thread mapped it first */
	if (!err || err == -EBUSY)
		return VM_FAULT_NOPAGE;
	return err == -ENOMEM ? VM_FAULT_OOM : VM_FAULT_SIGBUS;
#endif
}

#endif
