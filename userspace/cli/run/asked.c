// SPDX-License-Identifier: GPL-2.0-only
/* asked.json: what was asked for when a recording was made, where, when, and what was lost. */
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include <sys/utsname.h>
#include "base/cli.h"
#include "run/recording.h"
#include "run/run.h"

static void put_words(struct json *j, const char *key, char **words, int n)
{
	json_open(j, key, '[');
	for (int i = 0; i < n; i++)
		json_str(j, NULL, words[i]);
	json_close(j, ']');
}

void asked_put(struct sbuf *b, struct run *r, const struct run_opts *o, uint64_t began, uint64_t ended,
	       const struct losses *l)
{
	struct json j = { .out = b };
	char *filter = run_filter(o);
	struct sbuf names = { 0 };
	struct utsname u;
	int words = 0;

	json_open(&j, NULL, '{');
	json_str(&j, "version", ctrace_version());
	if (!uname(&u)) {
		json_str(&j, "host", u.nodename);
		json_str(&j, "kernel", u.release);
		json_str(&j, "machine", u.machine);
	}
	json_uint(&j, "began", began);
	if (ended)
		json_uint(&j, "ended", ended);
	if (r->dumped)
		json_uint(&j, "dumped", r->dumped);
	put_words(&j, "targets", o->targets, o->ntargets);
	while (o->command && o->command[words])
		words++;
	put_words(&j, "command", o->command, words);
	json_open(&j, "events", '[');
	for (size_t i = 0; i < r->probes.n; i++) {
		if (r->probes.v[i].extra)
			continue;
		json_open(&j, NULL, '{');
		json_str(&j, "name", r->probes.v[i].name);
		if (r->probes.v[i].filter)
			json_str(&j, "if", r->probes.v[i].filter);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	if (filter)
		json_str(&j, "filter", filter);
	free(filter);
	json_uint(&j, "fds", o->fds);
	json_uint(&j, "one_of", o->one_of);
	json_uint(&j, "rate", o->rate);
	json_uint(&j, "buffer", o->buffer ? o->buffer : BUFFER_DEFAULT);
	if (l && l->blind) {
		blind_names(r, &names);
		json_uint(&j, "blind_ns", l->blind);
		json_str(&j, "blind", names.s);
		sbuf_free(&names);
	}
	if (l) {
		json_open(&j, "losses", '{');
		json_uint(&j, "overrun", l->overrun);
		json_uint(&j, "full", l->full);
		json_uint(&j, "nested", l->nested);
		json_uint(&j, "frozen", l->frozen);
		json_uint(&j, "missed", l->missed);
		json_uint(&j, "unfollowed", l->unfollowed);
		json_uint(&j, "unfollowed_tasks", l->unfollowed_tasks);
		json_uint(&j, "unread", l->unread);
		json_close(&j, '}');
	}
	json_close(&j, '}');
	json_line(&j);
}

int asked_load(const char *dir, struct json_object **out)
{
	int err;

	*out = side_load(dir, CTF_SIDE_ASKED, &err);
	return err;
}

static struct json_object *events_of(const struct recording *r, size_t *n)
{
	struct json_object *list = r->asked ? names_get(r->asked, "events") : NULL;

	*n = list && json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	return list;
}

/* Is it the probe's name for events of type t? call: the system call's name, or NULL. */
static bool is_probe_of(const char *name, const struct ctrace_event_type *t, const char *call)
{
	const char *colon = strchr(name, ':');
	bool whole = ctrace_id_call(t->id).phase == CTRACE_CALL_WHOLE;

	if (call)
		return !strcmp(name, whole ? "calls" : "syscalls") ||
		       (!strncmp(name, whole ? "call:" : "syscall:", whole ? 5 : 8) && !strcmp(colon + 1, call));
	if (t->id == CTRACE_ID_CPU_SAMPLE)
		return !strncmp(name, "sample:", 7);
	return !strcmp(name, t->name) || (t->definition && !strcmp(name, t->definition)) ||
	       (colon && !strcmp(colon + 1, t->name));
}

static const char *call_of(const struct ctrace_event_type *t)
{
	static const char *const heads[] = { "compat_", "syscall_", "entry_", "exit_" };
	const char *name = t->name;

	if (ctrace_id_call(t->id).phase == CTRACE_CALL_NONE)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			name += strlen(heads[i]);
	return name;
}

enum asked_how asked_type(const struct recording *r, const struct ctrace_event_type *t)
{
	enum asked_how how = r->asked ? ASKED_NOT : ASKED_UNKNOWN;
	const char *call = call_of(t), *name;
	struct json_object *list, *e;
	size_t n;

	list = events_of(r, &n);
	for (size_t i = 0; i < n; i++) {
		e = json_object_array_get_idx(list, i);
		name = names_str(e, "name");
		if (!name || !is_probe_of(name, t, call))
			continue;
		if (names_str(e, "if") || asked_text(r, "filter") || asked_number(r, "one_of") ||
		    asked_number(r, "rate"))
			how = how == ASKED_ALL ? how : ASKED_PART;
		else
			how = ASKED_ALL;
	}
	return how;
}

bool recording_has_each(const struct recording *r)
{
	return asked_number(r, "one_of") < 2 && !asked_number(r, "rate") && !asked_text(r, "filter");
}

void asked_events(const struct recording *r, struct sbuf *b)
{
	struct json_object *list, *e;
	size_t n;

	list = events_of(r, &n);
	for (size_t i = 0; i < n; i++) {
		e = json_object_array_get_idx(list, i);
		sbuf_puts(b, i ? ", " : "");
		sbuf_clean(b, names_str(e, "name") ? names_str(e, "name") : "?");
		if (names_str(e, "if")) {
			sbuf_puts(b, " if ");
			sbuf_clean(b, names_str(e, "if"));
		}
	}
}

static void put_list(const struct recording *r, const char *key, const char *before, struct sbuf *b)
{
	struct json_object *list = r->asked ? names_get(r->asked, key) : NULL;
	size_t n = list && json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *word = json_object_get_string(json_object_array_get_idx(list, i));

		sbuf_puts(b, i ? " " : before);
		sbuf_clean(b, word ? word : "?");
	}
}

void asked_targets(const struct recording *r, struct sbuf *b)
{
	put_list(r, "targets", "", b);
	put_list(r, "command", b->len ? " -- " : "-- ", b);
}

uint64_t asked_number(const struct recording *r, const char *key)
{
	return (uint64_t)names_number(r->asked, key);
}

const char *asked_text(const struct recording *r, const char *key)
{
	return r->asked ? names_str(r->asked, key) : NULL;
}

uint64_t asked_lost(const struct recording *r, const char *cause)
{
	struct json_object *l = r->asked ? names_get(r->asked, "losses") : NULL, *v = l ? names_get(l, cause) : NULL;

	return v ? (uint64_t)json_object_get_int64(v) : 0;
}
