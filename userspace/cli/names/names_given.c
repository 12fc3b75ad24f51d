// SPDX-License-Identifier: GPL-2.0-only
/* Names that others give, in /run/ctrace/names.d: ctrace-names(5) has the format. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "names/names.h"

#define GIVEN_DIR	"/run/ctrace/names.d"
#define WORD_MAX	512	/* bytes of a name */

static void reject(struct names *n, const char *path, const char *key, const char *why)
{
	char *text = xasprintf("%s%s is not used: %s%s", n->root, path, key, why);

	names_warn(n, text);
	free(text);
}

/* The word o[key]. NULL: there is none; or it is not valid, and *bad says why. */
static char *word(struct json_object *o, const char *key, const char **bad)
{
	const char *s = names_str(o, key);

	if (!s && names_get(o, key))
		*bad = " must be a text";
	if (s && (!*s || strlen(s) > WORD_MAX))
		*bad = " is empty or too long";
	return (char *)s;
}

/* Fills e from o. NULL; or the key that is wrong, and *bad says why. */
static const char *fill(struct name_entry *e, struct json_object *o, const char **bad)
{
	const struct {
		const char *key;
		char **to;
		bool plain;	/* it may have no '/', which separates it from others */
	} words[] = {
		{ "name", &e->name, false }, { "runtime", &e->runtime, false },
		{ "cgroup", &e->cgroup, false }, { "image", &e->r.image, false },
		{ "namespace", &e->r.ns, true }, { "pod", &e->r.pod, true },
		{ "pod_uid", &e->r.pod_uid, true }, { "container", &e->r.container, true },
	};
	struct json_object *restarts = names_get(o, "restarts"), *labels = names_get(o, "labels");
	uint32_t number;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		*words[i].to = word(o, words[i].key, bad);
		if (!*bad && words[i].plain && *words[i].to && strchr(*words[i].to, '/'))
			*bad = " must have no '/'";
		if (*bad)
			return words[i].key;
	}
	e->r.restarts = restarts ? (char *)json_object_get_string(restarts) : NULL;
	e->r.labels = labels;
	*bad = " must be a number";
	if (e->r.restarts &&
	    (!json_object_is_type(restarts, json_type_int) || parse_u32(e->r.restarts, &number)))
		return "restarts";
	*bad = " must be an object of texts";
	if (labels && !json_object_is_type(labels, json_type_object))
		return "labels";
	if (labels) {
		json_object_object_foreach(labels, key, v) {
			(void)key;
			if (!json_object_is_type(v, json_type_string))
				return "labels";
		}
	}
	*bad = ", pod or container must be there";
	return e->name || e->r.pod || e->r.container ? NULL : "name";
}

static void given(struct names *n, const char *path, const char *entry)
{
	struct name_entry e = { .rank = NAME_GIVEN, .file = (char *)path };
	size_t len = strlen(entry);
	const char *key, *bad = NULL;
	struct json_object *o;
	char *text, *full;

	if (len < 6 || strcmp(entry + len - 5, ".json"))
		return;
	text = names_text(n, path, NULL);
	if (!text)
		return;
	o = json_tokener_parse(text);
	key = json_object_is_type(o, json_type_object) ? fill(&e, o, &bad) : "it";
	if (key) {
		reject(n, path, key, bad ? bad : " is not a JSON object");
	} else {
		full = xasprintf("%s%s", n->root, path);
		e.id = xstrndup(entry, len - 5);
		e.loose = !n->safe(full);
		names_add(n, &e);
		free(e.id);
		free(full);
	}
	json_object_put(o);
	free(text);
}

void names_from_given(struct names *n)
{
	names_each(n, GIVEN_DIR, given);
}
