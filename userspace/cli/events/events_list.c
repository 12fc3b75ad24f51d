// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "events/classes.h"
#include "base/cli.h"
#include "events/events_list.h"
#include "events/field_type.h"
#include "events/probes.h"
#include "base/table.h"
#include "events/tracepoints.h"

struct list {
	const struct events_opts *o;
	struct ctrace_schema *s;
	struct tracepoints *known;
	struct table table;
	struct sbuf b;
	size_t shown;
};

static bool matches(const struct events_opts *o, const char *system, const char *name, const char *call)
{
	char *full = xasprintf("%s:%s", system, name);
	bool yes = !o->n;

	for (int i = 0; i < o->n && !yes; i++) {
		const char *p = o->patterns[i];

		yes = !fnmatch(p, name, 0) || !fnmatch(p, system, 0) || !fnmatch(p, full, 0) ||
		      (call && (!fnmatch(p, call, 0) || (*p == '%' && class_has(p + 1, call))));
	}
	free(full);
	return yes;
}

/* Is the type listed? The types of kprobes and raw tracepoints outlive their probes; these are not. */
static bool listed(const struct list *l, const struct ctrace_event_type *t)
{
	bool dynamic = t->id >= CTRACE_ID_DYNAMIC && t->id < CTRACE_ID_SYS_ENTER;

	if (t->id == CTRACE_ID_LOST || (dynamic && !t->definition))
		return false;
	if (l->o->form == EVENTS_JSON)
		return true;
	/* one line per call stands for its entry, its exit, the whole call, and 32-bit callers */
	if (t->id >= CTRACE_ID_SYS_ENTER)
		return probe_call_of(l->s, t);
	return t->id != CTRACE_ID_SYS_ENTER_UNKNOWN && t->id != CTRACE_ID_SYS_EXIT_UNKNOWN;
}

/* --- one type ------------------------------------------------------------------ */

static void put_json(struct list *l, const struct ctrace_event_type *t)
{
	struct json j = { .out = &l->b };

	json_open(&j, NULL, '{');
	json_str(&j, "name", t->name);
	json_str(&j, "system", t->system);
	json_uint(&j, "id", t->id);
	json_flag(&j, "available", !t->reason);
	if (t->reason)
		json_str(&j, "reason", t->reason);
	if (t->source)
		json_str(&j, "source", t->source);
	if (t->definition)
		json_str(&j, "definition", t->definition);
	field_types_json(&j, t);
	json_close(&j, '}');
	json_line(&j);
	fputs(l->b.s, stdout);
}

static void put_row(struct list *l, const struct ctrace_event_type *t, const char *name)
{
	field_types_put(&l->b, t);
	if (t->reason)
		sbuf_printf(&l->b, "%s(not here: %s)", l->b.len ? " " : "", t->reason);
	table_str(&l->table, name);
	table_str(&l->table, t->system);
	table_str(&l->table, l->b.s);
	table_end_row(&l->table);
}

static void put_verbose(struct list *l, const struct ctrace_event_type *t, const char *name)
{
	struct ctrace_event_type one = *t;

	sbuf_printf(&l->b, "%s:", t->system);
	sbuf_clean(&l->b, name);
	if (t->definition) {
		sbuf_puts(&l->b, "  ");
		sbuf_clean(&l->b, t->definition);
	} else if (t->source) {
		sbuf_printf(&l->b, "  %s %s", strchr(t->source, '(') ? "function" : "tracepoint", t->source);
	}
	if (t->reason)
		sbuf_printf(&l->b, " (not here: %s)", t->reason);
	sbuf_putc(&l->b, '\n');
	one.nfields = 1;
	for (uint32_t i = 0; i < t->nfields; i++) {
		one.fields = &t->fields[i];
		sbuf_puts(&l->b, "    ");
		field_types_put(&l->b, &one);
		sbuf_putc(&l->b, '\n');
	}
	fputs(l->b.s, stdout);
}

static void put(struct list *l, const struct ctrace_event_type *t)
{
	const char *call = probe_call_of(l->s, t);

	if (!listed(l, t) || !matches(l->o, t->system, t->name, call))
		return;
	l->shown++;
	sbuf_reset(&l->b);
	if (l->o->form == EVENTS_JSON)
		put_json(l, t);
	else if (l->o->form == EVENTS_VERBOSE)
		put_verbose(l, t, call ? call : t->name);
	else
		put_row(l, t, call ? call : t->name);
}

/* --- by group: in the order of the first id of each ------------------------------ */

static bool first_of_group(const struct ctrace_schema *s, size_t i)
{
	const char *system = ctrace_schema_at(s, i)->system;

	while (i--)
		if (!strcmp(ctrace_schema_at(s, i)->system, system))
			return false;
	return true;
}

