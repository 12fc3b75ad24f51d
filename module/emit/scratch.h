/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rooms for payloads that must be whole before their record is reserved: because a filter reads them, or
 * because strings decide their length. Interrupts nest, and a probe may set off another: reading user memory
 * that is not there is a page fault. Each CPU has enough rooms for the deepest such nesting.
 */
#ifndef CTRACE_SCRATCH_H
#define CTRACE_SCRATCH_H

#include <linux/percpu.h>
#include "event/event.h"

#define CTRACE_SCRATCH_DEPTH	9

struct ctrace_scratch {
	u32 depth;
	char payload[CTRACE_SCRATCH_DEPTH][CTRACE_PAYLOAD_MAX] __aligned(8);
};

extern struct ctrace_scratch __percpu *ctrace_scratches;

/* Process context. */
int ctrace_scratch_init(void);
void ctrace_scratch_exit(void);

/*
 * Any context incl. NMI; preemption off until ctrace_scratch_give(). A room of CTRACE_PAYLOAD_MAX bytes,
 * aligned to 8; NULL: all are in use, and the event is lost.
 */
static inline char *ctrace_scratch_take(void)
{
	struct ctrace_scratch *s = this_cpu_ptr(ctrace_scratches);
	u32 depth = READ_ONCE(s->depth);

	if (unlikely(depth == CTRACE_SCRATCH_DEPTH))
		return NULL;
	/* An interrupt from here on restores depth before it returns. */
	WRITE_ONCE(s->depth, depth + 1);
	barrier();
	return s->payload[depth];
}

/* Gives back the room taken last. */
static inline void ctrace_scratch_give(void)
{
	barrier();
	__this_cpu_dec(ctrace_scratches->depth);
}

#endif
