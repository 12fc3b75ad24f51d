// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recorder killed at any byte of any write, or before or after any other call, leaves a trace that can be
 * read to its last whole packet. If a call fails, the recorder ends with one sentence, and leaves such a
 * trace too. This test counts the calls. It makes the chosen one the last, or makes it fail.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/cli.h"
#include "ctf/ctf_read.h"
#include "ktap.h"
#include "make_record.h"
#include "ctf/sink_ctf.h"

bool cli_json;

static struct {
	unsigned int messages;
	uint64_t events;	/* published when the last call began */
	unsigned long places;	/* seen, in a run that nothing ended */
	bool fired, between;	/* the place was reached; it was not inside a write */
	int status;
} told;
static struct ctf *ctf;
/* A killed recorder jumps here. A process for each of some thousand cases would take too long. */
static jmp_buf death;

/* A killed recorder frees nothing. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static enum { COUNT, KILL, FAIL, SHORT } mode;
static unsigned long place;	/* the place to be killed or to fail at */
static bool armed;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	(void)fmt, (void)ap;
	told.messages++;
	return status;
}

/* Called before a call: true if the call should fail. */
static bool step(void)
{
	if (!armed)
		return false;
	if (ctf)
		told.events = ctf_info(ctf).records;
	if (told.places++ != place || mode == COUNT)
		return false;
	told.fired = true;
	if (mode != KILL)
		return true;
	told.between = true;
	longjmp(death, 1);
}

/*
 * How much of a write of n bytes to carry out; -1: the write fails. A store of 8 bytes lies within a page,
 * so it is done as a whole or not at all: the kernel looks for signals between pages.
 */
static ssize_t part(size_t n, off_t at)
{
	if (n == 8 && at % 8 == 0)
		return step() ? -1 : 8;
	if (step())
		return mode == SHORT ? (ssize_t)(n / 2) : -1;
	if (!armed || mode == FAIL || mode == SHORT)
		return (ssize_t)n;
	if (mode == KILL && place < told.places + n - 1)
		return (ssize_t)(place - told.places + 1);
	told.places += n - 1;
	return (ssize_t)n;
}

ssize_t pwritev(int fd, const struct iovec *iov, int count, off_t at)
{
	size_t n = 0, left;
	char *all, *p;
	ssize_t some;
	int i;

	for (i = 0; i < count; i++)
		n += iov[i].iov_len;
	all = p = malloc(n);
	for (i = 0; i < count; i++, p += left) {
		left = iov[i].iov_len;
		memcpy(p, iov[i].iov_base, left);
	}
	some = part(n, at);
	if (some >= 0)
		syscall(SYS_pwrite64, fd, all, (size_t)some, at);
	free(all);
	if (some >= 0 && (size_t)some < n && mode == KILL) {
		told.fired = true;
		longjmp(death, 1);
	}
	errno = ENOSPC;
	return some;
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	struct iovec iov = { (void *)buf, n };

	return pwritev(fd, &iov, 1, at);
}

#define FAILS() ({ bool fails_ = step(); if (fails_) errno = EIO; fails_; })

