// SPDX-License-Identifier: GPL-2.0-only
/* Reads tables of options for getopt_long(), and prints them for help. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/options.h"
#include "base/util.h"

#define COLUMNS	80	/* of each help text */

const struct cli_option cli_every_option[] = {
	OPTION("json", 'j', NULL,
	       "print JSON: an object for each interval (snoop: for each event), and errors"),
	OPTION("help", 'h', NULL, "print the command's help"),
	{ 0 },
};

static bool is_letter(int val)
{
	return val < 128 && isalpha(val);
}

static int has_arg(const struct cli_option *o)
{
	return !o->arg ? no_argument : *o->arg == '[' ? optional_argument : required_argument;
}

static size_t find(const struct option *longs, const char *name)
{
	size_t i = 0;

	while (longs[i].name && strcmp(longs[i].name, name))
		i++;
	return i;
}

void getopts_add(struct getopts *g, const struct cli_option *o)
{
	for (; o->name || o->help; o++) {
		size_t i, end = strlen(g->shorts);

		if (!o->name)
			continue;
		i = find(g->longs, o->name);
		if (g->longs[i].name)
			continue;
		if (i == OPTIONS_MAX)
			abort();
		g->longs[i] = (struct option){ o->name, has_arg(o), NULL, o->val };
		if (!is_letter(o->val))
			continue;
		g->shorts[end++] = (char)o->val;
		if (has_arg(o) == required_argument)
			g->shorts[end] = ':';
	}
}

struct getopts getopts_of(const struct cli_option *table)
{
	/* ':' marks a missing value */
	struct getopts g = { .shorts = ":" };

	getopts_add(&g, table);
	return g;
}

/* "  -x, --name ARG" */
static void put_name(struct sbuf *b, const struct cli_option *o)
{
	if (is_letter(o->val))
		sbuf_printf(b, "  -%c, --%s", o->val, o->name);
	else
		sbuf_printf(b, "      --%s", o->name);
	if (o->arg)
		sbuf_printf(b, *o->arg == '[' ? "%s" : " %s", o->arg);
}

unsigned int options_column(const struct cli_option *o)
{
	struct sbuf b = { 0 };
	size_t most = 0;

	for (; o->name || o->help; o++) {
		if (!o->name || !o->help || !*o->help)
			continue;
		sbuf_reset(&b);
		put_name(&b, o);
		most = b.len > most ? b.len : most;
	}
	sbuf_free(&b);
	return (unsigned int)most + 2;
}

/* "a, b or c" of "a b c" */
static void put_values(struct sbuf *b, const char *values)
{
	for (const char *w = values; *w;) {
		size_t len = strcspn(w, " ");
		bool last = !w[len];

		sbuf_printf(b, "%s%.*s", w == values ? "" : last ? " or " : ", ", (int)len, w);
		w += len + !last;
	}
}

void options_put_help(struct sbuf *b, const struct cli_option *o)
{
	const char *at = strstr(o->help, "%s");

	if (!at) {
		sbuf_puts(b, o->help);
		return;
	}
	sbuf_put(b, o->help, (size_t)(at - o->help));
	put_values(b, o->values);
	sbuf_puts(b, at + strlen("%s"));
}

/* Appends text in lines of COLUMNS, which begin at column. at: the column that the text has reached. */
static void put_filled(struct sbuf *b, const char *text, size_t column, size_t at)
{
	while (*text) {
		size_t word = strcspn(text, " \n");

		if (at > column && at + 1 + word > COLUMNS) {
			sbuf_putc(b, '\n');
			at = 0;
		}
		if (at < column)
			sbuf_printf(b, "%*s", (int)(column - at), "");
		else if (at > column)
			sbuf_putc(b, ' ');
		at = (at > column ? at + 1 : column) + word;
		sbuf_put(b, text, word);
		text += word;
		if (*text == '\n') {
			sbuf_putc(b, '\n');
			at = 0;
		}
		text += !!*text;
	}
	sbuf_putc(b, '\n');
}

void options_put(struct sbuf *b, const struct cli_option *o, unsigned int column)
{
	struct sbuf text = { 0 };

	for (; o->name || o->help; o++) {
		size_t begin = b->len;

		if (!o->name)
			sbuf_printf(b, "%s\n", o->help);
		if (!o->name || !o->help || !*o->help)
			continue;
		put_name(b, o);
		sbuf_reset(&text);
		options_put_help(&text, o);
		if (b->len - begin + 2 > column) {
			sbuf_putc(b, '\n');
			begin = b->len;
		}
		put_filled(b, text.s, column, b->len - begin);
	}
	sbuf_free(&text);
}
