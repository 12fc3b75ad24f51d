/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring, a writer of records that have a number and a sum, and a reader that checks both: for ring_test.c
 * and ring_stress_test.c.
 */
#ifndef CTRACE_SELFTEST_RING_FIXTURE_H
#define CTRACE_SELFTEST_RING_FIXTURE_H

#include <stdlib.h>
#include <time.h>
#include "ring_shim.h"

static u64 test_clock(void);
#define CTRACE_CLOCK()	test_clock()
#include "../../module/ring/ring.h"
#include "../../uapi/ctrace_ring_read.h"

struct ring {
	struct ctrace_ring_desc d;
	u64 hint;
};

struct payload {
	u64 number;		/* of the record, in the order in which they were made */
	u64 sum;		/* of everything else */
	u64 fill[];
};

#define RECORD_MIN	(sizeof(struct ctrace_record) + sizeof(struct payload))

static inline void ring_new(struct ring *r, u64 size, u32 subbuf, bool stop_full)
{
	/* Not a byte more, so that ASan notices accesses beyond it. */
	char *mem = aligned_alloc(CTRACE_PAGE, CTRACE_PAGE + size);

	memset(mem, 0, CTRACE_PAGE + size);
	r->hint = 0;
	r->d = (struct ctrace_ring_desc) {
		.ctl = (struct ctrace_ring *)mem,
		.data = mem + CTRACE_PAGE,
		.hint = &r->hint,
		.mask = size - 1,
		.submask = subbuf - 1,
		.stop_full = stop_full,
	};
	ctrace_ring_rebind(&r->d, 1, 0, 0);
}

static inline void ring_free(struct ring *r)
{
	free(r->d.ctl);
}

static inline void cursor_new(struct ctrace_cursor *c, const struct ring *r)
{
	ctrace_cursor_init(c, r->d.ctl, r->d.mask + 1, r->d.submask + 1);
}

static inline u64 payload_sum(const struct ctrace_record *rec, const struct payload *p)
{
	u64 sum = p->number * 0x9e3779b97f4a7c15ull + rec->cid + rec->len;
	u32 i;

	for (i = 0; i < (rec->len - RECORD_MIN) / 8; i++)
		sum = sum * 31 + p->fill[i];
	return sum;
}

static inline void fill_record(struct ctrace_record *rec, u32 cid, u64 number)
{
	struct payload *p = (struct payload *)(rec + 1);
	u32 i;

	rec->id = 2;
	rec->cid = cid;
	rec->tid = 3;
	rec->vtid = 4;
	p->number = number;
	for (i = 0; i < (rec->len - RECORD_MIN) / 8; i++)
		p->fill[i] = number + i;
	p->sum = payload_sum(rec, p);
}

static inline bool make_record(struct ring *r, u64 number, u32 len)
{
	struct ctrace_writer w;

	if (!ctrace_ring_reserve(&r->d, &w, len))
		return false;
	fill_record(w.rec, r->d.ctl->cid, number);
	ctrace_ring_commit(&r->d, &w);
	return true;
}

/* Lengths from the smallest to CTRACE_RECORD_MAX, mostly short ones. */
static inline u32 some_len(u64 number)
{
	u64 x = number * 0x9e3779b97f4a7c15ull >> 40;

	return RECORD_MIN + 8 * (x % 16 ? x % 20 : x % ((CTRACE_RECORD_MAX - RECORD_MIN) / 8 + 1));
}

struct tally {
	u64 records, bad, backwards, last_number, last_time;
	u64 gaps;		/* records whose numbers are out of order */
};

/* Checks a span that was copied out of the ring. */
static inline void tally_records(struct tally *t, const char *buf, const struct ctrace_span *s)
{
	const struct ctrace_record *rec = NULL;
	u32 at = 0, len = s->len, count;
	const struct payload *p;

	for (count = s->count; count; count--, at += rec->len) {
		rec = (const void *)(buf + at);
		p = (const void *)(rec + 1);
		if (rec->len < RECORD_MIN || rec->len > len - at || p->sum != payload_sum(rec, p)) {
			t->bad++;
			return;
		}
		t->backwards += rec->time < t->last_time;
		t->gaps += p->number <= t->last_number;
		t->last_time = rec->time;
		t->last_number = p->number;
		t->records++;
		t->bad += at == 0 && rec->time != s->time_begin;
	}
	/* Check the last record: the walk above did not use what the writer says of it. */
	t->bad += at != len || t->last_time != s->time_end ||
		  (const char *)rec - buf != (const char *)s->last - (const char *)s->data;
}

/* Plainly copies words that a writer may be changing. The validity check decides afterwards whether they
 * count. */
static noinline __attribute__((no_sanitize("thread"))) void copy_words(u64 *to, const void *from, u32 len)
{
	u32 i;

	for (i = 0; i < len / 8; i++)
		to[i] = __atomic_load_n((const u64 *)from + i, __ATOMIC_RELAXED);
}

/* Reads until no record is left. Returns the last result of ctrace_cursor_next(). */
__attribute__((unused))
static int drain(struct ctrace_cursor *c, struct tally *t, u64 *buf)
{
	struct ctrace_span s = { 0 };
	int ret;

	while ((ret = ctrace_cursor_next(c, &s, c->submask + 1, ~0ull)) > 0) {
		copy_words(buf, s.data, s.len);
		if (ctrace_cursor_done(c, &s))
			tally_records(t, (const char *)buf, &s);
	}
	return ret;
}

#endif
