// SPDX-License-Identifier: GPL-2.0-only
/* ctrace export: writes a recording in the form of another program. */
#include <string.h>
#include "commands.h"
#include "base/cli.h"
#include "export/export.h"
#include "run/run.h"
#include "run/window_options.h"

static const char usage[] =
"Usage: ctrace export --perfetto FILE RECORDING [TARGET...]\n"
"       ctrace export --trace-dat FILE RECORDING [TARGET...]\n"
"       ctrace export --chrome FILE RECORDING [TARGET...]\n"
"\n"
"Writes a recording in another program's form. RECORDING is the directory that\n"
"'ctrace record -o' wrote; TARGET is a container, as for 'ctrace report'.\n";

static const char notes[] =
"FILE - is standard output. Programs that read CTF need no export: see VIEWERS in\n"
"man ctrace-record.\n";

enum { OPT_PERFETTO = OPT_VIEW, OPT_TRACE_DAT, OPT_CHROME };

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("perfetto", OPT_PERFETTO, "FILE",
	       "for https://ui.perfetto.dev: what ran on the CPUs, a group of tracks for each container, "
	       "calls as slices, samples with their stacks"),
	OPTION("trace-dat", OPT_TRACE_DAT, "FILE", "for trace-cmd and KernelShark"),
	OPTION("chrome", OPT_CHROME, "FILE",
	       "JSON, for chrome://tracing and programs that do not read the first"),
	WINDOW_OPTIONS(""),
	OPTION("json", 'j', NULL, "print errors as JSON"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

static int run_export(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	static const struct export_writer *const writers[] = { &export_perfetto, &export_trace_dat, &export_chrome };
	const struct export_writer *w = NULL;
	struct export_opts o = { 0 };
	int opt;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'j' || window_option(&o.window, opt))
			continue;
		if (opt < OPT_PERFETTO || opt > OPT_CHROME)
			return cli_bad_option(opt, argv, &g);
		if (w)
			return cli_usage("--perfetto, --trace-dat and --chrome are forms of output: choose one");
		w = writers[opt - OPT_PERFETTO];
		o.out = optarg;
	}
	if (!w)
		return cli_usage("export needs a form: --perfetto FILE, --trace-dat FILE or --chrome FILE");
	if (argc == optind)
		return cli_usage("export needs a directory: the one that 'ctrace record -o' wrote");
	o.dir = argv[optind];
	o.targets = argv + optind + 1;
	o.ntargets = argc - optind - 1;
	return export_run(w, &o);
}

const struct command cmd_export = {
	.name = "export", .usage = usage, .options = { options }, .notes = notes,
	.words = { "@dirs", "@targets" }, .run = run_export,
};
