// SPDX-License-Identifier: GPL-2.0-only
/* ctrace stats: which system calls, how often, how long, with which errors. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "show/sink.h"
#include "count/sums.h"

static const char usage[] =
"Usage: ctrace stats [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Counts system calls in the kernel, for each container: how often each was made,\n"
"how long it took, how often it failed; and operations of io_uring. A call counts\n"
"when it returns. Times are wall-clock times.\n";

enum { OPT_ERRNOS = OPT_VIEW_OWN, OPT_STYLE };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("errnos", OPT_ERRNOS, NULL, "how often each error was returned"),
	OPTION("style", OPT_STYLE, "STYLE",
	       "perf (default): as 'perf trace -s'; strace: as\n'strace -c'", "perf strace"),
	OPTION("by", OPT_BY, "KEY,...",
	       "separately for each tid, comm, pid, uid, ... (default container)", VIEW_KEYS),
	OPTION("events", 'e', "CALLS", "only these system calls; a class has operations of io_uring, too"),
	OPTION("failed", OPT_FAILED, NULL, "only calls that failed"),
	OPTION("longer", OPT_LONGER, "TIME", "only calls that took at least this long"),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s", "syscall calls errors total min avg p99 max"),
	{ 0 },
};

struct own {
	bool errnos, strace;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	if (opt == OPT_ERRNOS) {
		own->errnos = true;
		return true;
	}
	if (opt != OPT_STYLE)
		return false;
	own->strace = !strcmp(optarg, "strace");
	if (!own->strace && strcmp(optarg, "perf"))
		*status = cli_usage("unknown style '%s': use --style perf or --style strace", optarg);
	return true;
}

static int groups(struct view *v)
{
	static char *every[] = { "calls" };
	bool all = !v->o.probes.nevents;
	char *ops;
	int status = probes_ops(&v->o.probes, &ops);

	if (status != CLI_OK)
		return status;
	if (all) {
		v->o.probes.events = xcalloc(1, sizeof(char *));
		v->o.probes.events[0] = xstrdup(every[0]);
		v->o.probes.nevents = 1;
	}
	view_add_group(v, NULL, view_aggregate(v, VIEW_DURATIONS, "syscall, errno"));
	if (all || ops)
		view_add_io_uring(v, VIEW_DURATIONS, "opcode, errno", ops);
	free(ops);
	return CLI_OK;
}

/* --- columns ----------------------------------------------------------------- */

static struct cell average(const void *row)
{
	const struct sum *s = row;

	return (struct cell){ .n = s->n ? s->total / s->n : 0 };
}

static struct cell exact_average(const void *row)
{
	const struct sum *s = row;

	return (struct cell){ .real = s->n ? (double)s->total / (double)s->n : 0 };
}

static void put_errno(struct sbuf *b, uint32_t err)
{
	const char *name = err <= 4095 ? errno_name((int)err) : NULL;

	if (name)
		sbuf_puts(b, name);
	else
		sbuf_u64(b, err);
}

static void json_errnos(struct json *j, const void *row)
{
	const struct sum *s = row;
	struct sbuf b = { 0 };

	json_open(j, "errnos", '{');
	for (size_t i = 0; i < s->nerrnos; i++) {
		sbuf_reset(&b);
		put_errno(&b, s->errnos[i].err);
		json_uint(j, b.s, s->errnos[i].n);
	}
	json_close(j, '}');
	sbuf_free(&b);
}

/* Columns for --sort and --json; text has forms of its own. */
static const struct column columns[] = {
	SUM_COLUMN("SYSCALL", "syscall", COLUMN_TEXT, name),
	SUM_COLUMN("CALLS", "calls", COLUMN_NUMBER, n),
	SUM_COLUMN("ERRORS", "errors", COLUMN_NUMBER, errors),
	SUM_COLUMN("TOTAL", "total", COLUMN_NS, total),
	SUM_COLUMN("MIN", "min", COLUMN_NS, min),
	{ NULL, "avg", COLUMN_NS, .get = average },
	{ .unit = COLUMN_REAL, .get = exact_average, .word = "avg" },
	{ "P99", "p99", COLUMN_PERCENTILE, .get = sum_p99 },
	SUM_COLUMN("MAX", "max", COLUMN_NS, max),
	{ .json = json_errnos },
};
static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct sum), .first = "total", .whose = sum_whose, .tie = sum_tie,
};

