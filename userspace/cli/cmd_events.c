// SPDX-License-Identifier: GPL-2.0-only
/* ctrace events: what can be recorded. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "events/events_list.h"

static const char usage[] =
"Usage: ctrace events [OPTIONS] [PATTERN...]\n"
"\n"
"Lists what -e takes, with the fields of each: the events by group, kprobes that were\n"
"defined ('ctrace probe'), then the system calls. PATTERN may have * and ?, and matches\n"
"the name, the group, or GROUP:NAME; a system call's class is one, too: %file.\n"
"\n"
"Options:\n"
"  -a, --tracepoints  also the kernel's other tracepoints, for -e SUBSYS:NAME (with a\n"
"                     PATTERN those that match are always there)\n"
"  -v, --verbose      a line for each field, and where an event comes from\n"
"      --markdown     a table of the events, as README.md has it\n"
"  -j, --json         one JSON object a line and event type, the kinds of calls apart\n"
"  -h, --help         this text\n"
"\n"
"Examples:\n"
"  ctrace events 'sched_*'\n"
"  ctrace events -v sched:sched_switch\n"
"  ctrace events open openat openat2\n"
"  ctrace events %network\n"
"  ctrace events 'ext4:*'            # tracepoints, with raw arguments\n"
"  ctrace events --json | jq -r .name\n";

static int run_events(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "tracepoints", no_argument, NULL, 'a' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "markdown", no_argument, NULL, 'm' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct events_opts o = { 0 };
	struct ctrace *ct;
	int opt, status;

	while ((opt = getopt_long(argc, argv, ":avjh", longs, NULL)) != -1) {
		switch (opt) {
		case 'a':
			o.tracepoints = true;
			break;
		case 'v':
			o.form = EVENTS_VERBOSE;
			break;
		case 'm':
			o.form = EVENTS_MARKDOWN;
			break;
		case 'j':
			break;
		case 'h':
			return cli_help(cli_cmd);
		default:
			return cli_bad_option(opt, argv);
		}
	}
	if (o.form == EVENTS_MARKDOWN && (optind < argc || o.tracepoints || cli_json))
		return cli_usage("--markdown is the table of all events: nothing goes with it");
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
	.name = "events",
	.summary = "list what can be recorded",
	.usage = usage,
	.run = run_events,
};
