// SPDX-License-Identifier: GPL-2.0-only
/* From groups of events to probes and tables; and --explain, which prints them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "count/view.h"
#include "events/functions.h"

bool view_list_has(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; p && *p;) {
		size_t len = strcspn(p, ",");
		const char *s = p + strspn(p, " ");

		size_t left = (size_t)(p + len - s);

		if (left >= n && !strncmp(s, word, n) && strspn(s + n, " ") >= left - n)
			return true;
		p += len + (p[len] == ',');
	}
	return false;
}

void view_add_group(struct view *v, const char *events, char *aggregate)
{
	struct view_group *g;

	v->groups = xrealloc(v->groups, (v->ngroups + 1) * sizeof(v->groups[0]));
	g = &v->groups[v->ngroups++];
	*g = (struct view_group){ .events = v->o.probes, .aggregate = aggregate };
	g->events.whole = true;
	g->events.calls_alone = strstr(aggregate, "syscall");
	if (events) {
		g->events.events = xcalloc(1, sizeof(char *));
		g->events.events[0] = xstrdup(events);
		g->events.nevents = 1;
	}
}

char *view_aggregate(const struct view *v, const char *functions, const char *extra)
{
	const char *by = v->by && *v->by ? v->by : NULL;

	if (extra && by)
		return xasprintf("%s by %s, %s", functions, extra, by);
	return extra || by ? xasprintf("%s by %s", functions, extra ? extra : by) : xstrdup(functions);
}

/* An upper limit for the keys and values of an aggregate's rows; the module knows them exactly. */
static void measure(const char *aggregate, uint32_t *keys, uint32_t *values, bool *stack)
{
	const char *by = strstr(aggregate, " by ");
	size_t end = by ? (size_t)(by - aggregate) : strlen(aggregate);

	*keys = 1;
	*values = 0;
	*stack = false;
	for (size_t i = 0; i < end; i++)
		if (aggregate[i] == '(')
			*values += i >= 4 && !strncmp(aggregate + i - 4, "hist", 4) ? CTRACE_TABLE_BUCKETS : 2;
	if (!by)
		return;
	*keys += 4;
	for (const char *p = by; *p; p++)
		*keys += *p == ',' ? 4 : 0;
	*keys += strstr(by, "function") ? 4 : 0;	/* CTRACE_TABLE_TEXT_MAX bytes */
	*stack = strstr(by, "stack");
}

/* As the module counts them: the highest number and one more. */
static uint32_t possible_cpus(void)
{
	char *text = read_file("/sys/devices/system/cpu/possible", NULL), *last;
	uint32_t n = 0;

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		last = strrchr(text, '-');
		if (parse_u32(last ? last + 1 : text, &n))
			n = 0;
		else
			n++;
	}
	free(text);
	return n ? n : (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
}

static uint32_t rows_of(const struct view *v, size_t tables)
{
	uint32_t rows = VIEW_ROWS;

	if (v->rows)
		return v->rows;
	for (; tables > 4 && rows > 64; tables = (tables + 1) / 2)
		rows /= 2;
	return rows;
}

/* Are all keys ones that every call has? */
static bool of_tasks(const char *by)
{
	static const char keys[] = "comm,tid,vtid,pid,uid,gid,cpu";
	struct sbuf word = { 0 };
	bool yes = true;

	for (const char *p = by; p && *p && yes; p += *p == ',') {
		size_t n = strcspn(p, ",");

		sbuf_reset(&word);
		sbuf_put(&word, p, n);
		yes = view_list_has(keys, word.s);
		p += n;
	}
	sbuf_free(&word);
	return yes;
}

#define JOINED		60u	/* calls of a table at most */
#define JOINED_TEXT	900u

static bool joins(const struct probe_want *a, const struct probe_want *b)
{
	const char *x = a->filter ? a->filter : "", *y = b->filter ? b->filter : "";

	return !strncmp(a->name, "call:", 5) && !strncmp(b->name, "call:", 5) && !strcmp(x, y) &&
	       strlen(a->name) + strlen(b->name) < JOINED_TEXT;
}

