// SPDX-License-Identifier: GPL-2.0-only
/* ctrace bio: the disk, or the container's limit? */
#include <stdlib.h>
#include <string.h>
#include "names/cgroupfs.h"
#include "names/disks.h"
#include "tools/bio.h"

#define AT_ONCE		256	/* containers' files in a second, at most */
#define SENTENCES	8u
/* The rule: requests under way for less than a tenth of the period hold nothing up, ... */
#define LITTLE		10u
/* ... and a limit is used up from this part of it on, in percent. */
#define USED_UP		95.0

/* --- the files --------------------------------------------------------------------- */

struct seen {
	uint32_t cid;
	bool read;
	struct io_limits limits;
};

/* Its place, or where it would be. */
static size_t place_of(const struct bio_limits *l, uint32_t cid)
{
	size_t from = 0, to = l->n;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (l->seen[mid].cid < cid)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* *made: it is new. Others move. */
static struct seen *seen_of(struct bio_limits *l, uint32_t cid, bool *made)
{
	size_t i = place_of(l, cid);

	*made = i == l->n || l->seen[i].cid != cid;
	if (!*made)
		return &l->seen[i];
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->seen = xrealloc(l->seen, l->room * sizeof(l->seen[0]));
	}
	memmove(&l->seen[i + 1], &l->seen[i], (l->n++ - i) * sizeof(l->seen[0]));
	l->seen[i] = (struct seen){ .cid = cid };
	return &l->seen[i];
}

/* Forgets containers that the table has forgotten. */
static void tidy(struct view *v, struct bio_limits *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (ctable_find(v->run.ctable, l->seen[i].cid))
			l->seen[n++] = l->seen[i];
		else
			io_limits_free(&l->seen[i].limits);
	}
	l->n = n;
}

void bio_limits_free(struct bio_limits *l)
{
	for (size_t i = 0; i < l->n; i++)
		io_limits_free(&l->seen[i].limits);
	free(l->seen);
	free(l->v2);
	free(l->v1);
}

static void read_files(struct bio_limits *l, struct seen *s, const struct ctrace_container *c)
{
	if (!l->ready) {
		l->v2 = cgroup_root(NULL);
		l->v1 = cgroup_root("blkio");
		l->ready = true;
	}
	s->read |= io_limits_read(&s->limits, l->v2, l->v1, c->path);
}

/* Has it files that say something? */
static bool has_files(const struct centry *e)
{
	return e->known && ctable_alive(e) && e->c.cid != CTRACE_CID_HOST && e->c.cgroup_id;
}

void bio_limits_look(struct view *v, struct bio_limits *l)
{
	unsigned int left = AT_ONCE;
	struct centry *e;
	bool made;

	if (v->recording)
		return;
	tidy(v, l);
	for (size_t i = 0; left && (e = ctable_next(v->run.ctable, &i));) {
		struct seen *s;

		if (!has_files(e) || !targets_want(&v->run.targets, e->c.cid))
			continue;
		s = seen_of(l, e->c.cid, &made);
		if (!made)
			continue;
		read_files(l, s, &e->c);
		left--;
	}
}

static void read_again(struct view *v, struct bio_limits *l, uint32_t cid)
{
	const struct centry *e = v->recording ? NULL : ctable_find(v->run.ctable, cid);
	bool made;

	if (e && has_files(e))
		read_files(l, seen_of(l, cid, &made), &e->c);
}

static const struct io_limits *limits_of(const struct bio_limits *l, uint32_t cid)
{
	size_t i = place_of(l, cid);

	return i < l->n && l->seen[i].cid == cid && l->seen[i].read ? &l->seen[i].limits : NULL;
}

/* --- the rule ---------------------------------------------------------------------- */

/* Is it about this row's disk? A disk that is made of others has no requests of its own: theirs are its. */
static bool concerns(const struct io_limit *l, const struct io *x)
{
	return !l->dev || disk_is_over("", l->dev, x->sum.name);
}

