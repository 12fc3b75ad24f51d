// SPDX-License-Identifier: GPL-2.0-only
/* ctrace bio: which container's requests a disk served, and how long each took. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "commands.h"
#include "base/table.h"
#include "names/disks.h"
#include "count/lines.h"
#include "count/sums.h"

static const char usage[] =
"Usage: ctrace bio [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows the requests that disks served, for each container and disk: how many, of\n"
"how many bytes, and how long they took from their issue to the driver until\n"
"their completion. A request that writes data back later belongs to the container\n"
"that wrote the data.\n"
"\n"
"What to show:\n"
"      --hist            a histogram of the times for each container and disk\n"
"      --lines           a line for each request:\n"
"                        TIME COMM PID DISK T SECTOR BYTES QUE LAT ERR\n"
"  -m, --milliseconds    ranges of histograms in milliseconds, not microseconds\n"
"      --longer TIME     only requests that took at least this time\n"
"      --failed          only requests that failed\n"
"      --by KEY,...      separately for each comm, tid, error, ...; at most two\n"
"      --sort COLUMN     by ios, reads, writes, rbytes, wbytes, p50, p99, max or\n"
"                        disk\n"
"\n"
"Examples:\n"
"  ctrace bio all --duration 10             # each container and disk\n"
"  ctrace bio db --hist --interval 5        # histograms, every five seconds\n"
"  ctrace bio db --lines --longer 10ms      # each slow request\n";

#define FUNCTIONS	"count(), sum(bytes), max(duration), hist(duration)"

enum { OPT_HIST = OPT_VIEW_OWN, OPT_LINES, OPT_MILLISECONDS };

struct own {
	bool hist, lines, milliseconds;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	(void)status;
	if (opt == OPT_HIST)
		own->hist = true;
	else if (opt == OPT_LINES)
		own->lines = true;
	else if (opt == OPT_MILLISECONDS || opt == 'm')
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

	if (status == CLI_OK)
		status = view_sort_is(v, "ios reads writes rbytes wbytes p50 p99 max disk");
	if (status != CLI_OK)
		return status;
	view_add_group(v, NULL, view_aggregate(v, FUNCTIONS, "dev, rwbs"));
	return CLI_OK;
}

/* --- requests of a container on a disk ------------------------------------------- */

struct io {
	struct sum sum;		/* of all; total is bytes; borrows its texts */
	uint64_t reads, writes, rbytes, wbytes;
};

struct ios {
	struct sums sums;
	struct io *v;
	size_t n;
};

/* The disk's name, and behind it, so that one disk's stand together, what the request does. */
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

static double weight(const struct io *x, const char *column)
{
	const struct { const char *name; double value; } columns[] = {
		{ "reads", (double)x->reads }, { "writes", (double)x->writes },
		{ "rbytes", (double)x->rbytes }, { "wbytes", (double)x->wbytes },
		{ "p50", (double)sum_percentile(&x->sum, 0.5) }, { "p99", (double)sum_percentile(&x->sum, 0.99) },
		{ "max", (double)x->sum.max },
	};

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strcasecmp(columns[i].name, column))
			return columns[i].value;
	return (double)x->sum.n;
}

static int by_column(const void *a, const void *b, void *arg)
{
	const struct io *x = a, *y = b;
	bool turned;
	const char *column = view_sort_column(arg, "ios", &turned);
	double wx = weight(x, column), wy = weight(y, column);
	int r = wx > wy ? -1 : wx < wy;

	if (!r || !strcasecmp(column, "disk"))
		r = strcmp(x->sum.name, y->sum.name);
	return turned ? -r : r;
}

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
	}
	if (ios->n)
		qsort_r(ios->v, ios->n, sizeof(ios->v[0]), by_column, v);
	return v->top && v->top < ios->n ? v->top : ios->n;
}

static void ios_free(struct ios *ios)
{
	free(ios->v);
	sums_free(&ios->sums);
}

/* --- text and JSON ------------------------------------------------------------------ */

static void show_table(struct view *v, const struct ios *ios, size_t n)
{
	const char *heads[TABLE_COLUMNS] = { "CONTAINER" };
	static const char *const rest[] = {
		"DISK", "IOS", "READS", "WRITES", "RBYTES", "WBYTES", "P50", "P99", "MAX",
	};
	struct sbuf b = { 0 };
	struct table table;
	size_t columns = 1;

	if (v->by)
		heads[columns++] = "BY";
	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		heads[columns++] = rest[i];
	table_init(&table, heads, columns);
	for (size_t i = 0; i < n; i++) {
		const struct io *x = &ios->v[i];

		sbuf_reset(&b);
		view_put_container(v, &b, x->sum.cid);
		table_str(&table, b.s);
		if (v->by)
			table_str(&table, x->sum.by);
		table_str(&table, x->sum.name);
		table_num(&table, x->sum.n);
		table_num(&table, x->reads);
		table_num(&table, x->writes);
		table_size(&table, x->rbytes);
		table_size(&table, x->wbytes);
		table_ns(&table, sum_percentile(&x->sum, 0.5));
		table_ns(&table, sum_percentile(&x->sum, 0.99));
		table_ns(&table, x->sum.max);
		table_end_row(&table);
	}
	table_print(&table, stdout);
	table_free(&table);
	sbuf_free(&b);
}

static void show_hist(struct view *v, const struct ios *ios, size_t n)
{
	const struct own *own = v->own;
	struct sbuf b = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct sum *x = &ios->v[i].sum;

		sbuf_puts(&b, i ? "\ncontainer = " : "container = ");
		view_put_container(v, &b, x->cid);
		sbuf_printf(&b, ", disk = %s%s%s\n", x->name, *x->by ? ", " : "", x->by);
		sum_put_hist(&b, x, own->milliseconds ? BARS_MSECS : BARS_USECS);
	}
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
}

static void show(struct view *v)
{
	const struct own *own = v->own;
	struct ios ios;
	size_t n = make(v, &ios);

	(own->hist ? show_hist : show_table)(v, &ios, n);
	ios_free(&ios);
}

static void show_json(struct view *v, struct json *j)
{
	struct ios ios;
	size_t n = make(v, &ios);

	for (size_t i = 0; i < n; i++) {
		const struct io *x = &ios.v[i];

		json_open(j, NULL, '{');
		view_json_container(v, j, x->sum.cid, x->sum.other);
		if (*x->sum.by)
			json_str(j, "by", x->sum.by);
		json_str(j, "disk", x->sum.name);
		json_uint(j, "reads", x->reads);
		json_uint(j, "writes", x->writes);
		json_uint(j, "rbytes", x->rbytes);
		json_uint(j, "wbytes", x->wbytes);
		json_uint(j, "bytes", x->sum.total);
		view_json_hist(j, x->sum.hist, x->sum.max);
		json_close(j, '}');
	}
	ios_free(&ios);
}

static const struct option longs[] = {
	{ "hist", no_argument, NULL, OPT_HIST },
	{ "lines", no_argument, NULL, OPT_LINES },
	{ "milliseconds", no_argument, NULL, OPT_MILLISECONDS },
	{ NULL, 0, NULL, 0 },
};

static int run_bio(int argc, char **argv)
{
	static const struct view_kind kind = {
		.longs = longs, .option = option, .groups = groups, .show = show, .show_json = show_json, .instead = instead,
	};
	struct own own = { 0 };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_bio = COMMAND(bio, usage, HELP_COUNTS, run_bio);
