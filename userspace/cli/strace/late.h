/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that could not be read at a call's entry, and was recorded right before its exit:
 * CTRACE_ID_LATE_MEMORY. It replaces bytes fields of the entry's record.
 */
#ifndef CTRACE_LATE_H
#define CTRACE_LATE_H

#include <ctrace/libctrace.h>
#include "base/util.h"

#define LATE_MAX	8

/* The late memory of one call. All zeros: none. */
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
/* Puts the late memory into the entry's n values, which then point into l. Returns whether there was any. */
bool late_put(const struct late *l, const struct ctrace_event_type *entry, struct ctrace_value *v, int n);

#endif
