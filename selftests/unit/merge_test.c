// SPDX-License-Identifier: GPL-2.0-only
/* A reader over hand-made rings: order, losses to the last record, delay, runs, threads. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "fake_reader.h"

static uint64_t serial(const struct ctrace_record *rec)
{
	const struct fake_record *f = (const void *)rec;

	check(f->check == ~f->serial);
	return f->serial;
}

static void in_order(void)
{
	struct fake f = fake_new(4, 5);
	struct ctrace_reader *r = open_fake(&f, 0);
	uint64_t t = now_ns() - 1000000000, at, n = 0;
	const struct ctrace_record *rec;
	struct ctrace_losses l;
	unsigned int round, i;

	srandom(2);
	for (round = 0; round < 200; round++) {
		/* Too few to lap a ring, in a different mix each round. */
		for (i = 0; i < 1 + random() % 300; i++)
			fake_put(&f, random() % 20, t + i, t + i);
		for (at = t; ctrace_reader_next(r, &rec) == 1; at++, n++) {
			check_eq(rec->time - t, at - t);
			check(serial(rec) == at);
		}
		check_eq(at - t, i);
		t += i;
	}
	check_eq(ctrace_reader_losses(r, &l, sizeof(l)), 0);
	check_eq(l.seen, n);
	check_eq(l.overrun + l.full + l.nested, 0);
	ctrace_reader_close(r);
	fake_free(&f);
}

static void lapped(void)
{
	struct fake f = fake_new(2, 3);
	struct ctrace_reader *r = open_fake(&f, 0), *late;
	const struct ctrace_record *rec;
	uint64_t last[6] = { 0 }, t = now_ns() - 1000000000;
	struct ctrace_losses l;
	unsigned int i, slot;
	uint64_t made = 0;

	srandom(3);
	for (i = 0; i < 300; i++) {
		slot = random() % 6;
		for (unsigned int n = random() % 1500; n; n--)
			fake_put(&f, slot, t++, ++made);
		if (i % 3)
			continue;
		for (unsigned int n = random() % 2000; n; n--) {
			if (ctrace_reader_next(r, &rec) != 1)
				break;
			check(serial(rec) > last[rec->cid]);
			last[rec->cid] = serial(rec);
		}
	}
	late = open_fake(&f, 0);
	while (ctrace_reader_next(r, &rec) == 1)
		;
	while (ctrace_reader_next(late, &rec) == 1)
		;
	ctrace_reader_losses(r, &l, sizeof(l));
	check_eq(l.seen + l.overrun, made);
	check(l.overrun > 0 && l.seen > 0);
	ctrace_reader_losses(late, &l, sizeof(l));
	check_eq(l.seen + l.overrun, made);
	ctrace_reader_close(late);
	ctrace_reader_close(r);
	fake_free(&f);
}

static void from_now(void)
{
	struct fake f = fake_new(1, 2);
	uint64_t t = now_ns() - 1000000000;
	const struct ctrace_record *rec;
	struct ctrace_reader *r;
	struct ctrace_losses l;
	unsigned int i;

	for (i = 0; i < 1000; i++)
		fake_put(&f, i % 2, t++, i);
	fake_ctl(&f, 1)->lost_full = 7;
	r = open_fake(&f, CTRACE_READER_FROM_NOW);
	check_eq(ctrace_reader_next(r, &rec), 0);
	fake_put(&f, 0, t, 5000);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(serial(rec), 5000);
	check_eq(ctrace_reader_next(r, &rec), 0);
	fake_ctl(&f, 1)->lost_full = 9;
	ctrace_reader_losses(r, &l, sizeof(l));
	check_eq(l.seen, 1);
	check_eq(l.overrun, 0);
	check_eq(l.full, 2);
	ctrace_reader_close(r);
	fake_free(&f);
}

