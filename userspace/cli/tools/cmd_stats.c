// SPDX-License-Identifier: GPL-2.0-only
/* ctrace stats: which system calls, how often, how long, with which errors. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "commands.h"
#include "show/sink.h"
#include "count/sums.h"

static const char usage[] =
"Usage: ctrace stats [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Counts system calls in the kernel, for each container: how often each was made,\n"
"how long it took, how often it failed. A call counts when it returns. Times are\n"
"wall-clock times.\n"
"\n"
"What to show:\n"
"      --errnos          how often each error was returned\n"
"      --style STYLE     perf (default): as 'perf trace -s'; strace: as\n"
"                        'strace -c'\n"
"      --by KEY          separately for each tid, comm, pid, uid, ... (default\n"
"                        container)\n"
"  -e, --events CALLS    only these system calls\n"
"      --failed          only calls that failed\n"
"      --longer TIME     only calls that took at least this long\n"
"      --sort COLUMN     by syscall, calls, errors, total, min, avg, p99 or max\n"
"\n"
"Examples:\n"
"  ctrace stats web --duration 10           # the calls of a container\n"
"  ctrace stats --errnos -- make            # a command's calls and errors\n"
"  ctrace stats all --by comm --top 5 --interval 1\n"
"                                           # each second, by task name\n";

enum { OPT_ERRNOS = OPT_VIEW_OWN, OPT_STYLE };

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
	int status = view_sort_is(v, "syscall calls errors total min avg p99 max");

	if (status != CLI_OK)
		return status;
	if (!v->o.probes.nevents) {
		v->o.probes.events = xcalloc(1, sizeof(char *));
		v->o.probes.events[0] = xstrdup(every[0]);
		v->o.probes.nevents = 1;
	}
	view_add_group(v, NULL, view_aggregate(v, VIEW_DURATIONS, "syscall, errno"));
	return CLI_OK;
}

/* --- order ------------------------------------------------------------------- */

static double weight(const struct sum *s, const char *column)
{
	static const char *const columns[] = { "calls", "errors", "total", "min", "avg", "p99", "max" };
	size_t i = 0;

	while (column && i < ARRAY_SIZE(columns) && strcasecmp(column, columns[i]))
		i++;
	switch (column ? i : 2) {
	case 0:
		return (double)s->n;
	case 1:
		return (double)s->errors;
	case 3:
		return (double)s->min;
	case 4:
		return s->n ? (double)s->total / (double)s->n : 0;
	case 5:
		return (double)sum_percentile(s, 0.99);
	case 6:
		return (double)s->max;
	}
	return (double)s->total;
}

static int by_column(const void *a, const void *b, void *arg)
{
	const struct sum *x = a, *y = b;
	const char *column = arg;
	bool turned = column && *column == '-';
	double wx, wy;
	int r;

	column = turned ? column + 1 : column;
	if (column && !strcasecmp(column, "syscall")) {
		r = strcmp(x->name, y->name);
	} else {
		wx = weight(x, column);
		wy = weight(y, column);
		r = wx > wy ? -1 : wx < wy ? 1 : strcmp(x->name, y->name);
	}
	return turned ? -r : r;
}

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

static void put_errnos(struct sbuf *b, const struct sum *s)
{
	for (size_t i = 0; i < s->nerrnos; i++) {
		const char *name = s->errnos[i].err <= 4095 ? errno_name((int)s->errnos[i].err) : NULL;

		if (name)
			sbuf_printf(b, "\t\t\t\t%s: %llu\n", name, (unsigned long long)s->errnos[i].n);
		else
			sbuf_printf(b, "\t\t\t\t%u: %llu\n", s->errnos[i].err,
				    (unsigned long long)s->errnos[i].n);
	}
}

static void put_heading(const struct view *v, struct sbuf *b, const struct sum *first, const struct sum *all)
{
	sbuf_putc(b, ' ');
	view_put_container(v, b, first->cid);
	if (*first->by)
		sbuf_printf(b, ", %s", first->by);
	sbuf_printf(b, ", %llu calls, %llu errors\n\n", (unsigned long long)all->n,
		    (unsigned long long)all->errors);
}

