// SPDX-License-Identifier: GPL-2.0-only
/* ctrace bio: which container's requests a disk served, how long each took, and how long it waited before. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "names/disks.h"
#include "count/lines.h"
#include "tools/bio.h"

static const char usage[] =
"Usage: ctrace bio [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows the requests that disks served, for each container and disk: how many, of\n"
"how many bytes, how long they waited before their issue to the driver, and how\n"
"long they took from there until their completion. Then it says what held the\n"
"container up: the disk, the queue before it, or its limit (io.max). A request\n"
"that writes data back later belongs to the container that wrote the data.\n";

/* The module counts these in this order with the fewest instructions. */
#define FUNCTIONS \
	"count(), sum(bytes), sum(duration), sum(queued), sum(throttled), max(duration), hist(duration), " \
	"hist(queued)"
/* Two histograms make long rows; there is one for each container, disk and kind of request */
#define ROWS		(VIEW_ROWS / 2)

enum { OPT_HIST = OPT_VIEW_OWN, OPT_LINES };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("hist", OPT_HIST, NULL, "a histogram of the times for each container and disk"),
	OPTION("lines", OPT_LINES, NULL,
	       "a line for each request:\nTIME COMM PID DISK T SECTOR BYTES QUE THR LAT ERR"),
	OPTION("milliseconds", 'm', NULL, "ranges of histograms in milliseconds, not microseconds"),
	OPTION("longer", OPT_LONGER, "TIME", "only requests that took at least this time"),
	OPTION("failed", OPT_FAILED, NULL, "only requests that failed"),
	OPTION("by", OPT_BY, "KEY,...", "separately for each comm, tid, error, ...; at most two", VIEW_KEYS),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s",
	       "ios reads writes flushes discards rbytes wbytes que50 que99 p50 p99 max disk"),
	{ 0 },
};

struct own {
	bool hist, lines, milliseconds;
	struct bio_limits limits;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	(void)status;
	if (opt == OPT_HIST)
		own->hist = true;
	else if (opt == OPT_LINES)
		own->lines = true;
	else if (opt == 'm')
		own->milliseconds = true;
	else
		return false;
	return true;
}

/* Single requests are records, and nothing is counted. */
static int instead(struct view *v)
{
	const struct own *own = v->own;
	const struct lines_opts lo = { .form = &lines_bio };

	if (!own->lines)
		return -1;
	return own->hist ? cli_usage("--lines prints lines, --hist histograms: choose one") : lines_run(v, &lo);
}

static int groups(struct view *v)
{
	int status = view_one_event(&v->o, "block_io", "error != 0");

	if (status != CLI_OK)
		return status;
	view_add_group(v, NULL, view_aggregate(v, FUNCTIONS, "dev, rwbs"));
	v->groups[0].rows = v->rows ? v->rows : ROWS;
	return CLI_OK;
}

static void look(struct view *v)
{
	struct own *own = v->own;

	bio_limits_look(v, &own->limits);
}

/* --- requests of a container on a disk ------------------------------------------- */

struct ios {
	struct sums sums;
	struct io *v;
	size_t n;
};

/* The disk's name, then the request's direction: so all rows of a disk stand together. */
static void put_disk(struct view *v, struct sbuf *b, const struct view_row *row)
{
	const struct ctrace_table *t = row->t->t;
	char direction = 'N';

	if (view_is_other(row)) {
		sbuf_puts(b, "(other)");
		return;
	}
	for (uint32_t k = 0; k < t->nkeys; k++) {
		if (!strcmp(t->keys[k].name, "dev"))
			disk_put(b, (uint32_t)row->r->key[t->keys[k].at], !v->recording);
		if (!strcmp(t->keys[k].name, "rwbs"))
			direction = disk_direction(row->r->key[t->keys[k].at]);
	}
	sbuf_putc(b, '\n');
	sbuf_putc(b, direction);
}

#define IO_COLUMN(head, key, unit, member)	{ head, key, unit, COLUMN_AT(struct io, member) }

static void json_queued(struct json *j, const void *row)
{
	const struct sum *s = row;
	static const uint64_t none[CTRACE_TABLE_BUCKETS];
	const uint64_t *h = s->second ? s->second : none;

	json_open(j, "queued", '{');
	json_uint(j, "total", s->more[IO_QUEUED]);
	view_json_hist(j, h, ctrace_hist_max(h));
	json_close(j, '}');
}

