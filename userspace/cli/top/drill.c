// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes, threads and calls of one container, counted by a session of their own: what nobody looks at
 * costs nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "top/top.h"

#define DRILL_ROWS	1024u
#define CALL_AGGREGATE	"count(), sum(duration), max(duration), hist(duration) by %s, ret&0x8000000000000000"

/* The aggregate by tasks for the view's probe; NULL: its events are not tasks'. The caller frees it. */
static char *aggregate_of(const struct top *t, size_t probe)
{
	const struct view_table *table = &t->view->tables[probe];

	if (!top_source_of_tasks(table))
		return NULL;
	/* as few keys as possible: other events have the name */
	return xasprintf("%s%s $pid, $tid%s", t->view->groups[table->group].aggregate,
			 top_source_keys(table) ? "," : " by", top_source_keys(table) < 2 ? ", $comm" : "");
}

/* 0 or -errno */
static int add_table(struct top_drill *d, const struct probe_want *w, const char *filter, const char *aggregate,
		     const struct view_table *like)
{
	const struct ctrace_probe_opts o = {
		.sz = sizeof(o), .filter = filter, .aggregate = aggregate,
		.rows = strcmp(w->name, "calls") ? DRILL_ROWS : 4 * DRILL_ROWS,
	};
	struct ctrace_aggregate_info i;
	struct view_table *table;
	int err = ctrace_aggregate_add(d->session, w->name, &o, &i, sizeof(i));

	if (err)
		return err;
	d->tables = xrealloc(d->tables, (d->ntables + 1) * sizeof(d->tables[0]));
	table = &d->tables[d->ntables++];
	*table = (struct view_table){ .own = like->own, .group = like->group, .type = like->type, .at = i.table };
	return 0;
}

/* 0 or -errno */
static int add_tables(struct top *t, struct top_drill *d, const struct top_key *key, bool calls)
{
	const struct view *v = t->view;
	int err = 0;

	for (size_t i = 0; i < v->run.probes.n && !err; i++) {
		const struct probe_want *w = &v->run.probes.v[i];
		const char *what = !strcmp(w->name, "calls") ? "syscall" :
			view_is_io_uring(&v->tables[i]) ? "opcode" : NULL;
		char *aggregate = !calls ? aggregate_of(t, i) : what ? xasprintf(CALL_AGGREGATE, what) : NULL;
		char *filter = !calls ? NULL : key->tid ? xasprintf("$tid == %d", key->tid) :
			xasprintf("$pid == %d", key->pid);

		if (aggregate)
			err = add_table(d, w, calls ? filter : w->filter, aggregate, &v->tables[i]);
		free(filter);
		free(aggregate);
	}
	return err;
}

/* A session with its tables. 0 or -errno; top_drill_close() in either case. */
static int new_session(struct top *t, struct top_drill *d, const struct top_key *key, bool calls, uint64_t size)
{
	const struct ctrace_session_opts o = {
		.sz = sizeof(o), .arena_size = RUN_ARENA_OF(RUN_RING_LEAST), .ring_size = RUN_RING_LEAST,
		.table_size = size,
	};
	const struct ctrace_target target = {
		.sz = sizeof(target), .kind = CTRACE_TARGET_CID, .cid = key->cid,
	};
	int err = ctrace_session_new(t->view->run.ct, &o, &d->session);

	err = err ? err : add_tables(t, d, key, calls);
	err = err ? err : ctrace_target_add(d->session, &target, NULL);
	err = err ? err : ctrace_reader_open(d->session, NULL, &d->reader);
	for (size_t i = 0; i < d->ntables && !err; i++) {
		err = ctrace_aggregate_open(d->reader, d->tables[i].at, &d->tables[i].a);
		if (!err)
			d->tables[i].t = ctrace_aggregate_table(d->tables[i].a);
	}
	return err ? err : ctrace_session_start(d->session);
}

