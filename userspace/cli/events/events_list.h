/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists event types, and the tracepoints that have no event type. */
#ifndef CTRACE_EVENTS_LIST_H
#define CTRACE_EVENTS_LIST_H

#include <libctrace.h>

enum events_form { EVENTS_TABLE, EVENTS_VERBOSE, EVENTS_JSON, EVENTS_MARKDOWN };

struct events_opts {
	enum events_form form;
	bool tracepoints;	/* list the tracepoints without an event type, too */
	char **patterns;
	int n;			/* number of patterns; 0: list all */
};

/* Returns CLI_OK, or the exit status after a message. */
int events_list(struct ctrace *ct, const struct events_opts *o);

#endif
