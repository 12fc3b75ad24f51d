// SPDX-License-Identifier: GPL-2.0-only
/* ctrace locks: how long tasks waited for locks of the kernel, by the kind of lock or by the stack. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "count/sums.h"

static const char usage[] =
"Usage: ctrace locks [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows how long tasks waited for locks of the kernel, for each container and kind\n"
"of lock: spinlock, mutex, rwsem:R (to read), rwsem:W (to write) and so on. A\n"
"wait counts when it ends. Needs Linux 5.19.\n";

#define FUNCTIONS	"sum(duration), count(), max(duration), hist(duration)"

enum { OPT_BY_STACK = OPT_VIEW_OWN };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("stack", OPT_BY_STACK, NULL, "also by the kernel's stack that led to the wait"),
	OPTION("folded", OPT_FOLDED, "FILE",
	       "at the end, write a line with the microseconds for each stack, for flame graphs; FILE - is "
	       "standard output"),
	OPTION("longer", OPT_LONGER, "TIME", "only waits of at least this time"),
	OPTION("failed", OPT_FAILED, NULL, "only waits that were given up, such as for a signal"),
	OPTION("by", OPT_BY, "KEY,...", "separately for each comm, tid, pid, lock, ret, ...", VIEW_KEYS),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s", "total count avg p50 p99 max kind"),
	{ 0 },
};

struct own {
	bool stack;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	if (opt == OPT_BY_STACK) {
		own->stack = true;
	} else if (opt == OPT_FOLDED) {
		own->stack = true;
		v->folded = optarg;
	} else {
		return false;
	}
	view_check_folded(v, status);
	return true;
}

static int groups(struct view *v)
{
	const struct own *own = v->own;
	const char *keys = own->stack ? "kind, stack" : "kind";
	int status = view_one_event(&v->o, "lock_contention", "ret != 0");

	if (status != CLI_OK)
		return status;
	if (v->folded && !v->by)
		keys = "comm, stack";
	view_add_group(v, NULL, view_aggregate(v, FUNCTIONS, keys));
	return CLI_OK;
}

/* The kind, and with --stack the frames behind it, one a line: so kinds with one name are one row. */
static void put_name(struct view *v, struct sbuf *b, const struct view_row *row)
{
	const struct own *own = v->own;

	if (view_is_other(row)) {
		sbuf_puts(b, "(other)");
		return;
	}
	/* both are keys of this view */
	view_put_key(v, b, row, (uint32_t)view_key(row->t->t, "kind"));
	if (!own->stack)
		return;
	sbuf_putc(b, '\n');
	view_put_stack(v, b, row, (uint32_t)view_key(row->t->t, "stack"));
}

/* --- columns ------------------------------------------------------------------ */

static struct cell average(const void *row)
{
	const struct sum *s = row;

	return (struct cell){ .n = sum_average(s) };
}

static void json_name(struct json *j, const void *row)
{
	const char *s = ((const struct sum *)row)->name, *end = strchr(s, '\n');

	json_strn(j, "kind", s, end ? (size_t)(end - s) : strlen(s));
	if (!end)
		return;
	json_open(j, "stack", '[');
	for (s = end + 1; (end = strchr(s, '\n')); s = end + 1) {
		s += strspn(s, " ");
		json_strn(j, NULL, s, (size_t)(end - s));
	}
	json_close(j, ']');
}

static const struct column columns[] = {
	{ "KIND", NULL, COLUMN_TEXT, COLUMN_AT(struct sum, name) },
	{ .json = json_name },
	SUM_COLUMN("COUNT", NULL, COLUMN_NUMBER, n),
	SUM_COLUMN("TOTAL", "total", COLUMN_NS, total),
	{ "AVG", "avg", COLUMN_NS, .get = average },
	SUM_PERCENTILES,
};
static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct sum), .first = "total", .whose = sum_whose, .tie = sum_tie,
};

/* --- text --------------------------------------------------------------------- */

static void put_kind(struct sbuf *b, const struct sum *s)
{
	const char *frames = strchr(s->name, '\n');

	sbuf_printf(b, ", kind = %.*s\n%s", (int)strcspn(s->name, "\n"), s->name, frames ? frames + 1 : "");
}

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	struct sums s;
	size_t n;

	sums_make_named(v, &s, put_name, "kind,stack");
	n = listing_sort(v, &listing, s.v, s.n);
	if (own->stack && !j)
		sums_print_stacks(v, s.v, n, put_kind, true);
	else
		listing_print(v, j, &listing, s.v, n);
	sums_free(&s);
}

static int run_locks(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .groups = groups, .print = print,
		.weight = sum_usecs,
	};
	struct own own = { 0 };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_locks = {
	.name = "locks", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_locks,
};