static size_t block_end(const struct sums *s, size_t from)
{
	size_t end = from + 1;

	while (end < s->n && sums_together(&s->v[from], &s->v[end]))
		end++;
	return end;
}

/* --- text -------------------------------------------------------------------- */

static double msec(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* The first two digits, of a number of ms with three places. */
static const char *percentile(char text[static 16], uint64_t ns)
{
	uint64_t n = two_digits(ns);

	snprintf(text, 16, "%.*f", n >= 10000000 ? 0 : n >= 1000000 ? 1 : n >= 100000 ? 2 : 3, msec(n));
	return text;
}

static void put_errnos(struct sbuf *b, const struct sum *s)
{
	for (size_t i = 0; i < s->nerrnos; i++) {
		sbuf_puts(b, "\t\t\t\t");
		put_errno(b, s->errnos[i].err);
		sbuf_printf(b, ": %llu\n", (unsigned long long)s->errnos[i].n);
	}
}

static void put_heading(const struct view *v, struct sbuf *b, const struct sum *first, const struct sum *all)
{
	sbuf_putc(b, ' ');
	view_put_container(v, b, first->cid);
	if (*first->by)
		sbuf_printf(b, ", %s", first->by);
	sbuf_puts(b, ", ");
	sbuf_count(b, all->n, "call");
	sbuf_puts(b, ", ");
	sbuf_count(b, all->errors, "error");
	sbuf_puts(b, "\n\n");
}

static void perf_block(struct view *v, struct sbuf *b, const struct sum *s, size_t n, const struct sum *all)
{
	const struct own *own = v->own;

	put_heading(v, b, s, all);
	sbuf_puts(b, "   syscall            calls  errors  total       min       avg       p99       max\n"
		  "                                     (msec)    (msec)    (msec)    (msec)    (msec)\n"
		  "   --------------- --------  ------ -------- --------- --------- --------- ---------\n");
	for (size_t i = 0; i < n; i++) {
		char p99[16];

		sbuf_printf(b, "   %-15s %8llu %6llu %9.3f %9.3f %9.3f %9s %9.3f\n", s[i].name,
			    (unsigned long long)s[i].n, (unsigned long long)s[i].errors, msec(s[i].total),
			    msec(s[i].min), s[i].n ? msec(s[i].total) / (double)s[i].n : 0,
			    percentile(p99, sum_percentile(&s[i], 0.99)), msec(s[i].max));
		if (own->errnos)
			put_errnos(b, &s[i]);
	}
}

static void strace_block(struct view *v, struct sbuf *b, const struct sum *s, size_t n, const struct sum *all)
{
	static const char line[] = "------ ----------- ----------- --------- --------- ----------------\n";
	const struct own *own = v->own;

	put_heading(v, b, s, all);
	sbuf_puts(b, "% time     seconds  usecs/call     calls    errors syscall\n");
	sbuf_puts(b, line);
	for (size_t i = 0; i <= n; i++) {
		const struct sum *x = i < n ? &s[i] : all;
		char errors[24] = "";

		if (i == n)
			sbuf_puts(b, line);
		if (x->errors)
			snprintf(errors, sizeof(errors), "%llu", (unsigned long long)x->errors);
		sbuf_printf(b, "%6.2f %11.6f %11llu %9llu %9s %s\n",
			    all->total ? 100 * (double)x->total / (double)all->total : 0,
			    (double)x->total / 1e9,
			    (unsigned long long)(x->n ? x->total / x->n / 1000 : 0),
			    (unsigned long long)x->n, errors,
			    i < n ? x->name : "total");
		if (own->errnos && i < n)
			put_errnos(b, x);
	}
}

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	struct sbuf b = { 0 };
	struct sums s;

	sums_make_named(v, &s, view_put_call, "syscall,opcode");
	for (size_t i = 0, end; i < s.n; i = end) {
		struct sum all = { 0 };
		size_t n;

		end = block_end(&s, i);
		n = listing_sort(v, &listing, &s.v[i], end - i);
		if (j) {
			listing_print(v, j, &listing, &s.v[i], n);
			continue;
		}
		for (size_t k = i; k < end; k++)
			sum_add(&all, &s.v[k]);
		sbuf_puts(&b, i ? "\n" : "");
		(own->strace ? strace_block : perf_block)(v, &b, &s.v[i], n, &all);
	}
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
	sums_free(&s);
}

static int run_stats(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .groups = groups, .print = print,
	};
	struct own own = { 0 };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_stats = {
	.name = "stats", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_stats,
};
