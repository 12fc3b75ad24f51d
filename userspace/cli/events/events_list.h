/* SPDX-License-Identifier: GPL-2.0-only */
/* Event types, and tracepoints that are none, listed. */
#ifndef CTRACE_EVENTS_LIST_H
#define CTRACE_EVENTS_LIST_H

#include <libctrace.h>

enum events_form { EVENTS_TABLE, EVENTS_VERBOSE, EVENTS_JSON, EVENTS_MARKDOWN };

struct events_opts {
	enum events_form form;
	bool tracepoints;	/* the others as well */
	char **patterns;
	int n;			/* 0: all */
};

/* CLI_OK, or the status after a message. */
int events_list(struct ctrace *ct, const struct events_opts *o);

#endif
