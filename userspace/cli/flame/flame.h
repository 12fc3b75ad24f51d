/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flame graphs: folded stacks ("container;comm;outermost;...;innermost N", as ctrace and many other tools
 * write them) become a tree, and the tree a picture or a file for a viewer of profiles.
 */
#ifndef CTRACE_FLAME_H
#define CTRACE_FLAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/util.h"

/* In folded stacks that ctrace writes for itself (show/sink.h), a frame of the kernel begins with this. */
#define FLAME_KERNEL	'\1'

/* A frame with those it called. Node 0 is the root: it has no name. */
struct flame_node {
	const char *name;		/* the tree's */
	uint32_t parent, child, next;	/* nodes; 0: there is none */
	uint32_t depth;			/* of the root: 0 */
	bool kernel;
	uint64_t self, total;		/* total: with all that it called; known after flame_finish() */
	uint64_t in_kernel;		/* of total: in frames of the kernel; known after flame_finish() */
	uint64_t old_self, old_total;	/* of the graph that this one is compared with */
};

struct flame {
	struct flame_node *v;
	size_t n, cap;
	uint32_t *by_name;		/* nodes by (parent, name), open addressing */
	size_t size;			/* of by_name, a power of two */
	uint32_t depth;			/* of the deepest node */
	bool compared;
	struct sbuf clean;		/* a name that is looked for */
	uint64_t lines, bad;		/* that were read; of these, those that are no folded stack */
};

struct flame_form {
	const char *title;
	const char *unit;		/* "samples", "us" */
	bool icicle;			/* the outermost frames on top */
	uint64_t time, duration;	/* ns, CLOCK_REALTIME at the beginning; 0: not known */
};

void flame_init(struct flame *f);
void flame_free(struct flame *f);
/*
 * Adds the stack in line, which ends at the NUL. old: it is of the other graph. Counts a line that is no
 * stack as bad.
 */
void flame_add(struct flame *f, const char *line, bool old);
/* The frame of this name that parent calls, made if there is none. */
uint32_t flame_child(struct flame *f, uint32_t parent, const char *s, size_t n);
/* Adds all lines of in. 0 or -errno. */
int flame_read(struct flame *f, FILE *in, bool old);
/* Sorts the frames of each level by name and computes totals. After the last flame_add(). */
void flame_finish(struct flame *f);
/*
 * Puts the frames of node i that are deeper than `from` into v, outermost first, with i as the last. Returns
 * how many; at most f->depth.
 */
size_t flame_path(const struct flame *f, uint32_t i, uint32_t from, uint32_t *v);

/* Each writes the whole file; output_close() returns whether that succeeded. */
void flame_svg(const struct flame *f, const struct flame_form *form, FILE *out);
void flame_speedscope(const struct flame *f, const struct flame_form *form, FILE *out);
void flame_folded(const struct flame *f, FILE *out);
/* Gzipped, as all readers of pprof take it. 0 or -errno, for it does not write through stdio. */
int flame_pprof(const struct flame *f, const struct flame_form *form, FILE *out);

#endif
