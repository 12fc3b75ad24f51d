/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has a process ended already? Before 6.16 each of its threads finds none that lives, if they end at the same
 * time. So the processes that ended last are kept, by when they began.
 */
#ifndef CTRACE_ENDED_H
#define CTRACE_ENDED_H

#include <linux/atomic.h>
#include <linux/types.h>

#define CTRACE_ENDED_ROWS	256u
#define CTRACE_ENDED_EACH	4u	/* kept in a row, the last one first */

struct ctrace_ended {
	atomic64_t at[CTRACE_ENDED_ROWS][CTRACE_ENDED_EACH];
};

/*
 * A thread of process pid, which began at that time, was the last one. Of several that ask, the first is
 * answered true. It goes to the front of its row, and the others move on by one: so four other processes of
 * the row would have to end between two threads of this one to be forgotten in between; or one of them just
 * while this one moves, a few instructions with preemption off.
 *
 * Context: any; preemption off.
 */
static inline bool ctrace_ended_once(struct ctrace_ended *e, u32 pid, s64 began)
{
	atomic64_t *at = e->at[pid % CTRACE_ENDED_ROWS];
	s64 moves = began;
	u32 i;

	for (i = 0; i < CTRACE_ENDED_EACH; i++) {
		moves = atomic64_xchg(&at[i], moves);
		if (moves == began)
			return false;
	}
	return true;
}

#endif
