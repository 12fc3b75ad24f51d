// SPDX-License-Identifier: GPL-2.0-only
/* Tables of options that all views have; a view's own options follow them. */
#include <string.h>
#include "count/view.h"
#include "run/window_options.h"

const struct cli_option view_source_options[] = {
	OPTION("input", 'i', "DIR",
	       "take the events that 'ctrace record' wrote into DIR, not live ones. TARGET is "
	       "then as for 'ctrace report'"),
	WINDOW_OPTIONS("with --input: "),
	OPTION("explain", OPT_EXPLAIN, NULL, "say which probes and tables it would use, and end"),
	{ 0 },
};

const struct cli_option view_count_options[] = {
	OPTION("top", OPT_TOP, "N", "only the first N rows"),
	OPTION("sort", OPT_SORT, "COLUMN", "order by this column; -COLUMN: the other way round"),
	OPTION("interval", OPT_INTERVAL, "TIME", "print what came in each interval: 1, 500ms, 1m"),
	OPTION("count", OPT_COUNT, "N", "end after N intervals"),
	OPTION("rows", OPT_ROWS, "N",
	       "rows of each table on each CPU (default "
	       TEXT_OF(VIEW_ROWS) "); events that find no free row count in "
	       "their container's row (other)"),
	VIEW_BY_OPTION,
	VIEW_VERBOSE_OPTION,
	{ 0 },
};

/* Hidden options. A view that uses one shows it in its own table. */
static const struct cli_option untold[] = {
	OPTION("events", 'e', "EVENTS", NULL),
	OPTION("longer", OPT_LONGER, "TIME", NULL),
	OPTION("failed", OPT_FAILED, NULL, NULL),
	{ 0 },
};

static int number(const char *option, uint32_t *v)
{
	if (!parse_u32(optarg, v) && *v)
		return CLI_OK;
	return cli_usage("%s needs a number of 1 or more, not '%s'", option, optarg);
}

int view_interval(const char *text, uint64_t *ns)
{
	if (parse_duration(text, ns))
		return cli_usage("'%s' is not a duration: write 1, 0.5, 500ms or 1m", text);
	if (*ns < VIEW_INTERVAL_LEAST)
		return cli_usage("--interval takes 10ms or more, not '%s'", text);
	return CLI_OK;
}

void view_check_folded(const struct view *v, int *status)
{
	/* flame's --json is about errors */
	if (v->folded && cli_json && strcmp(cli_cmd->name, "flame"))
		*status = cli_usage("--folded and --json are two forms of output: choose one");
	else if (v->folded && v->interval)
		*status = cli_usage("--folded writes once, at the end: leave out --interval");
}

static bool view_option(struct view *v, int opt, int *status)
{
	switch (opt) {
	case 'i':
		v->recording = optarg;
		return true;
	case OPT_FROM:
	case OPT_TO:
	case OPT_LAST:
		return window_option(&v->window, opt);
	case OPT_BY:
		v->by = optarg;
		return true;
	case OPT_SORT:
		v->sort = optarg;
		return true;
	case OPT_TOP:
		*status = number("--top", &v->top);
		return true;
	case OPT_COUNT:
		*status = number("--count", &v->count);
		return true;
	case OPT_ROWS:
		*status = number("--rows", &v->rows);
		if (*status == CLI_OK && v->rows > CTRACE_TABLE_ROWS_MAX)
			*status = cli_usage("--rows takes at most %u, not %u", CTRACE_TABLE_ROWS_MAX, v->rows);
		return true;
	case OPT_INTERVAL:
		*status = view_interval(optarg, &v->interval);
		return true;
	case OPT_EXPLAIN:
		v->explain = true;
		return true;
	case 'v':
		v->verbose = true;
		return true;
	}
	return false;
}

int view_options(struct view *v, int argc, char **argv, bool *help)
{
	static char *everything[] = { "all", NULL };
	const struct cli_option *const more[] = {
		untold, run_target_options, view_source_options, view_count_options, cli_every_option,
	};
	struct getopts g = getopts_of(v->kind->options);
	int opt, status = CLI_OK, nwords;
	char **words;

	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		getopts_add(&g, more[i]);
	*help = false;
	argc = run_split(argc, argv, &v->o.command);
	while (status == CLI_OK && !*help && (opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			*help = true;
		else if (!view_option(v, opt, &status) && !(opt != 'F' && run_option(&v->o, opt, &status)) &&
			 !(v->kind->option && v->kind->option(v, opt, &status)))
			status = cli_bad_option(opt, argv, &g);
	}
	if (*help || status != CLI_OK)
		return status;
	if (!v->interval)
		v->interval = v->kind->interval;
	if (v->count && !v->interval)
		return cli_usage("--count is a number of intervals: add --interval TIME");
	if (!v->recording && window_given(&v->window))
		return cli_usage("--from, --to and --last choose a part of a recording: add --input DIR");
	if (v->recording && (v->o.follow || v->o.command || v->explain))
		return cli_usage("--input counts what was recorded: leave out %s",
				 v->o.command ? "the COMMAND" : v->explain ? "--explain" : "--follow and --wait");
	words = argv + optind;
	nwords = argc - optind;
	status = v->kind->words ? v->kind->words(v, &words, &nwords) : CLI_OK;
	if (!nwords && !v->o.command) {
		words = everything;
		nwords = 1;
	}
	v->o.targets = words;
	v->o.ntargets = nwords;
	return status;
}
