/* SPDX-License-Identifier: LGPL-2.1-only */
/* A reader: the mapping and its checks (reader.c), records in order (merge.c), runs (runs.c). */
#ifndef CTRACE_LIB_READER_H
#define CTRACE_LIB_READER_H

#include "internal.h"
#include "../../uapi/ctrace_ring_read.h"

#define CTRACE_READER_ERR_MAX	320

/* How far this reader has followed one slot of the arena. */
struct ctrace_reader_ring {
	struct ctrace_cursor cur;
	const uint64_t *head;	/* in the mapping: the ring's hint. NULL: there are none */
	/* the same, read before the last look at the ring; while it does not change, nothing is new */
	uint64_t hint;
	/* the ring's counts when this reader was opened: not its losses */
	uint64_t full, nested, frozen;
	/* the counts as last read; a view that was revoked has none to read any more */
	uint64_t full_now, nested_now, frozen_now;
	uint64_t told;		/* the part of cur.lost that runs handed out have reported */
	/* merge.c: a copy of the run that is being handed out. NULL until the ring first moves. */
	unsigned char *buf;
	size_t len, at;		/* bytes in buf, and where the next record begins */
	uint64_t time;		/* of the record at 'at': the heap's key */
	bool queued;		/* the ring is in the heap, and has a record at 'at' */
};

struct ctrace_reader {
	/* a checked copy: these values are never read from the mapping again */
	struct ctrace_dir dir;
	const struct ctrace_dir *live;	/* in the mapping, for ->state */
	struct ctrace_reader_ring *rings;	/* dir.nslots */
	struct ctrace_reader_ring **heap;	/* queued rings, oldest record first */
	size_t nheap;
	bool given;			/* the record on top of the heap was handed out */
	uint64_t horizon;		/* records up to this time may be handed out */
	uint32_t left;			/* how many scans in a row left a ring over */
	uint64_t skew;			/* the module's clock minus this process's, ns */
	uint64_t seen;
	bool dry;			/* the last look found nothing more; ctrace_reader_poll() may wait */
	bool drained;			/* and the session had ended: nothing will ever come */
	ctrace_reader_hold_fn hold;	/* NULL: nothing waits */
	void *hold_arg;
	const void *map;
	size_t map_len;
	int fd;				/* -1: none; a test owns the mapping, or opening failed */
	char err[CTRACE_READER_ERR_MAX];
};

/* Keeps the sentence for ctrace_reader_errmsg(); returns err. */
int ctrace_reader_error(struct ctrace_reader *r, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for an error of reading, by its number. */
int ctrace_reader_failed(struct ctrace_reader *r, int err);

/* Shall the records of span wait in their ring? */
static inline bool ctrace_reader_holds(const struct ctrace_reader *r, const struct ctrace_span *span)
{
	const struct ctrace_run run = {
		.cid = span->cid, .count = span->count, .data = span->data, .len = span->len,
	};

	return r->hold && r->hold(&run, r->hold_arg);
}

/* Loads a slot's hint. A load of the ring's head after it sees at least the head the hint announces. */
static inline uint64_t ctrace_reader_hint(const struct ctrace_reader *r, size_t slot)
{
	const uint64_t *head = r->rings[slot].head;

	return head ? ctrace_load_acquire(head) : 0;	/* C: module/ring/ring.h */
}

/* May the slot have moved since the last look at it? Always true without hints. */
static inline bool ctrace_reader_moved(const struct ctrace_reader *r, size_t slot)
{
	return !r->rings[slot].head || ctrace_reader_hint(r, slot) != r->rings[slot].hint;
}

static inline bool ctrace_reader_ended(const struct ctrace_reader *r)
{
	/* Pairs with the store that ends the session; every record was published before it. */
	return __atomic_load_n(&r->live->state, __ATOMIC_ACQUIRE) != CTRACE_DIR_RUNNING;
}

/*
 * Was the view taken back? Then what was read from the rings before this call may have been zeros. The fence
 * keeps those reads before the load; the kernel stores the state before it takes the rings away.
 */
static inline bool ctrace_reader_revoked(const struct ctrace_reader *r)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&r->live->state, __ATOMIC_RELAXED) == CTRACE_DIR_REVOKED;
}

/*
 * Brings the ring's counts of refused records up to date. Returns how many there were since this reader
 * began.
 */
static inline uint64_t ctrace_reader_refused(const struct ctrace_reader *r, struct ctrace_reader_ring *ring)
{
	uint64_t full = ctrace_load(&ring->cur.ctl->lost_full);
	uint64_t nested = ctrace_load(&ring->cur.ctl->lost_nested);
	uint64_t frozen = ctrace_load(&ring->cur.ctl->lost_frozen);

	if (!ctrace_reader_revoked(r)) {
		ring->full_now = full;
		ring->nested_now = nested;
		ring->frozen_now = frozen;
	}
	return ring->full_now - ring->full + ring->nested_now - ring->nested +
	       ring->frozen_now - ring->frozen;
}

#endif /* CTRACE_LIB_READER_H */
