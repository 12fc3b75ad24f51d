// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctrace --complete WORD...: what the last of these words may become, for the shells. Their files in
 * userspace/completion/ ask this, and know no command and no option. It prints a line for each: the whole
 * word, a tab, and what it is. A line that begins with ':' is for what shells know best:
 *
 *	:files :dirs	names of files, of directories
 *	:command	a program
 *	:more		more may follow: no blank is put behind
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "base/util.h"
#include "events/classes.h"
#include "events/probes.h"
#include "names/ctable.h"
#include "show/ps_columns.h"
#include "show/lines.h"

/* The word: what is settled of it, then the part that is to become more. */
struct asked {
	const struct command *cmd;
	const char *first;	/* of the command's own words; NULL: it is asked for */
	const char *word;
	size_t settled;
};

/* what: a container may have chosen it. */
static void offer(const struct asked *a, const char *word, const char *what)
{
	const char *part = a->word + a->settled;
	struct sbuf line = { 0 };

	/* shells would have to quote it, and a terminal might obey it */
	if (word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/@%=+")])
		return;
	if (strncmp(word, part, strlen(part)))
		return;
	sbuf_printf(&line, "%.*s%s\t", (int)a->settled, a->word, word);
	sbuf_clean(&line, what);
	puts(line.s);
	sbuf_free(&line);
}

/* Words, separated by blanks. */
static void offer_words(const struct asked *a, const char *words)
{
	for (const char *w = words; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");
		char *word = xstrndup(w, len);

		offer(a, word, "");
		free(word);
		w += len;
	}
}

/* --- what the kernel knows: nothing, if it may not be asked ----------------------- */

/* A name that begins as options do would be read as one. */
static void offer_target(const struct asked *a, const char *word, const char *what)
{
	if (*word != '-')
		offer(a, word, what);
}

static void offer_containers(const struct asked *a)
{
	struct ctrace *ct;
	struct ctable *t;
	struct centry *e;

	if (ctrace_open(&ct)) {
		ctrace_close(ct);
		return;
	}
	t = ctable_new(ct);
	if (!ctable_list(t))
		for (size_t i = 0; (e = ctable_next(t, &i));) {
			char *word;

			if (e->c.cid == CTRACE_CID_HOST || !ctable_alive(e))
				continue;
			ctable_get(t, e->c.cid);
			offer_target(a, e->label, e->r.image ? e->r.image : "");
			if (!e->r.pod)
				continue;
			word = xasprintf("pod:%s/%s", e->r.ns ? e->r.ns : "", e->r.pod);
			offer(a, word, "");
			free(word);
			word = xasprintf("ns:%s", e->r.ns ? e->r.ns : "");
			offer(a, word, "");
			free(word);
		}
	ctable_free(t);
	ctrace_close(ct);
}

static void offer_schema(const struct asked *a, bool probes)
{
	const struct ctrace_event_type *t;
	struct ctrace_schema *s;
	struct ctrace *ct;

	if (!ctrace_open(&ct) && !ctrace_schema_get(ct, &s)) {
		for (size_t i = 0; (t = ctrace_schema_at(s, i)); i++) {
			const char *call = probe_call_of(s, t);

			if (probes && t->definition)
				offer(a, t->name, t->definition);
			else if (!probes && call)
				offer(a, call, "a system call");
			else if (!probes && probe_is_event(t))
				offer(a, t->name, t->system);
		}
		ctrace_schema_free(s);
	}
	ctrace_close(ct);
}

/* --- what a word may be: values of options, and words of commands ----------------- */

static void targets(const struct asked *a)
{
	/* of a recording: its containers are others */
	if (!a->cmd->words[0] || strcmp(a->cmd->words[0], "@dirs"))
		offer_containers(a);
	offer_words(a, "all host pid: cid: cgroup: unit: pod: ns: image: label: runtime: user: in: not:");
}

static void events(const struct asked *a)
{
	offer_words(a, "all syscalls views viewer sched kprobe: func:");
	for (size_t i = 0; class_name(i); i++) {
		char *word = xasprintf("%%%s", class_name(i));

		offer(a, word, "a class of system calls");
		free(word);
	}
	offer_schema(a, false);
}

static void probes(const struct asked *a)
{
	if (a->first && !strcmp(a->first, "del"))
		offer_schema(a, true);
}

static void columns(const struct asked *a)
{
	for (size_t i = 0; ps_column_name(i); i++)
		offer(a, ps_column_name(i), "");
}

static void snoop(const struct asked *a)
{
	for (const struct lines_form *f = lines_snoop; f->word; f++)
		offer(a, f->word, f->summary);
}

static void users(const struct asked *a)
{
	struct passwd *p;

	while ((p = getpwent()))
		offer(a, p->pw_name, "");
	endpwent();
}

static void files(const struct asked *a)
{
	(void)a;
	puts(":files");
}

static void dirs(const struct asked *a)
{
	(void)a;
	puts(":dirs");
}

static const struct kind {
	const char *name;
	void (*offer)(const struct asked *a);
	bool list;	/* there may be several, separated by commas */
} kinds[] = {
	{ "@columns", columns, true },
	{ "@containers", offer_containers, false },
	{ "@dirs", dirs, false },
	{ "@events", events, true },
	{ "@files", files, false },
	{ "@probes", probes, false },
	{ "@snoop", snoop, false },
	{ "@targets", targets, false },
	{ "@users", users, false },
};

/* What the value of an option is, by what help calls it. */
static const struct {
	const char *arg, *values;
} args[] = {
	{ "CALLS", "@events" }, { "DIR", "@dirs" }, { "EVENTS", "@events" }, { "FILE", "@files" },
	{ "LIST", "@columns" }, { "OLD", "@files" }, { "USER", "@users" },
};

static const struct kind *kind_of(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].name) == len && !strncmp(kinds[i].name, word, len))
			return &kinds[i];
	return NULL;
}

