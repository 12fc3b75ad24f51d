/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that the entry of a call could not read, and that came right before its exit: CTRACE_ID_LATE_MEMORY. It stands
 * for bytes of the entry's record.
 */
#ifndef CTRACE_LATE_H
#define CTRACE_LATE_H

#include <ctrace/libctrace.h>
#include "base/util.h"

#define LATE_MAX	8

/* Of one call. All zeros: nothing came. */
struct late {
	struct sbuf bytes;
	size_t n;
	struct {
		uint64_t field;
		size_t at, len;
	} of[LATE_MAX];
};

void late_reset(struct late *l);
void late_free(struct late *l);
/* v: the n values of the record. */
void late_keep(struct late *l, const struct ctrace_value *v, int n);
/* Puts what came into the entry's n values, which point into l then. Returns whether there was something. */
bool late_put(const struct late *l, const struct ctrace_event_type *entry, struct ctrace_value *v, int n);

#endif
