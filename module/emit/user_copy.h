/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reader needs to unwind the stack of a program without frame pointers: its registers, and the top of
 * its stack.
 */
#ifndef CTRACE_USER_COPY_H
#define CTRACE_USER_COPY_H

#include "identity/identity.h"

/*
 * Writes the records user_memory and user_registers for event `of` of who, with at most `asked` bytes, into
 * the ring of session `index`. It stops where the ring takes no more. room: of emit/scratch.h, and free.
 * Context: as ctrace_emit().
 */
void ctrace_emit_user_copy(u32 index, u32 of, u32 asked, const struct ctrace_who *who, void *room);

#endif