/* How much of the limit the row's requests used, in percent; -1: it is none of a rate. */
static double used(const struct io_limit *l, const struct io *x)
{
	const uint64_t did[] = {
		[IO_RBPS] = x->rbytes, [IO_WBPS] = x->wbytes, [IO_RIOPS] = x->reads, [IO_WIOPS] = x->writes,
	};
	double may;

	if (l->kind > IO_WIOPS)
		return -1;
	may = (double)l->value * (double)x->period / 1e9;
	return may > 0 ? 100 * (double)did[l->kind] / may : 0;
}

static uint64_t all_time(const struct io *x)
{
	return x->sum.more[IO_DURATION] + x->sum.more[IO_QUEUED];
}

static enum held held_by(const struct io *x)
{
	uint64_t throttled = x->sum.more[IO_THROTTLED], disk = x->sum.more[IO_DURATION];
	uint64_t queue = x->sum.more[IO_QUEUED] - throttled;

	if (x->sum.other || x->sum.cid == CTRACE_CID_ALL)
		return HELD_UNKNOWN;
	if (all_time(x) < x->period / LITTLE)
		return HELD_LITTLE;
	/* not seen to hold requests back: of a disk that is made of others, or the kernel takes no kprobe */
	for (size_t i = 0; x->limits && !throttled && i < x->limits->n; i++)
		if (concerns(&x->limits->v[i], x) && used(&x->limits->v[i], x) >= USED_UP)
			return HELD_LIMIT;
	if (throttled >= queue && throttled >= disk)
		return HELD_LIMIT;
	return queue > disk ? HELD_QUEUE : HELD_DISK;
}

void bio_limits_judge(struct view *v, struct bio_limits *l, struct io *ios, size_t n)
{
	/* With --by, a row has a part of the container's requests. Reading moves what rows point to. */
	for (size_t i = 0; i < n && !v->by; i++)
		read_again(v, l, ios[i].sum.cid);
	for (size_t i = 0; i < n; i++) {
		struct io *x = &ios[i];

		x->limits = v->by || x->sum.other ? NULL : limits_of(l, x->sum.cid);
		x->period = v->until > v->since ? v->until - v->since : 1;
		x->held = held_by(x);
	}
}

/* --- output ------------------------------------------------------------------------ */

static double percent(uint64_t n, uint64_t of)
{
	return of ? 100 * (double)n / (double)of : 0;
}

static void put_limit(struct sbuf *b, const struct io_limit *l, const struct io *x, const char *own)
{
	struct sbuf name = { 0 };
	double part = used(l, x);

	sbuf_puts(b, l->file);
	if (strcmp(l->cgroup, own)) {
		sbuf_puts(b, " of ");
		sbuf_clean(b, l->cgroup);
	}
	sbuf_reset(&name);
	if (l->dev)
		disk_put(&name, l->dev, true);
	if (name.len && strcmp(name.s, x->sum.name))
		sbuf_printf(b, " for %s", name.s);
	sbuf_free(&name);
	sbuf_printf(b, "%s%s ", *l->word ? " " : "", l->word);
	if (l->kind <= IO_WBPS)
		sbuf_size(b, l->value);
	else
		sbuf_printf(b, "%llu%s", (unsigned long long)l->value, l->kind == IO_LATENCY ? "us" : "");
	if (part >= 0)
		sbuf_printf(b, " (%.0f%% used)", part);
}

static void put_held(struct sbuf *b, const struct io *x)
{
	uint64_t all = all_time(x), throttled = x->sum.more[IO_THROTTLED];
	uint64_t queue = x->sum.more[IO_QUEUED] - throttled, disk = x->sum.more[IO_DURATION];
	const char *spent = "holds it up: its requests spent";

	if (x->held == HELD_LIMIT && !throttled)
		sbuf_puts(b, "its limit holds it up");
	else if (x->held == HELD_LIMIT)
		sbuf_printf(b, "its limit %s %.1f%% of their time behind it", spent, percent(throttled, all));
	else if (x->held == HELD_QUEUE)
		sbuf_printf(b, "the disk's queue %s %.1f%% of their time there", spent, percent(queue, all));
	else if (x->held == HELD_DISK)
		sbuf_printf(b, "the disk %s %.1f%% of their time there", spent, percent(disk, all));
	else
		sbuf_printf(b, "nothing holds it up: its requests took %.1f%% of the time",
			    percent(all, x->period));
	if (throttled && x->held != HELD_LIMIT)
		sbuf_printf(b, ", and %.1f%% behind its limit", percent(throttled, all));
	sbuf_putc(b, '.');
}

