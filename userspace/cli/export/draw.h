/* SPDX-License-Identifier: GPL-2.0-only */
/* What a timeline is made of: records become what ran where, slices, marks, spans, counters. */
#ifndef CTRACE_EXPORT_DRAW_H
#define CTRACE_EXPORT_DRAW_H

#include "export/export.h"
#include "export/spent.h"

/* A part of a thread's or a container's line. to 0: it has no end in the recording; from 0: no beginning. */
struct slice {
	const char *name, *system;	/* system: syscalls, block */
	uint64_t from, to;
	const struct details *details;
	const struct stacks *stacks;	/* NULL: none */
};

/* Each may be NULL. */
struct draw_ops {
	/*
	 * A task of a container that is shown: before anything else is said of it, and when it has another
	 * name.
	 */
	void (*task)(struct export *x, struct export_task *t, bool born, uint64_t time);
	/* It had the CPU. In order of time on each CPU, one after another. state: the kernel's, as it left */
	void (*ran)(struct export *x, uint32_t cpu, const struct export_task *t, uint64_t from, uint64_t to, int32_t prio,
		    int64_t state);
	/* What a container's time went to, of one of its threads; as the parts of draw_spent() have it. */
	void (*spent)(struct export *x, uint32_t cid, int32_t tid, enum spent_on what, uint64_t from, uint64_t to);
	/* A call, or its beginning, or its end. On a task they do not overlap. */
	void (*call)(struct export *x, struct export_task *t, const struct slice *s);
	/* Anything that has no duration. */
	void (*mark)(struct export *x, struct export_task *t, uint32_t cid, const struct slice *s);
	/* Any other event with a duration. Spans of one container and name do not overlap on a lane. */
	void (*span)(struct export *x, uint32_t cid, uint32_t lane, const struct slice *s);
	void (*sample)(struct export *x, struct export_task *t, uint32_t cpu, const struct ctrace_record *rec,
		       const struct stacks *k);
	/* Events that have a form of their own there. False: it has none. */
	bool (*event)(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct paint *p,
		      const struct ctrace_value *v, int n);
};

#define DRAW_LANES	32u

struct draw;
struct draw *draw_new(struct export *x, const struct draw_ops *ops);
void draw_free(struct draw *d);
void draw_record(struct draw *d, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k);
void draw_lost(struct draw *d, const struct ctf_loss *l);
/* What still has the CPU is given its end. */
void draw_end(struct draw *d);
/* What the containers' time went to. */
const struct spent_in *draw_spent(const struct draw *d);

#endif
