// SPDX-License-Identifier: GPL-2.0-only
/* Which filter the options of trace and record give a session, and which options are refused. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cli.h"
#include "ktap.h"
#include "run/run.h"

bool cli_json;
const struct command *cli_cmd;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	(void)fmt, (void)ap;
	return status;
}

static int give(struct run_opts *o, int opt, const char *value)
{
	int status = CLI_OK;

	optarg = (char *)value;
	check(run_option(o, opt, &status));
	return status;
}

static void filters(void)
{
	struct run_opts o = { 0 };
	char *f = run_filter(&o);

	check(!f);
	check_eq(give(&o, OPT_COMM, "nginx*"), 0);
	f = run_filter(&o);
	check_str(f, "$comm ~ \"nginx*\"");
	free(f);
	check_eq(give(&o, OPT_COMM, "a\"b"), 0);
	check_eq(give(&o, OPT_UID, "1000"), 0);
	check_eq(give(&o, OPT_UID, "root"), 0);
	check_eq(give(&o, OPT_FILTER, "$cpu == 1 || $tid == 7"), 0);
	f = run_filter(&o);
	check_str(f, "($comm ~ \"nginx*\" || $comm ~ \"a\\\"b\") && ($uid == 1000 || $uid == 0) && "
		  "($cpu == 1 || $tid == 7)");
	free(f);
	check_eq(give(&o, OPT_FILTER, "$cpu == 2"), CLI_USAGE);
	check_eq(give(&o, OPT_UID, "nobody-of-that-name"), CLI_FAIL);
	check_eq(give(&o, OPT_UID, "-1"), CLI_FAIL);
	check_eq(give(&o, OPT_COMM, ""), CLI_USAGE);
	run_opts_free(&o);
}

static void follow(void)
{
	struct run_opts o = { 0 };

	check_eq(give(&o, OPT_WAIT, NULL), 0);
	check_eq(o.follow, FOLLOW_FIRST);
	check_eq(o.wait, 0);
	check_eq(give(&o, OPT_WAIT, "1m"), 0);
	check_eq(o.wait, 60 * NSEC_PER_SEC);
	check_eq(give(&o, OPT_WAIT, "web"), CLI_USAGE);
	check_eq(give(&o, OPT_FOLLOW, NULL), CLI_USAGE);	/* one of the two */
	o.follow = FOLLOW_NOT;
	check_eq(give(&o, OPT_FOLLOW, NULL), 0);
	check_eq(o.follow, FOLLOW_ALL);
	check_eq(give(&o, OPT_WAIT, NULL), CLI_USAGE);
}

static void numbers(void)
{
	struct run_opts o = { 0 };

	check_eq(give(&o, OPT_LONGER, "200ms"), 0);
	check_eq(o.probes.longer, 200000000);
	check_eq(give(&o, OPT_LONGER, "5us"), 0);
	check_eq(o.probes.longer, 5000);
	check_eq(give(&o, OPT_LONGER, "soon"), CLI_USAGE);
	check_eq(give(&o, 'F', "99"), 0);
	check_eq(o.probes.frequency, 99);
	check_eq(give(&o, 'F', "0"), CLI_USAGE);
	check_eq(give(&o, OPT_ONE_OF, "10"), 0);
	check_eq(o.one_of, 10);
	check_eq(give(&o, OPT_ONE_OF, "ten"), CLI_USAGE);
	check_eq(give(&o, OPT_RATE, "1000"), 0);
	check_eq(o.rate, 1000);
	check_eq(give(&o, OPT_RATE, "99999999999"), CLI_USAGE);
	check_eq(give(&o, 'e', "openat,read"), 0);
	check_eq(give(&o, 'e', "sched_switch if prev_tid == 1"), 0);
	check_eq(o.probes.nevents, 2);
	check_str(o.probes.events[1], "sched_switch if prev_tid == 1");
	run_opts_free(&o);
}

static void stacks(void)
{
	struct run_opts o = { 0 };

	check_eq(give(&o, OPT_STACK, NULL), 0);
	check_eq(o.stack, CTRACE_PROBE_F_STACK);
	check_eq(give(&o, OPT_STACK, "user"), 0);
	check_eq(o.stack, CTRACE_PROBE_F_STACK | CTRACE_PROBE_F_USER_STACK);
	check_eq(give(&o, OPT_STACK, "hay"), CLI_USAGE);
	give(&o, OPT_STATE_DUMP, NULL);
	check(o.state_dump);
	give(&o, OPT_NO_STATE_DUMP, NULL);
	check(!o.state_dump);
	run_opts_free(&o);
}

static const struct ktap_case cases[] = {
	{ "--comm, --uid and --filter: or within, and between", filters },
	{ "--follow and --wait", follow },
	{ "times and numbers", numbers },
	{ "--stack and --state-dump", stacks },
};
KTAP_MAIN(cases)
