// SPDX-License-Identifier: GPL-2.0-only
/* ctrace count, hist, agg, stackcount: the tables as they are. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "count/heat.h"

enum { OPT_USER = OPT_VIEW_OWN, OPT_HEAT };

#define FIRST_WORD_HELP \
"The first word is the events. Further words that name events are events, too:\n" \
"write cid:N for a container of such a name.\n"

static const char count_usage[] =
"Usage: ctrace count [OPTIONS] EVENTS [EVENT...] [TARGET...]\n"
"                    [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Counts events in the kernel, for each container, and records none. System calls\n"
"count when they return.\n"
FIRST_WORD_HELP;

static const struct cli_option count_options[] = {
	{ .help = "Count separately:" },
	VIEW_BY_OPTION,
	{ .help = "Which events:" },
	OPTION("events", 'e', "EVENTS", "the events; then all words are TARGETs"),
	OPTION("failed", OPT_FAILED, NULL, "only calls that failed"),
	OPTION("longer", OPT_LONGER, "TIME", "only calls that took at least this long"),
	{ 0 },
};

static const char hist_usage[] =
"Usage: ctrace hist [OPTIONS] FIELD -e EVENTS [TARGET...]\n"
"                   [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows how the values of a field are distributed: a histogram for each container\n"
"and event.\n";

static const struct cli_option hist_options[] = {
	{ .help = "Count separately:" },
	VIEW_BY_OPTION,
	{ .help = "How:" },
	OPTION("heat", OPT_HEAT, NULL,
	       "a line for each interval (default 1) and container: values to the right, each column twice "
	       "the last; the shade says how many"),
	{ .help = "Which events:" },
	OPTION("events", 'e', "EVENTS", "the events that have the field"),
	OPTION("failed", OPT_FAILED, NULL, "only calls that failed"),
	OPTION("longer", OPT_LONGER, "TIME", "only calls that took at least this long"),
	{ 0 },
};

static const char agg_usage[] =
"Usage: ctrace agg [OPTIONS] -e 'EVENTS [if EXPR] => FUNCTION,... [by KEY,...]'\n"
"                  [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Adds up numbers of events in the kernel. FUNCTION is count(), sum(F), min(F),\n"
"max(F), avg(F) or hist(F) of a field F, at most 8; KEY as for --by. Each -e has\n"
"a table of its own.\n";

static const struct cli_option agg_options[] = {
	{ .help = "Count separately:" },
	VIEW_BY_OPTION,
	{ .help = "How:" },
	OPTION("events", 'e', "TEXT", "what to add up, as above; repeat for more tables", "@events"),
	OPTION("folded", OPT_FOLDED, "FILE",
	       "if a key is a stack: at the end, write a line for each row, for flame graphs; FILE - is "
	       "standard output"),
	{ 0 },
};

static const char stackcount_usage[] =
"Usage: ctrace stackcount [OPTIONS] EVENT|FUNCTION [TARGET...]\n"
"                         [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Counts the stacks that lead to an event, or to a function of the kernel.\n";

static const struct cli_option stackcount_options[] = {
	{ .help = "Which stacks:" },
	OPTION("events", 'e', "EVENTS", "the events; then all words are TARGETs"),
	OPTION("user", OPT_USER, NULL, "the program's, for each process; without it the kernel's"),
	{ .help = "Count separately:" },
	VIEW_BY_OPTION,
	{ .help = "How:" },
	OPTION("folded", OPT_FOLDED, "FILE",
	       "at the end, write a line for each stack, for flame graphs; FILE - is standard output"),
	{ 0 },
};

/* Options and words of the command line, for groups(). */
struct own {
	char **words, **targets;
	int nwords, ntargets;
	bool user;
	uint64_t most;		/* for heat_show() */
};

static bool names_event(const struct view *v, const char *word)
{
	bool whole;

	if (!strncmp(word, "kprobe:", 7) || !strncmp(word, "kretprobe:", 10) || !strncmp(word, "func:", 5) || *word == '%')
		return true;
	return probe_event_named(v->run.schema, word) || probe_call_named(v->run.schema, word, &whole);
}

