/* SPDX-License-Identifier: GPL-2.0-only */
/* A summary of a recording on one screen: a view of several events at once. */
#ifndef CTRACE_VIEW_SUMMARY_H
#define CTRACE_VIEW_SUMMARY_H

#include "count/digest.h"
#include "run/window.h"

/* interval: 0, or one for each so many ns. Status to exit with. */
int summary_run(const char *dir, char **targets, int ntargets, const struct window *w, uint64_t interval);
/*
 * The first puts the members of its JSON object that stand before "rows"; the second puts one row. The period
 * was added up before. most: the largest number of calls, and of tasks, that a row has.
 */
void summary_json_head(const struct view *v, const struct digest *own, struct json *j);
void summary_json_box(const struct view *v, const struct digest *own, const struct digest_box *x, size_t most,
		      struct json *j);

#endif
