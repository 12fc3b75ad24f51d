// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/ring/ring.h and ctrace_ring_read.h in a kernel, with its own barriers and local
 * compare-and-exchange, and at the end with real interrupts. selftests/unit/ring_test.c has more cases and is
 * quicker to run; here are the most important ones.
 */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/timekeeping.h>

static u64 test_clock(void);
#define CTRACE_CLOCK()	test_clock()
#include "ring/ring.h"
#include "compat/timer.h"
#include "../uapi/ctrace_ring_read.h"

#define SIZE	16384u
#define SUBBUF	4096u
#define ORDER	3		/* 2^3 pages: room for SIZE and the control page */

struct fixture {
	struct ctrace_ring_desc d;
	struct ctrace_cursor cur;
	u64 hint, made;
};

static u64 now = 1000;

static u64 test_clock(void)
{
	return ++now;
}

static int ring_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	char *mem = (char *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, ORDER);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mem);
	f->d = (struct ctrace_ring_desc) {
		.ctl = (struct ctrace_ring *)mem,
		.data = mem + CTRACE_PAGE,
		.hint = &f->hint,
		.mask = SIZE - 1,
		.submask = SUBBUF - 1,
	};
	ctrace_ring_rebind(&f->d, 1, 0, 0);
	ctrace_cursor_init(&f->cur, f->d.ctl, SIZE, SUBBUF);
	test->priv = f;
	return 0;
}

static void ring_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	free_pages((unsigned long)f->d.ctl, ORDER);
}

/* Any context. The payload repeats the length, so that bytes that were not written can be recognised. */
static bool make(struct fixture *f, u32 len)
{
	struct ctrace_writer w;
	struct ctrace_record *rec = ctrace_ring_reserve(&f->d, &w, len);

	if (!rec)
		return false;
	rec->id = 2;
	rec->cid = f->d.ctl->cid;
	memset(rec + 1, len >> 3, len - sizeof(*rec));
	ctrace_ring_commit(&f->d, &w);
	return true;
}

static u32 some_len(u32 i)
{
	return i % 31 ? 32 + i * 7 % 20 * 8 : 32 + i % 250 * 8;
}

/* The number of bad records in buf, a copy of a span that was found valid after the copying. */
static u32 bad_records(const char *buf, const struct ctrace_span *s, u64 *last)
{
	const struct ctrace_record *rec;
	u32 at, i, n = 0, bad = 0;

	for (at = 0; at < s->len; at += rec->len, n++) {
		rec = (const void *)(buf + at);
		if (rec->len < sizeof(*rec) || rec->len > s->len - at)
			return bad + 1;
		bad += rec->time < *last;
		*last = rec->time;
		for (i = sizeof(*rec); i < rec->len; i++)
			if (buf[at + i] != (char)(rec->len >> 3))
				break;
		bad += i != rec->len;
	}
	return bad + (n != s->count);
}

static void drain(struct kunit *test, struct fixture *f)
{
	char *buf = kunit_kzalloc(test, SUBBUF, GFP_KERNEL);
	struct ctrace_span s;
	u64 last = 0;
	int ret;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	while ((ret = ctrace_cursor_next(&f->cur, &s, SUBBUF, ~0ull)) > 0) {
		memcpy(buf, s.data, s.len);
		if (ctrace_cursor_done(&f->cur, &s))
			KUNIT_EXPECT_EQ(test, bad_records(buf, &s, &last), 0u);
	}
	KUNIT_EXPECT_EQ(test, ret, 0);
}

/* seen + lost == made, and the ring is at rest. */
static void check_sum(struct kunit *test, struct fixture *f)
{
	struct ctrace_ring *r = f->d.ctl;

	drain(test, f);
	KUNIT_EXPECT_EQ(test, f->cur.seen + f->cur.lost, f->made);
	KUNIT_EXPECT_EQ(test, f->d.events, f->made);
	KUNIT_EXPECT_EQ(test, (u64)r->head, f->d.reserve);
	KUNIT_EXPECT_EQ(test, f->d.head, f->d.reserve);
	KUNIT_EXPECT_EQ(test, f->hint, (u64)r->head);
	KUNIT_EXPECT_EQ(test, r->nest, 0u);
}

static void wrap_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 3000; i++) {
		f->made += make(f, some_len(i));
		if (i % 16 == 0)
			drain(test, f);
	}
	check_sum(test, f);
	KUNIT_EXPECT_EQ(test, (u64)f->cur.lost, 0ull);
}

