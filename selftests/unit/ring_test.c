// SPDX-License-Identifier: GPL-2.0-only
/* module/ring/ring.h and ctrace_ring_read.h in a single thread: every case is made by hand. */
#include "ktap.h"

static void after_publication(void);
#define SHIM_INTERRUPT()	after_publication()
#include "ring_fixture.h"

#define SIZE	16384u
#define SUBBUF	4096u

static u64 now = 1000;
static void (*interrupt)(void);		/* comes once, between the reading of the clock and its use */
static void (*late_interrupt)(void);	/* comes once, after head was moved and before nest is 0 */
static struct ring ring;
static struct ctrace_cursor cur;
static struct tally tally;
static u64 buf[SUBBUF / 8], made, numbers;

static u64 test_clock(void)
{
	u64 t = ++now;

	if (interrupt) {
		void (*fn)(void) = interrupt;

		interrupt = NULL;
		fn();
	}
	return t;
}

static void after_publication(void)
{
	void (*fn)(void) = late_interrupt;

	late_interrupt = NULL;
	if (fn)
		fn();
}

static void begin(bool stop_full)
{
	ring_new(&ring, SIZE, SUBBUF, stop_full);
	cursor_new(&cur, &ring);
	memset(&tally, 0, sizeof(tally));
	made = 0;
	numbers = 0;
}

static bool make(u32 len)
{
	bool ok = make_record(&ring, ++numbers, len);	/* an interrupt inside has the next number */

	made += ok;
	return ok;
}

/* Every record that was made was seen or is known to be lost, and the slot's counts agree. */
static void check_sum(void)
{
	check_eq(drain(&cur, &tally, buf), 0);
	check_eq(tally.bad, 0);
	check_eq(tally.backwards, 0);
	check_eq(tally.gaps, 0);
	check_eq(tally.records, cur.seen);
	check_eq(cur.seen + cur.lost, made);
	check_eq(cur.events, made);
	check_eq(ring.d.events, made);
	check_eq(ring.d.ctl->head, ring.d.reserve);
	check_eq(ring.hint, ring.d.ctl->head);
	check_eq(ring.d.ctl->nest, 0);
}

static void end(void)
{
	check_sum();
	ring_free(&ring);
}

static void one_record(void)
{
	begin(false);
	check(make(48));
	check_eq(ring.d.ctl->head, 32 + 48);
	end();
	check_eq(cur.seen, 1);
}

static void many_wraps(void)
{
	u64 i;

	begin(false);
	for (i = 0; i < 20000; i++) {
		make(some_len(i));
		if (i % 3 == 0)
			drain(&cur, &tally, buf);
	}
	end();
	check_eq(cur.lost, 0);
}

static void pad_is_cleared(void)
{
	u64 n;

	begin(false);
	memset(ring.d.data, 0xee, SIZE);
	while (ring.d.reserve < SUBBUF)
		make(2000);
	/* 32 + 2 * 2000 bytes; the rest is too short for a third record */
	for (n = 32 + 4000; n < SUBBUF; n += 8)
		check_eq(*(u64 *)(ring.d.data + n), 0);
	end();
}

/* Also when there is no room for a zero word, because the sub-buffer is exactly full. */
static void exact_fit(void)
{
	u64 i;

	begin(false);
	for (i = 0; i < 6; i++)
		make((SUBBUF - 32) / 2);
	check_eq(ring.d.ctl->head, 3 * SUBBUF);
	drain(&cur, &tally, buf);
	check_eq(cur.pos, 3 * SUBBUF);
	make(48);
	end();
	check_eq(cur.lost, 0);
	check_eq(cur.seen, 7);
}

static void nest(u32 depth, u32 len)
{
	struct ctrace_writer w;
	u64 number = ++numbers;

	made++;
	if (!check(ctrace_ring_reserve(&ring.d, &w, len) != NULL))
		return;
	fill_record(w.rec, 1, number);
	if (depth) {
		nest(depth - 1, len + 8);
		nest(depth - 1, len + 16);
	}
	ctrace_ring_commit(&ring.d, &w);
}

/* Nests of interrupts at every place of a sub-buffer. */
static void nested(void)
{
	u32 i;

	begin(false);
	for (i = 0; i < 3000; i++) {
		nest(i % 5, 40 + i % 13 * 8);
		if (i % 2)
			drain(&cur, &tally, buf);
	}
	end();
	check_eq(cur.lost, 0);
}

