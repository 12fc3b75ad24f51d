// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that all subcommands share. Tests are not linked with this file; the ones they need are in
 * errors.c.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/group.h"
#include "base/habits.h"
#include "base/json.h"
#include "base/module.h"
#include "base/output.h"
#include "base/util.h"

bool cli_json;
const struct command *cli_cmd;
char *cli_program, **cli_end;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	struct sbuf msg = { 0 };
	struct sbuf clean = { 0 };
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return status;
	text = group_next_step(text);
	/* the text may contain words and names that others chose */
	sbuf_clean(&clean, text);
	if (cli_json) {
		struct json j = { .out = &msg };

		json_open(&j, NULL, '{');
		json_str(&j, "error", text);
		json_close(&j, '}');
		printf("%s\n", msg.s);
	}
	/* if standard output does not take the error, standard error does */
	if (output_flush(stdout) || !cli_json) {
		fprintf(stderr, "ctrace: %s\n", clean.s ? clean.s : "");
		if (status == CLI_USAGE)
			fprintf(stderr, "ctrace: see 'ctrace help%s%s'\n", cli_cmd ? " " : "",
				cli_cmd ? cli_cmd->name : "");
	}
	sbuf_free(&msg);
	sbuf_free(&clean);
	free(text);
	return status;
}

/*
 * The option that getopt_long() refused, as it was typed: without a value, and alone, if letters stood
 * together.
 */
static void put_refused(struct sbuf *b, const struct option *longs, int val, const char *arg)
{
	size_t len = strcspn(arg, "=");

	for (; longs->name; longs++)
		if (longs->val == val && !strncmp(arg, "--", 2) && len > 2 &&
		    !strncmp(longs->name, arg + 2, len - 2))
			val = 0;
	if (val)
		sbuf_printf(b, "-%c", val);
	else
		sbuf_put(b, arg, len);
}

/* Appends the names of the options that the word may begin, if there are several. */
static void put_begun(struct sbuf *b, const struct option *longs, const char *word)
{
	size_t n = 0;

	for (const struct option *o = longs; o->name; o++)
		n += !strncmp(o->name, word, strlen(word));
	for (const struct option *o = longs; n > 1 && o->name; o++)
		if (!strncmp(o->name, word, strlen(word)))
			sbuf_printf(b, "%s--%s", b->len ? ", " : "", o->name);
}

/* Hints at an option whose name is near to the unknown one, or at a program that lacks its "--". */
static void put_hint(struct sbuf *b, const struct getopts *g, const char *typed, char **argv)
{
	struct nearest near = { .word = typed };
	int at = 1;

	for (const struct option *o = g->longs; o->name && typed[1] == '-'; o++) {
		char *name = xasprintf("--%s", o->name);

		nearest_offer(&near, name);
		free(name);
	}
	if (near.n) {
		nearest_print(&near, b);
		return;
	}
	while (at < optind && argv[at] && (*argv[at] == '-' || !is_program(argv[at])))
		at++;
	if (!cli_cmd || cli_cmd->kind < COMMAND_TRACES || at >= optind || !argv[at])
		return;
	sbuf_printf(b, ": to run a program, put -- before it: ctrace %s --", cli_cmd->name);
	for (; argv[at]; at++)
		sbuf_printf(b, " %s", argv[at]);
}

int cli_bad_option(int opt, char **argv, const struct getopts *g)
{
	struct sbuf typed = { 0 }, begun = { 0 };
	const char *arg = argv[optind - 1], *here = opt == '?' ? habit_option(argv) : NULL;
	bool refused = opt == '?' || opt == ':';
	int status;

	/* one that the command has in its table, and did not take: getopt_long() left nothing in optopt */
	for (const struct option *o = g->longs; !refused && o->name; o++)
		if (o->val == opt)
			return cli_usage("option '--%s' means nothing here: leave it out", o->name);
	put_refused(&typed, g->longs, optopt, arg);
	if (opt == '?' && !optopt)
		put_begun(&begun, g->longs, typed.s + strlen("--"));
	if (opt == ':') {
		status = cli_usage("option '%s' needs a value", typed.s);
	} else if (here) {
		status = cli_usage("unknown option '%s': here it is %s", typed.s, here);
	} else if (begun.len) {
		status = cli_usage("'%s' begins several options: %s", typed.s, begun.s);
	} else if (optopt && !strncmp(typed.s, "--", 2)) {
		status = cli_usage("option '%s' takes no value", typed.s);
	} else {
		/* it is empty by now */
		sbuf_reset(&begun);
		put_hint(&begun, g, typed.s, argv);
		status = cli_usage("unknown option '%s'%s", typed.s, begun.s);
	}
	sbuf_free(&typed);
	sbuf_free(&begun);
	return status;
}

