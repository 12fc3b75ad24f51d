// SPDX-License-Identifier: GPL-2.0-only
/* A reader over hand-made rings: waiting, structs of other sizes, errors. Its records are in merge_test.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "fake_reader.h"

/* Waiting. Without a descriptor, only what the reader itself knows ends the wait before its time. */
static void waits(void)
{
	struct fake f = fake_new(2, 2);
	struct ctrace_reader *r = open_fake(&f, 0);
	const struct ctrace_record *rec;
	uint64_t t = now_ns() - 1000000;

	check_eq(ctrace_reader_poll(r, -1), 1);		/* nobody has looked yet */
	check_eq(ctrace_reader_next(r, &rec), 0);
	check_eq(ctrace_reader_poll(r, 0), 0);
	check_eq(ctrace_reader_poll(r, 10), 0);
	fake_put(&f, 1, t, 1);
	fake_put(&f, 3, t + 1, 2);
	check_eq(ctrace_reader_poll(r, 10), 1);
	check_eq(ctrace_reader_poll(r, -1), 1);		/* as long as nobody looks */
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(ctrace_reader_poll(r, -1), 1);		/* there is another */
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(ctrace_reader_next(r, &rec), 0);
	check_eq(ctrace_reader_poll(r, 0), 0);
	fake_put(&f, 0, t + 2, 3);
	__atomic_store_n(&f.dir->state, CTRACE_DIR_ENDED, __ATOMIC_RELEASE);
	check_eq(ctrace_reader_poll(r, -1), 1);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(ctrace_reader_poll(r, -1), 1);
	check_eq(ctrace_reader_next(r, &rec), -ENODATA);
	check_eq(ctrace_reader_poll(r, -1), -ENODATA);
	check(strstr(ctrace_reader_errmsg(r), "ended"));
	ctrace_reader_close(r);
	fake_free(&f);
}

static int take_run(const struct ctrace_run *run, void *arg)
{
	*(uint64_t *)arg += run->count;
	return 0;
}

/* A recorder never calls ctrace_reader_next(), and learns of the end all the same. */
static void recorder_waits(void)
{
	struct fake f = fake_new(1, 2);
	struct ctrace_reader *r = open_fake(&f, 0);
	uint64_t n = 0;

	check_eq(ctrace_reader_runs(r, take_run, NULL, &n), 0);
	check_eq(ctrace_reader_poll(r, 0), 0);
	fake_put(&f, 0, now_ns(), 1);
	check_eq(ctrace_reader_poll(r, 0), 1);
	check_eq(ctrace_reader_runs(r, take_run, NULL, &n), 1);
	check_eq(ctrace_reader_runs(r, take_run, NULL, &n), 0);
	__atomic_store_n(&f.dir->state, CTRACE_DIR_ENDED, __ATOMIC_RELEASE);
	check_eq(ctrace_reader_poll(r, -1), -ENODATA);
	check_eq(n, 1);
	ctrace_reader_close(r);
	fake_free(&f);
}

struct sums {
	uint64_t seen, lost;
};

static int add_run(const struct ctrace_run *run, void *arg)
{
	struct sums *s = arg;

	s->seen += run->count;
	s->lost += run->lost;
	return 0;
}

/* A run reports the losses before it, and the next run does not report them again. */
static void runs_tell_losses(void)
{
	struct fake f = fake_new(1, 1);
	struct ctrace_reader *r = open_fake(&f, 0);
	uint64_t t = now_ns() - 1000000, made = 0;
	struct ctrace_losses l;
	struct sums s = { 0 };

	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < 1000; i++, made++)
			fake_put(&f, 0, t + made, made);
		while (ctrace_reader_runs(r, add_run, NULL, &s) > 0)
			;
		check_eq(s.seen + s.lost, made);
	}
	check(s.lost > 0 && s.seen > 0);
	check_eq(ctrace_reader_losses(r, &l, sizeof(l)), 0);
	check_eq(l.overrun, s.lost);
	check_eq(l.seen, s.seen);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* A program with a shorter struct gets what it knows, one with a longer struct zeros. */
