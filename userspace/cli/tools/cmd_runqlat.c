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
"max.\n";

enum { OPT_REASONS = OPT_VIEW_OWN };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("reasons", OPT_REASONS, NULL, "tasks that were woken and preempted ones separately"),
	OPTION("milliseconds", 'm', NULL, "ranges in milliseconds, not microseconds"),
	OPTION("by", OPT_BY, "KEY,...", "separately for each comm, pid, tid, prio, wait_cpu, ...", VIEW_KEYS),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s", "count p50 p99 max"),
	{ 0 },
};

struct own {
	bool reasons, milliseconds;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	(void)status;
	if (opt == OPT_REASONS)
		own->reasons = true;
	else if (opt == 'm')
		own->milliseconds = true;
	else
		return false;
	return true;
}

static int groups(struct view *v)
{
	if (v->o.probes.nevents)
		return cli_usage("runqlat shows sched_wait alone: 'ctrace hist duration -e EVENT' shows others");
	v->o.probes.events = xcalloc(1, sizeof(char *));
	v->o.probes.events[0] = xstrdup("sched_wait");
	v->o.probes.nevents = 1;
	view_add_group(v, NULL, view_aggregate(v, VIEW_DURATIONS, view_list_has(v->by, "reason") ? NULL : "reason"));
	return CLI_OK;
}

/* For --json and --sort: text is a histogram. */
static const struct column columns[] = {
	SUM_COLUMN("COUNT", NULL, COLUMN_NUMBER, n),
	SUM_COLUMN(NULL, "total", COLUMN_NS, total),
	SUM_PERCENTILES,
};
static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct sum), .first = "count", .whose = sum_whose,
};

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	struct sums s;
	size_t n;

	/* without --reasons, both are one */
	sums_make(v, &s, NULL, own->reasons || view_list_has(v->by, "reason") ? NULL : "reason");
	n = listing_sort(v, &listing, s.v, s.n);
	if (j)
		listing_print(v, j, &listing, s.v, n);
	else
		sums_print_hists(v, s.v, sizeof(s.v[0]), n, sum_put_by,
				 own->milliseconds ? BARS_MSECS : BARS_USECS, NULL);
	sums_free(&s);
}

static int run_runqlat(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .groups = groups, .print = print, .waits = true,
	};
	struct own own = { 0 };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_runqlat = {
	.name = "runqlat", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_runqlat,
};
