// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Records of all rings in order of time.
 *
 * Each ring is in order by itself. A heap holds the rings that have records, keyed by the time of
 * each ring's next record. A ring enters the heap when a scan of the hints finds that it moved; it
 * leaves when it has been read to its head. So the work grows with the number of rings that move.
 * A ring that does not move costs each scan two looks: at its hint, and at whether it is being
 * written.
 *
 * The horizon makes the order right. The clock is read, then the rings are scanned. A record that was
 * published before the clock was read is then in the heap, or behind a record in it. So every record up to
 * that time may be handed out; later ones wait for the next scan.
 *
 * One kind of record would still come late: one that was reserved before that time and published after
 * it, because its writer was interrupted, or its virtual CPU stood still. Its ring shows that it is being
 * written: nest is raised before the clock is read for the record, and lowered once it is published. A record
 * being written is no older than its ring's records that have been read, so the horizon stays at the newest
 * of them.
 *
 * A run is copied out of its ring before it is used. The writer never waits, so records that queue
 * for their turn must not lie where it writes; and one check of the writer's position then serves
 * the whole run. A ring whose writer overtakes the copying again and again is left for the next
 * scan, and the horizon stays before the records it holds.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reader.h"

#define NS_PER_S	1000000000ull
/* Tries to copy a run. If the ring is written faster than that, it is left for the next scan. */
#define COPY_TRIES	4
/* How many scans in a row wait for rings that were left. */
#define LEFT_SCANS	1000
/*
 * Other CPUs see a raised nest only some time after the clock was read behind it: when the store
 * buffer has drained, which takes less than a microsecond. While the kernel updates its clock, the
 * NMI-safe reading of it differs from this process's by about as little.
 */
#define SETTLE_NS	5000
/* How long to wait for a writer. If it was stopped for longer, its record comes late. */
#define WAIT_NS		NS_PER_S

static uint64_t now_ns(const struct ctrace_reader *r)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec + r->skew;
}

/* --- the heap ------------------------------------------------------------------ */

static void sift_down(struct ctrace_reader *r)
{
	struct ctrace_reader_ring **h = r->heap, *ring = h[0];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < r->nheap) {
		if (child + 1 < r->nheap && h[child + 1]->time < h[child]->time)
			child++;
		if (ring->time <= h[child]->time)
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = ring;
}

static void push(struct ctrace_reader *r, struct ctrace_reader_ring *ring)
{
	struct ctrace_reader_ring **h = r->heap;
	size_t i = r->nheap++, parent;

	ring->queued = true;
	for (; i > 0; i = parent) {
		parent = (i - 1) / 2;
		if (h[parent]->time <= ring->time)
			break;
		h[i] = h[parent];
	}
	h[i] = ring;
}

static void pop(struct ctrace_reader *r)
{
	r->heap[0]->queued = false;
	if (--r->nheap) {
		r->heap[0] = r->heap[r->nheap];
		sift_down(r);
	}
}

/* --- rings --------------------------------------------------------------------- */

static struct ctrace_record *record_at(const struct ctrace_reader_ring *ring)
{
	return (struct ctrace_record *)(ring->buf + ring->at);
}

/*
 * Reads the head of the record at ->at. A ring of the kernel's was checked before and after the run
 * was copied. But a descriptor from another process may not be the kernel's: this check costs next to
 * nothing, and bounds what such a mapping can do.
 */
static bool settle(struct ctrace_reader_ring *ring)
{
	const struct ctrace_record *rec = record_at(ring);
	size_t left = ring->len - ring->at;

	if (left < sizeof(*rec) || rec->len < sizeof(*rec) || rec->len > left || rec->len % 8)
		return false;
	ring->time = rec->time;
	return true;
}

/*
 * Copies the ring's next run. 1: there is a record; 0: none now; -EAGAIN: left; -EBUSY: held; else < 0:
 * error.
 */
