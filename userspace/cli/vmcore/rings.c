// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records of an arena in an image. Nobody writes, so this follows no protocol: of each ring it takes
 * the sub-buffers from the oldest that has not been overwritten to the head, each for itself. A page that
 * the image lacks costs the records from there to the sub-buffer's end.
 *
 * makedumpfile leaves out pages of zeros. So a page that is missing is no harm by itself: of a ring that
 * was never used it is expected, and its hint, which lies elsewhere, says whether it was used.
 */
#include <stdlib.h>
#include <string.h>
#include "vmcore/core.h"

struct walk {
	struct core *c;
	const struct core_arena *a;
	const struct core_part *parts;		/* of the frames */
	size_t nparts;
	uint64_t per;				/* frames in a part */
	/* the part whose frames are at hand */
	uint64_t *frames;
	uint32_t seq, nframes;			/* nframes 0: none is, or it is not whole */
	bool have;
	unsigned char *buf;			/* a sub-buffer */
	core_record_fn fn;
	void *arg;
	struct core_rings *r;
};

/* --- the arena's pages ----------------------------------------------------------- */

static const struct core_part *find_part(const struct walk *w, uint32_t seq)
{
	size_t lo = 0, hi = w->nparts, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (w->parts[mid].seq < seq)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < w->nparts && w->parts[lo].seq == seq ? &w->parts[lo] : NULL;
}

/* Has the frames of that part at hand, if there are any. */
static void take_frames(struct walk *w, uint32_t seq)
{
	const struct core_part *p = find_part(w, seq);
	const void *bytes;
	uint32_t len;

	if (w->have && w->seq == seq)
		return;
	w->have = true;
	w->seq = seq;
	w->nframes = 0;
	bytes = p ? core_part_read(w->c, p, &len) : NULL;
	if (bytes) {
		w->nframes = len / sizeof(uint64_t);
		memcpy(w->frames, bytes, w->nframes * sizeof(uint64_t));
	}
}

/* Where page i of the arena lies. False: it is not known. */
static bool frame_of(struct walk *w, uint64_t i, uint64_t *phys)
{
	uint64_t seq = i / w->per;

	if (i >= w->a->a.pages || seq > UINT32_MAX)
		return false;
	take_frames(w, (uint32_t)seq);
	if (i % w->per >= w->nframes || w->frames[i % w->per] > UINT64_MAX / w->c->im->page_size - 1)
		return false;
	*phys = w->frames[i % w->per] * w->c->im->page_size;
	return true;
}

/* Copies from the arena. Returns how many bytes, up to the first page that is missing. */
static size_t fetch(struct walk *w, uint64_t off, void *to, size_t len)
{
	uint32_t size = w->c->im->page_size;
	uint64_t phys = 0;
	size_t done = 0;

	while (done < len) {
		size_t in = off % size, n = size - in < len - done ? size - in : len - done;

		if (!frame_of(w, off / size, &phys) ||
		    !w->c->im->read(w->c->im, phys + in, (char *)to + done, n))
			break;
		done += n;
		off += n;
	}
	return done;
}

/* --- a ring -------------------------------------------------------------------- */

static bool ring_ok(const struct ctrace_dir *d, const struct ctrace_ring *ring)
{
	/* entered is a sub-buffer's end; head is in it or before; what is between them lies in the ring */
	return ring->entered % d->subbuf_size == 0 && ring->head % 8 == 0 && ring->head <= ring->entered &&
		ring->entered - ring->head <= d->ring_size && ring->entered < UINT64_MAX / 2 &&
		ring->floor / d->subbuf_size * d->subbuf_size <= ring->entered;
}

/* How a sub-buffer's records end. */
enum end {
	END_WHOLE,
	END_HOLE,	/* at a page that is not there: it may be torn, or zeros behind the last record */
	END_TORN,
};

/* Hands out a sub-buffer's records: there are len bytes of it, and all end at limit. *n: how many. */
static enum end take_records(struct walk *w, uint32_t slot, uint64_t start, size_t len, size_t limit,
			     uint64_t *n)
{
	union {
		struct ctrace_record rec;
		unsigned char bytes[CTRACE_RECORD_MAX];
	} u;
	bool full = limit == w->a->a.dir.subbuf_size;
	uint64_t time = 0;
	size_t at;

	*n = 0;
	for (at = sizeof(struct ctrace_subbuf); at < len; at += u.rec.len) {
		if (len - at < sizeof(u.rec.time))
			return END_TORN;
		memcpy(&u.rec.time, w->buf + at, sizeof(u.rec.time));
		if (!u.rec.time)	/* the rest is unused, if this is not the ring's last sub-buffer */
			return full ? END_WHOLE : END_TORN;
		if (len - at < sizeof(u.rec))
			return END_TORN;
		memcpy(&u.rec, w->buf + at, sizeof(u.rec));
		if (u.rec.len < sizeof(u.rec) || u.rec.len % 8 || u.rec.len > sizeof(u) ||
		    u.rec.len > len - at || u.rec.time < time)
			return END_TORN;
		memcpy(u.bytes, w->buf + at, u.rec.len);
		time = u.rec.time;
		w->r->newest = time > w->r->newest ? time : w->r->newest;
		w->fn(&u.rec, slot, start + at, w->arg);
		++*n;
	}
	return len == limit ? END_WHOLE : full ? END_HOLE : END_TORN;
}

