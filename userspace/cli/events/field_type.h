/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_FIELD_TYPE_H
#define CTRACE_FIELD_TYPE_H

#include <libctrace.h>
#include "base/json.h"

/* Writes "pid:s32 comm:char[16]": s and u are signed and unsigned, x is hexadecimal, [] a list. */
void field_types_put(struct sbuf *b, const struct ctrace_event_type *t);
void field_types_json(struct json *j, const struct ctrace_event_type *t);

#endif
