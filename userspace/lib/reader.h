/* SPDX-License-Identifier: LGPL-2.1-only */
/* A reader: the mapping and its checks (reader.c), records in order (merge.c), runs (runs.c). */
#ifndef CTRACE_LIB_READER_H
#define CTRACE_LIB_READER_H

#include "internal.h"
#include "../../uapi/ctrace_ring_read.h"

/* One slot of the arena, as this reader has followed it. */
struct ctrace_reader_ring {
	struct ctrace_cursor cur;
	uint64_t hint;		/* heads[slot] before the last look that found nothing */
	uint64_t full, nested;	/* refused before this reader was opened */
	uint64_t told;		/* of cur.lost: in runs handed out */
	/* merge.c: the run being handed out, copied. NULL until the ring moves. */
	unsigned char *buf;
	size_t len, at;
	uint64_t time;		/* of the record at 'at': the heap's key */
	bool queued;		/* in the heap: has a record at 'at' */
};

struct ctrace_reader {
	struct ctrace_dir dir;		/* as checked: never read from the mapping again */
	const struct ctrace_dir *live;	/* for ->state */
	const uint64_t *heads;		/* NULL: no hints */
	struct ctrace_reader_ring *rings;	/* dir.nslots */
	struct ctrace_reader_ring **heap;	/* queued rings, oldest record first */
	size_t nheap;
	bool given;			/* the record on top of the heap was handed out */
	uint64_t horizon;		/* records up to this time are handed out */
	uint32_t left;			/* so many scans in a row left a ring */
	uint64_t skew;			/* the module's clock minus this process's */
	uint64_t seen;
	uint64_t missed, unfollowed;	/* before this reader was opened */
	struct ctrace_session *session;	/* held, or NULL: somebody else's */
	const void *map;
	size_t map_len;
	int fd;				/* -1: a test's mapping, which is not unmapped */
};


/* The head that the hint announces is seen by a load of the head after this one. */
static inline uint64_t ctrace_reader_hint(const struct ctrace_reader *r, size_t slot)
{
	return r->heads ? ctrace_load_acquire(&r->heads[slot]) : 0;	/* C: module/ring/ring.h */
}

/* Has the slot moved since the last look that found nothing? Without hints: perhaps. */
static inline bool ctrace_reader_moved(const struct ctrace_reader *r, size_t slot)
{
	return !r->heads || ctrace_reader_hint(r, slot) != r->rings[slot].hint;
}

static inline bool ctrace_reader_ended(const struct ctrace_reader *r)
{
	/* Pairs with the store that ends the session: every record precedes it. */
	return __atomic_load_n(&r->live->state, __ATOMIC_ACQUIRE) == CTRACE_DIR_ENDED;
}

#endif /* CTRACE_LIB_READER_H */
