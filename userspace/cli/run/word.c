// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "names/pods.h"
#include "run/which.h"
#include "run/word.h"

static bool has_image(const struct ctable *t, const struct centry *e, const char *glob)
{
	const char *image = e->r.image ? e->r.image : "", *last = strrchr(image, '/');

	(void)t;
	/* docker.io/library/nginx:1.25 is nginx:1.25, too */
	return *image && (!fnmatch(glob, image, 0) || (last && !fnmatch(glob, last + 1, 0)));
}

static bool has_label(const struct ctable *t, const struct centry *e, const char *word)
{
	const char *is = strchr(word, '='), *value;
	char *key = is ? xstrndup(word, (size_t)(is - word)) : xstrdup(word);

	(void)t;
	value = names_str(e->r.labels, key);
	free(key);
	return value && (!is || !strcmp(value, is + 1));
}

static bool has_runtime(const struct ctable *t, const struct centry *e, const char *word)
{
	return !strcmp(e->runtime, word) && ctable_runtime_proven(t, e);
}

static bool has_pod(const struct ctable *t, const struct centry *e, const char *word)
{
	(void)t;
	return pod_is(e, word);
}

static bool has_ns(const struct ctable *t, const struct centry *e, const char *word)
{
	(void)t;
	return pod_in_ns(e, word);
}

static const struct fact {
	const char *prefix;
	bool (*has)(const struct ctable *t, const struct centry *e, const char *word);
} facts[] = {
	{ "image:",	has_image },
	{ "label:",	has_label },
	{ "runtime:",	has_runtime },
	{ "pod:",	has_pod },
	{ "ns:",	has_ns },
};

static const struct fact *fact_of(const char *word)
{
	for (size_t k = 0; k < ARRAY_SIZE(facts); k++)
		if (!strncmp(word, facts[k].prefix, strlen(facts[k].prefix)))
			return &facts[k];
	return NULL;
}

/*
 * A stand-in counts only if the system made the container: else users could give their cgroup the name that
 * somebody waits for. The beginning of an id must be too long to be a name.
 */
static bool has_name(const struct ctable *t, const struct centry *e, const char *word)
{
	size_t len = strlen(word);

	if (e->owner == NAME_OF_SYSTEM && !ctable_runtime_proven(t, e))
		return false;
	return !fnmatch(word, e->name, 0) || !strcmp(word, e->label) || (e->full && !strcmp(word, e->full)) ||
	       (len >= ID_SHORT && strspn(word, "0123456789abcdef") == len && !strncmp(word, e->c.runtime_id, len));
}

bool word_matches(const struct ctable *t, const struct centry *e, const struct word *w)
{
	const struct fact *f = fact_of(w->text);

	if (w->owner == NAME_OF_SYSTEM && !strcmp(w->text, "*"))
		return ctable_runtime_proven(t, e);
	if (e->owner != w->owner || e->whose != w->whose)
		return false;
	return f ? f->has(t, e, w->text + strlen(f->prefix)) : has_name(t, e, w->text);
}

bool word_is_fact(const struct word *w)
{
	return fact_of(w->text);
}

/* text: "user:" or "in:", or what follows it; *who: the owner's name, which the caller frees */
static const char *split(const char *text, const char *prefix, char **who)
{
	const char *end;

	if (strncmp(text, prefix, strlen(prefix)))
		return NULL;
	text += strlen(prefix);
	end = strchr(text, ':');
	*who = end ? xstrndup(text, (size_t)(end - text)) : xstrdup("");
	return end ? end + 1 : text + strlen(text);
}

int word_parse(struct word *w, struct ctable *t, const char *text)
{
	const struct centry *e;
	const struct fact *f;
	const char *rest;
	int status = CLI_OK;
	char *who;

	*w = (struct word){ .text = text };
	if ((rest = split(text, "user:", &who))) {
		*w = (struct word){ .text = rest, .owner = NAME_OF_USER };
		if (parse_user(who, &w->whose))
			status = cli_error("no user '%s' on this machine: write user:UID:TARGET", who);
		free(who);
	} else if ((rest = split(text, "in:", &who))) {
		*w = (struct word){ .text = rest, .owner = NAME_OF_CONTAINER };
		e = which_container(t, who, &status);
		w->whose = e ? e->c.cid : 0;
		free(who);
	}
	if (status != CLI_OK)
		return status;
	f = fact_of(w->text);
	if (!w->text[f ? strlen(f->prefix) : 0])
		return *text ? cli_usage("'%s' needs a value", text) :
			cli_usage("an empty word is not a target: 'ctrace ps' lists containers");
	w->plain = w->owner == NAME_OF_SYSTEM && !f && !strpbrk(w->text, "*?[");
	return CLI_OK;
}

void word_others(struct sbuf *b, struct ctable *t, const struct word *w)
{
	struct centry *e;

	for (size_t i = 0; w->owner == NAME_OF_SYSTEM && (e = ctable_next(t, &i));) {
		struct word theirs = *w;

		if (!ctable_alive(e))
			continue;
		ctable_get(t, e->c.cid);
		if (e->owner == NAME_OF_SYSTEM)
			continue;
		theirs.owner = e->owner;
		theirs.whose = e->whose;
		if (!word_matches(t, e, &theirs))
			continue;
		if (e->owner == NAME_OF_USER)
			sbuf_printf(b, "; user %u has one: user:%u:", e->whose, e->whose);
		else
			sbuf_printf(b, "; container %u has one: in:%u:", e->whose, e->whose);
		sbuf_clean(b, w->text);
		return;
	}
}