/* spec: words and kinds, separated by blanks. list: there may be several of these words. */
static void offer_spec(struct asked *a, const char *spec, bool list)
{
	const char *comma;

	for (const char *w = spec; *w; w += strcspn(w, " "), w += strspn(w, " ")) {
		const struct kind *k = kind_of(w, strcspn(w, " "));

		list |= k && k->list;
	}
	comma = list ? strrchr(a->word + a->settled, ',') : NULL;
	if (comma)
		a->settled = (size_t)(comma + 1 - a->word);
	if (list)
		puts(":more");
	for (const char *w = spec; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");
		const struct kind *k = kind_of(w, len);
		char *word = xstrndup(w, len);

		if (k)
			k->offer(a);
		else
			offer(a, word, "");
		free(word);
		w += len;
	}
}

/* --- options ---------------------------------------------------------------------- */

/* The tables of a command, its own first: the i-th, or NULL. */
static const struct cli_option *table_of(const struct command *cmd, size_t i)
{
	for (size_t k = 0; cmd->options[k]; k++)
		if (!i--)
			return cmd->options[k];
	for (const struct shared_options *s = shared_options; s->who; s++)
		if (cmd->kind >= s->least && !i--)
			return s->options;
	return NULL;
}

/* The option of a word --name, --name=... or -x. NULL: none that help has */
static const struct cli_option *option_of(const struct command *cmd, const char *word)
{
	const struct cli_option *o;
	bool is_long = word[1] == '-';
	size_t len = strcspn(word + 2 * is_long, "=");

	for (size_t i = 0; (o = table_of(cmd, i)); i++)
		for (; o->name || o->help; o++)
			if (o->name && o->help &&
			    (is_long ? strlen(o->name) == len && !strncmp(o->name, word + 2, len) :
				       word[1] == o->val && !word[2]))
				return o;
	return NULL;
}

