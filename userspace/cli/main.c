// SPDX-License-Identifier: GPL-2.0-only
/* ctrace: finds the subcommand and runs it. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "base/cli.h"
#include "base/group.h"
#include "base/output.h"
#include "base/util.h"

static const struct {
	const struct command *cmd;
	const char *summary;
} commands[] = {
#define ROW(name, summary)	{ &cmd_##name, summary },
	CTRACE_COMMANDS(ROW)
};

static const char main_usage[] =
"Usage: ctrace COMMAND [ARGUMENTS]\n"
"       ctrace help COMMAND\n"
"\n"
"Traces containers. The kernel tags every event with its container.\n"
"\n"
"Commands:\n";

static const char main_examples[] =
"\n"
"Options:\n"
"  -h, --help     this text; after a command, that command's help\n"
"  -V, --version  version of ctrace\n"
"\n"
"Examples:\n"
"  ctrace ps                         # list the containers\n"
"  ctrace explain pid:4711           # whose process this is, and why\n"
"  ctrace trace web                  # what container 'web' does, live\n"
"  ctrace trace web -e openat        # only the files it opens\n"
"  ctrace trace web -e %file --failed\n"
"                                    # its calls on files that failed\n"
"  ctrace trace -- make              # a command and what it forks\n"
"  ctrace record -o /tmp/t web       # into files, for later\n"
"  ctrace report /tmp/t              # (or: babeltrace2 /tmp/t)\n"
"  ctrace top                        # what each container does now\n"
"  ctrace stats web                  # which calls, how often, how long\n"
"  ctrace runqlat all                # how long tasks waited for a CPU\n"
"  ctrace blame all                  # who had it meanwhile\n"
"  ctrace why web                    # where its time goes\n";

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].cmd->name, name))
			return commands[i].cmd;
	return NULL;
}

static int unknown(const char *name)
{
	struct nearest near = { .word = name };
	struct sbuf hint = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		nearest_offer(&near, commands[i].cmd->name);
	sbuf_reset(&hint);
	nearest_print(&near, &hint);
	cli_usage("unknown command '%s'%s", name, hint.s);
	sbuf_free(&hint);
	return CLI_USAGE;
}

static int main_help(const char *name)
{
	const struct command *cmd = name ? find(name) : NULL;

	if (cmd)
		return cli_help(cmd);
	if (name)
		return unknown(name);
	fputs(main_usage, stdout);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-10s %s\n", commands[i].cmd->name, commands[i].summary);
	fputs(main_examples, stdout);
	return CLI_OK;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	output_init();
	group_exec(argv);
	/* A closed pipe is an ordinary end: let writes fail with EPIPE. */
	signal(SIGPIPE, SIG_IGN);
	/* Errors about options must be JSON objects, too, so look for --json before anything else. */
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		cli_json |= !strcmp(argv[i], "--json") || !strcmp(argv[i], "-j");

	if (!word) {
		main_help(NULL);
		return cli_finish(CLI_USAGE);
	}
	if (!strcmp(word, "help") || !strcmp(word, "-h") || !strcmp(word, "--help"))
		return cli_finish(main_help(argc > 2 ? argv[2] : NULL));
	if (!strcmp(word, "version") || !strcmp(word, "-V") || !strcmp(word, "--version")) {
		printf("ctrace %s\n", ctrace_version());
		return cli_finish(CLI_OK);
	}
	cli_cmd = find(word);
	if (!cli_cmd)
		return cli_finish(unknown(word));
	return cli_finish(cli_cmd->run(argc - 1, argv + 1));
}
