// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of other tools: which words the program gets in their place, wherever they stand, and which are
 * answered by what to type. The program is not run: what would be is compared.
 */
#include <getopt.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/util.h"
#include "ktap.h"

static char **ran[64];	/* nothing of them is freed before the program ends */
static size_t nran;
static jmp_buf instead;

/* Does not return either. */
static int caught(char **words)
{
	ran[nran++ % ARRAY_SIZE(ran)] = words;
	longjmp(instead, 1);
}
#define execv(path, words)	caught(words)
#include "base/habits.c"

bool cli_json;
const struct command *cli_cmd;
char *cli_program = (char *)"ctrace", **cli_end;

static const struct cli_option table[] = {
	OPTION("events", 'e', "EVENTS", "x"), OPTION("output", 'o', "FILE", "x"), OPTION("json", 'j', NULL, "x"), { 0 },
};
static const struct command trace = { .name = "trace", .kind = COMMAND_TRACES };
static const struct command top = { .name = "top", .kind = COMMAND_COUNTS };
static const struct command ps = { .name = "ps", .kind = COMMAND_PLAIN };

/* What the line becomes: other words; "here: ..."; or "unknown". Cuts COMMAND off as commands do. */
static const char *becomes(const struct command *cmd, const char *line)
{
	static char *words[32], copy[256];
	static struct sbuf b;
	struct getopts g = getopts_of(table);
	char *save = NULL;
	const char *here;
	int n = 0, argc, opt;

	sbuf_reset(&b);
	snprintf(copy, sizeof(copy), "%s %s", cmd->name, line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	words[n] = NULL;
	cli_end = &words[n];
	for (argc = 0; argc < n && strcmp(words[argc], "--"); argc++)
		;
	words[argc] = NULL;
	cli_cmd = cmd;
	optind = 0;	/* begins anew */
	if (setjmp(instead)) {
		char **first = ran[nran - 1];

		for (char **w = first; *w; w++)
			sbuf_printf(&b, "%s%s", w == first ? "" : " ", *w);
		return b.s;
	}
	while ((opt = getopt_long(argc, words, g.shorts, g.longs, NULL)) != -1)
		if (opt == '?') {
			here = habit_option(words);
			sbuf_printf(&b, here ? "here: %s" : "unknown", here);
			return b.s;
		}
	return "taken";
}

static void values(void)
{
	check_str(becomes(&trace, "-p 12 -e read"), "ctrace trace pid:12 -e read");
	check_str(becomes(&trace, "-p12"), "ctrace trace pid:12");
	check_str(becomes(&trace, "-e -p -o x"), "taken");
	/* letters of several options are not taken apart */
	check_str(becomes(&trace, "-jp 12"), "unknown");
	check_str(becomes(&top, "-d 2 web"), "ctrace top --interval 2 web");
	check_str(becomes(&top, "-n 5"), "ctrace top --batch --count 5");
	/* its value is missing: that is no habit */
	check_str(becomes(&trace, "-p"), "unknown");
	check_str(becomes(&trace, "web -p"), "unknown");
}

static void words(void)
{
	check_str(becomes(&top, "--once web"), "ctrace top --batch --count 1 web");
	check_str(becomes(&trace, "-f -e read web"), "ctrace trace -e read web");
	check_str(becomes(&trace, "-tt web"), "ctrace trace web");
	check_str(becomes(&trace, "-a"), "ctrace trace all");
	check_str(becomes(&trace, "--all"), "ctrace trace all");
	check_str(becomes(&trace, "-c web"), "ctrace stats web");
	/* letters of several options are not taken apart */
	check_str(becomes(&trace, "-tx"), "unknown");
	check_str(becomes(&trace, "--once"), "unknown");
}

/* What follows "--" is the program's. */
static void command(void)
{
	check_str(becomes(&trace, "-f -o x -- ls -p 5"), "ctrace trace -o x -- ls -p 5");
	check_str(becomes(&trace, "-o x -f -- ls"), "ctrace trace -o x -- ls");
	check_str(becomes(&trace, "-- ls -f"), "taken");
}

static void said(void)
{
	check_str(becomes(&trace, "-q"), "here: ctrace trace 2> /dev/null, without its account");
	check_str(becomes(&trace, "-n 5"), "here: --duration TIME; --interval TIME --count N; | head -n N");
	check_str(becomes(&ps, "-q"), "here: ctrace ps --columns id");
	/* a command without TARGETs has none of these */
	check_str(becomes(&ps, "-p 5"), "unknown");
	check_str(becomes(&ps, "-a"), "unknown");
}

static void commands(void)
{
	const char *here;

	check_str(habit_command("ls", &here), "ps");
	check_str(habit_command("list", &here), "ps");
	check_str(habit_command("-p", &here), "trace -p");
	check(!habit_command("logs", &here));
	check_str(here, "ctrace trace NAME");
	check(!habit_command("web", &here) && !here);
	/* options of a command are none of ctrace itself */
	check(!habit_command("--once", &here) && !here);
}

/* Each row that acts can be typed: its words are few enough, and its value has one place. */
static void rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(habits); i++) {
		const struct habit *h = &habits[i];
		unsigned int words = 0;

		check(h->here && *h->here);
		check(!h->where == !h->word);
		if (!h->with)
			continue;
		check(h->where != NULL);
		for (const char *w = h->with; *w; w += strcspn(w, " "), w += strspn(w, " "))
			words++;
		check(words <= 4);
		/* a second row of the same word would never count */
		for (size_t k = 0; k < i; k++)
			if (habits[k].word && !strcmp(habits[k].word, h->word))
				check(strcmp(habits[k].where, h->where) != 0);
	}
}

static const struct ktap_case cases[] = {
	{ "options with values", values },
	{ "options without", words },
	{ "behind them, COMMAND", command },
	{ "what is only said", said },
	{ "in place of a command", commands },
	{ "rows of the table", rows },
};
KTAP_MAIN(cases)
