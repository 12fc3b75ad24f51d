// SPDX-License-Identifier: GPL-2.0-only
/* The options of all views, in one table, with those of a view itself behind them. */
#include <stdlib.h>
#include <string.h>
#include "count/view.h"

static const struct option common[] = {
	RUN_WHICH_OPTIONS,
	{ "by", required_argument, NULL, OPT_BY },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "rows", required_argument, NULL, OPT_ROWS },
	{ "explain", no_argument, NULL, OPT_EXPLAIN },
	{ "input", required_argument, NULL, 'i' },
};

static int number(const char *option, uint32_t *v)
{
	if (!parse_u32(optarg, v) && *v)
		return CLI_OK;
	return cli_usage("%s needs a number of 1 or more, not '%s'", option, optarg);
}

static bool view_option(struct view *v, int opt, int *status)
{
	switch (opt) {
	case 'i':
		v->recording = optarg;
		return true;
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
		if (parse_duration(optarg, &v->interval))
			*status = cli_usage("'%s' is not a duration: write 1, 0.5, 500ms or 1m", optarg);
		else if (v->interval < VIEW_INTERVAL_LEAST)
			*status = cli_usage("--interval takes 10ms or more, not '%s'", optarg);
		return true;
	case OPT_EXPLAIN:
		v->explain = true;
		return true;
	}
	return false;
}

int view_options(struct view *v, int argc, char **argv, bool *help)
{
	static char *everything[] = { "all", NULL };
	const struct option *own = v->kind->longs;
	size_t n = ARRAY_SIZE(common), nown = 0;
	int opt, status = CLI_OK, nwords;
	struct option *longs;
	char **words;

	while (own && own[nown].name)
		nown++;
	longs = xcalloc(n + nown + 1, sizeof(longs[0]));
	memcpy(longs, common, sizeof(common));
	if (nown)
		memcpy(longs + n, own, nown * sizeof(own[0]));
	*help = false;
	argc = run_split(argc, argv, &v->o.command);
	while (status == CLI_OK && !*help && (opt = getopt_long(argc, argv, ":e:bhi:jmTF:", longs, NULL)) != -1) {
		if (opt == 'h')
			*help = true;
		else if (!view_option(v, opt, &status) && !(opt != 'F' && run_option(&v->o, opt, &status)) &&
			 !(v->kind->option && v->kind->option(v, opt, &status)))
			status = cli_bad_option(opt, argv);
	}
	free(longs);
	if (*help || status != CLI_OK)
		return status;
	if (!v->interval)
		v->interval = v->kind->interval;
	if (v->count && !v->interval)
		return cli_usage("--count is a number of intervals: add --interval TIME");
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
