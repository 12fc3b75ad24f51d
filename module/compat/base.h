/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names that ctrace uses and older kernels lack. Kbuild includes this file before everything else.
 * Macros are tested by #ifndef, the rest by base.facts. (Before 4.13 ARRAY_SIZE() needs linux/bug.h.)
 */
#ifndef CTRACE_COMPAT_BASE_H
#define CTRACE_COMPAT_BASE_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/preempt.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include "facts.h"

#ifndef READ_ONCE
/* before 3.19; for simple types only */
#define READ_ONCE(x)	ACCESS_ONCE(x)
#define WRITE_ONCE(x, v) (ACCESS_ONCE(x) = (v))
#endif

#ifndef smp_load_acquire
/* before 3.14; x86 keeps this order of loads and stores by itself */
#ifdef CONFIG_X86
#define ctrace_compat_order()	barrier()
#else
#define ctrace_compat_order()	smp_mb()	/* partners: see the users of the two below */
#endif
#define smp_load_acquire(p)	/* partner: its user's */			\
({										\
	typeof(*(p)) ___v = READ_ONCE(*(p));					\
										\
	ctrace_compat_order();							\
	___v;									\
})
#define smp_store_release(p, v)	/* partner: its user's */			\
do {										\
	ctrace_compat_order();							\
	WRITE_ONCE(*(p), v);							\
} while (0)
#endif

#ifndef cmpxchg_acquire
/* before 4.3 there is only the fully ordered one */
#define cmpxchg_acquire(p, old, new)	cmpxchg(p, old, new)
#endif

#ifndef sizeof_field
/* before 4.16 */
#define sizeof_field(type, member)	sizeof(((type *)0)->member)
#endif

#ifndef OPTIMIZER_HIDE_VAR
#define OPTIMIZER_HIDE_VAR(v)	({ asm volatile("" : "+r" (v)); })
#endif

#ifndef in_task
/* before 4.10 */
#define in_task()	(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
#endif

#ifndef offsetofend
/* since 3.18, and in later releases of 3.10 */
#define offsetofend(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#endif

#ifndef CTRACE_HAVE_STRSCPY
/* Since 4.3; before 4.16 the compiler may want its result looked at. The length, or -E2BIG if it was cut */
static inline ssize_t ctrace_compat_strscpy(char *to, const char *from, size_t size)
{
	size_t n;

	/* no memcpy(): a fortified one takes a literal for too short, if its length is not seen */
	for (n = 0; n < size; n++) {
		to[n] = from[n];
		if (!to[n])
			return n;
	}
	if (size)
		to[size - 1] = 0;
	return -E2BIG;
}
#undef strscpy
#define strscpy(to, from, size)	ctrace_compat_strscpy(to, from, size)
#endif

#ifndef CTRACE_HAVE_PTR_ERR_OR_ZERO
#define PTR_ERR_OR_ZERO(p)	(IS_ERR(p) ? PTR_ERR(p) : 0)
#endif

/*
 * Before 4.20 the kernel's own __noclone contains an optimize() attribute, which makes GCC forget options
 * that the kernel gave it: such a function has no frame pointer, and objtool complains.
 */
#ifdef __clang__
#define ctrace_compat_noclone
#else
#define ctrace_compat_noclone	__attribute__((__noclone__))
#endif

#ifndef CTRACE_HAVE_DATA_RACE
#undef data_race
/* data_race(): since 5.8; with some compilers it cannot take a const expression. Only KCSAN needs it. */
#define data_race(expr)	(expr)
#endif

#if !defined(fallthrough) && defined(__has_attribute)
#if __has_attribute(__fallthrough__)
#define fallthrough	__attribute__((__fallthrough__))
#endif
#endif
#ifndef fallthrough
#define fallthrough	do { } while (0)
#endif

#endif
