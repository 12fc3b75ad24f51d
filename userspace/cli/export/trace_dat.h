/* SPDX-License-Identifier: GPL-2.0-only */
/* Events in the form of the kernel's tracer: bytes, and the text that describes them. */
#ifndef CTRACE_EXPORT_TRACE_DAT_H
#define CTRACE_EXPORT_TRACE_DAT_H

#include "export/export.h"

struct dat_events;
struct dat_events *dat_events_new(void);
void dat_events_free(struct dat_events *e);
/* Makes b the bytes of the record; its type will be described. False: it does not decode. */
bool dat_event(struct dat_events *e, struct export *x, const struct ctrace_record *rec, struct sbuf *b);
/* The same with a stack of the record. False: it has none. */
bool dat_stack(struct dat_events *e, struct export *x, const struct ctrace_record *rec, const struct stack *k, bool kernel,
	       struct sbuf *b);
/* Describes all types that were made. */
void dat_events_put(const struct dat_events *e, struct export *x);

#endif