static int take_words(struct view *v, char ***words, int *n)
{
	struct own *own = v->own;

	own->words = *words;
	own->nwords = *n;
	own->targets = xcalloc((size_t)*n + 2, sizeof(char *));
	/* groups() knows which are targets */
	*n = 1;
	own->targets[0] = (char *)"all";
	*words = own->targets;
	if (own->nwords || v->o.probes.nevents)
		return CLI_OK;
	return cli_usage("nothing to count: name an event ('ctrace events' lists them)");
}

/* All words but the first `taken` that name no events are targets. */
static int sort_words(struct view *v, int taken, bool events)
{
	struct own *own = v->own;

	for (int i = taken; i < own->nwords; i++) {
		if (events && names_event(v, own->words[i])) {
			v->o.probes.events = xrealloc(v->o.probes.events,
						      (v->o.probes.nevents + 1) * sizeof(char *));
			v->o.probes.events[v->o.probes.nevents++] = xstrdup(own->words[i]);
		} else {
			own->targets[own->ntargets++] = own->words[i];
		}
	}
	if (!own->ntargets && !v->o.command)
		own->targets[own->ntargets++] = (char *)"all";
	v->o.targets = own->targets;
	v->o.ntargets = own->ntargets;
	return CLI_OK;
}

static void add_event(struct view *v, const char *text)
{
	struct probes_opts *p = &v->o.probes;

	p->events = xrealloc(p->events, (p->nevents + 1) * sizeof(char *));
	p->events[p->nevents++] = xstrdup(text);
}

static int count_groups(struct view *v)
{
	struct own *own = v->own;
	bool given = v->o.probes.nevents;

	if (!given)
		add_event(v, own->words[0]);
	sort_words(v, !given, !given);
	view_add_group(v, NULL, view_aggregate(v, "count()", NULL));
	return CLI_OK;
}

static int hist_groups(struct view *v)
{
	struct own *own = v->own;
	char *fn;

	if (!own->nwords)
		return cli_usage("hist needs a field: 'ctrace events -v EVENT' lists them");
	if (!v->o.probes.nevents)
		return cli_usage("hist needs events: add -e EVENTS");
	sort_words(v, 1, false);
	fn = xasprintf("hist(%s)", own->words[0]);
	view_add_group(v, NULL, view_aggregate(v, fn, NULL));
	free(fn);
	return CLI_OK;
}

/* Does a function count? Without one, the account could not say how many events there were. */
static bool counts(const char *functions, size_t n)
{
	static const char *const those[] = { "count", "avg", "hist" };
	char *text = xstrndup(functions, n);
	bool yes = false;

	for (size_t i = 0; i < ARRAY_SIZE(those); i++)
		yes |= strstr(text, those[i]) != NULL;
	free(text);
	return yes;
}

/* Is "freeze" one of the n bytes' functions? That is what records do, and here are none. */
static bool freezes(const char *functions, size_t n)
{
	for (size_t at = 0, len; at < n; at += len + 1) {
		at += strspn(functions + at, " \t\n");
		len = strcspn(functions + at, ",");
		if (at + len > n)
			len = n - at;
		if (len >= 6 && !strncmp(functions + at, "freeze", 6) &&
		    strspn(functions + at + 6, " \t\n") >= len - 6)
			return true;
	}
	return false;
}

static int agg_groups(struct view *v)
{
	if (!v->o.probes.nevents)
		return cli_usage("agg needs -e 'EVENTS => FUNCTION,... by KEY,...'");
	sort_words(v, 0, false);
	for (size_t i = 0; i < v->o.probes.nevents; i++) {
		const char *text = v->o.probes.events[i], *arrow = strstr(text, "=>"), *by, *functions;
		char *events, *aggregate;
		size_t n;

		if (!arrow || arrow == text)
			return cli_usage("-e '%s' counts nothing: write 'EVENTS => count() by KEY'", text);
		functions = arrow + 2 + strspn(arrow + 2, " \t\n");
		by = strstr(functions, " by ");
		n = by ? (size_t)(by - functions) : strlen(functions);
		if (freezes(functions, n))
			return cli_usage("-e '%s': events that are counted are not recorded, so they cannot freeze: "
					 "'=> freeze' is for 'ctrace trace' and 'ctrace record'", text);
		if (by && v->by)
			return cli_usage("-e '%s' has keys: leave out 'by' or --by", text);
		events = xstrndup(functions, n);
		aggregate = xasprintf("%s%s", events, counts(functions, n) ? "" : ", count()");
		free(events);
		events = by ? xasprintf("%s%s", aggregate, by) : view_aggregate(v, aggregate, NULL);
		free(aggregate);
		aggregate = events;
		events = xstrndup(text, (size_t)(arrow - text));
		view_add_group(v, events, aggregate);
		free(events);
	}
	return CLI_OK;
}

