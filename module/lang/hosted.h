/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parsers (expr*.c, fetch.c) take from the kernel, and the same from the C
 * library where tests and fuzzers compile them on a host.
 */
#ifndef CTRACE_HOSTED_H
#define CTRACE_HOSTED_H

/*
 * Of a large variable on the stack that is written before it is read. Kernels with INIT_STACK_ALL_ZERO clear all
 * variables as a function begins; of these it costs as much as the rest of the work.
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
#endif

#endif