/*
 * Calls that are counted in the same way share a table, with the call as a key. Each call may then have many
 * rows: a task that reads often rarely opens often, too.
 */
static void join_calls(struct probes *p)
{
	for (size_t i = 0; i < p->n; i++) {
		unsigned int n = 1;

		for (size_t k = i + 1; k < p->n && n < JOINED;) {
			struct probe_want *a = &p->v[i], *b = &p->v[k];
			char *both;

			if (!joins(a, b)) {
				k++;
				continue;
			}
			both = xasprintf("%s,%s", a->name, b->name + 5);
			free(a->name);
			a->name = both;
			free(b->name);
			free(b->filter);
			*b = p->v[--p->n];
			n++;
		}
	}
}

/* Counts each KEY of the probe by itself, too. */
static void count_by(struct probe_want *w, const char *key)
{
	char *text = xasprintf(strstr(w->aggregate, " by ") ? "%s, %s" : "%s by %s", w->aggregate, key);

	free(w->aggregate);
	w->aggregate = text;
}

/* Functions by a pattern: each is counted by itself, and has a row. */
static void count_functions(const struct view *v, struct probe_want *w, const char *pattern)
{
	int n = v->recording ? 0 : functions_match(pattern);

	if (!strstr(w->aggregate, "function"))
		count_by(w, "function");
	if (w->rows || v->rows || n <= VIEW_ROWS / 2)
		return;
	/* in a table that is half full, nearly every key finds a place */
	for (w->rows = VIEW_ROWS; w->rows < 2 * (uint32_t)n;)
		w->rows *= 2;
}

static int add_wants(struct view *v, struct run *r, const struct view_group *g)
{
	struct probes p = { 0 };
	int status = probes_parse(&p, r->schema, &g->events);

	if (status != CLI_OK) {
		probes_free(&p);
		return status;
	}
	if (!v->recording && strstr(g->aggregate, "syscall") && of_tasks(v->by))
		join_calls(&p);
	r->probes.v = xrealloc(r->probes.v, (r->probes.n + p.n) * sizeof(p.v[0]));
	v->tables = xrealloc(v->tables, (v->ntables + p.n) * sizeof(v->tables[0]));
	for (size_t i = 0; i < p.n; i++) {
		struct view_table *t = &v->tables[v->ntables++];
		struct probe_want *w = &p.v[i];
		bool every = !strcmp(w->name, "calls"), joined = strchr(w->name, ',') && !strncmp(w->name, "call:", 5);

		*t = (struct view_table){ .group = (size_t)(g - v->groups), .own = g->own, .call = joined ? CTRACE_TABLE_KEY_SYSCALL : -1 };
		t->event = xstrdup(strncmp(w->name, "call:", 5) ? w->name : w->name + 5);
		w->aggregate = xstrdup(g->aggregate);
		w->rows = g->rows;
		/* of all calls, each is counted by itself */
		if (every && !strstr(g->aggregate, "syscall")) {
			count_by(w, "syscall");
			t->call = CTRACE_TABLE_KEY_SYSCALL;
		}
		if (functions_pattern(w->name))
			count_functions(v, w, functions_pattern(w->name));
		r->probes.v[r->probes.n++] = *w;
	}
	free(p.v);
	return CLI_OK;
}

void view_count_besides(struct run *r, char *name)
{
	r->probes.v = xrealloc(r->probes.v, (r->probes.n + 1) * sizeof(r->probes.v[0]));
	r->probes.v[r->probes.n++] = (struct probe_want){
		.name = name, .aggregate = xstrdup("count()"), .rows = VIEW_ROWS,
	};
	r->table_size += ctrace_aggregate_size(possible_cpus(), VIEW_ROWS, 1, 2, false);
}

