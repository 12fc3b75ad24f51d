// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a reader continues that the writer has overtaken (ctrace_ring_read.h, margin): a single thread, by
 * hand.
 */
#include "ktap.h"
#include "ring_fixture.h"

#define SIZE	16384u
#define SUBBUF	4096u

static struct ring ring;
static struct ctrace_cursor cur;
static struct tally tally;
static u64 now = 1000, buf[SUBBUF / 8], made;

static u64 test_clock(void)
{
	return ++now;
}

static void make(void)
{
	check(make_record(&ring, ++made, 64));
}

/* The writer is in the ring's last sub-buffer. */
static void begin(void)
{
	ring_new(&ring, SIZE, SUBBUF, false);
	cursor_new(&cur, &ring);
	memset(&tally, 0, sizeof(tally));
	made = 0;
	while (ring.d.ctl->head <= SIZE - SUBBUF)
		make();
}

static void end(void)
{
	check_eq(drain(&cur, &tally, buf), 0);
	check_eq(tally.bad, 0);
	check_eq(tally.gaps, 0);
	check_eq(tally.records, cur.seen);
	check_eq(cur.seen + cur.lost, made);
	ring_free(&ring);
}

static void enter_one_more(void)
{
	u64 entered = ring.d.ctl->entered;

	while (ring.d.ctl->entered == entered)
		make();
}

/* Takes the next records. While they are copied, the writer enters n more sub-buffers. Were they intact? */
static bool take(u32 n)
{
	struct ctrace_span s;

	if (!check_eq(ctrace_cursor_next(&cur, &s, SUBBUF, ~0ull), 1))
		return false;
	copy_words(buf, s.data, s.len);
	while (n--)
		enter_one_more();
	if (!ctrace_cursor_done(&cur, &s))
		return false;
	tally_records(&tally, (const char *)buf, &s);
	return true;
}

/* What it is given next is not what is overwritten next: the writer may enter one more sub-buffer. */
static void room_for_the_copy(void)
{
	u32 i;

	begin();
	for (i = 0; i < 20; i++) {
		check(!take(SIZE / SUBBUF));
		check(take(1));
		/* it keeps up, with the oldest that is left */
		check(take(1));
	}
	end();
	check(cur.lost > 0);
}

/* After it has caught up, the oldest sub-buffer is worth a try again. */
static void room_is_given_back(void)
{
	struct ctrace_span s;

	begin();
	check(!take(SIZE / SUBBUF));
	check(take(0));
	check_eq(drain(&cur, &tally, buf), 0);
	while (ctrace_cursor_valid(&cur, cur.pos))
		make();
	check_eq(ctrace_cursor_next(&cur, &s, SUBBUF, ~0ull), 1);
	check_eq(cur.pos, (ring.d.ctl->entered - SIZE) & ~(SUBBUF - 1ull));
	end();
}

static const struct ktap_case cases[] = {
	{ "room for the copy", room_for_the_copy },
	{ "room is given back", room_is_given_back },
};
KTAP_MAIN(cases)