/* Readers see nothing of a nest until its outermost writer has committed. */
static void nest_is_published_at_once(void)
{
	struct ctrace_writer w;

	begin(false);
	make(48);
	check(ctrace_ring_reserve(&ring.d, &w, 48) != NULL);
	fill_record(w.rec, 1, ++numbers);
	made++;
	make(48);
	check_eq(drain(&cur, &tally, buf), 0);
	check_eq(cur.seen, 1);
	ctrace_ring_commit(&ring.d, &w);
	end();
	check_eq(cur.seen, 3);
}

static void short_one(void)
{
	make(48);
}

/* The interrupt's record has the later time but the earlier place: the writer reads the clock again. */
static void clock_inside_the_loop(void)
{
	struct ctrace_writer w;

	begin(false);
	make(48);
	interrupt = short_one;
	check(ctrace_ring_reserve(&ring.d, &w, 48) != NULL);
	fill_record(w.rec, 1, ++numbers);
	made++;
	check((void *)w.rec == ring.d.data + 32 + 2 * 48);
	check_eq(w.rec->time, now);
	ctrace_ring_commit(&ring.d, &w);
	end();
}

static void short_and_long(void)
{
	make(48);
	check(!make(2000));
}

/*
 * Only an NMI can come while a sub-buffer is being entered. Its record is written to the old sub-buffer if it
 * fits; a record that would enter the same one is refused and counted.
 */
static void nmi_while_entering(void)
{
	begin(false);
	make(2000);
	check(ring.d.reserve < SUBBUF - 48);
	make(1000);
	make(800);
	interrupt = short_and_long;
	make(2000);
	check_eq(ring.d.ctl->lost_nested, 1);
	check_eq(ring.d.lost_nested, 1);
	check(ring.d.reserve > SUBBUF);
	check_eq(drain(&cur, &tally, buf), 0);
	check_eq(tally.gaps, 1);	/* the NMI's record has the later number */
	tally.gaps = 0;
	end();
	check_eq(cur.seen, 5);
}

/* An interrupt at the moment of publication: its record does not stay unpublished, neither after a lone
 * record nor after a nest. */
static void interrupt_at_publication(void)
{
	u32 i;

	begin(false);
	for (i = 0; i < 500; i++) {
		late_interrupt = short_one;
		nest(i % 3, 48);
		late_interrupt = short_one;
		make(some_len(i));
		if (!check_eq(ring.d.ctl->head, ring.d.reserve))
			break;
	}
	end();
}

static void time_does_not_run_backwards(void)
{
	u32 i;

	begin(false);
	for (i = 0; i < 500; i++) {
		if (i % 7 == 0)
			now -= 500;
		nest(i % 3, 48);
	}
	end();
}

/* A nest longer than the ring: the excess is refused and counted, and records that were begun stay whole. */
static void nest_longer_than_the_ring(void)
{
	struct ctrace_writer w;
	u64 refused = 0, i;

	begin(false);
	for (i = 0; i < 100; i++)
		make(56);
	drain(&cur, &tally, buf);
	check(ctrace_ring_reserve(&ring.d, &w, 48) != NULL);
	fill_record(w.rec, 1, ++numbers);
	made++;
	for (i = 0; i < 1000; i++)
		refused += !make(64);
	check(refused > 0);
	check_eq(ring.d.ctl->nest, 1);
	check_eq(ring.d.ctl->lost_nested, refused);
	ctrace_ring_commit(&ring.d, &w);
	check_sum();
	check_eq(cur.lost, 0);
	check(make(64));
	end();
}

static void stop_when_full(void)
{
	u64 i, refused = 0;

	begin(true);
	for (i = 0; i < 2000; i++)
		refused += !make(some_len(i));
	check(refused > 0);
	check_eq(ring.d.ctl->lost_full, refused);
	check_eq(made + refused, 2000);
	check(ring.d.reserve <= SIZE);
	end();
	check_eq(cur.lost, 0);
}

static void fill_up(void)
{
	while (ring.d.reserve < SIZE - 40)
		make(40);
}

/* The outer record is refused, but the interrupt that came before the outer writer's look was not: its
 * record is published. */
static void refused_outer_publishes_the_inner(void)
{
	begin(true);
	while (ring.d.reserve + 2048 < SIZE)
		make(40);
	interrupt = fill_up;
	check(!make(1000));
	check_eq(ring.d.ctl->lost_full, 1);
	end();
	check_eq(cur.lost, 0);
}

static void lapped(void)
{
	u64 i;
	u32 n;

	for (n = 1; n < 4000; n += 97) {
		begin(false);
		for (i = 0; i < n; i++) {
			make(some_len(i));
			if (i % 1000 == 0)
				drain(&cur, &tally, buf);
		}
		end();
	}
	check(cur.lost > 0);
	check(cur.seen > 0);
}