static void count_torn(struct walk *w, uint64_t off, size_t len, size_t limit)
{
	uint32_t size = w->c->im->page_size;
	char byte;

	w->r->subbufs_torn++;
	for (off += len, limit -= len; limit; off += len, limit -= len) {
		w->r->pages_absent += !fetch(w, off, &byte, 1);
		len = size - off % size < limit ? size - off % size : limit;
	}
}

static void take_ring(struct walk *w, uint32_t slot, const struct ctrace_ring *ring)
{
	const struct ctrace_dir *d = &w->a->a.dir;
	uint64_t base = d->slots_off + slot * d->slot_stride + CTRACE_PAGE, off = 0;
	uint64_t pos = ring->entered > d->ring_size ? ring->entered - d->ring_size : 0;
	uint64_t floor = ring->floor / d->subbuf_size * d->subbuf_size, counted = 0, n;
	/* hole: bytes of the one before, which ended at a hole; or 0 */
	size_t limit, len = 0, hole = 0;
	struct ctrace_subbuf sub;
	bool known = false;
	enum end end;

	for (pos = pos > floor ? pos : floor; pos < ring->head; pos += d->subbuf_size) {
		limit = ring->head - pos < d->subbuf_size ? ring->head - pos : d->subbuf_size;
		off = base + pos % d->ring_size;
		len = fetch(w, off, w->buf, limit);
		w->r->subbufs++;
		memcpy(&sub, w->buf, sizeof(sub));
		if (len < sizeof(sub) || sub.pos != pos) {
			count_torn(w, off, len, limit);
			continue;
		}
		/* each header says how many there were before it */
		if (known && sub.events > counted && sub.events - counted < d->ring_size)
			w->r->missing += sub.events - counted;
		if (hole && sub.events != counted)
			count_torn(w, base + (pos - d->subbuf_size) % d->ring_size, hole, d->subbuf_size);
		end = take_records(w, slot, pos, len, limit, &n);
		known = true;
		counted = sub.events + n;
		w->r->records += n;
		hole = end == END_HOLE ? len : 0;
		if (end == END_TORN)
			count_torn(w, off, len, limit);
	}
	if (hole)
		count_torn(w, off, hole, d->subbuf_size);
}

static void take_slot(struct walk *w, uint32_t slot)
{
	const struct ctrace_dir *d = &w->a->a.dir;
	struct ctrace_ring ring;
	uint64_t hint = 0;

	if (fetch(w, d->slots_off + slot * d->slot_stride, &ring, sizeof(ring)) < sizeof(ring)) {
		fetch(w, d->heads_off + slot / d->slots_per_cpu * d->heads_stride +
		      slot % d->slots_per_cpu * 8ull, &hint, sizeof(hint));
		w->r->pages_absent += !!hint;
		w->r->rings_torn += !!hint;
		return;
	}
	if (!ring.gen)
		return;
	if (!ring_ok(d, &ring)) {
		w->r->rings_torn++;
		return;
	}
	w->r->rings += ring.head > 0;
	w->r->writing += ring.nest != 0;
	w->r->refused += ring.lost_full + ring.lost_nested;
	take_ring(w, slot, &ring);
}

/*
 * The slots whose own page is known by the frames of one part. So the work is bounded by the parts that the
 * image has, not by the number of slots, which may be made up.
 */
static void take_part(struct walk *w, uint32_t seq)
{
	const struct ctrace_dir *d = &w->a->a.dir;
	uint64_t bytes = w->per * w->c->im->page_size, from = seq * bytes, to = from + bytes, slot;

	if (seq > UINT64_MAX / 2 / bytes || from >= d->map_size)
		return;
	take_frames(w, seq);
	if (!w->nframes) {
		w->r->frames_torn++;
		return;
	}
	slot = from > d->slots_off ? (from - d->slots_off + d->slot_stride - 1) / d->slot_stride : 0;
	for (; slot < d->nslots && d->slots_off + slot * d->slot_stride < to; slot++)
		take_slot(w, (uint32_t)slot);
}

void core_rings(struct core *c, const struct core_arena *a, core_record_fn fn, void *arg,
		struct core_rings *r)
{
	struct walk w = { .c = c, .a = a, .fn = fn, .arg = arg, .r = r };
	uint64_t wanted;

	*r = (struct core_rings){ 0 };
	w.per = (c->im->page_size - sizeof(struct ctrace_core_part)) / sizeof(uint64_t);
	w.parts = core_parts(c, a->head.id, CTRACE_CORE_FRAMES, &w.nparts);
	w.frames = xcalloc(w.per, sizeof(uint64_t));
	w.buf = xcalloc(1, a->a.dir.subbuf_size);
	for (size_t i = 0; i < w.nparts; i++)
		take_part(&w, w.parts[i].seq);
	wanted = (a->a.pages + w.per - 1) / w.per;
	r->frames_torn += wanted > w.nparts ? wanted - w.nparts : 0;
	free(w.frames);
	free(w.buf);
}
