// SPDX-License-Identifier: GPL-2.0-only
/* ctrace files: calls on files, counted by what they do; or the slow ones, each with the file's name. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "commands.h"
#include "base/table.h"
#include "show/file_ops.h"
#include "count/lines.h"
#include "count/sums.h"

static const char usage[] =
"Usage: ctrace files [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Counts what containers do with files, on all file systems: reads, writes, opens,\n"
"syncs and so on; how often, how many bytes, how long. Sockets, pipes and devices\n"
"are left out. A recording must have the names of descriptors, but for --all:\n"
"'ctrace record -e views --fds'.\n"
"\n"
"What to show:\n"
"      --slower TIME     a line for each operation that took at least TIME, as\n"
"                        10ms, with the file's name; the kernel looks up no name\n"
"                        for faster ones. close() is left out, as its name would\n"
"                        have to be looked up each time\n"
"      --hist            a histogram for each container and operation\n"
"      --all             calls on sockets, pipes and devices, too\n"
"      --by KEY,...      separately for each comm, pid, uid, ...; at most two\n"
"      --failed          only calls that failed\n"
"      --longer TIME     only calls that took at least this long\n"
"      --sort COLUMN     by op, count, errors, bytes, total, p50, p99 or max\n"
"\n"
"Examples:\n"
"  ctrace files web --duration 10           # what a container does with files\n"
"  ctrace files all --slower 10ms           # each slow operation, with the name\n"
"  ctrace files all --by comm --sort bytes --top 10 --interval 1\n"
"                                           # each second, the busiest tasks\n";

#define FUNCTIONS	"count(), sum(duration), sum(ret), max(duration), hist(duration)"

enum { OPT_SLOWER = OPT_VIEW_OWN, OPT_HIST, OPT_ALL };

struct own {
	uint64_t slower;
	bool lines, hist, all;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	switch (opt) {
	case OPT_SLOWER:
		own->lines = true;
		if (parse_duration(optarg, &own->slower))
			*status = cli_usage("'%s' is not a duration: write 10ms, 1s or 500us", optarg);
		return true;
	case OPT_HIST:
		own->hist = true;
		return true;
	case OPT_ALL:
		own->all = true;
		return true;
	}
	return false;
}

static int instead(struct view *v)
{
	struct own *own = v->own;
	const struct lines_opts lo = { .form = &lines_files, .time = true, .all = own->all };

	if (!own->lines)
		return -1;
	if (own->hist)
		return cli_usage("--slower prints lines, --hist histograms: choose one");
	v->o.probes.longer = own->slower;
	return lines_run(v, &lo);
}

static int groups(struct view *v)
{
	const struct own *own = v->own;
	int status = view_sort_is(v, "op count errors bytes total p50 p99 max");

	if (status != CLI_OK)
		return status;
	if (v->o.probes.nevents)
		return cli_usage("files has its own calls: 'ctrace stats -e CALLS' shows others");
	v->o.probes.lenient = true;
	v->o.files = !own->all;
	view_add_group(v, FILE_OPS ",close", view_aggregate(v, FUNCTIONS, "syscall, errno"));
	return CLI_OK;
}

/* --- order ------------------------------------------------------------------- */

static double weight(const struct sum *s, const char *column)
{
	if (!strcasecmp(column, "count"))
		return (double)s->n;
	if (!strcasecmp(column, "errors"))
		return (double)s->errors;
	if (!strcasecmp(column, "bytes"))
		return (double)s->more;
	if (!strcasecmp(column, "p50"))
		return (double)sum_percentile(s, 0.5);
	if (!strcasecmp(column, "p99"))
		return (double)sum_percentile(s, 0.99);
	if (!strcasecmp(column, "max"))
		return (double)s->max;
	return (double)s->total;
}

static int by_column(const void *a, const void *b, void *arg)
{
	const struct sum *x = a, *y = b;
	const char *column = arg ? arg : "total";
	bool turned = *column == '-';
	double wx, wy;
	int r;

	column += turned;
	wx = weight(x, column);
	wy = weight(y, column);
	r = strcasecmp(column, "op") && wx != wy ? (wx > wy ? -1 : 1) : strcmp(x->name, y->name);
	return turned ? -r : r;
}

static int by_op(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;
	int r = x->cid == y->cid ? strcmp(x->by, y->by) : x->cid < y->cid ? -1 : 1;

	return r ? r : strcmp(x->name, y->name);
}