/* The writer overwrites a span while the reader copies it. */
static void lapped_in_use(void)
{
	struct ctrace_span s;
	u64 i;

	begin(false);
	for (i = 0; i < 50; i++)
		make(64);
	check_eq(ctrace_cursor_next(&cur, &s, SUBBUF, ~0ull), 1);
	check_eq(s.count, 50);
	for (i = 0; i < 1000; i++)
		make(64);
	check(!ctrace_cursor_done(&cur, &s));
	check_eq(cur.seen, 0);
	end();
	check(cur.lost > 50);
}

static void limits_of_a_span(void)
{
	struct ctrace_span s;

	begin(false);
	make(64);
	make(72);
	make(80);
	check_eq(ctrace_cursor_next(&cur, &s, 56, ~0ull), -EMSGSIZE);
	check_eq(ctrace_cursor_next(&cur, &s, 140, ~0ull), 1);
	check_eq(s.count, 2);
	check_eq(s.len, 136);
	check_eq(ctrace_cursor_next(&cur, &s, SUBBUF, 0), 1);
	check_eq(s.count, 1);
	check(s.time_begin == s.time_end);
	check_eq(s.cid, 1);
	end();
}

/* Every run of a whole sub-buffer is taken without a walk. The result is what a walk finds. */
static void without_a_walk(void)
{
	struct ctrace_cursor walked;
	struct ctrace_span leap, walk;
	u64 head, runs = 0;

	begin(false);
	while (ring.d.ctl->head < SIZE - SUBBUF / 2)
		make(some_len(made));
	head = ring.d.ctl->head;
	while (head - cur.pos > SUBBUF && runs <= SIZE / SUBBUF) {
		walked = cur;
		if (!ctrace_cursor_scan(&walked, &walk, head, ~0ull, ~0ull)) {
			cur = walked;
			continue;
		}
		memset(&leap, 0, sizeof(leap));
		check(ctrace_cursor_leap(&cur, &leap, ~0ull, ~0ull));
		check(leap.data == walk.data && leap.last == walk.last);
		check_eq(leap.len, walk.len);
		check_eq(leap.count, walk.count);
		check(leap.time_begin == walk.time_begin && leap.time_end == walk.time_end);
		check_eq(leap.cid, walk.cid);
		check_eq(leap.next, walk.next);
		ctrace_cursor_advance(&cur, &walk);
		runs++;
	}
	check_eq(runs, SIZE / SUBBUF - 1);
	check_eq(drain(&cur, &tally, buf), 0);
	check_eq(cur.events, made);
	ring_free(&ring);
}

static void from_now(void)
{
	u64 i, n;

	for (n = 0; n < 3000; n += 131) {
		begin(false);
		for (i = 0; i < n; i++)
			make(some_len(i));
		check_eq(ctrace_cursor_to_now(&cur), 0);
		check_eq(cur.pos, ring.d.ctl->head);
		check_eq(cur.events, n);
		for (i = 0; i < 20; i++)
			make(48);
		check_eq(drain(&cur, &tally, buf), 0);
		check_eq(cur.seen, 20);
		check_eq(cur.lost, 0);
		ring_free(&ring);
	}
}

/* The ring has several owners between two looks: nothing is lost except by overwriting. */
static void rebound(void)
{
	struct ctrace_cursor mine;
	u64 i, before = 0;
	u32 cid;

	begin(false);
	for (cid = 2; cid < 200; cid++) {
		for (i = 0; i < cid % 40; i++)
			make(64);
		before = made;
		ctrace_ring_rebind(&ring.d, cid, 0, 0);
		check_eq(ring.d.ctl->base % SUBBUF, 0);
		check_eq(ring.d.ctl->gen, 2 * cid);
		if (cid % 9 == 0)
			check_sum();
	}
	check_sum();
	make(64);
	cursor_new(&mine, &ring);
	check_eq(ctrace_cursor_to_base(&mine), 0);
	check_eq(mine.events, before);
	check_eq(drain(&mine, &tally, buf), 0);
	check_eq(mine.seen, 1);
	tally.last_number--;
	tally.records--;
	end();
	check(cur.lost > 0);
}

/* Another container's records are wiped, wherever the new owner begins; others' readers count them as
 * lost. */