const char *cli_examples(const char *command)
{
	static const struct {
		const char *command, *text;
	} all[] = {
#include "examples.h"
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i].command, command))
			return all[i].text;
	return "";
}

/* All texts begin at one column, that of the topics if the command shares options. */
static void print_options(const struct command *cmd)
{
	unsigned int column = cmd->kind != COMMAND_PLAIN ? OPTIONS_COLUMN : 0;
	struct sbuf b = { 0 };

	for (size_t i = 0; cmd->options[i] && cmd->kind == COMMAND_PLAIN; i++) {
		unsigned int own = options_column(cmd->options[i]);

		column = own > column ? own : column;
	}
	if (column > OPTIONS_COLUMN)
		column = OPTIONS_COLUMN;
	sbuf_putc(&b, '\n');
	for (size_t i = 0; cmd->options[i]; i++)
		options_put(&b, cmd->options[i], column);
	if (cmd->options[0])
		fputs(b.s, stdout);
	sbuf_free(&b);
}

static bool has_word(const struct command *cmd, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(cmd->words); i++)
		if (cmd->words[i] && strstr(cmd->words[i], word))
			return true;
	return false;
}

static bool has_option(const struct command *cmd, int val)
{
	for (size_t i = 0; cmd->options[i]; i++)
		for (const struct cli_option *o = cmd->options[i]; o->name || o->help; o++)
			if (o->name && o->val == val)
				return true;
	return false;
}

int cli_help(const struct command *cmd)
{
	bool targets = has_word(cmd, "@targets");
	bool events = has_word(cmd, "@events") || has_option(cmd, 'e');
	struct sbuf b = { 0 };

	fputs(cmd->usage, stdout);
	if (cmd->put_usage) {
		cmd->put_usage(&b);
		fputs(b.s, stdout);
		sbuf_free(&b);
	}
	print_options(cmd);
	if (cmd->notes)
		printf("\n%s", cmd->notes);
	printf("\nExamples:\n%s\n", cli_examples(cmd->name));
	if (targets || events)
		printf("%s%s%s\n", targets ? "TARGET: ctrace help targets" : "", targets && events ? "; " : "",
		       events ? "EVENTS: ctrace help events" : "");
	printf("%s: man ctrace-%s\n",
	       cmd->kind == COMMAND_PLAIN ? "Manual" : "Common options: ctrace help options; manual", cmd->name);
	return CLI_OK;
}

struct ctrace *cli_open(void)
{
	struct ctrace *ct;
	int err = ctrace_open(&ct);
	char *why;

	/* the module is not loaded: root needs to know why, and not that root is required */
	if (err == -ENOENT && !geteuid()) {
		why = module_load();
		ctrace_close(ct);
		if (why) {
			cli_error("%s", why);
			if (!cli_json)
				fputs("ctrace: 'ctrace doctor' looks at all that it needs\n", stderr);
			free(why);
			return NULL;
		}
		err = ctrace_open(&ct);
	}
	if (!err)
		return ct;
	if (ct)
		cli_error("%s", ctrace_errmsg(ct));
	else
		cli_error("cannot connect to the kernel module: %s", strerror(-err));
	ctrace_close(ct);
	return NULL;
}

int cli_finish(int status)
{
	int err = output_flush(stdout);

	/* EPIPE is no error: the reader of our output has seen enough */
	if (!err || err == -EPIPE)
		return status;
	cli_error("cannot write the output: %s", strerror(-err));
	return status == CLI_OK ? CLI_FAIL : status;
}
