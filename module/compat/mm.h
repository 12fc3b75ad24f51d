/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings: of our pages, and of a process. */
#ifndef CTRACE_COMPAT_MM_H
#define CTRACE_COMPAT_MM_H

#include <linux/fs.h>
#include <linux/mm.h>
#include "facts.h"
#ifdef CTRACE_HAVE_PFN_T
#include <linux/pfn_t.h>
#endif

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

/*
 * What the kernel calls a mapping of no file, such as "[vdso]". NULL: nothing; or the kernel is too old to
 * say, before 3.16.
 */
static inline const char *ctrace_compat_vma_name(const struct vm_area_struct *vma)
{
#ifdef CTRACE_HAVE_VM_OPS_NAME
	if (vma->vm_ops && vma->vm_ops->name)
		return vma->vm_ops->name((struct vm_area_struct *)vma);
#endif
	return NULL;
}

static inline bool ctrace_compat_mmap_trylock(struct mm_struct *mm)
{
#ifdef CTRACE_HAVE_MMAP_READ_TRYLOCK
	return mmap_read_trylock(mm);
#else
	return down_read_trylock(&mm->mmap_sem);
#endif
}

static inline void ctrace_compat_mmap_unlock(struct mm_struct *mm)
{
#ifdef CTRACE_HAVE_MMAP_READ_TRYLOCK
	mmap_read_unlock(mm);
#else
	up_read(&mm->mmap_sem);
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

#ifdef CTRACE_HAVE_PFN_T
#define ctrace_compat_pfn(pfn)	__pfn_to_pfn_t(pfn, 0)
#else
#define ctrace_compat_pfn(pfn)	(pfn)
#endif

/*
 * handle_mm_fault(): which of its arguments are the address and the flags, and whether a second try counts as
 * a major fault.
 */
#ifdef CTRACE_HAVE_HANDLE_MM_FAULT__MM
#define CTRACE_COMPAT_MM_FAULT_ARG	2
#else
#define CTRACE_COMPAT_MM_FAULT_ARG	1
#endif
#ifdef CTRACE_HAVE_HANDLE_MM_FAULT__REGS
#define CTRACE_COMPAT_MAJOR_FLAGS	((u32)FAULT_FLAG_TRIED)
#else
#define CTRACE_COMPAT_MAJOR_FLAGS	0u
#endif
#define CTRACE_COMPAT_FAULT_RETRY	((__force u32)VM_FAULT_RETRY)
#define CTRACE_COMPAT_FAULT_MAJOR	((__force u32)VM_FAULT_MAJOR)

/*
 * Maps a page of RAM without a reference, by a special PTE: get_user_pages() refuses it, and so does all that
 * is built on it. For fault handlers of VM_MIXEDMAP vmas, which return its result. Not VM_PFNMAP: KVM, VFIO
 * and V4L2 of older kernels look into such a vma by themselves, take its pages without a reference, and write
 * to them. Where an architecture has no special PTEs, this would take a reference; x86-64 and arm64 have
 * them.
 */
static inline int ctrace_compat_insert_mixed(struct vm_area_struct *vma, unsigned long address,
					     unsigned long pfn)
{
#ifdef CTRACE_HAVE_VMF_INSERT_MIXED
	return (__force int)vmf_insert_mixed(vma, address, ctrace_compat_pfn(pfn));
#else
	int err = vm_insert_mixed(vma, address, ctrace_compat_pfn(pfn));

	/* -EBUSY: another thread mapped it first */
	if (!err || err == -EBUSY)
		return VM_FAULT_NOPAGE;
	return err == -ENOMEM ? VM_FAULT_OOM : VM_FAULT_SIGBUS;
#endif
}

/*
 * Makes m the mapping of a file of its own, whose inode it shares with other files: then
 * unmap_mapping_range(m, ...) finds the vmas of that file alone. What m does not say itself it takes from the
 * inode's: the kernel asks a mapping for its operations and its device (fadvise, madvise).
 */
static inline void ctrace_compat_own_mapping(struct address_space *m, struct file *file)
{
	const struct address_space *inodes = file->f_mapping;

	address_space_init_once(m);
	m->host = inodes->host;
	m->a_ops = inodes->a_ops;
#ifdef CTRACE_HAVE_MAPPING_BDI__MEMBER
	m->backing_dev_info = inodes->backing_dev_info;
#endif
	file->f_mapping = m;
}

#endif
