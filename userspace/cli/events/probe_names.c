// SPDX-License-Identifier: GPL-2.0-only
/* What a word of -e may mean: events, calls, classes. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "events/classes.h"
#include "base/cli.h"
#include "events/probes.h"
#include "base/util.h"

#define ENTRY	"syscall_entry_"
#define CALL	"syscall:"
#define ALL	"syscalls"
#define COMPAT	"compat_"

const char *probe_call_of(const struct ctrace_schema *s, const struct ctrace_event_type *t)
{
	const char *name = t->name;

	if (t->id >= CTRACE_ID_COMPAT_SYS_ENTER && !strncmp(name, COMPAT, sizeof(COMPAT) - 1)) {
		name += sizeof(COMPAT) - 1;
		if (ctrace_schema_by_name(s, name))
			return NULL;
	}
	if (strncmp(name, ENTRY, sizeof(ENTRY) - 1) || !strcmp(name, ENTRY "unknown"))
		return NULL;
	return name + sizeof(ENTRY) - 1;
}

static bool probe_has_call(const struct ctrace_schema *s, const char *call)
{
	char *name = xasprintf(COMPAT ENTRY "%s", call);
	bool yes = ctrace_schema_by_name(s, name) ||
		   ctrace_schema_by_name(s, name + sizeof(COMPAT) - 1);

	free(name);
	return yes && strcmp(call, "unknown");
}

bool probe_is_event(const struct ctrace_event_type *t)
{
	if (t->id >= CTRACE_ID_DYNAMIC && t->id < CTRACE_ID_SYS_ENTER)
		return t->definition;
	return t->source && strcmp(t->system, "syscalls");
}

bool probe_event_matches(const struct ctrace_event_type *t, const char *word)
{
	size_t n = strlen(t->system);

	/* environments may hold passwords: only its own name means it */
	if (t->id == CTRACE_ID_PROCESS_ENV)
		return false;
	/* it comes with the stacks that it is for */
	if (t->id == CTRACE_ID_PROCESS_MAP)
		return false;
	if (!fnmatch(word, t->name, 0) || !fnmatch(word, t->system, 0))
		return true;
	return !strncmp(word, t->system, n) && word[n] == ':' && !fnmatch(word + n + 1, t->name, 0);
}

bool probe_call_matches(const char *call, const char *word)
{
	if (*word == '%')
		return class_has(word + 1, call);
	if (!strncmp(word, CALL, sizeof(CALL) - 1))
		word += sizeof(CALL) - 1;
	return !strcmp(word, ALL) || !fnmatch(word, call, 0);
}

int probe_not_found(const struct ctrace_schema *s, const char *word)
{
	struct nearest near = { .word = word };
	const struct ctrace_event_type *t;
	struct sbuf b = { 0 };
	int r;

	sbuf_puts(&b, "no event or system call '");
	sbuf_clean(&b, word);
	sbuf_putc(&b, '\'');
	for (size_t i = 0; (t = ctrace_schema_at(s, i)); i++) {
		if (probe_is_event(t))
			nearest_offer(&near, t->name);
		else if (probe_call_of(s, t))
			nearest_offer(&near, probe_call_of(s, t));
	}
	nearest_print(&near, &b);
	r = cli_error("%s: 'ctrace events' lists all", b.s);
	sbuf_free(&b);
	return r;
}

int probe_no_class(const char *word)
{
	struct nearest near = { .word = word + 1 };
	struct sbuf b = { 0 };
	const char *name;
	int r;

	sbuf_reset(&b);
	for (size_t i = 0; (name = class_name(i)); i++)
		nearest_offer(&near, name);
	nearest_print(&near, &b);
	r = cli_error("no class of system calls '%s'%s", word, b.s);
	sbuf_free(&b);
	return r;
}

const struct ctrace_event_type *probe_event_named(const struct ctrace_schema *s, const char *word)
{
	const char *colon = strchr(word, ':'), *name = colon ? colon + 1 : word;
	const struct ctrace_event_type *t;

	for (size_t i = 0; (t = ctrace_schema_at(s, i)); i++) {
		if (!probe_is_event(t) || strcmp(t->name, name))
			continue;
		if (!colon || (strlen(t->system) == (size_t)(colon - word) &&
			       !strncmp(t->system, word, (size_t)(colon - word))))
			return t;
	}
	return NULL;
}

char *probe_event_name(const struct ctrace_event_type *t)
{
	return t->definition ? xasprintf("%s:%s", t->system, t->name) : xstrdup(t->name);
}

const char *probe_call_named(const struct ctrace_schema *s, const char *word, bool *whole)
{
	static const char *const prefixes[] = {
		"call:", CALL, ENTRY, "syscall_exit_", "compat_" ENTRY, "compat_syscall_exit_",
	};

	*whole = !strncmp(word, "call:", 5);
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(word, prefixes[i], strlen(prefixes[i]))) {
			word += strlen(prefixes[i]);
			break;
		}
	return probe_has_call(s, word) ? word : NULL;
}
