/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by input.c and input_ways.c. */
#ifndef CTRACE_VIEW_INPUT_H
#define CTRACE_VIEW_INPUT_H

#include "run/recording.h"
#include "show/comms.h"
#include "count/tally.h"
#include "count/view.h"
#include "count/call_pairs.h"
#include "count/spans.h"

/* How events of a type are counted, in one of the tables. */
struct way {
	struct way *next;
	struct tally_type *type;
};

/* Records of one container. */
struct tell {
	uint32_t cid;
	uint64_t n;		/* 0: a free place */
};

struct input {
	struct view *v;
	struct recording r;
	struct tally **tallies;		/* by probe */
	struct way *ways[1 << 16];	/* by id of the event type */
	struct tally_filter *filter;	/* the view's, NULL: none */
	struct call_pairs *calls;		/* NULL: no call is put together */
	struct comms *comms;		/* NULL: no name is asked for */
	struct stack_queue *queue;	/* NULL: no stack is asked for */
	struct ctf_types before;	/* what is read of the time before the window */
	uint64_t time, end;		/* of the last record; when to stop, 0: at the end */
	uint64_t lost, nameless;
	size_t nrecorded, nmissing;	/* probes that are in the recording, and that are not */
	const char *first_missing;
	struct sbuf missing;
	struct spans *spans;		/* NULL: they are not cut */
	uint64_t read;			/* in the window */
	struct tell *tells;		/* by cid, open addressing, size a power of two */
	size_t ntells, ntold;
	bool began, stopped, over;
};

/*
 * Makes a table for each probe of the view, and the ways from events to them. *asks: TALLY_*, *pairs: calls
 * are put together. CLI_OK, or the exit status after a message.
 */
int input_ways(struct input *in, uint32_t *asks, bool *pairs);
void input_ways_free(struct input *in);

#endif
