// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/habits.h"
#include "base/util.h"

static const struct habit {
	const char *where, *word, *with, *here;
} habits[] = {
#define ROW(there, where, word, with, here)	{ where, word, with, here },
	CTRACE_HABITS(ROW)
};

/* list: words separated by blanks */
static bool lists(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *w = list; *w; w += strcspn(w, " "), w += strspn(w, " "))
		if (strcspn(w, " ") == len && !strncmp(w, word, len))
			return true;
	return false;
}

static bool knows(const struct habit *h, const struct command *cmd)
{
	if (!cmd)
		return !*h->where;
	return lists(h->where, cmd->name) || (cmd->kind >= COMMAND_TRACES && lists(h->where, "*"));
}

/* The first row of the table counts: a command's own rows stand above the rows of "*". */
static const struct habit *find(const struct command *cmd, const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(habits); i++)
		if (habits[i].where && strlen(habits[i].word) == len && !strncmp(habits[i].word, word, len) &&
		    knows(&habits[i], cmd))
			return &habits[i];
	return NULL;
}

const char *habit_command(const char *word, const char **here)
{
	const struct habit *h = find(NULL, word, strlen(word));

	*here = h ? h->here : NULL;
	return h ? h->with : NULL;
}

/*
 * A habit as it was typed: at argv[at], with its value, or NULL, which is a word of its own if next is set.
 */
struct typed {
	const struct habit *h;
	int at;
	const char *value;
	bool next;
};

/*
 * getopt_long() leaves optind behind the last word that it has read to the end: letters that follow the
 * refused one are its value (-p12), or it once more (-tt).
 */
static bool read_typed(struct typed *t, char **argv)
{
	char letter[] = { '-', (char)optopt, '\0' };
	const char *word = argv[optind - 1];

	*t = (struct typed){ .at = optind - 1 };
	if (!optopt) {
		t->h = find(cli_cmd, word, strcspn(word, "="));
		t->value = strchr(word, '=');
		t->value += !!t->value;
	} else {
		t->h = find(cli_cmd, letter, strlen(letter));
		if (t->h && strcmp(word, letter)) {
			t->at = optind;
			word = argv[optind];
			if (!word || strncmp(word, letter, strlen(letter)))
				return false;
			t->value = word + strlen(letter);
		}
	}
	if (!t->h || !t->h->with)
		return t->h;
	if (!strstr(t->h->with, "%s"))
		return !t->value || (optopt && strspn(t->value, letter + 1) == strlen(t->value));
	t->next = !t->value;
	if (t->next)
		t->value = argv[t->at + 1];
	return t->value && *t->value;
}

/* Appends the words of the text, with the value in the place of %s. */
static void put_words(char **to, size_t *n, const char *text, const char *value)
{
	for (const char *w = text; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");
		char *word = xstrndup(w, len), *at = strstr(word, "%s");

		to[(*n)++] = at ? xasprintf("%.*s%s%s", (int)(at - word), word, value, at + 2) : xstrdup(word);
		free(word);
		w += len;
	}
}

/* The program ends, or becomes another one: nothing here is freed. */
static void run_anew(const struct typed *t, char **argv)
{
	size_t words = (size_t)(cli_end - argv), n = 0;
	/* the longest text of the table has four words */
	char **v = xcalloc(words + 8, sizeof(v[0])), *name = argv[0];
	bool other = *t->h->with == '!';

	v[n++] = cli_program;
	v[n++] = other ? (char *)t->h->with + 1 : name;
	for (size_t i = 1; i < words; i++) {
		if (i == (size_t)t->at) {
			if (!other)
				put_words(v, &n, t->h->with, t->value);
			i += t->next;
		} else {
			/* where run_split() has cut COMMAND off */
			v[n++] = argv[i] ? argv[i] : (char *)"--";
		}
	}
	execv("/proc/self/exe", v);
}

const char *habit_option(char **argv)
{
	struct typed t;

	if (!cli_cmd || !read_typed(&t, argv))
		return NULL;
	if (t.h->with && cli_end)
		run_anew(&t, argv);
	return t.h->here;
}
