// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "watch/report.h"
#include "watch/watch.h"

#define PATIENCE_MS	2000	/* a watch that writes a dump answers a little later */

static void ask(struct watch_state *s)
{
	struct json_object *o, *v;
	int err;

	s->answer = control_ask("status", PATIENCE_MS, &err);
	/* it may be busy: somebody listens there */
	s->runs = s->answer || err == -ETIME;
	o = s->answer ? json_tokener_parse(s->answer) : NULL;
	if (!o || !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		return;
	}
	if (json_object_object_get_ex(o, "pid", &v))
		s->pid = json_object_get_int(v);
	if (json_object_object_get_ex(o, "account", &v))
		account_load(&s->account, v);
	if (json_object_object_get_ex(o, "directory", &v)) {
		free(s->dir);
		s->dir = xstrdup(json_object_get_string(v));
	}
	json_object_put(o);
}

void watch_state_get(struct watch_state *s, const char *root, const char *conf)
{
	char *path = xasprintf("%s%s", root, conf);
	struct mistakes m = { 0 };
	struct watch_config *c;
	struct dumps d;

	*s = (struct watch_state){ .configured = !access(path, F_OK) };
	if (s->configured) {
		c = watch_config_read(path, &m);
		s->dir = xstrdup(c->dir);
		watch_config_free(c);
	}
	free(path);
	s->mistakes = m.n;
	s->first = m.b.len ? xstrndup(m.b.s, strcspn(m.b.s, "\n")) : NULL;
	sbuf_free(&m.b);
	if (!s->dir)
		s->dir = xstrdup(WATCH_DIR);
	if (!*root) {
		ask(s);
		if (!s->runs)
			store_load_state(s->dir, &s->account);
	}
	path = xasprintf("%s%s", root, s->dir);
	s->readable = !store_list(path, &d);
	s->dumps = d.n;
	s->bytes = d.bytes;
	store_list_free(&d);
	free(path);
}

void watch_state_free(struct watch_state *s)
{
	free(s->first);
	free(s->answer);
	free(s->dir);
}

void watch_state_words(struct sbuf *b, const struct watch_state *s)
{
	struct sbuf not = { 0 };

	if (s->runs && s->pid)
		sbuf_printf(b, "runs (pid %d)", s->pid);
	else
		sbuf_puts(b, s->runs ? "runs" : geteuid() ? "not known to run: ask as root" : "does not run");
	if (s->readable) {
		sbuf_puts(b, ", ");
		sbuf_count(b, s->dumps, "dump");
		sbuf_puts(b, s->dumps == 1 ? " takes " : " take ");
		sbuf_size(b, s->bytes);
	}
	account_words(&not, &s->account);
	if (not.len)
		sbuf_printf(b, "; not written: %s", not.s);
	sbuf_free(&not);
	if (s->mistakes)
		sbuf_printf(b, "; its configuration has %zu mistake%s", s->mistakes,
			    s->mistakes == 1 ? "" : "s");
}

void watch_state_json(struct json *j, const char *key, const struct watch_state *s)
{
	json_open(j, key, '{');
	json_flag(j, "configured", s->configured);
	json_uint(j, "mistakes", s->mistakes);
	json_flag(j, "runs", s->runs);
	if (s->pid)
		json_int(j, "pid", s->pid);
	json_str(j, "directory", s->dir);
	if (s->readable) {
		json_uint(j, "dumps", s->dumps);
		json_uint(j, "bytes", s->bytes);
	}
	account_put(j, "account", &s->account, NULL);
	json_close(j, '}');
}