static int refill(struct ctrace_reader *r, struct ctrace_reader_ring *ring)
{
	struct ctrace_cursor before = ring->cur;
	struct ctrace_span span = { 0 };	/* what gcc 10 cannot see: it is set when ret > 0 */
	int tries, ret;
	bool ok;

	if (!ring->buf) {
		ring->buf = malloc(r->dir.subbuf_size);
		if (!ring->buf)
			return -ENOMEM;
	}
	for (tries = 0; tries < COPY_TRIES; tries++) {
		/* Read before the look: a record that comes after the look changes the hint again. */
		ring->hint = ctrace_reader_hint(r, ring - r->rings);
		ret = ctrace_cursor_next(&ring->cur, &span, r->dir.subbuf_size, UINT64_MAX);
		/*
		 * The records that fn sees may be overwritten. If it then holds nothing back, the copy is not
		 * ok either.
		 */
		if (ret > 0 && ctrace_reader_holds(r, &span)) {
			ring->hint = ~ring->hint;
			return -EBUSY;
		}
		if (ret > 0)
			memcpy(ring->buf, span.data, span.len);
		ok = ret > 0 && ctrace_cursor_done(&ring->cur, &span);
		if (ctrace_reader_revoked(r)) {	/* any of this may have been zeros: the pages are gone */
			ring->cur = before;
			return 0;
		}
		if (ret == -EAGAIN)
			continue;
		if (ret <= 0)
			return ret;
		if (!ok)
			continue;
		ring->len = span.len;
		ring->at = 0;
		return settle(ring) ? 1 : -EPROTO;
	}
	ring->hint = ~ring->hint;	/* not read to its end: the next scan looks again */
	return -EAGAIN;
}

/*
 * Puts every ring that moved into the heap, or sets *left for one that refill() left. Lowers *horizon for
 * each ring that is being written. The look at nest comes before the look at the ring: F in
 * module/ring/ring.h. A ring that is held lowers nothing: its records come late anyway.
 */
static int scan(struct ctrace_reader *r, uint64_t *horizon, bool *left)
{
	struct ctrace_reader_ring *ring;
	uint32_t i, nest;
	int ret;

	for (i = 0; i < r->dir.nslots; i++) {
		ring = &r->rings[i];
		nest = ctrace_load_acquire(&ring->cur.ctl->nest);
		if (!ring->queued && ctrace_reader_moved(r, i)) {
			ret = refill(r, ring);
			if (ret == -EBUSY)
				continue;
			if (ret == -EAGAIN)
				*left = true;
			else if (ret < 0)
				return ret;
			else if (ret > 0)
				push(r, ring);
		}
		if (nest && ring->cur.time < *horizon)
			*horizon = ring->cur.time;
	}
	return 0;
}

/* Moves past the record that was handed out. Only now may its buffer be used again. */
static int advance(struct ctrace_reader *r)
{
	struct ctrace_reader_ring *ring = r->heap[0];
	int ret = 1;

	ring->at += record_at(ring)->len;
	if (ring->at >= ring->len)
		ret = refill(r, ring);
	else if (!settle(ring))
		ret = -EPROTO;
	if (ret == -EAGAIN) {
		r->horizon = ring->time;	/* its next record may be as old as this one */
		ret = 0;
	}
	if (ret == -EBUSY)
		ret = 0;
	if (ret > 0)
		sift_down(r);
	else
		pop(r);
	return ret < 0 ? ret : 0;
}

static int next(struct ctrace_reader *r, const struct ctrace_record **rec)
{
	uint64_t now, horizon;
	bool ended, left;
	int err;

	if (r->given) {
		r->given = false;
		err = advance(r);
		if (err)
			return err;
	}
	while (!r->nheap || r->heap[0]->time > r->horizon) {
		ended = ctrace_reader_ended(r);
		now = now_ns(r);
		horizon = now - SETTLE_NS;
		left = false;
		err = scan(r, &horizon, &left);
		if (err)
			return err;
		if (!ended && horizon + WAIT_NS < now)
			horizon = now - WAIT_NS;
		/*
		 * A ring left over in this scan holds records younger than the old horizon, but
		 * perhaps much older than now, as this process may have been stopped since. Keep the old
		 * horizon until a scan reads every ring to its end, or LEFT_SCANS have failed.
		 */
		r->left = left ? r->left + 1 : 0;
		if (!left || r->left > LEFT_SCANS || horizon < r->horizon)
			r->horizon = horizon;
		if (!r->nheap)
			return ended ? -ENODATA : 0;
		/*
		 * No record is from the future, unless this process is in a time namespace. Then the
		 * records show how far its clock is off.
		 */
		if (r->heap[0]->time > now + NS_PER_S)
			r->skew += r->heap[0]->time - now;
		else if (ended)
			r->horizon = now;
		/* Another CPU is still writing. It may be a virtual one that waits for ours. */
		if (r->heap[0]->time > r->horizon)
			sched_yield();
	}
	*rec = record_at(r->heap[0]);
	r->given = true;
	r->seen++;
	return 1;
}

int ctrace_reader_next(struct ctrace_reader *r, const struct ctrace_record **rec)
{
	int got = next(r, rec);

	r->dry = !got;
	if (got >= 0)
		return got;
	r->drained = got == -ENODATA;
	return ctrace_reader_failed(r, got);
}