static void pad_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 off;

	memset(f->d.data, 0xee, SIZE);
	f->made += make(f, 2000) + make(f, 2000) + make(f, 2000);
	KUNIT_EXPECT_EQ(test, (u64)f->d.ctl->head, SUBBUF + 32ull + 2000);
	for (off = 32 + 4000; off < SUBBUF; off++)
		KUNIT_EXPECT_EQ(test, f->d.data[off], (char)0);
	check_sum(test, f);
	KUNIT_EXPECT_EQ(test, (u64)f->cur.seen, 3ull);
}

static void nest(struct kunit *test, struct fixture *f, u32 depth, u32 len)
{
	struct ctrace_writer w;
	struct ctrace_record *rec = ctrace_ring_reserve(&f->d, &w, len);

	KUNIT_ASSERT_NOT_NULL(test, rec);
	f->made++;
	memset(rec + 1, len >> 3, len - sizeof(*rec));
	if (depth) {
		nest(test, f, depth - 1, len + 8);
		nest(test, f, depth - 1, len + 16);
	}
	ctrace_ring_commit(&f->d, &w);
}

static void nest_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 800; i++) {
		if (i % 9 == 0)
			now -= 300;	/* as the clock may in NMIs */
		nest(test, f, i % 5, 40 + i % 13 * 8);
		if (i % 2)
			drain(test, f);
	}
	check_sum(test, f);
	KUNIT_EXPECT_EQ(test, (u64)f->cur.lost, 0ull);
}

static void long_nest_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ctrace_writer w;
	u64 refused = 0;
	u32 i;

	f->made += make(f, 48);
	drain(test, f);
	KUNIT_ASSERT_NOT_NULL(test, ctrace_ring_reserve(&f->d, &w, 32));
	memset(w.rec + 1, 4, 8);
	f->made++;
	for (i = 0; i < 1000; i++) {
		if (make(f, 64))
			f->made++;
		else
			refused++;
	}
	KUNIT_EXPECT_GT(test, refused, 0ull);
	KUNIT_EXPECT_EQ(test, (u64)f->d.ctl->lost_nested, refused);
	KUNIT_EXPECT_EQ(test, f->d.ctl->nest, 1u);
	ctrace_ring_commit(&f->d, &w);
	check_sum(test, f);
	KUNIT_EXPECT_EQ(test, (u64)f->cur.lost, 0ull);
}

static void lapped_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ctrace_span s;
	u32 i;

	for (i = 0; i < 50; i++)
		f->made += make(f, 64);
	KUNIT_ASSERT_EQ(test, ctrace_cursor_next(&f->cur, &s, SUBBUF, ~0ull), 1);
	for (i = 0; i < 1500; i++)
		f->made += make(f, some_len(i));
	KUNIT_EXPECT_FALSE(test, ctrace_cursor_done(&f->cur, &s));
	check_sum(test, f);
	KUNIT_EXPECT_GT(test, (u64)f->cur.lost, 50ull);
	KUNIT_EXPECT_GT(test, (u64)f->cur.seen, 0ull);
}

static void stop_full_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 refused = 0;
	u32 i;

	f->d.stop_full = 1;
	for (i = 0; i < 1500; i++) {
		if (make(f, some_len(i)))
			f->made++;
		else
			refused++;
	}
	KUNIT_EXPECT_GT(test, refused, 0ull);
	KUNIT_EXPECT_EQ(test, (u64)f->d.ctl->lost_full, refused);
	check_sum(test, f);
	KUNIT_EXPECT_EQ(test, (u64)f->cur.lost, 0ull);
}

static void rebind_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 cid, i;

	for (cid = 2; cid < 60; cid++) {
		for (i = 0; i < cid % 40; i++)
			f->made += make(f, 64);
		ctrace_ring_rebind(&f->d, cid, 0, 0);
		KUNIT_EXPECT_EQ(test, (u64)f->d.ctl->base_events, f->made);
		KUNIT_EXPECT_EQ(test, f->d.ctl->gen, 2 * cid);
		if (cid % 9 == 0)
			check_sum(test, f);
	}
	check_sum(test, f);
}

