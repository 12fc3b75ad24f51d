/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What module/aggregate/table.h needs from the kernel, for a program with one thread: nothing interrupts a writer, and
 * the reader is the same thread.
 */
#ifndef CTRACE_VIEW_KERNEL_COMPILER_H
#define CTRACE_VIEW_KERNEL_COMPILER_H

#include "lang/hosted.h"

#define noinline		__attribute__((__noinline__))
#define __maybe_unused		__attribute__((__unused__))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define barrier()		((void)0)
#define smp_wmb()		((void)0)
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define smp_store_release(p, v)	((void)(*(p) = (v)))

static inline u32 cmpxchg_local(u32 *p, u32 old, u32 new)
{
	u32 seen = *p;

	if (seen == old)
		*p = new;
	return seen;
}

#endif
