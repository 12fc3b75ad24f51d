/* SPDX-License-Identifier: GPL-2.0-only */
/* See linux/compiler.h here. */
#ifndef CTRACE_VIEW_KERNEL_LOCAL64_H
#define CTRACE_VIEW_KERNEL_LOCAL64_H

#include "lang/hosted.h"

typedef struct { u64 v; } local64_t;

static inline void local64_add(u64 v, local64_t *l)
{
	l->v += v;
}

static inline u64 local64_cmpxchg(local64_t *l, u64 old, u64 new)
{
	u64 seen = l->v;

	if (seen == old)
		l->v = new;
	return seen;
}

#endif
