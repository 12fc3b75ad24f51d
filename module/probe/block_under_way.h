/* SPDX-License-Identifier: GPL-2.0-only */
/* Block requests under way. */
#ifndef CTRACE_BLOCK_UNDER_WAY_H
#define CTRACE_BLOCK_UNDER_WAY_H

#include "event/comm.h"

/* What CTRACE_A_REQUEST_* say. */
struct ctrace_request {
	u32 cid, dev, bytes, rwbs, at;
	u32 tid;			/* 0: not known */
	u64 sector;
	u64 ns, issued_ns;		/* since it was made, or held back; in the disk */
	char comm[CTRACE_COMM_LEN + 1];
};

/*
 * The next request from *place on, if it is among the next few places. 1: it is at *place. 0: there is none
 * among them, and *place is where it continues. -1: there are no more. bit: of the session that wants it; 0:
 * any. Process context, ctrace_lock held.
 */
#ifdef CONFIG_BLOCK
int ctrace_block_under_way(u32 *place, u32 bit, struct ctrace_request *r);
#else
static inline int ctrace_block_under_way(u32 *place, u32 bit, struct ctrace_request *r)
{
	return -1;
}
#endif

#endif
