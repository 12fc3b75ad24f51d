/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of a recording, counted as the module counts live ones: its own code (module/lang, module/aggregate/table.h)
 * checks the conditions and keeps a table of the same layout in memory, of the same size for each CPU. So what reads
 * tables need not know where a table came from, memory is bounded alike, and what finds no row is in (other) alike.
 */
#ifndef CTRACE_VIEW_TALLY_H
#define CTRACE_VIEW_TALLY_H

#include <libctrace_aggregate.h>
#include "symbols/stacks.h"

struct tally;			/* a table; its events may be of several types */
struct tally_type;		/* how events of one type are counted in it */
struct tally_filter;		/* a condition over an event's owner */

/* An event, and what is known of its owner then. */
struct tally_event {
	const struct ctrace_record *rec;
	const struct stacks *stacks;	/* NULL: none was recorded */
	uint32_t cpu;			/* below the tally's ncpus */
	const char *comm;		/* "": not known */
	int32_t pid;			/* 0: not known */
};

/* alive: are there still events of that container? Rows of others may be given away. */
struct tally *tally_new(uint32_t ncpus, uint32_t rows, bool (*alive)(const void *arg, uint32_t cid), const void *arg);
void tally_free(struct tally *t);
/*
 * Compiles what is asked of events of this type: an aggregate, and a condition or NULL. 0 and *out, which belongs to t; or
 * -EINVAL, and why says what is wrong.
 */
int tally_add(struct tally *t, const struct ctrace_event_type *type, const char *aggregate, const char *filter,
	      struct tally_type **out, char *why, size_t why_size);
/* Once all types are added. Looks of it must be freed before tally_free(). NULL: no type was added. */
struct ctrace_aggregate *tally_open(struct tally *t);
/* Counts the event, unless the condition is false. False: it is false. */
bool tally_count(struct tally_type *of, const struct tally_event *e);

/* What a type asks of an event's owner, or a condition does. */
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
