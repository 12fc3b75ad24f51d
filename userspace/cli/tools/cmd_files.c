// SPDX-License-Identifier: GPL-2.0-only
/* ctrace files: calls on files, counted by operation; or the slow ones, each with the file's name. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "show/file_ops.h"
#include "count/lines.h"
#include "count/sums.h"
#include "strace/paint.h"

static const char usage[] =
"Usage: ctrace files [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Counts what containers do with files, on all file systems: reads, writes, opens,\n"
"syncs and so on; how often, how many bytes, how long. Sockets, pipes and devices\n"
"are left out. A recording must have the names of descriptors, but for --all:\n"
"'ctrace record --fds'.\n";

#define FUNCTIONS	"count(), sum(duration), sum(ret), max(duration), hist(duration)"

enum { OPT_SLOWER = OPT_VIEW_OWN, OPT_HIST, OPT_ALL };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("slower", OPT_SLOWER, "TIME",
	       "a line for each operation that took at least TIME, as 10ms, with the file's name; the "
	       "kernel looks up no name for faster ones. close() is left out, as its name would have to be "
	       "looked up each time"),
	OPTION("hist", OPT_HIST, NULL, "a histogram for each container and operation"),
	OPTION("all", OPT_ALL, NULL, "calls on sockets, pipes and devices, too"),
	OPTION("by", OPT_BY, "KEY,...", "separately for each comm, pid, uid, ...; at most two", VIEW_KEYS),
	OPTION("failed", OPT_FAILED, NULL, "only calls that failed"),
	OPTION("longer", OPT_LONGER, "TIME", "only calls that took at least this long"),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s", "op count errors bytes total p50 p99 max"),
	{ 0 },
};

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
	if (v->o.probes.nevents)
		return cli_usage("files has its own calls: 'ctrace stats -e CALLS' shows others");
	v->o.probes.lenient = true;
	v->o.files = !own->all;
	view_add_group(v, FILE_OPS ",close", view_aggregate(v, FUNCTIONS, "syscall, errno"));
	view_add_io_uring(v, FUNCTIONS, "opcode, errno",
			  own->all ? FILE_OPS_IO_URING : FILE_OPS_IO_URING_FILE);
	return CLI_OK;
}

/* --- operations ---------------------------------------------------------------- */

static struct cell bytes(const void *row)
{
	const struct sum *s = row;

	size_t before = strncmp(s->name, IO_URING_OP, strlen(IO_URING_OP)) ? 0 : strlen(IO_URING_OP);

	if (!file_op_moves(s->name + before))
		return (struct cell){ .is = CELL_UNKNOWN };
	return (struct cell){ .n = s->more[0] };
}

static const struct column columns[] = {
	SUM_COLUMN("OP", "op", COLUMN_TEXT, name),
	SUM_COLUMN("COUNT", NULL, COLUMN_NUMBER, n),
	SUM_COLUMN("ERRORS", "errors", COLUMN_NUMBER, errors),
	{ "BYTES", "bytes", COLUMN_NUMBER, .get = bytes },
	SUM_COLUMN("TOTAL", "total", COLUMN_NS, total),
	SUM_PERCENTILES,
};
static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct sum), .first = "total", .whose = sum_whose, .tie = sum_tie,
};

/* Calls become operations. */
static void name_op(struct view *v, struct sbuf *b, const struct view_row *row)
{
	int k = view_key(row->t->t, "opcode");
	struct sbuf call = { 0 };

	if (view_is_io_uring(row->t) && k >= 0 && !view_is_other(row)) {
		const char *op = file_op_io_uring(row->r->key[row->t->t->keys[k].at]);

		sbuf_printf(b, IO_URING_OP "%s", op ? op : "?");
		return;
	}
	view_put_call(v, &call, row);
	sbuf_puts(b, file_op(call.s));
	sbuf_free(&call);
}

static void put_op(struct sbuf *b, const struct sum *s)
{
	sum_put_by(b, s);
	sbuf_printf(b, ", operation = %s", s->name);
}

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	struct sums s;
	size_t n;

	sums_make_named(v, &s, name_op, "syscall,opcode");
	n = listing_sort(v, &listing, s.v, s.n);
	if (own->hist && !j)
		sums_print_hists(v, s.v, sizeof(s.v[0]), n, put_op, BARS_USECS, NULL);
	else
		listing_print(v, j, &listing, s.v, n);
	sums_free(&s);
}

static int run_files(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .groups = groups, .print = print, .instead = instead,
	};
	struct own own = { 0 };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_files = {
	.name = "files", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_files,
};
