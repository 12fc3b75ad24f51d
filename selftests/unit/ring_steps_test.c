// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs module/ring/ring.h against the library's merge, step by step. After each ordered access of the writer, an
 * interrupt may write too, and then readers look. A single thread does all of this, driven by a seed, and
 * time is a number. So a reader sees what it could see at that very moment if the writer's virtual CPU were
 * stopped there.
 *
 * Another CPU's ring has a record of every moment. So anything that the writer has yet to publish, and that
 * the reader does not know of, comes late.
 */
#include <errno.h>
#include <setjmp.h>
#include "internal.h"
#include "ktap.h"

/* More sub-buffers than a writer enters while it overtakes all attempts to copy one. */
#define SUBBUF	4096u
#define RING	65536u
static void step(void);
#define CTRACE_HOSTED_STEP()	step()
static bool irqs_off;			/* what comes then is an NMI */
#define SHIM_IRQS(on)	(irqs_off = !(on))
#include "ring_fixture.h"
#include "fake_ring.h"

/* The merge, with a writer that writes while a run is being copied. */
static void *copy(void *to, const void *from, size_t n);
#define memcpy	copy
#include "../../userspace/lib/merge.c"
#undef memcpy

#define WRITER	0	/* slots */
#define OTHER	1
#define READERS	3

static u64 now, pace = 1;		/* between records */
static struct fake arena;
static struct ctrace_ring_desc desc;
static u64 steps, made, others, interrupts;
static u32 depth;
static bool stepping, masked;		/* masked: interrupts are off */
static const char *what;		/* the case that runs, for messages */

struct look {
	struct ctrace_reader *r;
	u32 every;			/* looks every so many steps */
	bool ordered;			/* nothing laps it: no record may come late */
	u64 last, late;
	int ret;
};

static struct look looks[READERS], *looking;
static jmp_buf waits;
static u32 asked;
static bool overtaken;			/* the ring is written while readers look */
static u32 spared, overtakes;		/* `spared` copies are left alone, then `overtakes` copies become void */

static u64 test_clock(void)
{
	return now += pace;
}

/*
 * The library's clock. Normally nothing is written while a reader looks, so the clock may be far ahead of
 * the records. When a reader is overtaken, the clock is exact, except for the delay that the reader
 * allows for.
 */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	u64 t = now + (overtaken ? SETTLE_NS : 1000000);

	(void)id;
	/* The reader asks again: it waits for a record that is being written. */
	if (asked++)
		longjmp(waits, 1);
	ts->tv_sec = t / 1000000000;
	ts->tv_nsec = t % 1000000000;
	return 0;
}

static void look(struct look *l)
{
	const struct ctrace_record *rec;

	looking = l;
	l->ret = 0;
	do {
		asked = 0;
		if (setjmp(waits))
			return;
		l->ret = ctrace_reader_next(l->r, &rec);
		if (l->ret == 1) {
			l->late += rec->time < l->last;
			l->last = rec->time;
		}
	} while (l->ret == 1);
}

static void write_some(void)
{
	struct ctrace_writer w;
	u32 n = 1 + random() % 3;

	depth++;
	for (; n; n--) {
		if (!ctrace_ring_reserve(&desc, &w, RECORD_MIN + 8 * (random() % 20)))
			continue;
		fill_record(w.rec, 1, ++made);
		step();
		ctrace_ring_commit(&desc, &w);
	}
	depth--;
}

static void *copy(void *to, const void *from, size_t n)
{
	const struct ctrace_cursor *c = &looking->r->rings[WRITER].cur;

	memcpy(to, from, n);
	if ((const char *)from > (char *)fake_ctl(&arena, OTHER) || !overtakes)
		return to;
	if (spared) {
		spared--;
	} else {
		overtakes--;
		/* No more than is needed: the rest of the ring keeps its older records. */
		while (ctrace_cursor_valid(c, c->pos))
			write_some();
	}
	return to;
}

static void step(void)
{
	const struct ctrace_record *rec;
	struct ctrace_reader *late;
	u32 i;

	if (stepping)
		return;
	steps++;
	if (!masked && depth && depth < 3 && random() % (irqs_off ? 90 : 30) == 0) {
		interrupts++;
		write_some();
	}
	stepping = true;
	fake_put(&arena, OTHER, ++now, ++others);
	for (i = 0; i < READERS; i++)
		if (steps % looks[i].every == 0)
			look(&looks[i]);
	/* A new reader, which begins with the records that exist. */
	check_eq(ctrace_reader_open_map(arena.dir, arena.len, 0, &late), 0);
	asked = 0;
	if (!setjmp(waits) && ctrace_reader_next(late, &rec) < 0)
		ktap_fail(__FILE__, __LINE__, "a new reader finds no ring: %s", what);
	ctrace_reader_close(late);
	stepping = false;
}

