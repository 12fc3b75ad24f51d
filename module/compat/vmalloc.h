/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Large allocations that never invoke the OOM killer, and to whom memory is charged.
 *
 * Memory of a session is charged to the memory cgroup of the task that asks for it, so that its limit holds.
 * Which kernel does that for which memory (their sources, and the named commits, say so):
 *
 *	kernels			kmalloc()	vmalloc()	vmalloc() that user space maps
 *	before 4.5		no		no		no
 *	4.5 to 5.10		yes		yes		no: it must not be
 *	since 5.11		yes		yes		yes
 *	5.14, some releases	yes		no		no
 *
 * Until 5.10 the kernel marks a charged page where it counts a page's mappings (_mapcount, page_type):
 * mapped, the page would lose its mark, and be given back as a bad page. 18b2db3b0385 put the mark beside the
 * pointer to the cgroup. In 5.14 vmalloc() takes its pages in bulk, and none of these was charged before
 * 8dcb3060d81d (in 5.15, and backported).
 */
#ifndef CTRACE_COMPAT_VMALLOC_H
#define CTRACE_COMPAT_VMALLOC_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/vmstat.h>
#include "facts.h"

/* since 4.13; __GFP_NORETRY spares other processes, too, but gives up sooner */
#ifndef __GFP_RETRY_MAYFAIL
#define __GFP_RETRY_MAYFAIL	__GFP_NORETRY
#endif

/* since 4.5; before, allocations are accounted to the task unless the caller says otherwise */
#ifndef GFP_KERNEL_ACCOUNT
#define GFP_KERNEL_ACCOUNT	GFP_KERNEL
#endif

/*
 * Of large memory that is charged: where there is none, or the cgroup's limit is reached, nobody is killed
 * for it.
 */
#define CTRACE_COMPAT_GFP_LARGE	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

#ifdef CTRACE_HAVE_KMEM_MAPPED
#define CTRACE_COMPAT_CHARGES_MAPPED	true
#else
#define CTRACE_COMPAT_CHARGES_MAPPED	false
#endif

/* Pages that user space may map. Zeroed, or NULL. Process context. */
static inline void *ctrace_compat_vmalloc_mapped(unsigned long size)
{
	gfp_t gfp = CTRACE_COMPAT_GFP_LARGE | __GFP_ZERO;

	if (!CTRACE_COMPAT_CHARGES_MAPPED)
		gfp = GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;

#ifdef CTRACE_HAVE_VMALLOC_GFP__PLAIN
	return __vmalloc(size, gfp);
#else
	return __vmalloc(size, gfp, PAGE_KERNEL);
#endif
}

#ifndef CTRACE_HAVE_KVCALLOC
static inline void *kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	void *p;

	if (size && n > ULONG_MAX / size)
		return NULL;
	p = kzalloc(n * size, gfp | __GFP_NOWARN | __GFP_NORETRY);
	return p || n * size <= PAGE_SIZE ? p : __vmalloc(n * size, gfp | __GFP_ZERO, PAGE_KERNEL);
}
#endif

#ifndef CTRACE_HAVE_KVZALLOC
static inline void *kvzalloc(size_t size, gfp_t gfp)
{
	return kvcalloc(1, size, gfp);
}
#endif

#ifndef CTRACE_HAVE_SI_MEM_AVAILABLE
/* A cautious estimate of the pages to be had without swapping: free pages and inactive file pages. */
static inline long si_mem_available(void)
{
	return global_page_state(NR_FREE_PAGES) + global_page_state(NR_INACTIVE_FILE);
}
#endif

#ifndef CTRACE_HAVE_KVFREE
static inline void kvfree(const void *p)
{
	if (is_vmalloc_addr(p))
		vfree(p);
	else
		kfree(p);
}
#endif

static inline unsigned long ctrace_compat_totalram_pages(void)
{
#ifdef CTRACE_HAVE_TOTALRAM_PAGES__FUNCTION
	return totalram_pages();
#else
	return totalram_pages;
#endif
}

#endif /* CTRACE_COMPAT_VMALLOC_H */
