// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "names/patterns.h"

#define PATTERNS_DIR	"/etc/ctrace/runtimes.d"
#define PATTERNS_MAX	1000

static const char id_word[] = "{id}";

static void wrong(struct names *n, const char *path, unsigned int line, const char *why)
{
	char *text = xasprintf("%s%s:%u is not used: %s", n->root, path, line, why);

	names_warn(n, text);
	free(text);
}

/* The error in a line; NULL: it is valid. */
static const char *flaw(const char *glob, const char *runtime, const char *more)
{
	const char *id = glob ? strstr(glob, id_word) : NULL;
	static const struct ctrace_container *const c;

	if (!glob || !runtime || more)
		return "a line has a pattern and a runtime";
	if (strlen(runtime) >= sizeof(c->runtime))
		return "the runtime's name is longer than 15 bytes";
	if (id && strstr(id + 1, id_word))
		return "{id} is there twice";
	/* a label that every container has says nothing */
	if (!glob[strspn(glob, "*/")])
		return "the pattern matches everything";
	return NULL;
}

static void read_line(struct names *n, const char *path, unsigned int number, char *line)
{
	char *save = NULL, *glob, *runtime;
	const char *bad;

	line[strcspn(line, "#")] = '\0';
	glob = strtok_r(line, " \t\r", &save);
	if (!glob)
		return;
	runtime = strtok_r(NULL, " \t\r", &save);
	bad = flaw(glob, runtime, strtok_r(NULL, " \t\r", &save));
	if (!bad && n->npatterns == PATTERNS_MAX)
		bad = "there are too many patterns";
	if (bad) {
		wrong(n, path, number, bad);
		return;
	}
	n->patterns = xrealloc(n->patterns, (n->npatterns + 1) * sizeof(n->patterns[0]));
	n->patterns[n->npatterns++] = (struct pattern){
		.file = xasprintf("%s%s", n->root, path), .glob = xstrdup(glob), .runtime = xstrdup(runtime),
		.line = number,
	};
}

static void read_patterns(struct names *n, const char *path, const char *entry)
{
	size_t len = strlen(entry);
	unsigned int number = 0;
	char *text, *full, *next;

	if (len < 6 || strcmp(entry + len - 5, ".conf"))
		return;
	full = xasprintf("%s%s", n->root, path);
	text = names_text(n, path, NULL);
	if (text && !n->safe(full))
		wrong(n, path, 1, "others than root may write or replace the file, or a link leads to it");
	else
		for (char *line = text; line; line = next) {
			next = strchr(line, '\n');
			if (next)
				*next++ = '\0';
			read_line(n, path, ++number, line);
		}
	free(text);
	free(full);
}

static int in_order(const void *a, const void *b)
{
	const struct pattern *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

void patterns_read(struct names *n)
{
	names_each(n, PATTERNS_DIR, read_patterns);
	if (n->npatterns)
		qsort(n->patterns, n->npatterns, sizeof(n->patterns[0]), in_order);
}

void patterns_free(struct names *n)
{
	for (size_t i = 0; i < n->npatterns; i++) {
		free(n->patterns[i].file);
		free(n->patterns[i].glob);
		free(n->patterns[i].runtime);
	}
	free(n->patterns);
}

/* Matches one component of a path. The text around {id} has no wildcards, so {id} has only one meaning. */
static bool component(const char *glob, const char *name, char **id)
{
	const char *at = strstr(glob, id_word), *tail = at ? at + strlen(id_word) : NULL;
	size_t n = strlen(name), before = at ? (size_t)(at - glob) : 0, after = at ? strlen(tail) : 0;
	static const struct ctrace_container *const c;

	if (!at)
		return !fnmatch(glob, name, FNM_PERIOD);
	if (n <= before + after || strncmp(name, glob, before) || strcmp(name + n - after, tail) ||
	    n - before - after >= sizeof(c->runtime_id))
		return false;
	*id = xstrndup(name + before, n - before - after);
	return true;
}

/* Compares the path's last components, as many as the pattern has; all of them if it begins with a slash. */
static bool matches(const char *glob, const char *path, char **id)
{
	char *g = xstrdup(glob), *p = xstrdup(path), *gs, *ps;
	bool yes = true, more = true;

	*id = NULL;
	while (yes && more) {
		gs = strrchr(g, '/');
		ps = strrchr(p, '/');
		/* the root has no name */
		yes = ps && component(gs ? gs + 1 : g, ps + 1, id);
		more = gs && gs != g;
		if (gs == g && ps != p)
			yes = false;
		if (gs)
			*gs = '\0';
		if (ps)
			*ps = '\0';
	}
	if (!yes) {
		free(*id);
		*id = NULL;
	}
	free(g);
	free(p);
	return yes;
}

const struct pattern *pattern_of(const struct names *n, const struct ctrace_container *c, char **id)
{
	for (size_t i = 0; i < n->npatterns; i++)
		if (matches(n->patterns[i].glob, c->path, id))
			return &n->patterns[i];
	*id = NULL;
	return NULL;
}

void patterns_apply(const struct names *n, struct ctrace_container *c)
{
	const struct pattern *p = NULL;
	char *id = NULL;

	if (c->cid != CTRACE_CID_HOST && c->cgroup_id && !c->runtime[0])
		p = pattern_of(n, c, &id);
	if (p) {
		snprintf(c->runtime, sizeof(c->runtime), "%s", p->runtime);
		if (id && !c->runtime_id[0])
			snprintf(c->runtime_id, sizeof(c->runtime_id), "%s", id);
	}
	free(id);
}
