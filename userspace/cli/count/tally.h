/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of a recording, counted as the module counts live ones: the module's code (module/lang,
 * module/aggregate/table.h) checks the conditions and keeps a table with the same layout, and the same size
 * for each CPU. So readers of tables need not know where a table came from, memory has the same limit, and
 * events without a row are in (other) in both.
 */
#ifndef CTRACE_VIEW_TALLY_H
#define CTRACE_VIEW_TALLY_H

#include <libctrace_aggregate.h>
#include "symbols/stacks.h"

struct tally;			/* a table; its events may be of several types */
struct tally_type;		/* how events of one type are counted in it */
struct tally_filter;		/* a condition over an event's owner */

/* An event, and facts about its owner at that time. */
struct tally_event {
	const struct ctrace_record *rec;
	const struct stacks *stacks;	/* NULL: none was recorded */
	uint32_t cpu;			/* below the tally's ncpus */
	const char *comm;		/* "": not known */
	int32_t pid;			/* 0: not known */
};

/* alive: may the container still have events? Rows of other containers may be recycled. */
struct tally *tally_new(uint32_t ncpus, uint32_t rows, bool (*alive)(const void *arg, uint32_t cid), const void *arg);
void tally_free(struct tally *t);
/*
 * Compiles an aggregate for events of this type, and a condition, which may be NULL. 0 and *out, which
 * belongs to t; or -EINVAL, and why has the reason.
 */
int tally_add(struct tally *t, const struct ctrace_event_type *type, const char *aggregate, const char *filter,
	      struct tally_type **out, char *why, size_t why_size);
/*
 * Call it after all types were added. Looks of it must be freed before tally_free(). NULL: no type was added.
 */
struct ctrace_aggregate *tally_open(struct tally *t);
/* Counts the event if the condition is true, and returns whether it was. */
bool tally_count(struct tally_type *of, const struct tally_event *e);

/* Facts about an event's owner that an aggregate or a condition needs. */
enum {
	TALLY_COMM	= 1 << 0,
	TALLY_PID	= 1 << 1,
	TALLY_USER	= 1 << 2,	/* uid or gid: a recording has neither */
	TALLY_STACK	= 1 << 3,
	TALLY_USTACK	= 1 << 4,
};
uint32_t tally_asks(const struct tally_type *of);
/* As tally_add(): a condition without fields. */
int tally_filter_new(const char *text, struct tally_filter **out, char *why, size_t why_size);
void tally_filter_free(struct tally_filter *f);
uint32_t tally_filter_asks(const struct tally_filter *f);
bool tally_filter_match(const struct tally_filter *f, const struct tally_event *e);

#endif