static int stackcount_groups(struct view *v)
{
	struct own *own = v->own;
	bool process = view_list_has(v->by, "pid") || view_list_has(v->by, "tid");
	const char *extra = !own->user ? "stack" : process ? "ustack" : "pid, ustack";
	char *probe;

	if (!v->o.probes.nevents) {
		const char *word = own->words[0];
		bool function = !names_event(v, word) && !strpbrk(word, ":, *?[%") &&
			strcmp(word, "syscalls") && strcmp(word, "calls");

		probe = function ? xasprintf("kprobe:%s", word) : xstrdup(word);
		add_event(v, probe);
		free(probe);
		sort_words(v, 1, false);
	} else {
		sort_words(v, 0, false);
	}
	view_add_group(v, NULL, view_aggregate(v, "count()", extra));
	return CLI_OK;
}

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	if (opt == OPT_USER) {
		own->user = true;
		return true;
	}
	if (opt != OPT_FOLDED)
		return false;
	v->folded = optarg;
	view_check_folded(v, status);
	return true;
}

static void print_heat(struct view *v, struct json *j)
{
	struct own *own = v->own;

	if (j)
		view_print(v, j);
	else
		heat_show(v, !strcmp(own->words[0], "duration"), &own->most);
}

static bool heat_option(struct view *v, int opt, int *status)
{
	static const struct view_kind heat = {
		.option = heat_option, .words = take_words, .groups = hist_groups, .print = print_heat,
			.timed = true,
		.interval = NSEC_PER_SEC,
	};

	(void)status;
	if (opt != OPT_HEAT)
		return false;
	v->kind = &heat;
	return true;
}

static int run(const struct view_kind *kind, int argc, char **argv)
{
	struct own own = { 0 };
	int status = view_run(kind, &own, argc, argv);

	free(own.targets);
	return status;
}

#define COMMON	.words = take_words, .print = view_print

static int run_count(int argc, char **argv)
{
	static const struct view_kind kind = { COMMON, .groups = count_groups, .options = count_options };

	return run(&kind, argc, argv);
}

static int run_hist(int argc, char **argv)
{
	static const struct view_kind kind = {
		COMMON, .groups = hist_groups, .options = hist_options, .option = heat_option,
	};

	return run(&kind, argc, argv);
}

static int run_agg(int argc, char **argv)
{
	static const struct view_kind kind = {
		COMMON, .groups = agg_groups, .options = agg_options, .option = option,
	};

	return run(&kind, argc, argv);
}

static int run_stackcount(int argc, char **argv)
{
	static const struct view_kind kind = {
		COMMON, .groups = stackcount_groups, .options = stackcount_options, .option = option,
	};

	return run(&kind, argc, argv);
}

const struct command cmd_count = {
	.name = "count", .kind = COMMAND_COUNTS, .usage = count_usage, .options = { count_options },
	.words = { "@events", "@targets" }, .run = run_count,
};

const struct command cmd_hist = {
	.name = "hist", .kind = COMMAND_COUNTS, .usage = hist_usage, .options = { hist_options },
	.words = { "", "@targets" }, .run = run_hist,
};

const struct command cmd_agg = {
	.name = "agg", .kind = COMMAND_COUNTS, .usage = agg_usage, .options = { agg_options },
	.words = { "@targets" }, .run = run_agg,
};

const struct command cmd_stackcount = {
	.name = "stackcount", .kind = COMMAND_COUNTS, .usage = stackcount_usage,
	.options = { stackcount_options }, .words = { "@events", "@targets" }, .run = run_stackcount,
};