/* Calls become operations, in order. The caller frees *s. */
static void make(struct view *v, struct sums *s)
{
	size_t n = 0;

	sums_make(v, s, "syscall", NULL);
	for (size_t i = 0; i < s->n; i++) {
		char *op = xstrdup(file_op(s->v[i].name));

		free(s->v[i].name);
		s->v[i].name = op;
		if (!file_op_moves(op))
			s->v[i].more = 0;
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(s->v[0]), by_op);
	for (size_t i = 0; i < s->n; i++) {
		if (!n || by_op(&s->v[n - 1], &s->v[i])) {
			s->v[n++] = s->v[i];
			continue;
		}
		sum_add(&s->v[n - 1], &s->v[i]);
		sum_free(&s->v[i]);
	}
	s->n = n;
	if (n)
		qsort_r(s->v, n, sizeof(s->v[0]), by_column, (void *)v->sort);
}

/* --- text -------------------------------------------------------------------- */

static void show_table(struct view *v, const struct sums *s, size_t rows)
{
	static const char *const heads[] = {
		"CONTAINER", "BY", "OP", "COUNT", "ERRORS", "BYTES", "TOTAL", "P50", "P99", "MAX",
	}, *const plain[] = { "CONTAINER", "OP", "COUNT", "ERRORS", "BYTES", "TOTAL", "P50", "P99", "MAX" };
	struct sbuf b = { 0 };
	struct table t;

	if (v->by)
		table_init(&t, heads, ARRAY_SIZE(heads));
	else
		table_init(&t, plain, ARRAY_SIZE(plain));
	for (size_t i = 0; i < rows; i++) {
		const struct sum *x = &s->v[i];

		sbuf_reset(&b);
		view_put_container(v, &b, x->cid);
		table_str(&t, b.s);
		if (v->by)
			table_str(&t, x->by);
		table_str(&t, x->name);
		table_num(&t, x->n);
		table_num(&t, x->errors);
		if (file_op_moves(x->name))
			table_num(&t, x->more);
		else
			table_right(&t, "-");
		table_ns(&t, x->total);
		table_ns(&t, sum_percentile(x, 0.5));
		table_ns(&t, sum_percentile(x, 0.99));
		table_ns(&t, x->max);
		table_end_row(&t);
	}
	table_print(&t, stdout);
	table_free(&t);
	sbuf_free(&b);
}

static void show_hists(struct view *v, const struct sums *s, size_t rows)
{
	struct sbuf b = { 0 };

	for (size_t i = 0; i < rows; i++) {
		const struct sum *x = &s->v[i];

		sbuf_puts(&b, i ? "\ncontainer = " : "container = ");
		view_put_container(v, &b, x->cid);
		sbuf_printf(&b, "%s%s, operation = %s\n", *x->by ? ", " : "", x->by, x->name);
		sum_put_hist(&b, x, BARS_USECS);
	}
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
}

static void show(struct view *v)
{
	const struct own *own = v->own;
	struct sums s;
	size_t rows;

	make(v, &s);
	rows = v->top && v->top < s.n ? v->top : s.n;
	(own->hist ? show_hists : show_table)(v, &s, rows);
	sums_free(&s);
}

static void show_json(struct view *v, struct json *j)
{
	struct sums s;

	make(v, &s);
	for (size_t i = 0; i < s.n && (!v->top || i < v->top); i++) {
		const struct sum *x = &s.v[i];

		json_open(j, NULL, '{');
		view_json_container(v, j, x->cid, x->other);
		if (*x->by)
			json_str(j, "by", x->by);
		json_str(j, "op", x->name);
		json_uint(j, "errors", x->errors);
		if (file_op_moves(x->name))
			json_uint(j, "bytes", x->more);
		else
			json_null(j, "bytes");
		json_uint(j, "total", x->total);
		view_json_hist(j, x->hist, x->max);
		json_close(j, '}');
	}
	sums_free(&s);
}

static const struct option longs[] = {
	{ "slower", required_argument, NULL, OPT_SLOWER },
	{ "hist", no_argument, NULL, OPT_HIST },
	{ "all", no_argument, NULL, OPT_ALL },
	{ NULL, 0, NULL, 0 },
};

static int run_files(int argc, char **argv)
{
	static const struct view_kind kind = {
		.longs = longs, .option = option, .groups = groups, .show = show, .show_json = show_json, .instead = instead,
	};
	struct own own = { 0 };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_files = COMMAND(files, usage, HELP_COUNTS, run_files);