static void sizes(void)
{
	struct fake f = fake_new(1, 1);
	struct ctrace_reader *r = open_fake(&f, 0);
	struct { struct ctrace_losses l; uint64_t more; } newer = { .more = 1 };
	struct ctrace_losses older = { .overrun = 77 };
	const struct ctrace_record *rec;

	fake_put(&f, 0, now_ns() - 1000000, 1);
	check_eq(ctrace_reader_next(r, &rec), 1);
	check_eq(ctrace_reader_losses(r, &older, sizeof(older.seen)), 0);
	check_eq(older.seen, 1);
	check_eq(older.overrun, 77);
	check_eq(ctrace_reader_losses(r, &newer.l, sizeof(newer)), 0);
	check_eq(newer.l.seen, 1);
	check_eq(newer.more, 0);
	ctrace_reader_close(r);
	fake_free(&f);
}

/* A reader that could not be opened has a sentence and a number for every call. */
static void unopened(void)
{
	struct ctrace_reader_opts o = { .sz = sizeof(o), .flags = CTRACE_READER_FD, .fd = -1 };
	struct { struct ctrace_reader_opts o; uint64_t more; } newer = { .o = o, .more = 1 };
	const struct ctrace_record *rec;
	struct ctrace_reader *r = NULL;
	struct ctrace_losses l;

	check_eq(ctrace_reader_open(NULL, &o, &r), -EBADF);
	check(r && ctrace_reader_errmsg(r)[0]);
	check_eq(ctrace_reader_next(r, &rec), -ENODATA);
	check_eq(ctrace_reader_poll(r, -1), -ENODATA);
	check_eq(ctrace_reader_fd(r), -1);
	check_eq(ctrace_reader_losses(r, &l, sizeof(l)), 0);
	check_eq(l.seen + l.overrun, 0);
	ctrace_reader_close(r);
	newer.o.sz = sizeof(newer);
	check_eq(ctrace_reader_open(NULL, &newer.o, &r), -E2BIG);
	check(strstr(ctrace_reader_errmsg(r), "newer"));
	ctrace_reader_close(r);
	check_eq(ctrace_reader_open(NULL, NULL, &r), -EINVAL);
	ctrace_reader_close(r);
	check(strstr(ctrace_reader_errmsg(NULL), "memory"));
}

/* A view of one container on two CPUs, with three records in each ring, and what was refused before it was opened. */
static struct fake fake_view(void)
{
	struct fake f = fake_new(2, 1);
	uint64_t t = now_ns() - 1000000;

	f.dir->flags = CTRACE_DIR_F_BOUND;
	f.dir->heads_off = 0;
	for (unsigned int i = 0; i < 6; i++)
		fake_put(&f, i % 2, t + i, i);
	for (unsigned int i = 0; i < 2; i++) {
		fake_ctl(&f, i)->lost_full = 100 + i;
		fake_ctl(&f, i)->lost_nested = 200 + i;
	}
	return f;
}

enum { GONE_CTL = 1, GONE_DATA = 2 };

/* The kernel says so first; then pages turn to zeros, in any order. */
static void fake_revoke(struct fake *f, unsigned int slot, int gone)
{
	char *ctl = (char *)fake_ctl(f, slot);

	__atomic_store_n(&f->dir->state, CTRACE_DIR_REVOKED, __ATOMIC_RELEASE);
	if (gone & GONE_CTL)
		memset(ctl, 0, CTRACE_PAGE);
	if (gone & GONE_DATA)
		memset(ctl + CTRACE_PAGE, 0, RING);
}

static void check_losses(struct ctrace_reader *r, uint64_t seen)
{
	struct ctrace_losses l;

	check_eq(ctrace_reader_losses(r, &l, sizeof(l)), 0);
	check_eq(l.seen, seen);
	check_eq(l.overrun, 0);
	check_eq(l.full, 1);
	check_eq(l.nested, 0);
}

