// SPDX-License-Identifier: GPL-2.0-only
/* ctrace runqlat: how long tasks that could run waited for a CPU. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "count/sums.h"

static const char usage[] =
"Usage: ctrace runqlat [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows how long runnable tasks waited for a CPU: from being woken, or being\n"
"preempted, until they ran. A histogram for each container, and its p50, p99 and\n"
"max.\n"
"\n"
"What to show:\n"
"      --reasons         tasks that were woken and preempted ones separately\n"
"  -m, --milliseconds    ranges in milliseconds, not microseconds\n"
"      --by KEY,...      separately for each comm, pid, tid, prio, wait_cpu, ...\n"
"      --sort COLUMN     by count, p50, p99 or max\n"
"\n"
"Examples:\n"
"  ctrace runqlat web --duration 10         # one container\n"
"  ctrace runqlat all --reasons --interval 1\n"
"                                           # each second, woken or preempted\n"
"  ctrace runqlat web --by comm --top 5     # which of its tasks\n";

enum { OPT_REASONS = OPT_VIEW_OWN, OPT_MILLISECONDS };

struct own {
	bool reasons, milliseconds;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	(void)status;
	if (opt == OPT_REASONS)
		own->reasons = true;
	else if (opt == OPT_MILLISECONDS || opt == 'm')
		own->milliseconds = true;
	else
		return false;
	return true;
}

static int groups(struct view *v)
{
	int status = view_sort_is(v, "count p50 p99 max");

	if (status != CLI_OK)
		return status;
	if (v->o.probes.nevents)
		return cli_usage("runqlat shows sched_wait alone: 'ctrace hist duration -e EVENT' shows others");
	v->o.probes.events = xcalloc(1, sizeof(char *));
	v->o.probes.events[0] = xstrdup("sched_wait");
	v->o.probes.nevents = 1;
	view_add_group(v, NULL, view_aggregate(v, VIEW_DURATIONS, view_list_has(v->by, "reason") ? NULL : "reason"));
	return CLI_OK;
}

static double weight(const struct sum *s, const char *column)
{
	if (column && !strcmp(column, "p50"))
		return (double)sum_percentile(s, 0.5);
	if (column && !strcmp(column, "p99"))
		return (double)sum_percentile(s, 0.99);
	if (column && !strcmp(column, "max"))
		return (double)s->max;
	return (double)s->n;
}

static int by_column(const void *a, const void *b, void *arg)
{
	const char *column = arg;
	bool turned = column && *column == '-';
	double x, y;
	int r;

	column = turned ? column + 1 : column;
	x = weight(a, column);
	y = weight(b, column);
	r = x > y ? -1 : x < y;
	return turned ? -r : r;
}

static void make(struct view *v, struct sums *s)
{
	const struct own *own = v->own;

	/* without --reasons, both are one */
	sums_make(v, s, NULL, own->reasons || view_list_has(v->by, "reason") ? NULL : "reason");
	if (s->n)
		qsort_r(s->v, s->n, sizeof(s->v[0]), by_column, (void *)v->sort);
}

static void show(struct view *v)
{
	const struct own *own = v->own;
	struct sbuf b = { 0 };
	struct sums s;

	make(v, &s);
	for (size_t i = 0; i < s.n && (!v->top || i < v->top); i++) {
		const struct sum *x = &s.v[i];

		sbuf_puts(&b, i ? "\ncontainer = " : "container = ");
		view_put_container(v, &b, x->cid);
		sbuf_printf(&b, "%s%s\n", *x->by ? ", " : "", x->by);
		sum_put_hist(&b, x, own->milliseconds ? BARS_MSECS : BARS_USECS);
	}
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
	sums_free(&s);
}

static void show_json(struct view *v, struct json *j)
{
	struct sums s;

	make(v, &s);
	for (size_t i = 0; i < s.n && (!v->top || i < v->top); i++) {
		json_open(j, NULL, '{');
		view_json_container(v, j, s.v[i].cid, s.v[i].other);
		if (*s.v[i].by)
			json_str(j, "by", s.v[i].by);
		json_uint(j, "total", s.v[i].total);
		view_json_hist(j, s.v[i].hist, s.v[i].max);
		json_close(j, '}');
	}
	sums_free(&s);
}

static const struct option longs[] = {
	{ "reasons", no_argument, NULL, OPT_REASONS },
	{ "milliseconds", no_argument, NULL, OPT_MILLISECONDS },
	{ NULL, 0, NULL, 0 },
};

static int run_runqlat(int argc, char **argv)
{
	static const struct view_kind kind = {
		.longs = longs, .option = option, .groups = groups, .show = show, .show_json = show_json,
	};
	struct own own = { 0 };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_runqlat = COMMAND(runqlat, usage, HELP_COUNTS, run_runqlat);
