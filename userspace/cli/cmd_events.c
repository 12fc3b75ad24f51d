// SPDX-License-Identifier: GPL-2.0-only
/* ctrace events: lists the events that can be recorded. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "base/cli.h"
#include "events/events_list.h"

static const char usage[] =
"Usage: ctrace events [OPTIONS] [PATTERN...]\n"
"\n"
"Lists the names for -e, with the fields of each: the events by group, the\n"
"kprobes that were defined ('ctrace probe'), then the system calls. PATTERN may\n"
"have * and ?, and is matched with the name, the group and GROUP:NAME. Or it is a\n"
"class of calls, like %file.\n";

enum { OPT_MARKDOWN = 256 };

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("tracepoints", 'a', NULL,
	       "list the kernel's other tracepoints, too, for -e SYSTEM:NAME (those that match a PATTERN "
	       "always are)"),
	OPTION("verbose", 'v', NULL, "show each field on its own line, and where the event comes from"),
	OPTION("markdown", OPT_MARKDOWN, NULL, "print the table of events that is in uapi/EVENTS.md"),
	OPTION("json", 'j', NULL,
	       "print a JSON object per line and event type (entry, exit and whole call are three types)"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

static int run_events(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct events_opts o = { 0 };
	struct ctrace *ct;
	int opt, status;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		switch (opt) {
		case 'a':
			o.tracepoints = true;
			break;
		case 'v':
			o.form = EVENTS_VERBOSE;
			break;
		case OPT_MARKDOWN:
			o.form = EVENTS_MARKDOWN;
			break;
		case 'j':
			break;
		case 'h':
			return cli_help(cli_cmd);
		default:
			return cli_bad_option(opt, argv, &g);
		}
	}
	if (o.form == EVENTS_MARKDOWN && (optind < argc || o.tracepoints || cli_json))
		return cli_usage("--markdown prints all events: it takes no PATTERN, -a or --json");
	if (cli_json)
		o.form = EVENTS_JSON;
	o.patterns = argv + optind;
	o.n = argc - optind;
	ct = cli_open();
	if (!ct)
		return CLI_FAIL;
	status = events_list(ct, &o);
	ctrace_close(ct);
	return status;
}

const struct command cmd_events = {
	.name = "events", .usage = usage, .options = { options }, .words = { "@events" }, .run = run_events,
};