/* A view that is taken back ends: no wrong record, no complaint about its rings, no wrong count. */
static void taken_back(void)
{
	for (int gone = 0; gone < 16; gone++) {
		struct fake f = fake_view();
		struct ctrace_reader *r = open_fake(&f, 0);
		const struct ctrace_record *rec;
		struct ctrace_losses l;
		int got, n = 0;

		fake_ctl(&f, 0)->lost_full++;
		check_eq(ctrace_reader_losses(r, &l, sizeof(l)), 0);
		check_eq(ctrace_reader_next(r, &rec), 1);
		n++;
		/* what the reader has copied it may still hand out; more it does not take */
		fake_revoke(&f, 0, gone % 4);
		fake_revoke(&f, 1, gone / 4);
		while ((got = ctrace_reader_next(r, &rec)) == 1) {
			const struct fake_record *x = (const void *)rec;

			check_eq(x->serial, ~x->check);
			check_eq(x->serial, n);
			n++;
		}
		check_eq(got, -ENODATA);
		check(strstr(ctrace_reader_errmsg(r), "taken back"));
		check_eq(ctrace_reader_poll(r, -1), -ENODATA);
		check_losses(r, n);
		ctrace_reader_close(r);
		fake_free(&f);
	}
}

struct recorder {
	struct fake *f;
	int gone, runs, ok, bad;
};

static int revoke_amid(const struct ctrace_run *run, void *arg)
{
	struct recorder *c = arg;

	if (c->runs++ == 1)
		fake_revoke(c->f, run->slot, c->gone);
	return 0;
}

static int count_run(const struct ctrace_run *run, bool ok, void *arg)
{
	struct recorder *c = arg;

	(void)run;
	ok ? c->ok++ : c->bad++;
	return 0;
}

/* What a recorder was copying when it was taken back does not count, as it may have been zeros. */
static void taken_from_recorder(void)
{
	for (int gone = 0; gone < 4; gone++) {
		struct fake f = fake_view();
		struct ctrace_reader *r = open_fake(&f, 0);
		struct recorder c = { .f = &f, .gone = gone };
		struct ctrace_losses l;

		fake_ctl(&f, 0)->lost_full++;
		check_eq(ctrace_reader_losses(r, &l, sizeof(l)), 0);
		check_eq(ctrace_reader_runs(r, revoke_amid, count_run, &c), 1);
		check_eq(c.ok, 1);
		check_eq(c.bad, 1);
		check_eq(ctrace_reader_runs(r, revoke_amid, count_run, &c), 0);
		check_eq(ctrace_reader_poll(r, -1), -ENODATA);
		check_losses(r, 3);
		ctrace_reader_close(r);
		fake_free(&f);
	}
}

static void no_view(int fd, int wanted, const char *word)
{
	struct ctrace_reader_opts o = { .sz = sizeof(o), .flags = CTRACE_READER_FD, .fd = fd };
	struct ctrace_reader *r;

	check_eq(ctrace_reader_open(NULL, &o, &r), wanted);
	check(strstr(ctrace_reader_errmsg(r), word));
	check_eq(ctrace_reader_fd(r), -1);
	ctrace_reader_close(r);
	close(fd);
}

/* A descriptor from another process may be anything: a file could shrink when it is mapped. */
static void other_files(void)
{
	struct fake f = fake_view();
	FILE *file = tmpfile();
	int p[2];

	check(file && fwrite(f.dir, f.len, 1, file) == 1 && !fflush(file));
	no_view(dup(fileno(file)), -ENOTTY, "shows no records");
	no_view(open("/dev/null", O_RDONLY), -ENOTTY, "shows no records");
	no_view(epoll_create1(0), -ENOTTY, "shows no records");
	check(!pipe(p));
	no_view(p[0], -ENOTTY, "shows no records");
	close(p[1]);
	fclose(file);
	fake_free(&f);
}

static const struct ktap_case cases[] = {
	{ "waiting: one look for each answer", waits },
	{ "waiting with runs", recorder_waits },
	{ "losses of runs", runs_tell_losses },
	{ "structs of older and newer programs", sizes },
	{ "a reader that could not be opened", unopened },
	{ "a view that is taken back", taken_back },
	{ "a view that is taken back from a recorder", taken_from_recorder },
	{ "other files are not mapped", other_files },
};
KTAP_MAIN(cases)