static void wipe_after(u32 others, u32 own)
{
	struct ctrace_ring_desc *d = &ring.d;
	u64 i, wiped = 0, off;

	begin(false);
	for (i = 0; i < others; i++)
		make(some_len(i));
	ctrace_ring_rebind(d, 0x5ec4e7, 0, 0);
	for (i = 0; i < own; i++)
		make(some_len(i));
	while (!ctrace_ring_wipe(d, &wiped, 1000))
		make(64);
	check_eq(d->ctl->floor, d->ctl->base);
	check_eq(d->floor, d->base);
	/* each of the old owner's records had its cid */
	for (off = 0; off < SIZE; off += 8)
		if (*(u32 *)(d->data + off + 4) == 1)
			break;
	check_eq(off, SIZE);
	check_sum();
	make(64);
	end();
	check(cur.lost >= others);
}

static void wiped(void)
{
	u32 own;

	for (own = 0; own < 600; own += 29) {
		wipe_after(900, own);
		wipe_after(50, own);
		wipe_after(1, own);
	}
}

/* Arbitrary bytes: no access outside, no endless loop; the result is an error or a plausible span. */
static void hostile(void)
{
	struct ctrace_span s;
	u64 i, k, *words;
	int ret;

	srandom(1);
	for (i = 0; i < 20000; i++) {
		begin(false);
		for (k = 0; k < i % 700; k++)
			make(some_len(k));
		words = (u64 *)ring.d.ctl;
		for (k = 0; k < 1 + i % 4; k++) {
			u32 at = random() % 3 ? (u32)random() % 16 : 512 + (u32)random() % (SIZE / 8);

			words[at] = random() % 2 ? (u64)random() << (random() % 33) : words[at] ^ 1ull << random() % 64;
		}
		if (i % 5 == 0)
			ctrace_cursor_to_now(&cur);
		for (k = 0; k < 1000; k++) {
			ret = ctrace_cursor_next(&cur, &s, SUBBUF, ~0ull);
			if (ret <= 0)
				break;
			if (!check(s.len <= SUBBUF && (const char *)s.data >= ring.d.data &&
				   (const char *)s.data + s.len <= ring.d.data + SIZE))
				break;
			copy_words(buf, s.data, s.len);
			ctrace_cursor_done(&cur, &s);
		}
		ring_free(&ring);
	}
}

/*
 * Somebody writes to everything that users map, while a nest is under way. The writer stays inside the ring, comes
 * to an end, and continues; ASan looks on.
 */
static void forged(void)
{
	struct ctrace_writer w;
	u64 i, k, *words;

	srandom(2);
	for (i = 0; i < 5000; i++) {
		begin(i % 2);
		for (k = 0; k < i % 300; k++)
			make(some_len(k));
		if (ctrace_ring_reserve(&ring.d, &w, 48)) {
			fill_record(w.rec, 1, ++numbers);
			for (k = 0; k < i % 60; k++)
				make(some_len(k));
			words = (u64 *)ring.d.ctl;
			for (k = 0; k < (CTRACE_PAGE + SIZE) / 8; k++)
				if (!(random() % (1 + i % 50)))
					words[k] = random() % 3 ? (u64)random() << random() % 33 : 0;
			ctrace_ring_commit(&ring.d, &w);
		}
		check_eq(ring.d.head, ring.d.reserve);
		check_eq(ring.d.ctl->head, ring.d.head);
		check_eq(ring.d.ctl->nest, 0);
		memset(ring.d.ctl, 0xff, CTRACE_PAGE + SIZE);
		for (k = 0; k < 300; k++)
			make(some_len(k));
		check_eq(ring.d.head, ring.d.reserve);
		check(ring.d.stop_full ? ring.d.reserve <= SIZE : ring.d.reserve > SIZE);
		ring_free(&ring);
	}
}

static const struct ktap_case cases[] = {
	{ "one record", one_record },
	{ "many wraps", many_wraps },
	{ "pad is cleared", pad_is_cleared },
	{ "exact fit", exact_fit },
	{ "nested writers", nested },
	{ "a nest is published at once", nest_is_published_at_once },
	{ "the clock is read inside the loop", clock_inside_the_loop },
	{ "an NMI while a sub-buffer is entered", nmi_while_entering },
	{ "an interrupt at publication", interrupt_at_publication },
	{ "time does not run backwards", time_does_not_run_backwards },
	{ "a nest longer than the ring", nest_longer_than_the_ring },
	{ "stop when full", stop_when_full },
	{ "a refused outer writer publishes the inner", refused_outer_publishes_the_inner },
	{ "lapped reader", lapped },
	{ "lapped in use", lapped_in_use },
	{ "limits of a span", limits_of_a_span },
	{ "without a walk", without_a_walk },
	{ "from now", from_now },
	{ "rebound slot", rebound },
	{ "wiped slot", wiped },
	{ "hostile ring", hostile },
	{ "forged while it is written", forged },
};
KTAP_MAIN(cases)