static void begin(bool hints)
{
	u32 i;

	arena = fake_new(1, 2);
	now = 1000000000;
	made = 0;
	others = 0;
	interrupts = 0;
	what = "start";
	desc = (struct ctrace_ring_desc) {
		.ctl = fake_ctl(&arena, WRITER),
		.data = (char *)fake_ctl(&arena, WRITER) + CTRACE_PAGE,
		.hint = (u64 *)fake_hint(&arena, WRITER),
		.mask = RING - 1,
		.submask = SUBBUF - 1,
	};
	if (!hints)
		arena.dir->heads_off = 0;
	stepping = true;
	ctrace_ring_rebind(&desc, 1, 0, 0);
	for (i = 0; i < READERS; i++) {
		looks[i] = (struct look) { .every = i < 2 ? 1 : 10000, .ordered = i < 2 };
		check_eq(ctrace_reader_open_map(arena.dir, arena.len, 0, &looks[i].r), 0);
	}
	stepping = false;
}

static void end(void)
{
	struct ctrace_losses l;
	u32 i;

	stepping = true;
	for (i = 0; i < READERS; i++) {
		look(&looks[i]);
		check_eq(looks[i].ret, 0);
		if (looks[i].ordered)
			check_eq(looks[i].late, 0);
		ctrace_reader_losses(looks[i].r, &l, sizeof(l));
		check_eq(l.seen + l.overrun, made + others);
		ctrace_reader_close(looks[i].r);
	}
	check_eq(desc.events, made);
	check_eq(desc.ctl->nest, 0);
	stepping = false;
	printf("# %llu records, %llu interrupts, %llu steps\n", (unsigned long long)made,
	       (unsigned long long)interrupts, (unsigned long long)steps);
	fake_free(&arena);
}

static void writing(bool hints)
{
	u32 i;

	srandom(7);
	begin(hints);
	what = "write";
	for (i = 0; i < 600; i++)
		write_some();
	end();
}

static void with_hints(void)
{
	writing(true);
}

static void without_hints(void)
{
	writing(false);
}

/* The slot changes hands, and each new owner's view of it wipes the old records. */
static void wiped(void)
{
	u64 wiped;
	u32 i, n;

	srandom(8);
	begin(true);
	looks[1].every = 50;
	looks[1].ordered = false;
	for (i = 0; i < 30; i++) {
		what = "write";
		for (n = random() % 3 ? 0 : random() % 30; n; n--)
			write_some();
		masked = true;
		what = "rebind";
		ctrace_ring_rebind(&desc, i + 2, 0, 0);
		masked = false;
		if (random() % 2)
			write_some();
		for (wiped = 0, what = "wipe"; i % 3;) {
			masked = true;
			if (ctrace_ring_wipe(&desc, &wiped, 3000))
				break;
			masked = false;
			if (random() % 2)
				write_some();
		}
		masked = false;
	}
	end();
}

/* The reader gives up a ring, at the start of a scan or within the ring's records, because the ring overtakes
 * all attempts to copy it. */
static void leaving(u64 ns)
{
	u32 i, n;

	srandom(9);
	begin(true);
	what = "left";
	pace = ns;
	stepping = true;
	overtaken = true;
	for (i = 0; i < 200; i++) {
		for (n = random() % 1000; n; n--) {
			write_some();
			fake_put(&arena, OTHER, now += pace, ++others);
		}
		spared = random() % 5;
		overtakes = random() % (4 * COPY_TRIES);
		look(&looks[i % 2]);
	}
	overtakes = 0;
	end();
	overtaken = false;
	pace = 1;
}

static void left(void)
{
	leaving(1);
}

/* For longer than the reader would wait for a writer. */
static void left_stopped(void)
{
	leaving(WAIT_NS / 100);
}

static const struct ktap_case cases[] = {
	{ "nothing comes late, wherever the writer is stopped", with_hints },
	{ "nor without hints", without_hints },
	{ "rebound and wiped", wiped },
	{ "left as it overtakes its reader", left },
	{ "and that was stopped for seconds", left_stopped },
};
KTAP_MAIN(cases)
