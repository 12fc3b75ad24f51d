// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring of module/ring/ring.h that is frozen and thawed while it is written. One thread does all of it:
 * after each ordered access of the writer another CPU may freeze or thaw, so every place is tried.
 */
#include "ktap.h"

static void step(void);
#define CTRACE_HOSTED_STEP()	step()
#include "ring_fixture.h"

#define SIZE	16384u
#define SUBBUF	4096u
#define CID	1u			/* ring_new()'s */
#define MARK(n)	((u64)(n) << 32 | (CID + 1))
#define OTHERS	(7ull << 32 | 9)	/* of another container */

static u64 now = 1000;
static struct ring ring;
static struct ctrace_cursor cur;
static struct tally tally;
static u64 buf[SUBBUF / 8], made, refused, numbers;
static void (*interrupt)(void);		/* comes once, between the reading of the clock and its use */
static void (*other_cpu)(void);		/* comes once, after so many steps: */
static int steps_left = -1;

static u64 test_clock(void)
{
	void (*fn)(void) = interrupt;

	interrupt = NULL;
	if (fn)
		fn();
	return ++now;
}

static void step(void)
{
	void (*fn)(void) = other_cpu;

	if (steps_left < 0 || steps_left--)
		return;
	other_cpu = NULL;
	fn();
}

static bool make(u32 len)
{
	bool ok = make_record(&ring, ++numbers, len);

	made += ok;
	refused += !ok;
	return ok;
}

static void begin(void)
{
	ring_new(&ring, SIZE, SUBBUF, false);
	cursor_new(&cur, &ring);
	memset(&tally, 0, sizeof(tally));
	made = refused = numbers = 0;
}

static void freeze(void)
{
	check(ctrace_ring_freeze(&ring.d, 0, MARK(1)));
}

static void thaw(void)
{
	check(ctrace_ring_freeze(&ring.d, MARK(1), 0));
}

/* Nothing is missing: each record was published, or is counted. */
static void check_sum(void)
{
	check_eq(drain(&cur, &tally, buf), 0);
	check_eq(tally.bad, 0);
	check_eq(tally.backwards, 0);
	check_eq(tally.gaps, 0);
	check_eq(cur.seen + cur.lost, made);
	check_eq(ring.d.events, made);
	check_eq(ring.d.lost_frozen, refused);
	check_eq(ring.d.ctl->lost_frozen, refused);
	check_eq(ring.d.head, ring.d.reserve);
	check_eq(ring.d.ctl->nest, 0);
}

/* What holds as long as it is frozen. */
static void check_frozen(void)
{
	u64 head = ring.d.head, was = refused;

	check_eq(ring.d.end, 0);
	check_eq(ring.d.ctl->frozen, 1);
	check(!make(48));
	check(!make(2000));
	check_eq(ring.d.head, head);
	check_eq(refused, was + 2);
	check_sum();
}

static void check_thawed(void)
{
	check_eq(ring.d.ctl->frozen, 0);
	check(make(48));
	check(make(48));
	check(ring.d.end != 0);		/* and the next one is alone again */
	check_sum();
}

static void refuses(void)
{
	begin();
	check(make(48));
	freeze();
	check_frozen();
	thaw();
	check_thawed();
	/* for each of the two, a frozen ring that nobody has written since is the same */
	freeze();
	thaw();
	check_thawed();
	ring_free(&ring);
}

static void empty(void)
{
	begin();
	freeze();
	check_frozen();
	thaw();
	check_thawed();
	ring_free(&ring);
}

/* A freezer that came late, when the slot had another owner already. */
static void mark_of_another(void)
{
	begin();
	check(ctrace_ring_freeze(&ring.d, 0, OTHERS));
	check_thawed();
	/* that owner's own mark takes its place, and is taken away alone */
	check(ctrace_ring_freeze(&ring.d, OTHERS, MARK(1)));
	check(!ctrace_ring_freeze(&ring.d, MARK(2), 0));
	check_frozen();
	thaw();
	check_thawed();
	ring_free(&ring);
}

/* Given to another, it is not frozen; and given to the frozen one, it is, before the first record. */
static void rebound(void)
{
	begin();
	check(make(48));
	freeze();
	ctrace_ring_rebind(&ring.d, CID + 1, 0, 0);
	check_eq(ring.d.ctl->frozen, 0);
	check(make(48));
	ctrace_ring_rebind(&ring.d, CID, 0, 0);
	check_frozen();
	ring_free(&ring);
}

static void freezing_interrupt(void)
{
	check(make(64));
	freeze();
}

/* The record that asked is the last one in its ring, also if another one was being made. */
static void asked_by_an_interrupt(void)
{
	u32 len, last;

	for (len = 48; len < 2000; len += 8) {
		begin();
		while (SUBBUF - ring.d.reserve % SUBBUF > 2000)
			make(200);
		interrupt = freezing_interrupt;
		check(!make(len));	/* it had begun before, and is refused */
		last = ring.d.last;
		check_eq(((struct ctrace_record *)ctrace_ring_at(&ring.d, last))->len, 64);
		check_frozen();
		thaw();
		check_thawed();
		ring_free(&ring);
	}
}

/* Whichever access the other CPU comes behind, and wherever in its sub-buffer the record is. */
static void at_each_step(void (*before)(void), void (*other)(void), void (*after)(void))
{
	u32 n, len, places = 0;
	bool came;
	int at;

	for (len = 48; len <= 2000; len += 976) {
		for (n = 0; n < 12; n++) {
			for (at = 0, came = true; came; at++, places += came) {
				begin();
				for (u32 i = 0; i < n; i++)
					make(1000);
				if (before)
					before();
				other_cpu = other;
				steps_left = at;
				make(len);
				came = steps_left < 0;
				steps_left = -1;
				if (!came)
					other();
				after();
				ring_free(&ring);
			}
		}
	}
	printf("# %u places\n", places);
	check(places > 200);
}

static void frozen_at_each_step(void)
{
	at_each_step(NULL, freeze, check_frozen);
}

static void thawed_at_each_step(void)
{
	at_each_step(freeze, thaw, check_thawed);
}

static void thaw_and_freeze(void)
{
	thaw();
	check(ctrace_ring_freeze(&ring.d, 0, MARK(2)));
}

static void frozen_anew_at_each_step(void)
{
	at_each_step(freeze, thaw_and_freeze, check_frozen);
}

static const struct ktap_case cases[] = {
	{ "a frozen ring refuses and counts; thawed, it goes on", refuses },
	{ "so does an empty one", empty },
	{ "another container's mark means nothing", mark_of_another },
	{ "a ring that changes hands", rebound },
	{ "frozen by an interrupt in the middle of a record", asked_by_an_interrupt },
	{ "frozen after each access of a writer", frozen_at_each_step },
	{ "thawed after each access of a writer", thawed_at_each_step },
	{ "thawed and frozen anew after each access", frozen_anew_at_each_step },
};
KTAP_MAIN(cases)