static void wipe_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 wiped = 0;
	u32 off;

	while (f->made < 80)
		f->made += make(f, 64);
	ctrace_ring_rebind(&f->d, 7, 0, 0);
	f->made += make(f, 64);
	while (!ctrace_ring_wipe(&f->d, &wiped, 1000))
		f->made += make(f, 64);
	for (off = 0; off < SIZE; off += 8)	/* id, len, cid of the first container's records */
		KUNIT_EXPECT_NE(test, *(u64 *)(f->d.data + off), 1ull << 32 | 64 << 16 | 2);
	check_sum(test, f);
	KUNIT_EXPECT_EQ(test, (u64)f->cur.lost, 80ull);
}

static void freeze_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 mark, n, refused = 0;

	for (n = 1; n < 60; n++) {
		mark = n << 32 | (f->d.owner + 1);
		while (f->made < n * 30)
			f->made += make(f, some_len(f->made + n));
		KUNIT_EXPECT_TRUE(test, ctrace_ring_freeze(&f->d, 0, mark));
		KUNIT_EXPECT_EQ(test, f->d.ctl->frozen, 1u);
		KUNIT_EXPECT_FALSE(test, make(f, 64));
		KUNIT_EXPECT_FALSE(test, make(f, 2000));
		refused += 2;
		KUNIT_EXPECT_EQ(test, (u64)f->d.ctl->lost_frozen, refused);
		/* another freeze's mark takes nothing away; a ring that changes hands is not frozen */
		KUNIT_EXPECT_FALSE(test, ctrace_ring_freeze(&f->d, mark + (1ull << 32), 0));
		if (n % 7 == 0)
			ctrace_ring_rebind(&f->d, f->d.owner + 1, 0, 0);
		else
			KUNIT_EXPECT_TRUE(test, ctrace_ring_freeze(&f->d, mark, 0));
		KUNIT_EXPECT_EQ(test, f->d.ctl->frozen, 0u);
		f->made += make(f, 64);
		if (n % 7 == 0)
			KUNIT_EXPECT_TRUE(test, ctrace_ring_freeze(&f->d, mark, 0));
		check_sum(test, f);
	}
}

/* --- real interrupts ------------------------------------------------------------ */

struct storm {
	struct hrtimer timer;
	struct fixture *f;
	u64 made, refused;	/* by the timer, all on this CPU */
	bool stop;
};

static enum hrtimer_restart storm_timer(struct hrtimer *t)
{
	struct storm *s = container_of(t, struct storm, timer);
	u32 i;

	for (i = 0; i < 3; i++) {
		if (make(s->f, 64 + 8 * i))
			s->made++;
		else
			s->refused++;
	}
	if (READ_ONCE(s->stop))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(t, ns_to_ktime(100000));
	return HRTIMER_RESTART;
}

/* A timer interrupts the writer on its own CPU, at any point of a record. */
static void interrupt_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct storm *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	u64 until, refused = 0;
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	s->f = f;
	ctrace_compat_hrtimer_setup(&s->timer, storm_timer);
	preempt_disable();
	hrtimer_start(&s->timer, ns_to_ktime(100000), HRTIMER_MODE_REL_PINNED);
	until = ktime_get_ns() + 200 * NSEC_PER_MSEC;
	for (i = 0; ktime_get_ns() < until; i++) {
		if (make(f, some_len(i)))
			f->made++;
		else
			refused++;
	}
	WRITE_ONCE(s->stop, true);
	preempt_enable();
	/* from here on only the timer writes, if it still comes */
	hrtimer_cancel(&s->timer);
	KUNIT_EXPECT_GT(test, s->made, 0ull);
	/* on a slow machine the timer may come faster than the writer gets on, and records are refused */
	KUNIT_EXPECT_EQ(test, (u64)f->d.ctl->lost_nested, refused + s->refused);
	f->made += s->made;
	check_sum(test, f);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(wrap_test),
	KUNIT_CASE(pad_test),
	KUNIT_CASE(nest_test),
	KUNIT_CASE(long_nest_test),
	KUNIT_CASE(lapped_test),
	KUNIT_CASE(stop_full_test),
	KUNIT_CASE(rebind_test),
	KUNIT_CASE(wipe_test),
	KUNIT_CASE(freeze_test),
	KUNIT_CASE(interrupt_test),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "ctrace_ring",
	.init = ring_init,
	.exit = ring_exit,
	.test_cases = ring_cases,
};
kunit_test_suite(ring_suite);

MODULE_DESCRIPTION("KUnit suite of the ctrace ring");
MODULE_LICENSE("GPL");
