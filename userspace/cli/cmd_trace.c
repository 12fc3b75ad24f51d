// SPDX-License-Identifier: GPL-2.0-only
/* ctrace trace: shows what containers do, live. */
#include <errno.h>
#include <string.h>
#include "commands.h"
#include "base/cli.h"
#include "base/output.h"
#include "run/live.h"

static const char usage[] =
"Usage: ctrace trace [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows what containers do, as it happens: one line per event, system calls in\n"
"the form of strace. It ends with COMMAND; without one, when all targets have\n"
"ended; with --follow, never by itself.\n";

static const struct cli_option options[] = {
	{ .help = "How:" },
	OPTION("folded", OPT_FOLDED, "FILE",
	       "print no lines; at the end, write each stack and how often it was seen, for flame graphs; "
	       "FILE - is standard output"),
	OPTION("dump-on-exit", OPT_AT_END, NULL,
	       "print nothing until the targets or COMMAND end, --duration is over, or Ctrl-C: then the last "
	       "events, as many as --buffer-size holds. Nobody reads before, so it costs least"),
	OPTION("output", 'o', "FILE", "write the lines to FILE"),
	OPTION("json", 'j', NULL, "print one JSON object per line"),
	OPTION("relative", OPT_RELATIVE, NULL, "show times since the first event, not the time of day"),
	OPTION("color", OPT_COLOR, "WHEN",
	       "colours: %s (default auto: on a terminal, unless NO_COLOR is set)", "auto always never"),
	OPTION("quiet-args", OPT_QUIET_ARGS, NULL, "show flags and constants of system calls as numbers"),
	{ 0 },
};

static struct sink *new_sink(const struct sink_opts *o, void *arg)
{
	const bool *folded = arg;

	return *folded ? sink_folded_new(o) : cli_json ? sink_json_new(o) : sink_text_new(o);
}

static int run_trace(int argc, char **argv)
{
	struct getopts g = run_getopts(options);
	struct run_opts o = { .fds = true };
	bool folded = false;
	struct live t = { .out = stdout, .sink = new_sink, .arg = &folded };
	const char *file = NULL, *color = "auto";
	int opt, status = CLI_OK, err;

	argc = run_split(argc, argv, &o.command);
	while (status == CLI_OK &&
	       (opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (run_option(&o, opt, &status))
			continue;
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'o' || opt == OPT_FOLDED) {
			folded |= opt == OPT_FOLDED;
			file = folded && !strcmp(optarg, "-") ? NULL : optarg;
		} else if (opt == OPT_RELATIVE)
			t.so.relative = true;
		else if (opt == OPT_AT_END)
			o.at_end = true;
		else if (opt == OPT_QUIET_ARGS)
			t.so.quiet_args = true;
		else if (opt == OPT_COLOR)
			color = optarg;
		else
			status = cli_bad_option(opt, argv, &g);
	}
	if (status == CLI_OK && folded && cli_json)
		status = cli_usage("--folded and --json are two forms of output: choose one");
	else if (status == CLI_OK && folded && !o.stack && !o.probes.frequency)
		status = cli_usage("--folded counts stacks: add --stack or -F HZ");
	if (status == CLI_OK && o.at_end && o.follow == FOLLOW_ALL)
		status = cli_usage("--dump-on-exit prints when the targets have ended, which with --follow "
				   "never comes: leave one out");
	o.targets = argv + optind;
	o.ntargets = argc - optind;
	if (status == CLI_OK && file) {
		t.out = output_open(file);
		if (!t.out)
			status = cli_error("cannot write '%s': %s", file, strerror(errno));
	}
	if (status == CLI_OK)
		status = sink_color(color, t.out, &t.so.color);
	if (status == CLI_OK) {
		status = live_run(&t, &o);
		live_free(&t);
		err = t.out == stdout ? 0 : folded ? output_close_whole(t.out, file, 0) : output_close(t.out);
		if (err)
			status = cli_error("cannot write '%s': %s", file, strerror(-err));
	}
	run_opts_free(&o);
	return status;
}

const struct command cmd_trace = {
	.name = "trace", .kind = COMMAND_TRACES, .usage = usage, .options = { run_record_options, options },
	.words = { "@targets" }, .run = run_trace,
};