int view_want(struct view *v)
{
	struct run *r = &v->run;
	int status = view_sort_is(v);

	if (status == CLI_OK)
		status = v->kind->groups(v);
	for (size_t i = 0; status == CLI_OK && i < v->ngroups; i++)
		status = add_wants(v, r, &v->groups[i]);
	for (size_t i = 0; i < r->probes.n; i++)
		if (!r->probes.v[i].rows)
			r->probes.v[i].rows = rows_of(v, r->probes.n);
	return status;
}

static void explain(const struct view *v, const struct run *r, uint32_t cpus)
{
	struct sbuf b = { 0 };

	for (size_t i = 0; i < r->probes.n; i++) {
		const struct probe_want *w = &r->probes.v[i];
		uint32_t keys, values;
		bool stack;

		measure(w->aggregate, &keys, &values, &stack);
		sbuf_printf(&b, "probe      %s%s%s\n", w->name, w->filter ? " if " : "",
			    w->filter ? w->filter : "");
		sbuf_printf(&b, "aggregate  %s\n", w->aggregate);
		sbuf_printf(&b, "table      %u rows on each of %u CPUs, about ", w->rows, cpus);
		sbuf_size(&b, ctrace_aggregate_size(cpus, w->rows, keys, values, stack));
		sbuf_puts(&b, "\n\n");
	}
	sbuf_puts(&b, "memory     about ");
	sbuf_size(&b, r->table_size);
	sbuf_puts(&b, " for tables, allocated once; it does not grow with containers or events\n"
		  "cost       no record is written, copied or read: counting has the same way to the table's\n"
		  "           row as recording has to the ring, for which README has the instructions\n");
	if (v->has_stacks)
		sbuf_puts(&b, "           A stack costs a walk over its frames at each event. For the names in a program's\n"
			  "           stacks a record is written when it maps code: by exec, mmap(), fork\n");
	fputs(b.s, stdout);
	sbuf_free(&b);
}

int view_plan(struct run *r, void *arg)
{
	struct view *v = arg;
	uint32_t cpus = possible_cpus(), keys, values;
	bool stack, user = false;
	int status;

	status = view_want(v);
	if (status != CLI_OK)
		return status;
	for (size_t i = 0; i < r->probes.n; i++) {
		struct probe_want *w = &r->probes.v[i];

		measure(w->aggregate, &keys, &values, &stack);
		v->has_stacks |= stack;
		user |= strstr(w->aggregate, "ustack") != NULL;
		r->table_size += ctrace_aggregate_size(cpus, w->rows, keys, values, stack);
	}
	if (v->io_uring.unseen)
		view_watch_io_uring(v, r);
	if (!v->explain) {
		/* after the probes that have tables */
		if (user)
			probes_add_maps(&r->probes, r->schema);
		return CLI_OK;
	}
	explain(v, r, cpus);
	return RUN_DONE;
}

int view_open_tables(struct view *v)
{
	for (size_t i = 0; i < v->ntables; i++) {
		const struct probe_want *w = &v->run.probes.v[i];
		struct view_table *t = &v->tables[i];
		const char *name = w->name;
		bool syscalls = t->call >= 0;
		char *call;

		if (v->recording)
			t->a = v->counted[i];
		else if (ctrace_aggregate_open(v->run.reader, w->table, &t->a))
			return cli_error("the module's table is not one that this command understands: install both of one version");
		t->t = ctrace_aggregate_table(t->a);
		t->call = -1;
		for (uint32_t k = 0; syscalls && k < t->t->nkeys; k++)
			if (t->t->keys[k].kind == CTRACE_TABLE_KEY_SYSCALL)
				t->call = (int)k;
		if (!strncmp(name, "call:", 5)) {
			call = xasprintf("syscall_%s", name + 5);
			t->type = ctrace_schema_by_name(v->run.schema, call);
			free(call);
		} else if (strcmp(name, "calls")) {
			name = strchr(name, ':') ? strchr(name, ':') + 1 : name;
			t->type = ctrace_schema_by_name(v->run.schema, name);
		}
	}
	return view_rows_sort_is(v);
}