static bool needs_value(const struct cli_option *o)
{
	return o && o->arg && *o->arg != '[';
}

static void offer_value(struct asked *a, const struct cli_option *o)
{
	const char *values = o->values;
	size_t len = strlen(o->arg), more = strlen("...");

	for (size_t i = 0; !*values && i < ARRAY_SIZE(args); i++)
		if (!strcmp(args[i].arg, o->arg))
			values = args[i].values;
	offer_spec(a, values, len > more && !strcmp(o->arg + len - more, "..."));
}

/* An option may be in two tables. It is printed once, with the text of the command. */
static void offer_options(const struct asked *a)
{
	const struct cli_option *o;
	struct sbuf what = { 0 };

	for (size_t i = 0; (o = table_of(a->cmd, i)); i++)
		for (; o->name || o->help; o++) {
			char *name = o->name ? xasprintf("--%s", o->name) : NULL;
			char letter[] = { '-', (char)o->val, '\0' };

			if (name && o->help && option_of(a->cmd, name) == o) {
				sbuf_reset(&what);
				options_put_help(&what, o);
				what.s[strcspn(what.s, "\n")] = '\0';
				offer(a, name, what.s);
				if (option_of(a->cmd, letter) == o)
					offer(a, letter, what.s);
			}
			free(name);
		}
	sbuf_free(&what);
}

/* --- the words of a command line --------------------------------------------------- */

static void offer_commands(const struct asked *a)
{
	for (const struct command_row *c = commands; c->cmd; c++)
		offer(a, c->cmd->name, c->summary);
}

static void offer_first(struct asked *a)
{
	offer_commands(a);
	/* a target alone: a first look at it */
	offer_containers(a);
	offer(a, "help", "print the help of ctrace, of a command, or about a topic");
	offer(a, "--help", "print the help of ctrace");
	offer(a, "--version", "print the version of ctrace");
}

static void offer_help(const struct asked *a)
{
	offer_commands(a);
	for (const struct topic *t = topics; t->name; t++)
		offer(a, t->name, t->summary);
}

/* words: those behind the command's name; the last one is asked for. */
static void offer_of(struct asked *a, char **words, int n)
{
	const struct cli_option *o = NULL;
	const char *spec;

	for (int i = 0; i < n - 1; i++) {
		if (!strcmp(words[i], "--")) {
			puts(i == n - 2 ? ":command" : ":files");
			return;
		}
		if (needs_value(o)) {
			o = NULL;	/* this is its value */
			continue;
		}
		o = *words[i] == '-' ? option_of(a->cmd, words[i]) : NULL;
		if (o && strchr(words[i], '='))
			o = NULL;
		if (*words[i] != '-' && !a->first)
			a->first = words[i];
	}
	if (needs_value(o)) {
		offer_value(a, o);
		return;
	}
	if (*a->word != '-') {
		spec = a->first && a->cmd->words[1] ? a->cmd->words[1] : a->cmd->words[0];
		if (spec)
			offer_spec(a, spec, false);
		return;
	}
	o = !strncmp(a->word, "--", 2) && strchr(a->word, '=') ? option_of(a->cmd, a->word) : NULL;
	if (!o) {
		offer_options(a);
	} else if (o->arg) {
		a->settled = strcspn(a->word, "=") + 1;
		offer_value(a, o);
	}
}

void complete(char **words, int n)
{
	struct asked a = { .word = n ? words[n - 1] : "" };

	if (n < 2) {
		offer_first(&a);
		return;
	}
	if (!strcmp(words[0], "help")) {
		if (n == 2)
			offer_help(&a);
		return;
	}
	a.cmd = command_find(words[0]);
	/* behind a target: the options of why */
	if (!a.cmd)
		a.cmd = *words[0] == '-' ? NULL : &cmd_why;
	else
		words++, n--;
	if (a.cmd)
		offer_of(&a, words, n);
}
