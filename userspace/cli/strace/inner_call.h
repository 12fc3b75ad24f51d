/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls that socketcall() and ipc() make. */
#ifndef CTRACE_INNER_CALL_H
#define CTRACE_INNER_CALL_H

#include "strace/memory.h"
#include "strace/paint.h"

struct inner_call;

/*
 * The call that c makes, with its own name, arguments and result; NULL: c is not such a call, or is shown in
 * plain numbers, or was not recorded as a whole. r: as for call_memory(). *room: NULL at first, the caller
 * frees it; the result is good until *room is used again, and points into the records' values.
 */
const struct call_values *inner_call(struct inner_call **room, const struct call_values *c,
				     const struct call_values *r);

#endif
