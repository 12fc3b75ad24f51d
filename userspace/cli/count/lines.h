/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_VIEW_LINES_H
#define CTRACE_VIEW_LINES_H

#include "show/lines.h"
#include "count/view.h"

/* The whole of a run, with the options in v. Returns the status to exit with. */
int lines_run(struct view *v, const struct lines_opts *lo);

/* The same of v->recording; the events are in v. */
int lines_of_recording(struct view *v, const struct lines_opts *lo);

#define LINES_HELP \
RUN_FOLLOW_HELP \
"Which events:\n" \
"      --comm GLOB, --uid USER, --filter EXPR\n" \
"                        as for 'ctrace trace'\n"
#define LINES_HOW_HELP \
"How:\n" \
"  -i, --input DIR       the events that 'ctrace record' wrote into DIR\n" \
"  -T, --time            the time of day in each line\n" \
"      --duration TIME   end after 2, 0.5, 500ms, 2m\n" \
"      --explain         say which probes it would use, and end\n" \
"  -j, --json            print a JSON object for each event\n" \
"  -h, --help            this text\n"
#define LINES_END_HELP \
"It ends with COMMAND; without one, when all targets have ended, after --duration, or with\n" \
"Ctrl-C. Without TARGET and COMMAND: all.\n"

#endif
