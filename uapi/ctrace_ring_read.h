/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Reading a ring: the same code in the kernel (read() of /dev/ctrace) and in
 * libctrace, which maps the ring. The writer, and the table of the lettered
 * barriers, are in ring.h.
 *
 * A cursor is one reader's place in one slot. It counts by the slot's own
 * numbers: `events` is how many records had been published in the slot before
 * `pos`. Each sub-buffer's header has that count for its own start, so a reader
 * that was lapped goes to a header and knows how much it lost. Always, and exactly:
 *
 *	seen + lost == records published in the slot before pos (since the cursor's start)
 *
 * A slot that is given to another container continues at the next sub-buffer's
 * start. So the sum holds over any number of bindings, and the old container's
 * records are still read.
 *
 * Use:
 *	while (ctrace_cursor_next(&c, &span, max, until) > 0) {
 *		copy span.data, span.len bytes
 *		if (!ctrace_cursor_done(&c, &span))
 *			forget the copy: it was overwritten while it was made
 *	}
 *
 * Nothing read from the ring is trusted: positions are masked, lengths checked,
 * loops bounded. A ring that makes no sense gives -EPROTO. But the records between
 * a span's first and last may not have been looked at: code that walks a span
 * checks their lengths.
 */
#ifndef CTRACE_RING_READ_H
#define CTRACE_RING_READ_H

/* Each use of a barrier names its letter. */
#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include "../uapi/ctrace.h"
#define ctrace_load(p)		READ_ONCE(*(p))
#define ctrace_load_acquire(p)	smp_load_acquire(p)	/* A, C, D, E, F */
#define ctrace_rmb()		smp_rmb()		/* B, D, E */
#else
#include <errno.h>
#include <stdbool.h>
#include <ctrace/ctrace.h>
#define ctrace_load(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define ctrace_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define ctrace_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

struct ctrace_cursor {
	const struct ctrace_ring *ctl;	/* the slot's; its records begin CTRACE_PAGE after it */
	const char *data;
	__u64 size;			/* ring_size */
	__u64 submask;			/* subbuf_size - 1 */
	__u64 pos;			/* next byte to look at */
	__u64 events;			/* records published in the slot before pos */
	__u64 seen;			/* records handed out, and still intact after use */
	__u64 lost;			/* records overwritten before they were seen */
	__u64 time;			/* of the newest record that was seen; 0: none was */
	__u64 margin;			/* distance to keep from the oldest sub-buffer: one sub-buffer
					 * while the writer is about to overtake us, else 0
					 */
};

/* Consecutive records of one sub-buffer. Valid only after ctrace_cursor_next() returned 1. */
struct ctrace_span {
	const void *data;
	__u32 len;			/* bytes, multiple of 8 */
	__u32 count;			/* records */
	__u64 time_begin, time_end;	/* of the first and the last record */
	const struct ctrace_record *last;
	__u32 cid;			/* CTRACE_CID_ALL in a shared ring */
	__u64 next;			/* the cursor's position after these */
};

/* A writer may lap a reader again and again. After this many tries the caller decides. */
#define CTRACE_READ_TRIES	16

/*
 * Starts at position 0, so every record that the slot ever had will be seen or lost.
 * ring_size and subbuf_size are the directory's, checked by the caller: powers
 * of two, CTRACE_PAGE <= subbuf_size <= ring_size / 2.
 */
static inline void ctrace_cursor_init(struct ctrace_cursor *c, const struct ctrace_ring *ctl,
				      __u64 ring_size, __u32 subbuf_size)
{
	c->ctl = ctl;
	c->data = (const char *)ctl + CTRACE_PAGE;
	c->size = ring_size;
	c->submask = subbuf_size - 1;
	c->pos = 0;
	c->events = 0;
	c->seen = 0;
	c->lost = 0;
	c->time = 0;
	c->margin = 0;
}

static inline const void *ctrace_cursor_at(const struct ctrace_cursor *c, __u64 pos)
{
	return c->data + (pos & (c->size - 1));
}

/*
 * Was everything that was read from pos's sub-buffer before this call intact? It was
 * unless the writer has entered the sub-buffer one ring further on, or somebody wiped
 * it. (Whole sub-buffers are judged, so the pad and the header are covered as well.)
 */
static inline bool ctrace_cursor_valid(const struct ctrace_cursor *c, __u64 pos)
{
	__u64 start = pos & ~c->submask;

	ctrace_rmb();						/* B, D: partner in ring.h */
	return ctrace_load(&c->ctl->entered) - start <= c->size &&
	       ctrace_load(&c->ctl->floor) <= start;
}

/*
 * Moves the cursor to a sub-buffer that can be read: the newest, or else the oldest. The oldest
 * is the next to be overwritten, so a reader that was overtaken there takes the one after it
 * (c->margin). -EAGAIN: not now.
 */
static inline int ctrace_cursor_seek(struct ctrace_cursor *c, __u64 head, bool newest)
{
	__u64 entered = ctrace_load(&c->ctl->entered);
	__u64 floor = ctrace_load_acquire(&c->ctl->floor);	/* D */
	__u64 events = ctrace_load(&c->ctl->floor_events);
	__u64 to = head ? (head - 1) & ~c->submask : 0;
	__u64 oldest = 0;
	const struct ctrace_subbuf *sub;

	if (entered > c->size)
		oldest = ((entered - c->size) & ~c->submask) + c->margin;
	if (!newest && oldest < to)
		to = oldest;
	if (floor > to) {
		to = floor;
		ctrace_rmb();					/* D */
		if (floor & 1 || ctrace_load(&c->ctl->floor) != floor)
			return -EAGAIN;
	} else if (head) {
		sub = ctrace_cursor_at(c, to);
		events = ctrace_load(&sub->events);
		if (ctrace_load(&sub->pos) != to)
			return ctrace_cursor_valid(c, to) ? -EPROTO : -EAGAIN;
		if (!ctrace_cursor_valid(c, to))
			return -EAGAIN;
	}
	if (to < c->pos || events < c->events)
		return -EPROTO;
	c->lost += events - c->events;
	c->events = events;
	c->pos = to;
	return 0;
}

/*
 * Does the work of ctrace_cursor_scan() for a sub-buffer that is full, without looking at each record: the
 * next sub-buffer's header says how many there are and where the last one is. False: not all of them
 * fit into max_len and until, or the header makes no sense; then scan.
 */
static inline bool ctrace_cursor_leap(const struct ctrace_cursor *c, struct ctrace_span *s,
				      __u64 max_len, __u64 until)
{
	__u64 start = c->pos & ~c->submask, end = start + c->submask + 1;
	const struct ctrace_subbuf *next = ctrace_cursor_at(c, end);
	__u64 from = c->pos, last, events;
	const struct ctrace_record *rec;
	__u32 len;

	events = ctrace_load(&next->events);
	last = start + ctrace_load(&next->last);
	if (ctrace_load(&next->pos) != end)
		return false;
	if (from == start) {
		const struct ctrace_subbuf *sub = ctrace_cursor_at(c, start);

		if (ctrace_load(&sub->pos) != start || ctrace_load(&sub->events) != c->events)
			return false;
		from += sizeof(*sub);
	}
	if (last < from || last > end - sizeof(*rec) || last & 7 || events - c->events - 1 > c->submask)
		return false;
	rec = ctrace_cursor_at(c, last);
	len = ctrace_load(&rec->len);
	if (len < sizeof(*rec) || len & 7 || len > end - last || last + len - from > max_len)
		return false;
	s->time_end = ctrace_load(&rec->time);
	if (s->time_end > until)
		return false;
	s->last = rec;
	s->len = last + len - from;
	s->count = events - c->events;
	s->next = end;
	rec = ctrace_cursor_at(c, from);
	s->data = rec;
	s->time_begin = ctrace_load(&rec->time);
	s->cid = ctrace_load(&c->ctl->flags) & CTRACE_RING_F_SHARED ? CTRACE_CID_ALL :
		 ctrace_load(&rec->cid);
	return true;
}

/*
 * Finds the records from c->pos to head or to the sub-buffer's end, whichever is first.
 * Returns 1; 0: only the unused rest of a sub-buffer was left, and c->pos is now the next
 * one's start; or an error, which means something only if the sub-buffer is still valid.
 */
static inline int ctrace_cursor_scan(struct ctrace_cursor *c, struct ctrace_span *s, __u64 head,
				     __u64 max_len, __u64 until)
{
	__u64 start = c->pos & ~c->submask, end = start + c->submask + 1;
	__u64 limit = head < end ? head : end, pos = c->pos, time;
	const struct ctrace_record *rec;
	__u32 len;

	if (pos == start) {
		const struct ctrace_subbuf *sub = ctrace_cursor_at(c, pos);

		if (ctrace_load(&sub->pos) != pos || ctrace_load(&sub->events) != c->events)
			return -EPROTO;
		pos += sizeof(*sub);
	}
	s->data = ctrace_cursor_at(c, pos);
	s->len = 0;
	s->count = 0;
	s->time_end = 0;
	while (pos < limit) {
		rec = ctrace_cursor_at(c, pos);
		time = ctrace_load(&rec->time);
		if (!time) {
			if (limit != end)
				return -EPROTO;
			pos = end;
			break;
		}
		if (limit - pos < sizeof(*rec))
			return -EPROTO;
		len = ctrace_load(&rec->len);
		if (len < sizeof(*rec) || len & 7 || len > limit - pos)
			return -EPROTO;
		if (!s->count) {
			if (len > max_len)
				return -EMSGSIZE;
			s->time_begin = time;
			s->cid = ctrace_load(&c->ctl->flags) & CTRACE_RING_F_SHARED ?
				CTRACE_CID_ALL : ctrace_load(&rec->cid);
		} else if (time > until || s->len + len > max_len) {
			break;
		}
		s->time_end = time;
		s->last = rec;
		s->len += len;
		s->count++;
		pos += len;
	}
	if (pos > limit)
		return -EPROTO;
	s->next = pos;
	if (s->count)
		return 1;
	if (!ctrace_cursor_valid(c, c->pos))
		return -EAGAIN;
	c->pos = pos;
	return 0;
}

/*
 * Finds the next records: at most max_len bytes, and only the first may have a
 * time above until. They stay in the ring: copy, then call ctrace_cursor_done().
 * 1: *s holds at least one; 0: nothing more now; -EMSGSIZE: the next record alone is
 * longer than max_len; -EAGAIN: the writer laps this reader faster than it
 * can follow, call again; -EPROTO: not a ring.
 */
static inline int ctrace_cursor_next(struct ctrace_cursor *c, struct ctrace_span *s,
				     __u64 max_len, __u64 until)
{
	int tries, err;
	__u64 head;

	for (tries = 0; tries < CTRACE_READ_TRIES; tries++) {
		head = ctrace_load_acquire(&c->ctl->head);	/* A */
		if (head == c->pos) {
			c->margin = 0;
			return 0;
		}
		if (ctrace_cursor_valid(c, c->pos)) {
			if (head < c->pos)
				return -EPROTO;
			if (head - (c->pos & ~c->submask) > c->submask + 1 &&
			    ctrace_cursor_leap(c, s, max_len, until))
				return 1;
			err = ctrace_cursor_scan(c, s, head, max_len, until);
			if (err > 0)
				return err;
			if (err < 0 && err != -EAGAIN && ctrace_cursor_valid(c, c->pos))
				return err;
			if (err < 0)
				c->margin = c->submask + 1;
		} else {
			err = ctrace_cursor_seek(c, head, false);
			if (err < 0 && err != -EAGAIN)
				return err;
			if (err < 0)
				c->margin = c->submask + 1;
		}
	}
	return -EAGAIN;
}

/* Moves the cursor past s, which was used and found valid after that. */
static inline void ctrace_cursor_advance(struct ctrace_cursor *c, const struct ctrace_span *s)
{
	c->pos = s->next;
	c->events += s->count;
	c->seen += s->count;
	c->time = s->time_end;
}

/*
 * Call after the last use of s's bytes. True: they were intact, and the cursor has moved on.
 * False: the writer overwrote them, and the next ctrace_cursor_next() counts them as lost.
 */
static inline bool ctrace_cursor_done(struct ctrace_cursor *c, const struct ctrace_span *s)
{
	if (!ctrace_cursor_valid(c, c->pos)) {
		c->margin = c->submask + 1;
		return false;
	}
	ctrace_cursor_advance(c, s);
	return true;
}

/* After _init(): skips what was published before this call; it counts as neither seen nor lost. */
static inline int ctrace_cursor_to_now(struct ctrace_cursor *c)
{
	__u64 head = ctrace_load_acquire(&c->ctl->head);	/* A */
	struct ctrace_span s;
	int tries, err = 0;

	for (tries = 0; tries < CTRACE_READ_TRIES; tries++) {
		err = ctrace_cursor_seek(c, ctrace_load_acquire(&c->ctl->head), true);
		if (err != -EAGAIN)
			break;
	}
	/* at most one sub-buffer up to head; newer ones if the writer laps us */
	while (!err && c->pos < head) {
		err = ctrace_cursor_next(c, &s, ~0ull, ~0ull);
		if (err == 0)
			break;
		if (err > 0) {
			ctrace_cursor_done(c, &s);
			err = 0;
		}
	}
	c->seen = 0;
	c->lost = 0;
	return err < 0 ? err : 0;
}

/*
 * After _init(), for one container's view of a slot: starts where its binding
 * began. Records that were published before belong to other containers.
 */
static inline int ctrace_cursor_to_base(struct ctrace_cursor *c)
{
	int tries;
	__u32 gen;

	for (tries = 0; tries < CTRACE_READ_TRIES; tries++) {
		gen = ctrace_load_acquire(&c->ctl->gen);	/* E */
		c->pos = ctrace_load(&c->ctl->base);
		c->events = ctrace_load(&c->ctl->base_events);
		ctrace_rmb();					/* E */
		if (!(gen & 1) && ctrace_load(&c->ctl->gen) == gen)
			return 0;
	}
	return -EAGAIN;
}

#endif
