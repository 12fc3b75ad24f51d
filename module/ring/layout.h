/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How an arena is laid out: the sizes that were asked for, and those that were not. Looks at nothing but its
 * arguments.
 */
#ifndef CTRACE_LAYOUT_H
#define CTRACE_LAYOUT_H

#include <linux/types.h>
#include "ring/arena.h"

/* Bytes from the arena's beginning, as struct ctrace_dir has them; all of them in `map`. */
struct ctrace_layout {
	u64 arena, ring, stride, heads, heads_stride, slots_off, tables_off, map;
	u32 subbuf, ncpus, per_cpu;
};

/* Chooses the sizes that were not given. -EINVAL and a sentence in why for sizes that cannot be. */
int ctrace_layout_choose(const struct ctrace_arena_opts *o, struct ctrace_layout *z, char *why, size_t why_len);

#endif
