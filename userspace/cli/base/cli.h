/* SPDX-License-Identifier: GPL-2.0-only */
/* What every subcommand shares: its table entry, how it fails, what it exits with. */
#ifndef CTRACE_CLI_H
#define CTRACE_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <libctrace.h>

enum {
	CLI_OK		= 0,
	CLI_FAIL	= 1,	/* could not do it */
	CLI_USAGE	= 2,	/* did not understand it */
	CLI_NOEXEC	= 126,	/* COMMAND found but not executable */
	CLI_NOCMD	= 127,	/* COMMAND not found */
};

struct command {
	const char *name;
	const char *summary;
	const char *usage;	/* whole help text, synopsis first */
	int (*run)(int argc, char **argv);	/* argv[0] is the subcommand */
};

extern const struct command cmd_trace, cmd_record, cmd_report, cmd_ps, cmd_events, cmd_probe,
	cmd_status;

extern bool cli_json;			/* --json was given, anywhere before -- */
extern const struct command *cli_cmd;	/* the subcommand running, NULL before */

/*
 * Both print one line (an {"error":...} object on stdout under --json) and
 * return the exit status to end with. The texts read "what was wrong: what to do".
 */
int cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* What both do, with status. In main.c: a test that is linked without it has its own. */
int cli_vreport(int status, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* An unknown or incomplete option, as getopt_long() left it in optopt. */
int cli_bad_option(int opt, char **argv);
/* Prints the subcommand's help, returns CLI_OK. */
int cli_help(const struct command *cmd);
/* Opens the connection, or says why not; NULL then. */
struct ctrace *cli_open(void);
/* Flushes stdout; an error there that is not a closed pipe is reported. */
int cli_finish(int status);

#endif
