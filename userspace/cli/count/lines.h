/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_VIEW_LINES_H
#define CTRACE_VIEW_LINES_H

#include "show/lines.h"
#include "count/view.h"

/* The whole of a run, with the options in v. Returns the status to exit with. */
int lines_run(struct view *v, const struct lines_opts *lo);

/* The same of v->recording; the events are in v. */
int lines_of_recording(struct view *v, const struct lines_opts *lo);

#endif
