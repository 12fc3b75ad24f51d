/* SPDX-License-Identifier: GPL-2.0-only */
/* How the records of each event type are shown as text: found out once, when the type's first record comes. */
#ifndef CTRACE_PAINT_H
#define CTRACE_PAINT_H

#include "show/sink.h"

typedef void (*paint_fn)(struct sbuf *b, const struct ctrace_value *v);

struct paint {
	const struct ctrace_event_type *type;	/* NULL: there is none with this id */
	struct syscall_ref call;	/* phase SYSCALL_NONE: no call's. Without a name if each record has its own */
	bool last;			/* the call never returns */
	bool fork;
	bool address;			/* the call returns one */
	uint32_t first;			/* the call's first argument among the fields */
	/* fields of open() and openat(), which have a mode only if their flags create a file; mode 0: other calls */
	uint32_t flags, mode;
	struct { paint_fn fn; bool stack; } fields[];	/* type->nfields */
};

struct paints;
struct paints *paints_new(const struct ctrace_schema *schema);	/* schema outlives it */
void paints_free(struct paints *p);
/* Good until paints_free(), or until the next call with this id. */
const struct paint *paints_get(struct paints *p, uint16_t id);

/* --- fields_text.c --- */

/* Numbers as they are; numbers that have names, by name. */
paint_fn field_paint(const struct ctrace_event_type *t, const struct ctrace_field *f);
void paint_int(struct sbuf *b, const struct ctrace_value *v);
void paint_string(struct sbuf *b, const struct ctrace_value *v);
/* Appends the event's n fields as "name=value ...". framed: without its stacks, which are shown elsewhere. */
void fields_put_text(struct sbuf *b, const struct paint *p, const struct ctrace_value *v, int n, bool framed);

/* --- syscall_args.c --- */

/* Fills in the rest of a call's paint, of which type and call are there. */
void syscall_paint(struct paint *p);
/* n < 0: the record did not decode */
void syscall_put_args(struct sbuf *b, const struct paint *p, const struct ctrace_value *v, int n);
void syscall_put_return(struct sbuf *b, const struct paint *p, int64_t ret);

#endif