int ftruncate(int fd, off_t len)
{
	return FAILS() ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

int renameat(int a, const char *from, int b, const char *to)
{
	return FAILS() ? -1 : (int)syscall(SYS_renameat, a, from, b, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned int flags)
{
	return FAILS() ? -1 : (int)syscall(SYS_renameat2, a, from, b, to, flags);
}

int unlinkat(int fd, const char *name, int flags)
{
	return FAILS() ? -1 : (int)syscall(SYS_unlinkat, fd, name, flags);
}

int openat(int fd, const char *name, int flags, ...)
{
	va_list args;
	int perm;

	va_start(args, flags);
	perm = va_arg(args, int);
	va_end(args);
	if (flags & (O_WRONLY | O_CREAT) && FAILS())
		return -1;
	return (int)syscall(SYS_openat, fd, name, flags, perm);
}

/* Limits files to a length so short that a stream soon continues in another. The sanitizers call this too,
 * before they are set up. */
__attribute__((no_sanitize("address", "undefined")))
int getrlimit(__rlimit_resource_t what, struct rlimit *lim)
{
	if (what != RLIMIT_FSIZE)
		return (int)syscall(SYS_prlimit64, 0, what, NULL, lim);
	lim->rlim_cur = lim->rlim_max = 700;
	return 0;
}

/* --- what is recorded ----------------------------------------------------------- */

static struct {
	struct ctrace_run run;
	char data[512];
	bool ok;
} one;

int ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg)
{
	(void)r;
	return fn(&one.run, arg) ?: done(&one.run, one.ok, arg) ?: 1;
}

static char dir[64];
static struct ctrace_schema *schema;
static struct ctable *table;

/* Returns false if writing failed. */
static bool record_one(uint32_t cid, uint64_t time, uint64_t lost, bool ok)
{
	struct made m;

	memset(&one.run, 0, sizeof(one.run));
	one.ok = ok;
	one.run = (struct ctrace_run) {
		.slot = cid, .cid = cid, .count = 3, .data = one.data, .time_begin = time, .lost = lost,
	};
	for (uint32_t i = 0; i < 3; i++) {
		if (i % 2)
			make_openat(&m, time + i, cid, 100, ok ? "/x" : "/gone", 0);
		else
			make_read(&m, time + i, cid, 100);
		one.run.last = (void *)(one.data + one.run.len);
		memcpy(one.data + one.run.len, m.raw, m.rec.len);
		one.run.len += m.rec.len;
		one.run.time_end = m.rec.time;
	}
	return ctf_drain(ctf, NULL) >= 0;
}

#define LOST	7
#define PACKETS	7

static void record(void)
{
	uint64_t t = 1000000;

	armed = true;
	ctf = ctf_create(dir, schema, table, NULL);
	if (!ctf) {
		told.status = CLI_FAIL;
		return;
	}
	if (record_one(3, t, 0, false) &&	/* the very first run is withdrawn */
	    record_one(3, t + 10, 0, true) &&
	    record_one(4, t + 20, LOST, true) &&
	    record_one(3, t + 30, 2, false) &&	/* records were lost, and then the run too: reported once */
	    record_one(3, t + 40, LOST, true) &&
	    record_one(3, t + 50, 0, true) &&	/* into the file's next part */
	    record_one(3, t + 5, 0, true) &&	/* into the part after that: time runs backwards */
	    record_one(3, t + 60, 0, true))
		record_one(4, t + 70, 0, true);
	told.status = ctf_close(ctf);
	told.events = ~0ull;
	ctf = NULL;
}

static void empty(const char *sub)
{
	char path[400];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s%s", dir, sub);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s%s/%s", dir, sub, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
}

/* This runs some thousand times, so it starts no process. */
static void clean(void)
{
	char path[96];

	empty("/ctrace");
	snprintf(path, sizeof(path), "%s/ctrace", dir);
	rmdir(path);
	empty("");
	check_eq(rmdir(dir), 0);
}

static void run(unsigned long at)
{
	strcpy(dir, "/tmp/ctrace-killed-XXXXXX");
	check(mkdtemp(dir) != NULL);
	memset(&told, 0, sizeof(told));
	place = at;
	if (!setjmp(death))
		record();
	armed = false;
	ctf = NULL;
	/* The kernel would close these when the recorder dies. */
	for (int fd = 3; fd < 16; fd++)
		close(fd);
}

struct seen {
	int err;
	unsigned int records, gone, backwards;
	uint64_t lost;
	const char *why;
};

static struct seen read_back(void)
{
	struct ctrace_schema *s = ctrace_schema_new();
	const struct ctrace_record *rec;
	struct side_info info;
	struct seen seen = { 0 };
	struct ctf_reader *r;
	uint64_t lost, last = 0;

	seen.err = side_load_schema(dir, s, &info);
	r = seen.err ? NULL : ctf_reader_open(dir, info.uuid);
	while (r && (rec = ctf_reader_next(r, &lost))) {
		seen.records++;
		seen.lost += lost;
		seen.backwards += rec->time < last;
		last = rec->time;
		seen.gone += memmem(rec, rec->len, "/gone", 5) != NULL;
	}
	if (r) {
		ctf_reader_damaged(r, &seen.why);
		ctf_reader_close(r);
	}
	ctrace_schema_free(s);
	return seen;
}

static bool have_babeltrace(void)
{
	return !system("command -v babeltrace2 >/dev/null");
}

/* Returns the number of its lines, or -1 if it refuses the trace. */
static int babeltrace(void)
{
	char cmd[160], line[512];
	int n = 0;
	FILE *p;

	snprintf(cmd, sizeof(cmd), "babeltrace2 '%s' 2>'%s/ctrace/said'", dir, dir);
	p = popen(cmd, "r");
	while (fgets(line, sizeof(line), p))
		n += strstr(line, "syscall_") != NULL;
	return pclose(p) ? -1 : n;
}

/* Judges a trace whose recorder stopped somewhere: everything in it must be whole. */
static bool judge(const char *what, bool with_babeltrace)
{
	struct seen s = read_back();
	char path[96];
	bool good, begun;
	int n;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	begun = !access(path, F_OK);
	good = !s.why && !s.gone && !s.backwards && (!s.err || !s.records) &&
	       /* if it was killed after the call that published a packet, the trace has one packet more */
	       (told.events == ~0ull || s.records == told.events || s.records == told.events + 3);
	if (!good)
		printf("# %s %lu: %u records of %llu, %u undone ones, %u backwards, %s\n", what, place,
		       s.records, (unsigned long long)told.events, s.gone, s.backwards,
		       s.why ? s.why : "undamaged");
	if (!with_babeltrace || !begun || !s.records)
		return good;
	n = babeltrace();
	if (n != (int)s.records)
		printf("# %s %lu: babeltrace2 sees %d records of %u\n", what, place, n, s.records);
	return good && n == (int)s.records;
}

static unsigned long places;

static void undisturbed(void)
{
	struct seen s;

	schema = make_schema();
	table = ctable_new(NULL);
	mode = COUNT;
	run(0);
	places = told.places;
	check_eq(told.status, CLI_OK);
	check_eq(told.messages, 0);
	s = read_back();
	check_eq(s.records, 3 * PACKETS);
	check_eq(s.lost, 2 * LOST);
	check_eq(s.gone, 0);
	check_eq(s.backwards, 0);
	check(!s.why);
	check(places > 1000);
	clean();
	printf("# %lu places\n", places);
}

static void killed(void)
{
	bool have = have_babeltrace();
	unsigned int bad = 0, looked = 0;

	mode = KILL;
	for (unsigned long at = 0; at < places && bad < 5; at++) {
		bool look;

		run(at);
		check(told.fired);
		/* A process for each byte would take long. Run babeltrace2 for all places between calls,
		 * and for some inside a write. */
		look = have && (told.between || at % 64 == 0);
		looked += look;
		bad += !judge("killed at place", look);
		clean();
	}
	check_eq(bad, 0);
	printf("# killed at %lu places, %u of them shown to babeltrace2\n", places, looked);
}

static void fails(int how, const char *what)
{
	unsigned long at;
	unsigned int bad = 0, said = 0;

	mode = how;
	for (at = 0; bad < 5; at++) {
		run(at);
		if (!told.fired)
			break;
		if (told.status != CLI_OK || told.messages) {
			said++;
			/* Every failure is reported, and only once. */
			if (!check(told.status == CLI_FAIL && told.messages == 1)) {
				printf("# %s %lu: status %d, %u messages\n", what, at, told.status,
				       told.messages);
				bad++;
			}
		} else if (read_back().records != 3 * PACKETS) {
			printf("# %s %lu: events are missing, and it said nothing\n", what, at);
			check(false);
			bad++;
		}
		bad += !judge(what, false);
		clean();
	}
	clean();
	check_eq(bad, 0);
	check(said > 10);
	printf("# %s: %lu places, %u times it was the end\n", what, at, said);
}

static void errors(void)
{
	fails(FAIL, "error at call");
}

static void short_writes(void)
{
	fails(SHORT, "half a write at call");
	ctable_free(table);
	ctrace_schema_free(schema);
}

static const struct ktap_case cases[] = {
	{ "undisturbed, all is there", undisturbed },
	{ "killed anywhere: whole packets, for report and babeltrace2", killed },
	{ "an error of any call is told once", errors },
	{ "a short write is told once", short_writes },
};
KTAP_MAIN(cases)
