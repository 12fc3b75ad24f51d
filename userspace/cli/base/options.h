/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a command: getopt_long() reads by these tables, and help and completion print them. */
#ifndef CTRACE_OPTIONS_H
#define CTRACE_OPTIONS_H

#include <getopt.h>

struct sbuf;

/* A table of them ends with a row of zeros. */
struct cli_option {
	const char *name;	/* its long form; NULL: the row is a heading in help */
	int val;		/* a letter, which then is its short form, or OPT_* */
	const char *arg;	/* "TIME"; "[=TIME]" if it may be left out; NULL: it takes none */
	/* Its text in help, "%s" for the values; "": in the text of another option; NULL: hidden */
	const char *help;
	const char *values;	/* words that arg may be, for completion; "": arg says which */
};
/* A row. It may have values behind its help. */
#define OPTION(name, val, arg, help, ...)	{ name, val, arg, help, "" __VA_ARGS__ }

#define OPTIONS_MAX	64	/* of a command */

/* For getopt_long(). */
struct getopts {
	char shorts[2 * OPTIONS_MAX + 2];
	struct option longs[OPTIONS_MAX + 1];
};

struct getopts getopts_of(const struct cli_option *table);
/* Adds the options of the table, but for names that g has. */
void getopts_add(struct getopts *g, const struct cli_option *table);

#define OPTIONS_COLUMN	24	/* where texts begin, at most */
/* Appends what help says of a table, in lines of 80 columns. column: where texts begin. */
void options_put(struct sbuf *b, const struct cli_option *table, unsigned int column);
/* Appends the text of one, in a line. */
void options_put_help(struct sbuf *b, const struct cli_option *o);
/* Where texts begin if the longest of its options has two blanks behind it. */
unsigned int options_column(const struct cli_option *table);

/* --json and --help, as most commands have them. */
extern const struct cli_option cli_every_option[];

#endif