static const struct column columns[] = {
	SUM_COLUMN("DISK", "disk", COLUMN_TEXT, name),
	SUM_COLUMN("IOS", NULL, COLUMN_NUMBER, n),
	IO_COLUMN("READS", "reads", COLUMN_NUMBER, reads),
	IO_COLUMN("WRITES", "writes", COLUMN_NUMBER, writes),
	IO_COLUMN("FLUSHES", "flushes", COLUMN_NUMBER, flushes),
	IO_COLUMN("DISCARDS", "discards", COLUMN_NUMBER, discards),
	IO_COLUMN("RBYTES", "rbytes", COLUMN_BYTES, rbytes),
	IO_COLUMN("WBYTES", "wbytes", COLUMN_BYTES, wbytes),
	SUM_COLUMN(NULL, "bytes", COLUMN_BYTES, total),
	{ "QUE50", NULL, COLUMN_PERCENTILE, .get = sum_second_p50 },
	{ "QUE99", NULL, COLUMN_PERCENTILE, .get = sum_second_p99 },
	{ .json = json_queued },
	SUM_COLUMN(NULL, "throttled", COLUMN_NS, more[IO_THROTTLED]),
	SUM_COLUMN(NULL, "duration", COLUMN_NS, more[IO_DURATION]),
	{ .json = json_held_up_by },
	{ .json = json_limits },
	SUM_PERCENTILES,
};
static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct io), .first = "ios", .whose = sum_whose, .tie = sum_tie,
};

/* Returns how many are shown. */
static size_t make(struct view *v, struct ios *ios)
{
	memset(ios, 0, sizeof(*ios));
	sums_make_named(v, &ios->sums, put_disk, "dev,rwbs");
	ios->v = xcalloc(ios->sums.n + 1, sizeof(ios->v[0]));
	for (size_t i = 0; i < ios->sums.n; i++) {
		struct sum *s = &ios->sums.v[i];
		char *end = strchr(s->name, '\n'), direction = end ? end[1] : 'N';
		struct io *x = ios->n ? &ios->v[ios->n - 1] : NULL;

		if (end)
			*end = '\0';
		if (!x || !sums_together(&x->sum, s) || strcmp(x->sum.name, s->name)) {
			x = &ios->v[ios->n++];
			x->sum = (struct sum){ .cid = s->cid, .other = s->other, .by = s->by, .name = s->name };
		}
		sum_add(&x->sum, s);
		x->reads += direction == 'R' ? s->n : 0;
		x->rbytes += direction == 'R' ? s->total : 0;
		x->writes += direction == 'W' ? s->n : 0;
		x->wbytes += direction == 'W' ? s->total : 0;
		x->flushes += direction == 'F' ? s->n : 0;
		x->discards += direction == 'D' ? s->n : 0;
	}
	bio_limits_judge(v, &((struct own *)v->own)->limits, ios->v, ios->n);
	return listing_sort(v, &listing, ios->v, ios->n);
}

static void ios_free(struct ios *ios)
{
	for (size_t i = 0; i < ios->n; i++)
		free(ios->v[i].sum.second);
	free(ios->v);
	sums_free(&ios->sums);
}

static void put_disk_name(struct sbuf *b, const struct sum *s)
{
	sbuf_printf(b, ", disk = %s", s->name);
	sum_put_by(b, s);
}

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	struct ios ios;
	size_t n = make(v, &ios);

	if (own->hist && !j)
		sums_print_hists(v, ios.v, sizeof(ios.v[0]), n, put_disk_name,
				 own->milliseconds ? BARS_MSECS : BARS_USECS, "before its issue");
	else
		listing_print(v, j, &listing, ios.v, n);
	if (!own->hist && !j)
		bio_print_held(v, ios.v, n);
	ios_free(&ios);
}

static int run_bio(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .groups = groups, .tick = look, .print = print,
		.instead = instead,
	};
	struct own own = { 0 };
	int status = view_run(&kind, &own, argc, argv);

	bio_limits_free(&own.limits);
	return status;
}

const struct command cmd_bio = {
	.name = "bio", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_bio,
};
