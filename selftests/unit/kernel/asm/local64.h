/* SPDX-License-Identifier: GPL-2.0-only */
/* One thread stands for the CPU: nothing comes between. */
#include "unit_kernel.h"

typedef struct { u64 v; } local64_t;

#define local64_add(n, l)	((void)((l)->v += (n)))
#define local64_cmpxchg(l, old, new)	((u64)cmpxchg(&(l)->v, old, new))
#define cmpxchg_local(p, old, new)	cmpxchg(p, old, new)