int top_drill_open(struct top *t, struct top_drill *d, const struct top_key *key, bool calls)
{
	uint64_t size = 4 << 20;
	int err;

	memset(d, 0, sizeof(*d));
	/* how large tables are is the module's affair */
	while ((err = new_session(t, d, key, calls, size)) == -ENOSPC && size < 256 << 20) {
		top_drill_close(d);
		size *= 2;
	}
	if (err)
		top_drill_close(d);
	d->since = clock_ns(CLOCK_MONOTONIC);
	return err;
}

static void take_comm(struct top_line *line, const struct view_table *t, const struct ctrace_look_row *r)
{
	uint32_t key = top_source_keys(t) + 2;
	const char *comm;
	size_t len;

	if (key >= t->t->nkeys || *line->comm)
		return;
	comm = ctrace_row_text(t->gain, r, key, &len);
	memset(line->comm, 0, sizeof(line->comm));
	memcpy(line->comm, comm, len < sizeof(line->comm) ? len : sizeof(line->comm));
}

static void take_row(struct top *t, struct top_lines *l, const struct view_table *table, const struct ctrace_look_row *r,
		     enum top_level level, const struct top_key *of)
{
	const struct ctrace_table *h = table->t;
	struct top_key key = { .cid = r->cid, .by = "" };
	uint32_t own = top_source_keys(table);
	struct top_line *line;
	struct sbuf b = { 0 };

	if (r->cid != of->cid)
		return;
	if (r->other) {
		key.by = "(other)";
	} else if (level == TOP_CALLS_OF) {
		const struct view_row row = { table, r };

		view_put_call(t->view, &b, &row);
		key.by = b.s;
	} else {
		key.pid = (int32_t)r->key[h->keys[own].at];
		key.tid = level == TOP_THREADS ? (int32_t)r->key[h->keys[own + 1].at] : 0;
		if (level == TOP_THREADS && key.pid != of->pid)
			return;
	}
	line = top_line_get(l, &key);
	/* it is in another cgroup, or has ended */
	if (!line->there && !r->other && level != TOP_CALLS_OF)
		line->gone = !top_facts_task(line);
	line->there = line->busy = true;
	if (level != TOP_CALLS_OF) {
		top_source_add(t, table, r, line->sums);
		if (!r->other)
			take_comm(line, table, r);
	} else {
		line->call.calls += r->values[h->values[0].at];
		line->call.errors += !r->other && r->key[h->keys[1].at] ? r->values[h->values[0].at] : 0;
		line->call.total += r->values[h->values[1].at];
		line->call.max = r->values[h->values[2].at] > line->call.max ? r->values[h->values[2].at] :
			line->call.max;
		top_call_hist(line, &r->values[h->values[3].at]);
	}
	sbuf_free(&b);
}

int top_drill_take(struct top *t, struct top_drill *d, struct top_lines *l, enum top_level level,
		   const struct top_key *key)
{
	const struct ctrace_look_row *r;

	top_lines_begin(l);
	if (level == TOP_PROCESSES)
		top_facts_processes(t, l, key->cid);
	else if (level == TOP_THREADS)
		top_facts_threads(l, key->cid, key->pid);
	for (size_t i = 0; i < d->ntables; i++) {
		int err = view_table_look(&d->tables[i]);

		if (err)
			return err;
		for (size_t k = 0; (r = ctrace_look_row(d->tables[i].gain, k)); k++) {
			take_row(t, l, &d->tables[i], r, level, key);
			d->full |= r->other;
		}
	}
	top_lines_end(l);
	return 0;
}

void top_drill_close(struct top_drill *d)
{
	for (size_t i = 0; i < d->ntables; i++) {
		ctrace_look_free(d->tables[i].gain);
		ctrace_look_free(d->tables[i].last);
		ctrace_aggregate_close(d->tables[i].a);
	}
	free(d->tables);
	ctrace_reader_close(d->reader);
	ctrace_session_free(d->session);
	memset(d, 0, sizeof(*d));
}
