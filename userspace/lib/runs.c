// SPDX-License-Identifier: LGPL-2.1-only
/* For recorders: runs of records as they lie in the mapping. And for every reader: waiting, losses. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "reader.h"

/*
 * How many runs of one ring to hand out before the next ring's turn: as many as a ring has
 * sub-buffers. Else a ring that is written as fast as it is read would keep the reader for ever.
 */
static uint64_t ring_turn(const struct ctrace_reader *r)
{
	return r->dir.ring_size / r->dir.subbuf_size;
}

static void describe(const struct ctrace_reader *r, uint32_t slot, const struct ctrace_span *span,
		     struct ctrace_run *run)
{
	struct ctrace_reader_ring *ring = &r->rings[slot];
	const struct ctrace_ring *ctl = ring->cur.ctl;

	*run = (struct ctrace_run) {
		.slot = slot,
		.cpu = ctrace_load(&ctl->cpu),
		.cid = span->cid,
		.count = span->count,
		.data = span->data,
		.len = span->len,
		.time_begin = span->time_begin,
		.time_end = span->time_end,
		.lost = ring->cur.lost - ring->told,
		.refused = ctrace_reader_refused(r, ring),
		.last = span->last,
	};
}

/*
 * Hands out the runs that one ring has when its turn begins, at most ring_turn() of them. It leaves records
 * that come later: a recorder that records itself would never finish.
 */
static int ring_runs(struct ctrace_reader *r, uint32_t slot, ctrace_run_fn fn,
		     ctrace_run_done_fn done, void *arg)
{
	struct ctrace_reader_ring *ring = &r->rings[slot];
	uint64_t turn = ring_turn(r), hint = ctrace_reader_hint(r, slot);
	uint64_t end = ctrace_load(&ring->cur.ctl->head);
	struct ctrace_cursor before = ring->cur;
	struct ctrace_span span = { 0 };
	struct ctrace_run run;
	int ret, n = 0;
	bool ok;

	ring->hint = hint;
	while (turn-- && ring->cur.pos < end) {
		before = ring->cur;
		ret = ctrace_cursor_next(&ring->cur, &span, r->dir.subbuf_size, UINT64_MAX);
		if (ctrace_reader_revoked(r)) {
			ring->cur = before;
			return n;
		}
		if (ret == -EAGAIN)
			continue;
		if (ret <= 0)
			return ret ? ctrace_reader_failed(r, ret) : n;
		if (ctrace_reader_holds(r, &span))
			break;
		describe(r, slot, &span, &run);
		ret = fn(&run, arg);
		if (ret < 0) {
			ring->hint = ~hint;	/* look again next time: the run was not taken */
			return ret;
		}
		ok = ctrace_cursor_done(&ring->cur, &span);
		if (ctrace_reader_revoked(r)) {	/* what fn read may have been zeros */
			ok = false;
			ring->cur = before;
		}
		if (ok) {
			ring->told += run.lost;
			r->seen += span.count;
			n++;
		}
		ret = done ? done(&run, ok, arg) : 0;
		if (ret < 0) {
			ring->hint = ~hint;
			return ret;
		}
	}
	if (ring->cur.pos < end)
		ring->hint = ~hint;
	return n;
}

int ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done,
		       void *arg)
{
	uint32_t i;
	int ret, n = 0;

	/* The recorder would miss the records that ctrace_reader_next() has taken out of the rings. */
	if (r->nheap)
		return ctrace_reader_failed(r, -EBUSY);
	r->dry = false;
	for (i = 0; i < r->dir.nslots; i++) {
		if (!ctrace_reader_moved(r, i))
			continue;
		ret = ring_runs(r, i, fn, done, arg);
		if (ret < 0)
			return ret;
		n += ret;
	}
	r->dry = !n;
	return n;
}

/* Of a reader that holds no records itself. */
static bool unread(const struct ctrace_reader *r)
{
	const struct ctrace_cursor *c;
	uint32_t i;

	for (i = 0; i < r->dir.nslots; i++) {
		c = &r->rings[i].cur;
		if (ctrace_load_acquire(&c->ctl->head) != c->pos)
			return !ctrace_reader_revoked(r);
	}
	return false;
}

/*
 * The device says once that its heads have moved, to one poller. So it is asked only when the last look
 * at the rings found nothing more. If another process polls the same descriptor, the answer may have gone
 * there: then this reader finds out when the time is over.
 */
int ctrace_reader_poll(struct ctrace_reader *r, int timeout_ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };

	if (!r->drained && !r->dry)
		return 1;
	if (!r->drained && !ctrace_reader_ended(r)) {
		if (poll(&p, 1, timeout_ms) < 0)
			return ctrace_reader_error(r, -errno, "cannot wait for records: %s",
						   strerror(errno));
		if (p.revents & ~(POLLIN | POLLHUP))
			return ctrace_reader_error(r, -EIO, "cannot wait for records: the descriptor is bad");
	}
	if (!r->drained && (p.revents & POLLIN || unread(r))) {
		r->dry = false;
		return 1;
	}
	return r->drained || ctrace_reader_ended(r) ? ctrace_reader_failed(r, -ENODATA) : 0;
}

int ctrace_reader_losses(struct ctrace_reader *r, struct ctrace_losses *to, size_t sz)
{
	struct ctrace_losses sum = { .seen = r->seen }, *l = &sum;
	struct ctrace_reader_ring *ring;
	uint32_t i;

	for (i = 0; i < r->dir.nslots; i++) {
		ring = &r->rings[i];
		ctrace_reader_refused(r, ring);
		l->overrun += ring->cur.lost;
		l->full += ring->full_now - ring->full;
		l->nested += ring->nested_now - ring->nested;
		l->frozen += ring->frozen_now - ring->frozen;
	}
	ctrace_struct_give(to, sz, &sum, sizeof(sum));
	return 0;
}
