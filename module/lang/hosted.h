/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiles on a host, too. It has all that such code, the languages of this room and aggregate/table.h, takes
 * from the kernel. Outside the kernel (the command, tests, fuzzers) it defines the same names: a thread
 * stands for the CPU, and its signals, if it has any, for interrupts.
 */
#ifndef CTRACE_HOSTED_H
#define CTRACE_HOSTED_H

/*
 * Of a large variable on the stack that is written before it is read. Kernels with INIT_STACK_ALL_ZERO clear
 * all variables as a function begins; of these it costs as much as the rest of the work.
 */
#ifdef __has_attribute
#if __has_attribute(__uninitialized__)
#define CTRACE_UNSET	__attribute__((__uninitialized__))
#endif
#endif
#ifndef CTRACE_UNSET
#define CTRACE_UNSET
#endif

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/local64.h>
#include "compat/vmalloc.h"

/* charged to who asks: what a text becomes belongs to a session, or to a definition */
#define ctrace_zalloc(n)	kzalloc(n, GFP_KERNEL_ACCOUNT)
#define ctrace_free(p)		kfree(p)
#else
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define ctrace_zalloc(n)	calloc(1, n)
#define ctrace_free(p)		free(p)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif
#define __printf(fmt, args)	/* the kernel's build checks them */
#define noinline		__attribute__((__noinline__))
#define __maybe_unused		__attribute__((__unused__))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)

/* A test may do something after each access that an interrupt can come between. */
#ifndef CTRACE_HOSTED_STEP
#define CTRACE_HOSTED_STEP()	((void)0)
#endif

#define barrier()		__asm__ __volatile__("" : : : "memory")
/* its users say what it pairs with */
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
/* its users say what it pairs with */
#define smp_store_release(p, v)	({ __atomic_store_n(p, v, __ATOMIC_RELEASE); CTRACE_HOSTED_STEP(); })
#define READ_ONCE(x)		({ __typeof__(x) _once = __atomic_load_n(&(x), __ATOMIC_RELAXED); \
				   CTRACE_HOSTED_STEP(); _once; })
#define WRITE_ONCE(x, v)	({ __atomic_store_n(&(x), v, __ATOMIC_RELAXED); CTRACE_HOSTED_STEP(); })
#define cmpxchg_local(p, old, new)							\
({											\
	__typeof__(*(p)) _was = (old);							\
	__atomic_compare_exchange_n(p, &_was, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
	CTRACE_HOSTED_STEP();								\
	_was;										\
})

typedef struct { u64 v; } local64_t;
#define local64_cmpxchg(l, old, new)	cmpxchg_local(&(l)->v, old, new)

static inline void local64_add(u64 n, local64_t *l)
{
	l->v += n;
	CTRACE_HOSTED_STEP();
}
#endif

#endif
