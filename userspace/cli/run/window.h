/* SPDX-License-Identifier: GPL-2.0-only */
/* A part of a recording's time, as --from, --to and --last choose it. */
#ifndef CTRACE_WINDOW_H
#define CTRACE_WINDOW_H

#include "base/util.h"

struct window {
	const char *from, *to, *last;	/* as they were given, NULL: not */
};

/* A command's switch has it, and its table has window_options.h. True: opt was one of the three. */
bool window_option(struct window *w, int opt);
bool window_given(const struct window *w);
/*
 * "14:00..14:05", either end may be missing. The text is changed, and must outlive w. Status after a message.
 */
int window_parse(struct window *w, char *text);

/* A recording's time, CLOCK_MONOTONIC in ns; offset leads to CLOCK_REALTIME. */
struct window_times {
	uint64_t began, ended;
	int64_t offset;
};

/*
 * Finds the moments of the words: *from is in the window, *to is not. Without words they are 0 and
 * UINT64_MAX. CLI_OK, or the exit status after a message.
 */
int window_find(const struct window *w, const struct window_times *t, uint64_t *from, uint64_t *to);

#endif