static void perf_block(struct view *v, struct sbuf *b, const struct sum *s, size_t n, const struct sum *all)
{
	const struct own *own = v->own;

	put_heading(v, b, s, all);
	sbuf_puts(b, "   syscall            calls  errors  total       min       avg       p99       max\n"
		  "                                     (msec)    (msec)    (msec)    (msec)    (msec)\n"
		  "   --------------- --------  ------ -------- --------- --------- --------- ---------\n");
	for (size_t i = 0; i < n; i++) {
		sbuf_printf(b, "   %-15s %8llu %6llu %9.3f %9.3f %9.3f %9.3f %9.3f\n", s[i].name,
			    (unsigned long long)s[i].n, (unsigned long long)s[i].errors, msec(s[i].total),
			    msec(s[i].min), s[i].n ? msec(s[i].total) / (double)s[i].n : 0,
			    msec(sum_percentile(&s[i], 0.99)), msec(s[i].max));
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

static void show(struct view *v)
{
	const struct own *own = v->own;
	struct sbuf b = { 0 };
	struct sums s;

	sums_make(v, &s, "syscall", NULL);
	for (size_t i = 0, end; i < s.n; i = end) {
		struct sum all = { 0 };
		size_t n;

		end = block_end(&s, i);
		for (size_t k = i; k < end; k++)
			sum_add(&all, &s.v[k]);
		qsort_r(&s.v[i], end - i, sizeof(s.v[0]), by_column, (void *)v->sort);
		n = v->top && end - i > v->top ? v->top : end - i;
		sbuf_puts(&b, i ? "\n" : "");
		(own->strace ? strace_block : perf_block)(v, &b, &s.v[i], n, &all);
	}
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
	sums_free(&s);
}

static void show_json(struct view *v, struct json *j)
{
	struct sums s;

	sums_make(v, &s, "syscall", NULL);
	for (size_t i = 0, end; i < s.n; i = end) {
		end = block_end(&s, i);
		qsort_r(&s.v[i], end - i, sizeof(s.v[0]), by_column, (void *)v->sort);
		for (size_t k = i; k < end && (!v->top || k - i < v->top); k++) {
			const struct sum *x = &s.v[k];

			json_open(j, NULL, '{');
			view_json_container(v, j, x->cid, x->other);
			if (*x->by)
				json_str(j, "by", x->by);
			json_str(j, "syscall", x->name);
			json_uint(j, "calls", x->n);
			json_uint(j, "errors", x->errors);
			json_uint(j, "total", x->total);
			json_uint(j, "min", x->min);
			json_uint(j, "avg", x->n ? x->total / x->n : 0);
			json_uint(j, "p99", sum_percentile(x, 0.99));
			json_uint(j, "max", x->max);
			json_open(j, "errnos", '{');
			for (size_t e = 0; e < x->nerrnos; e++) {
				const uint32_t err = x->errnos[e].err;
				const char *name = err <= 4095 ? errno_name((int)err) : NULL;
				char number[16];

				snprintf(number, sizeof(number), "%u", err);
				json_uint(j, name ? name : number, x->errnos[e].n);
			}
			json_close(j, '}');
			json_close(j, '}');
		}
	}
	sums_free(&s);
}

static const struct option longs[] = {
	{ "errnos", no_argument, NULL, OPT_ERRNOS },
	{ "style", required_argument, NULL, OPT_STYLE },
	{ NULL, 0, NULL, 0 },
};

static int run_stats(int argc, char **argv)
{
	static const struct view_kind kind = {
		.longs = longs, .option = option, .groups = groups, .show = show, .show_json = show_json,
	};
	struct own own = { 0 };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_stats = COMMAND(stats, usage, HELP_COUNTS | HELP_EVENTS, run_stats);