static void by_group(struct list *l, void (*fn)(struct list *l, const struct ctrace_event_type *t))
{
	const struct ctrace_event_type *t, *group;

	/* system calls are many, and last */
	for (size_t i = 0; (group = ctrace_schema_at(l->s, i)) && group->id < CTRACE_ID_SYS_ENTER; i++) {
		if (!first_of_group(l->s, i))
			continue;
		for (size_t k = i; (t = ctrace_schema_at(l->s, k)) && t->id < CTRACE_ID_SYS_ENTER; k++)
			if (!strcmp(t->system, group->system))
				fn(l, t);
	}
	for (size_t i = 0; (t = ctrace_schema_at(l->s, i)); i++)
		if (t->id >= CTRACE_ID_SYS_ENTER)
			fn(l, t);
}

/* --- the rest of the kernel's tracepoints ---------------------------------------- */

static int put_tracepoint(const char *name, void *arg)
{
	struct list *l = arg;
	const char *system = tracepoints_system(l->known, name);
	const struct ctrace_event_type *t;
	char *full;

	for (size_t i = 0; (t = ctrace_schema_at(l->s, i)) && t->id < CTRACE_ID_DYNAMIC; i++)
		if (t->source && !strcmp(t->source, name))
			return 0;
	/* no event of tracefs has it, or tracefs is not mounted: raw:NAME works for any tracepoint */
	if (!system)
		system = "raw";
	if (!matches(l->o, system, name, NULL))
		return 0;
	l->shown++;
	full = xasprintf("%s:%s", system, name);
	sbuf_reset(&l->b);
	if (l->o->form == EVENTS_JSON) {
		struct json j = { .out = &l->b };

		json_open(&j, NULL, '{');
		json_str(&j, "name", full);
		json_str(&j, "system", system);
		json_flag(&j, "available", true);
		json_flag(&j, "raw", true);
		json_close(&j, '}');
		json_line(&j);
		fputs(l->b.s, stdout);
	} else if (l->o->form == EVENTS_VERBOSE) {
		printf("%s  raw arguments\n", full);
	} else {
		table_str(&l->table, full);
		table_str(&l->table, system);
		table_str(&l->table, "(raw arguments)");
		table_end_row(&l->table);
	}
	free(full);
	return 0;
}

/* --- README's table ----------------------------------------------------------------- */

/* The table has events that this kernel lacks, too: it describes the module, not one kernel. */
static void put_markdown(struct list *l, const struct ctrace_event_type *t)
{
	if (t->id >= CTRACE_ID_DYNAMIC || !listed(l, t))
		return;
	printf("| %s | `%s` |", t->system, t->name);
	for (uint32_t i = 0; i < t->nfields; i++)
		printf("%s%s", i ? ", " : " ", t->fields[i].name);
	puts(" |");
}

static void markdown(struct list *l)
{
	puts("| system | event | fields |\n| --- | --- | --- |\n"
	     "| syscalls | `syscall_entry_NAME`, `syscall_exit_NAME` | marks (of calls with strings), the call's arguments, what they point to; ret, what the call has written |\n"
	     "| syscalls | `syscall_NAME` | duration, ret, marks, the call's arguments, what they point to |");
	by_group(l, put_markdown);
	puts("| any other | `SYSTEM:NAME` | arg1, arg2, ... |\n"
	     "| kprobes | `p:NAME SYMBOL ARG...`, `r:NAME SYMBOL ARG...` | as defined |\n"
	     "| kprobes | `func:SYMBOL`, `f:NAME SYMBOL ARG...` | duration, ret, as defined |");
}

int events_list(struct ctrace *ct, const struct events_opts *o)
{
	static const char *const heads[] = { "NAME", "GROUP", "FIELDS" };
	struct list l = { .o = o };
	int status = CLI_OK;

	if (ctrace_schema_get(ct, &l.s))
		return cli_error("%s", ctrace_errmsg(ct));
	if (o->form == EVENTS_MARKDOWN) {
		markdown(&l);
		ctrace_schema_free(l.s);
		return CLI_OK;
	}
	l.known = tracepoints_new();
	table_init(&l.table, heads, ARRAY_SIZE(heads));
	by_group(&l, put);
	if ((o->tracepoints || o->n) && ctrace_tracepoint_each(ct, put_tracepoint, &l))
		status = cli_error("%s", ctrace_errmsg(ct));
	if (o->form == EVENTS_TABLE && l.shown)
		table_print(&l.table, stdout);
	table_free(&l.table);
	sbuf_free(&l.b);
	tracepoints_free(l.known);
	ctrace_schema_free(l.s);
	if (status == CLI_OK && !l.shown && o->n)
		return cli_error("no event matches '%s': 'ctrace events' lists all", o->patterns[0]);
	return status;
}
