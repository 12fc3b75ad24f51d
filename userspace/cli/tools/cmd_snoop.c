// SPDX-License-Identifier: GPL-2.0-only
/* ctrace snoop: a line for each event of one kind. */
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "count/lines.h"

static const char usage[] =
"Usage: ctrace snoop WORD [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"       ctrace snoop\n"
"\n"
"Prints a line for each event of one kind, the container first. Without WORD: the\n"
"list of words.\n";

static void put_words(struct sbuf *b, const char *before)
{
	for (const struct lines_form *f = lines_snoop; f->word; f++)
		sbuf_printf(b, "%s%-7s %s\n", before, f->word, f->summary);
}

static void put_usage(struct sbuf *b)
{
	sbuf_puts(b, "\nWORD is one of\n");
	put_words(b, "  ");
}

enum { OPT_ALL = OPT_VIEW_OWN };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("failed", OPT_FAILED, NULL,
	       "exec, open, mount: calls that failed; exit: processes that did not exit with 0; cap: what "
	       "was refused"),
	OPTION("longer", OPT_LONGER, "TIME", "open, mount: calls that took at least this long"),
	OPTION("all", OPT_ALL, NULL,
	       "exit: threads, too; cap: also what is asked without an audit; kill: all signals, those of "
	       "the kernel, too"),
	OPTION("time", 'T', NULL, "the time of day in each line"),
	{ 0 },
};

static bool option(struct view *v, int opt, int *status)
{
	struct lines_opts *lo = v->own;

	(void)status;
	if (opt == OPT_ALL)
		lo->all = true;
	else if (opt == 'T')
		lo->time = true;
	else
		return false;
	return true;
}

static const struct lines_form *find(const char *word)
{
	for (const struct lines_form *f = lines_snoop; f->word; f++)
		if (!strcmp(f->word, word))
			return f;
	return NULL;
}

static int unknown(const char *word)
{
	struct nearest near = { .word = word };
	struct sbuf b = { 0 };

	for (const struct lines_form *f = lines_snoop; f->word; f++)
		nearest_offer(&near, f->word);
	sbuf_reset(&b);
	nearest_print(&near, &b);
	cli_usage("'snoop' knows no '%s'%s: 'ctrace snoop' lists the words", word, b.s);
	sbuf_free(&b);
	return CLI_USAGE;
}

static int words(struct view *v, char ***w, int *n)
{
	struct lines_opts *lo = v->own;

	if (!*n)
		return cli_usage("no WORD: 'ctrace snoop' lists them");
	lo->form = find(**w);
	if (!lo->form)
		return unknown(**w);
	lo->time |= lo->form->time;
	(*w)++;
	(*n)--;
	return CLI_OK;
}

static int instead(struct view *v)
{
	struct lines_opts *lo = v->own;

	lo->failed = v->o.probes.failed;
	return lines_run(v, lo);
}

static int list(void)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	if (!cli_json)
		put_words(&b, "");
	for (const struct lines_form *f = lines_snoop; cli_json && f->word; f++) {
		json_open(&j, NULL, '{');
		json_str(&j, "word", f->word);
		json_str(&j, "summary", f->summary);
		json_str(&j, "events", f->events);
		json_close(&j, '}');
		json_line(&j);
	}
	fputs(b.s, stdout);
	sbuf_free(&b);
	return CLI_OK;
}

static int run_snoop(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .words = words, .instead = instead,
	};
	struct lines_opts lo = { 0 };

	if (argc == 1 || (argc == 2 && cli_json && strcmp(argv[1], "--")))
		return list();
	return view_run(&kind, &lo, argc, argv);
}

const struct command cmd_snoop = {
	.name = "snoop", .kind = COMMAND_SNOOPS, .usage = usage, .put_usage = put_usage,
		.options = { options },
	.words = { "@snoop", "@targets" }, .run = run_snoop,
};
