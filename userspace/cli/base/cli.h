/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by all subcommands: the table entry, error messages, exit statuses. */
#ifndef CTRACE_CLI_H
#define CTRACE_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <libctrace.h>
#include "base/options.h"

enum {
	CLI_OK		= 0,
	CLI_FAIL	= 1,	/* could not do it */
	CLI_USAGE	= 2,	/* did not understand it */
	CLI_NOEXEC	= 126,	/* COMMAND found but not executable */
	CLI_NOCMD	= 127,	/* COMMAND not found */
};

/* The options that a command shares with others: of its kind, and of the kinds before it. */
enum command_kind {
	COMMAND_PLAIN,		/* none */
	COMMAND_TRACES,		/* of targets */
	COMMAND_SNOOPS,		/* and of recordings */
	COMMAND_COUNTS,		/* and of rows */
};

struct command {
	const char *name;
	enum command_kind kind;
	const char *usage;	/* synopsis and a sentence, of at most 80 columns */
	void (*put_usage)(struct sbuf *b);	/* appends what else its help says there; or NULL */
	const struct cli_option *options[3];	/* tables of its own, up to NULL */
	const char *notes;	/* what its help says after the options, or NULL */
	/* Its first word, and the words after it, for completion. NULL: as the one before, or no word */
	const char *words[2];
	int (*run)(int argc, char **argv);	/* argv[0] is the subcommand */
};

extern bool cli_json;			/* --json was given, anywhere before -- */
extern const struct command *cli_cmd;	/* the running subcommand, NULL before it runs */
extern char *cli_program;		/* main()'s argv[0] */
extern char **cli_end;	/* the NULL behind the command line's words; NULL: main() does not run */

/*
 * Each prints one line, or an {"error":...} object on stdout under --json, and returns the status to
 * exit with: CLI_FAIL or CLI_USAGE. The texts read "what was wrong: what to do".
 */
int cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * The part common to both; returns status. Defined in cli.c; tests that are linked without cli.c define their
 * own.
 */
int cli_vreport(int status, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/*
 * Reports an option that getopt_long() refused: opt is what it returned, '?' or ':', and g what it was given.
 * Returns CLI_USAGE. If it is another tool's option (base/habits.h), it says what to type, or runs the
 * program anew with that and does not return.
 */
int cli_bad_option(int opt, char **argv, const struct getopts *g);
/* The examples that a command's help has, the first of its page; "": of 'ctrace help'. */
const char *cli_examples(const char *command);
/* Prints the subcommand's help and where the rest of it is, returns CLI_OK. */
int cli_help(const struct command *cmd);
/* Opens the connection, loading the module if need be. On failure reports why, and returns NULL. */
struct ctrace *cli_open(void);
/*
 * The only place that reports an error of writing to standard output, unless its reader has gone: others end
 * early. Returns the status to exit with.
 */
int cli_finish(int status);

#endif
