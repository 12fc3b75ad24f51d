// SPDX-License-Identifier: GPL-2.0-only
/* Names in /run/ctrace/names.d, and patterns in /etc/ctrace/runtimes.d (fixtures/names). */
#include <stdlib.h>
#include "names/patterns.h"
#include "names_fixture.h"

static struct sbuf warnings;

/* The files of this test may be anyone's: one of them is. */
static bool safe(const char *path)
{
	return !strstr(path, "/names.d/nnnn");
}

static bool none_safe(const char *path)
{
	(void)path;
	return false;
}

static void warn(const char *text)
{
	sbuf_puts(&warnings, text);
	sbuf_putc(&warnings, '\n');
}

static void check_doubt(const struct names *names, const struct ctrace_container *c, const char *name,
			enum name_doubt doubt)
{
	for (size_t i = 0; i < names->n; i++)
		if (names_match(&names->v[i], c) && !strcmp(names->v[i].name, name))
			check_eq(names_doubt(names, &names->v[i], c), doubt);
}

/* Anything else may give names, if the file is root's alone. */
static void given(void)
{
	struct ctable *t = fixture_table();
	struct ctrace_container c;

	t->names->safe = safe;
	check_record(t, 7, 'm', "jobs", "batch-7", "u7", "main", "2");
	check_label(t, 7, "batch");
	check_str(ctable_get(t, 7)->runtime, "nomad");
	check_word(ctable_get(t, 7)->r.image, "batch:3");
	check_word(names_str(ctable_get(t, 7)->r.labels, "team"), "data");
	/* it goes before docker's own word, as a whole */
	check_record(t, 8, 'o', "shop", "front", "(none)", "nginx", "(none)");
	check_label(t, 8, "front/nginx");
	check_record(t, 9, 'n', "(none)", "(none)", "(none)", "(none)", "(none)");
	check_label(t, 9, "nnnnnnnnnnnn");
	c = container('n', "/system.slice/its.scope");
	check_doubt(t->names, &c, "by-others", NAME_LOOSE);
	put(t, 10, 0, "/bench/given");
	check_label(t, 10, "byhand");
	/* its file has no .json */
	put(t, 11, 'b', "/system.slice/its.scope");
	check_label(t, 11, "bbbbbbbbbbbb");
	ctable_free(t);
}

static void malformed(void)
{
	static const char *const texts[] = {
		"cut.json is not used: it is not a JSON object", "list.json is not used: it is not a JSON object",
		"nameless.json is not used: name, pod or container must be there",
		"empty.json is not used: name is empty or too long", "number.json is not used: name must be a text",
		"slash.json is not used: namespace must have no '/'",
		"labels.json is not used: labels must be an object of texts",
		"restarts.json is not used: restarts must be a number",
	};
	size_t n = sizeof(texts) / sizeof(texts[0]);
	struct names *names = names_new(NAMES);

	names->warn = warn;
	names_refresh(names);
	names_refresh(names);
	for (size_t i = 0; i < n; i++) {
		char *full = xasprintf("%s/run/ctrace/names.d/%s\n", NAMES, texts[i]);

		if (!check(strstr(warnings.s, full)))
			check_str(warnings.s, full);
		free(full);
	}
	/* each once, although the files were read twice */
	for (const char *p = warnings.s; (p = strchr(p, '\n')); p++)
		n--;
	check_eq(n, 0);
	names_free(names);
}

static void check_pattern(struct ctable *t, uint32_t cid, const char *path, const char *runtime, const char *id)
{
	put(t, cid, 0, path);
	check_str(ctable_get(t, cid)->c.runtime, runtime);
	check_str(ctable_get(t, cid)->runtime, runtime);
	check_str(ctable_get(t, cid)->c.runtime_id, id);
}

static void patterns(void)
{
	struct ctable *t = fixture_table();
	struct ctrace_container c = { .cid = 30, .cgroup_id = 30, .runtime = "lxc", .path = "/x/late.box" };

	patterns_read(t->names);
	check_pattern(t, 7, "/mything.slice/mything-00ff.scope", "mything", "00ff");
	check_label(t, 7, "00ff");
	check_pattern(t, 8, "/mything-.scope", "", "");
	check_pattern(t, 9, "/mything-00ff.scope/below", "", "");
	check_pattern(t, 10, "/any/jobs.slice/night.job", "batch", "");
	check_label(t, 10, "night.job");
	check_pattern(t, 11, "/other.slice/night.job", "", "");
	check_pattern(t, 12, "/cells/7/top", "cells", "7");
	check_pattern(t, 13, "/in/cells/7/top", "", "");
	check_pattern(t, 14, "/cells/top", "", "");
	/* the first pattern, by file and by line, counts */
	check_pattern(t, 15, "/late.box", "second", "");
	check_pattern(t, 16, "/odd.job", "other", "");
	check_pattern(t, 17, "/not.conf", "", "");
	check_pattern(t, 18, "/mything-0123456789012345678901234567890123456789012345678901234567890123.scope", "mything",
		      "0123456789012345678901234567890123456789012345678901234567890123");
	check_pattern(t, 19, "/mything-01234567890123456789012345678901234567890123456789012345678901234.scope", "", "");
	/* what the module knows remains */
	ctable_add(t, &c, NULL, "", false);
	check_str(ctable_get(t, 30)->runtime, "lxc");
	put(t, 20, 'a', "/mything-x.scope");
	check_label(t, 20, "web");
	check_str(ctable_get(t, 20)->c.runtime, "mything");
	ctable_free(t);
}

/* Each line that is wrong is reported, and the others count. */
static void bad_patterns(void)
{
	struct names *n = names_new(NAMES);

	sbuf_reset(&warnings);
	n->warn = warn;
	patterns_read(n);
	check_eq(n->npatterns, 6);
	check(strstr(warnings.s, "60-more.conf:2 is not used: a line has a pattern and a runtime\n"));
	check(strstr(warnings.s, "60-more.conf:3 is not used: a line has a pattern and a runtime\n"));
	check(strstr(warnings.s, "60-more.conf:4 is not used: {id} is there twice\n"));
	check(strstr(warnings.s, "60-more.conf:5 is not used: the pattern matches everything\n"));
	check(strstr(warnings.s, "60-more.conf:6 is not used: the runtime's name is longer"));
	names_free(n);
	n = names_new(NAMES);
	n->safe = none_safe;
	n->warn = warn;
	patterns_read(n);
	check_eq(n->npatterns, 0);
	check(strstr(warnings.s, "50-site.conf:1 is not used: others than root"));
	names_free(n);
}

static const struct ktap_case cases[] = {
	{ "names.d", given },
	{ "malformed files of names.d are told of, once", malformed },
	{ "patterns of runtimes.d", patterns },
	{ "patterns that are wrong, and files of others", bad_patterns },
};

int main(void)
{
	int failed = ktap_run(cases, sizeof(cases) / sizeof(cases[0]));

	sbuf_free(&warnings);
	return failed;
}