static void ends(void)
{
	struct fake f = fake_new(1, 2);
	struct ctrace_reader *r = open_fake(&f, 0);
	const struct ctrace_record *rec;

	check_eq(ctrace_reader_next(r, &rec), 0);
	fake_put(&f, 1, now_ns(), 1);
	__atomic_store_n(&f.dir->state, CTRACE_DIR_ENDED, __ATOMIC_RELEASE);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(ctrace_reader_next(r, &rec), -ENODATA);
	check_eq(ctrace_reader_next(r, &rec), -ENODATA);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* A younger record of another CPU waits for a record that is being written, but not for ever. */
struct late_writer {
	struct fake *f;
	uint64_t time;
};

static void *publish_late(void *arg)
{
	struct late_writer *w = arg;

	usleep(50000);
	fake_put(w->f, 1, w->time, 2);
	__atomic_store_n(&fake_ctl(w->f, 1)->nest, 0, __ATOMIC_RELEASE);
	return NULL;
}

static void being_written(void)
{
	struct fake f = fake_new(1, 2);
	struct ctrace_reader *r = open_fake(&f, 0);
	struct late_writer w = { .f = &f };
	const struct ctrace_record *rec;
	pthread_t writer;
	uint64_t now;

	w.time = now_ns();
	fake_put(&f, 1, w.time - 2, 1);
	fake_ctl(&f, 1)->nest = 1;
	fake_put(&f, 0, w.time + 1, 3);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(serial(rec), 1);
	check_eq(pthread_create(&writer, NULL, publish_late, &w), 0);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(serial(rec), 2);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(serial(rec), 3);
	check_eq(ctrace_reader_next(r, &rec), 0);
	check_eq(pthread_join(writer, NULL), 0);

	fake_ctl(&f, 1)->nest = 1;	/* and this one is never published */
	now = now_ns();
	fake_put(&f, 0, now, 4);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(serial(rec), 4);
	check(now_ns() - now >= 1000000000);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* In a time namespace, the module's clock may be days ahead of this process's clock. */
static void other_clock(void)
{
	struct fake f = fake_new(1, 2);
	struct ctrace_reader *r = open_fake(&f, 0);
	const struct ctrace_record *rec;
	uint64_t t = now_ns() + 86400000000000ull;
	unsigned int i;

	for (i = 0; i < 100; i++)
		fake_put(&f, i % 2, t++, i);
	for (i = 0; i < 100; i++)
		if (check_eq(ctrace_reader_next(r, &rec), 1))
			check_eq(serial(rec), i);
	check_eq(ctrace_reader_next(r, &rec), 0);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* A ring is read when its hint says so, and not before. */
static void hints(void)
{
	struct fake f = fake_new(1, 2);
	struct ctrace_reader *r = open_fake(&f, 0);
	const struct ctrace_record *rec;

	fake_put_unhinted(&f, 0, now_ns(), 1);
	check_eq(ctrace_reader_next(r, &rec), 0);
	fake_put(&f, 0, now_ns(), 2);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(serial(rec), 1);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(ctrace_reader_next(r, &rec), 0);
	ctrace_reader_close(r);
	f.dir->heads_off = 0;	/* a container's own descriptor has no hints */
	r = open_fake(&f, 0);
	fake_put_unhinted(&f, 1, now_ns(), 3);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(serial(rec), 3);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* A mapping of another process may lie about a record between others. That is an error, and no standstill. */
static void lying_lengths(void)
{
	static const uint16_t lengths[] = { 0, 8, 16, 0xfff8 };
	const struct ctrace_record *rec;
	struct ctrace_reader *r;
	const unsigned int full = (SUBBUF - sizeof(struct ctrace_subbuf)) / REC;
	struct ctrace_record *second;
	uint64_t t = now_ns() - 1000000;
	struct ctrace_subbuf *next;
	struct fake f;
	unsigned int i, k;
	char *data;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		f = fake_new(1, 1);
		for (k = 1; k <= full + 1; k++)
			fake_put(&f, 0, t + k, k);
		data = (char *)fake_ctl(&f, 0) + CTRACE_PAGE;
		next = (void *)(data + SUBBUF);
		next->last = sizeof(*next) + (full - 1) * REC;	/* so the reader leaps to the sub-buffer's last */
		second = (void *)(data + sizeof(*next) + REC);
		second->len = lengths[i];
		r = open_fake(&f, 0);
		check_eq(ctrace_reader_next(r, &rec), 1);
		check_eq(serial(rec), 1);
		check_eq(ctrace_reader_next(r, &rec), -EPROTO);
		ctrace_reader_close(r);
		fake_free(&f);
	}
}

/* --- directories that must be refused ---------------------------------------------- */

#define BAD(field, value) do {						\
		struct ctrace_dir keep = *f.dir;			\
		f.dir->field = (value);					\
		if (!check_eq(ctrace_reader_open_map(f.dir, f.len, 0, &r), -EPROTO))	\
			printf("# " #field " = " #value "\n");		\
		*f.dir = keep;						\
	} while (0)

static void bad_directories(void)
{
	struct fake f = fake_new(2, 2);
	struct ctrace_reader *r;

	BAD(magic, 0);
	BAD(abi_compat, CTRACE_ABI + 1);
	BAD(abi, CTRACE_ABI_COMPAT - 1);
	BAD(map_size, f.len + 1);
	BAD(map_size, f.len - 1);
	BAD(map_size, 0);
	BAD(map_size, UINT64_MAX);
	BAD(ncpus, 0);
	BAD(ncpus, 3);
	BAD(slots_per_cpu, 0x80000001);
	BAD(nslots, 5);
	BAD(subbuf_size, 0);
	BAD(subbuf_size, 2048);
	BAD(subbuf_size, 4097);
	BAD(subbuf_size, RING);
	BAD(subbuf_size, 0x80000000);
	BAD(ring_size, 0);
	BAD(ring_size, RING + 1);
	BAD(ring_size, 1ull << 63);
	BAD(slot_stride, RING);
	BAD(slots_off, 0);
	BAD(slots_off, f.len);
	BAD(slots_off, UINT64_MAX & ~4095ull);
	BAD(heads_off, 8);
	BAD(heads_off, CTRACE_PAGE + 1);
	BAD(heads_off, 2 * CTRACE_PAGE - 8);
	BAD(heads_off, UINT64_MAX & ~7ull);
	BAD(heads_stride, 0);
	BAD(heads_stride, 8 * f.dir->slots_per_cpu - 8);
	BAD(heads_stride, 8 * f.dir->slots_per_cpu + 4);
	BAD(heads_stride, CTRACE_PAGE / f.dir->ncpus / 8 * 8 + 8);
	BAD(heads_stride, UINT64_MAX & ~7ull);
	check_eq(ctrace_reader_open_map(f.dir, 16, 0, &r), -EPROTO);
	f.dir->features = UINT64_MAX;	/* a reader ignores features that it does not know */
	f.dir->heads_off = 0;
	check_eq(ctrace_reader_open_map(f.dir, f.len, 0, &r), 0);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* Rings of nonsense: any answer will do, but there must be one, and it must stay within the mapping. */
static void nonsense(void)
{
	const struct ctrace_record *rec;
	struct ctrace_reader *r;
	unsigned int round, i;
	struct fake f;

	srandom(4);
	for (round = 0; round < 3000; round++) {
		f = fake_new(1, 2);
		for (i = 0; i < 1000; i++)
			fake_put(&f, i % 2, i + 1, i);
		r = open_fake(&f, 0);
		for (i = 0; i < 50; i++) {
			uint16_t *p = (void *)((char *)fake_ctl(&f, random() % 2) +
				(random() % 2 ? random() % 128 : random() % (CTRACE_PAGE + RING - 1)));
			uint16_t v = random() % 3 ? random() % 64 : random();

			memcpy(p, &v, sizeof(v));
		}
		/* Otherwise the reader would wait for each record that seems to be under way. */
		f.dir->state = CTRACE_DIR_ENDED;
		for (i = 0; i < 5000; i++)
			if (ctrace_reader_next(r, &rec) != 1)
				break;
		ctrace_reader_close(r);
		fake_free(&f);
	}
}

/* --- runs ---------------------------------------------------------------------- */

struct recorder {
	struct fake *f;
	uint64_t t, made, kept, next[4], pending;
	unsigned int laps;	/* writes this many times while fn looks */
	uint64_t lost, undone;
};

static int run(const struct ctrace_run *run, void *arg)
{
	struct recorder *rec = arg;
	const struct fake_record *p = run->data;
	unsigned int i;

	check_eq(run->len, run->count * REC);
	check_eq(run->time_begin, p->r.time);
	check_eq(run->time_end, p[run->count - 1].r.time);
	check(run->last == &p[run->count - 1].r);
	check_eq(run->cpu, run->slot / 2);
	check(run->cid == (run->slot % 2 ? run->slot : CTRACE_CID_ALL));
	rec->pending = run->count;
	for (i = 0; rec->laps && i < RING / REC + 1; i++)
		fake_put(rec->f, run->slot, rec->t++, rec->made++);
	rec->laps -= rec->laps > 0;
	return 0;
}

static int run_done(const struct ctrace_run *run, bool ok, void *arg)
{
	struct recorder *rec = arg;

	if (ok) {
		rec->kept += rec->pending;
		rec->lost += run->lost;
	} else {
		rec->undone++;
	}
	return 0;
}

static int failing(const struct ctrace_run *run, void *arg)
{
	(void)run, (void)arg;
	return -ENOSPC;
}

static void runs(void)
{
	struct fake f = fake_new(2, 2);
	struct ctrace_reader *r = open_fake(&f, 0);
	struct recorder rec = { .f = &f, .t = now_ns() - 1000000000 };
	const struct ctrace_record *one;
	struct ctrace_losses l;
	unsigned int i;

	srandom(5);
	for (i = 0; i < 300; i++) {
		for (unsigned int n = random() % 700; n; n--)
			fake_put(&f, random() % 4, rec.t++, rec.made++);
		rec.laps = i % 5 == 0;
		check(ctrace_reader_runs(r, run, run_done, &rec) >= 0);
	}
	while (ctrace_reader_runs(r, run, run_done, &rec) > 0)
		;
	ctrace_reader_losses(r, &l, sizeof(l));
	check_eq(l.seen, rec.kept);
	check_eq(l.overrun, rec.lost);
	check_eq(l.seen + l.overrun, rec.made);
	check(rec.undone > 0 && rec.lost > 0);

	fake_put(&f, 0, rec.t++, rec.made++);
	check_eq(ctrace_reader_runs(r, failing, run_done, &rec), -ENOSPC);
	check_eq(ctrace_reader_runs(r, run, NULL, &rec), 1);	/* offered again */
	fake_put(&f, 0, rec.t++, rec.made++);
	check_eq(ctrace_reader_next(r, &one), 1);
	check_eq(ctrace_reader_runs(r, run, NULL, &rec), -EBUSY);
	check_eq(ctrace_reader_next(r, &one), 0);
	check_eq(ctrace_reader_runs(r, run, NULL, &rec), 0);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* --- records that wait in their rings ----------------------------------------------- */

static bool held_cid(const struct ctrace_run *run, void *arg)
{
	const struct fake_record *p = run->data;
	uint32_t cid = *(uint32_t *)arg;

	check_eq(run->len, run->count * REC);
	check(p->check == ~p->serial);
	return cid && run->cid == cid;
}

/*
 * Others' records pass the records of a ring that waits, even while it is being written. None is lost unseen.
 */
static void held(void)
{
	struct fake f = fake_new(1, 2);
	struct ctrace_reader *r = open_fake(&f, 0), *in_order = open_fake(&f, 0);
	struct recorder taken = { .f = &f };
	const struct ctrace_record *rec;
	uint64_t t = now_ns() - 2000000000, made = 0, now;
	struct ctrace_losses l;
	uint32_t cid = 1;
	unsigned int i;

	ctrace_reader_hold(r, held_cid, &cid);
	ctrace_reader_hold(in_order, held_cid, &cid);
	fake_put(&f, 1, t++, ++made);
	fake_put(&f, 0, t++, ++made);
	fake_ctl(&f, 1)->nest = 1;
	now = now_ns();
	check_eq(ctrace_reader_next(in_order, &rec), 1);
	check_eq(serial(rec), 2);
	check_eq(ctrace_reader_next(in_order, &rec), 0);
	check(now_ns() - now < 500000000);
	fake_ctl(&f, 1)->nest = 0;
	check_eq(ctrace_reader_runs(r, run, run_done, &taken), 1);
	check_eq(taken.kept, 1);
	check_eq(ctrace_reader_runs(r, run, run_done, &taken), 0);
	cid = 0;
	check_eq(ctrace_reader_next(in_order, &rec), 1);
	check_eq(serial(rec), 1);
	check_eq(ctrace_reader_runs(r, run, run_done, &taken), 1);
	check_eq(taken.kept, 2);

	cid = 1;
	check_eq(ctrace_reader_next(in_order, &rec), 0);
	for (i = 0; i < 3 * (RING / REC); i++)
		fake_put(&f, 1, t++, ++made);
	check_eq(ctrace_reader_next(in_order, &rec), 0);
	check_eq(ctrace_reader_runs(r, run, run_done, &taken), 0);
	cid = 0;
	while (ctrace_reader_next(in_order, &rec) == 1)
		;
	check_eq(serial(rec), made);
	ctrace_reader_losses(in_order, &l, sizeof(l));
	check(l.overrun > 0);
	check_eq(l.seen + l.overrun, made);
	while (ctrace_reader_runs(r, run, run_done, &taken) > 0)
		;
	ctrace_reader_losses(r, &l, sizeof(l));
	check(l.overrun > 0);
	check_eq(l.overrun, taken.lost);
	check_eq(taken.kept + taken.lost, made);
	ctrace_reader_close(in_order);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* --- writers that do not wait ------------------------------------------------------ */

#define WRITES	100000u

struct writer {
	struct fake *f;
	unsigned int slot;
};

static void *writer(void *arg)
{
	const struct timespec breath = { 0, 1000 };
	struct writer *w = arg;
	uint64_t i;

	/* In bursts of all sizes, so that the reader is lapped at some times and keeps up at others. */
	for (i = 1; i <= WRITES; i++) {
		fake_put(w->f, w->slot, now_ns(), i);
		if (i % 512 < i % 97)
			continue;
		if (i % 61 == 0)
			nanosleep(&breath, NULL);
	}
	return NULL;
}

static void threads(void)
{
	struct fake f = fake_new(2, 2);
	struct ctrace_reader *r = open_fake(&f, 0);
	const struct ctrace_record *rec;
	uint64_t last[4] = { 0 }, time = 0, late = 0;
	struct writer w[4];
	pthread_t t[4];
	struct ctrace_losses l;
	unsigned int i, running = 4;
	int ret;

	for (i = 0; i < 4; i++) {
		w[i] = (struct writer) { &f, i };
		pthread_create(&t[i], NULL, writer, &w[i]);
	}
	while ((ret = ctrace_reader_next(r, &rec)) >= 0) {
		if (ret == 0) {
			if (!running)
				break;
			for (i = 0, running = 0; i < 4; i++)
				running += last[i] < WRITES;
			continue;
		}
		check(rec->cid < 4 && serial(rec) > last[rec->cid]);
		last[rec->cid] = serial(rec);
		late += rec->time < time;
		time = rec->time;
	}
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	ctrace_reader_losses(r, &l, sizeof(l));
	check_eq(ret, 0);
	check_eq(l.seen + l.overrun, 4ull * WRITES);
	/* These writers read the clock long before they publish, so some records are late. */
	check(late < l.seen / 100);
	printf("# %llu seen, %llu overrun, %llu late\n", (unsigned long long)l.seen,
	       (unsigned long long)l.overrun, (unsigned long long)late);
	ctrace_reader_close(r);
	fake_free(&f);
}

static const struct ktap_case cases[] = {
	{ "records of many rings come in order", in_order },
	{ "seen and lost are all, for a slow and for a late reader", lapped },
	{ "from now: what was before is neither seen nor lost", from_now },
	{ "the end of a session", ends },
	{ "what is being written is waited for, a second at most", being_written },
	{ "a clock that is ahead", other_clock },
	{ "hints say which rings to look at", hints },
	{ "a record with a length that lies", lying_lengths },
	{ "directories that lie are refused", bad_directories },
	{ "rings of nonsense", nonsense },
	{ "runs: all kept or counted, undone when overwritten", runs },
	{ "records that wait in their ring", held },
	{ "writers that do not wait", threads },
};
KTAP_MAIN(cases)
