/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole calls from the entries and exits of a recording: as the module would have written them. */
#ifndef CTRACE_VIEW_WHOLE_H
#define CTRACE_VIEW_WHOLE_H

#include <libctrace.h>

struct wholes;
struct wholes *wholes_new(const struct ctrace_schema *s);
void wholes_free(struct wholes *w);
/*
 * Takes the records in order of time. Returns the whole call that rec ends, good until the next call; NULL: it ends none
 * whose entry is known.
 */
const struct ctrace_record *wholes_put(struct wholes *w, const struct ctrace_record *rec);

#endif