static void put_sentence(struct view *v, struct sbuf *b, const struct io *x)
{
	const struct centry *e = ctable_find(v->run.ctable, x->sum.cid);
	bool first = true;

	view_put_container(v, b, x->sum.cid);
	sbuf_printf(b, " on %s", x->sum.name);
	sum_put_by(b, &x->sum);
	sbuf_puts(b, ": ");
	put_held(b, x);
	for (size_t i = 0; x->limits && i < x->limits->n; i++) {
		const struct io_limit *l = &x->limits->v[i];

		if (!concerns(l, x))
			continue;
		sbuf_puts(b, first ? " It has " : ", ");
		put_limit(b, l, x, e ? e->c.path : "");
		first = false;
	}
	sbuf_puts(b, first ? "\n" : ".\n");
}

static bool matters(const struct io *x)
{
	bool limited = false;

	for (size_t i = 0; x->limits && i < x->limits->n && !limited; i++)
		limited = concerns(&x->limits->v[i], x);
	return x->held != HELD_UNKNOWN && (limited || x->held != HELD_LITTLE);
}

static int most_time_first(const void *a, const void *b)
{
	const struct io *x = *(const struct io *const *)a, *y = *(const struct io *const *)b;
	uint64_t n = all_time(x), m = all_time(y);

	return n > m ? -1 : n < m ? 1 : x < y ? -1 : x > y;
}

void bio_print_held(struct view *v, const struct io *ios, size_t n)
{
	const struct io **rows = xcalloc(n + 1, sizeof(*rows));
	struct sbuf b = { 0 };
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (matters(&ios[i]))
			rows[m++] = &ios[i];
	if (m)
		qsort(rows, m, sizeof(*rows), most_time_first);
	sbuf_reset(&b);
	for (size_t i = 0; i < m && i < SENTENCES; i++)
		put_sentence(v, &b, rows[i]);
	if (m > SENTENCES)
		sbuf_printf(&b, "%zu more: --json has held_up_by for each\n", m - SENTENCES);
	fputs(b.s, stdout);
	sbuf_free(&b);
	free(rows);
}

void json_held_up_by(struct json *j, const void *row)
{
	static const char *const words[] = {
		[HELD_UNKNOWN] = NULL, [HELD_LITTLE] = "nothing", [HELD_LIMIT] = "limit",
		[HELD_QUEUE] = "queue", [HELD_DISK] = "disk",
	};
	const struct io *x = row;

	if (words[x->held])
		json_str(j, "held_up_by", words[x->held]);
	else
		json_null(j, "held_up_by");
}

void json_limits(struct json *j, const void *row)
{
	const struct io *x = row;

	json_open(j, "limits", '[');
	for (size_t i = 0; x->limits && i < x->limits->n; i++) {
		const struct io_limit *l = &x->limits->v[i];
		struct sbuf name = { 0 };

		if (!concerns(l, x))
			continue;
		json_open(j, NULL, '{');
		json_str(j, "cgroup", l->cgroup);
		json_str(j, "file", l->file);
		sbuf_reset(&name);
		if (l->dev)
			disk_put(&name, l->dev, true);
		if (name.len)
			json_str(j, "disk", name.s);
		else
			json_null(j, "disk");
		sbuf_free(&name);
		if (*l->word)
			json_str(j, "limit", l->word);
		json_uint(j, "value", l->value);
		if (used(l, x) >= 0)
			json_real(j, "used", used(l, x) / 100);
		json_close(j, '}');
	}
	json_close(j, ']');
}
