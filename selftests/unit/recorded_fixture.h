/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings of waits and calls, and views of them: for recorded_test.c. */
#ifndef CTRACE_SELFTEST_RECORDED_FIXTURE_H
#define CTRACE_SELFTEST_RECORDED_FIXTURE_H

#include "recording_fixture.h"
#include "count/view.h"

#define EVENTS		4000u

static struct event events[EVENTS];

static void draw_wait(struct event *e)
{
	static const char *const comms[] = { "sh", "nginx", "a name of 15 by", "" };

	e->id = CTRACE_ID_SCHED_WAIT;
	e->duration = draw(4) ? draw(1u << 30) : draw(3);
	e->prio = (int32_t)draw(7) - 3;
	snprintf(e->comm, sizeof(e->comm), "%s", comms[draw(4)]);
}

static void make_wait(struct made *m, const struct event *e)
{
	make(m, e->time, e->id, e->cid, e->tid, 1);
	put_int(m, e->duration, 8);
	put_int(m, (uint64_t)e->prio, 4);
	put_name(m, e->comm);
}

static void begin(uint64_t s)
{
	begin_with(s, all_types());
}

/* --- a view --------------------------------------------------------------------------- */

static const char *want_events, *want_aggregate;
static uint32_t periods, rows_seen;
static uint64_t total;
static void (*look_at)(const struct view *v, const struct view_table *t, const struct ctrace_look *l);

static int groups(struct view *v)
{
	view_add_group(v, want_events, xstrdup(want_aggregate));
	return CLI_OK;
}

int view_show_period(struct view *v, uint64_t now)
{
	v->since = now;
	v->periods++;
	periods++;
	for (size_t i = 0; i < v->ntables; i++) {
		struct ctrace_look *l;
		const struct ctrace_look_row *r;

		check_eq(ctrace_look_take(v->tables[i].a, &l), 0);
		rows_seen = (uint32_t)ctrace_look_rows(l);
		total = 0;
		for (size_t k = 0; (r = ctrace_look_row(l, k)); k++)
			total += view_events(v->tables[i].t, r->values);
		if (look_at)
			look_at(v, &v->tables[i], l);
		ctrace_look_free(l);
	}
	return 0;
}

int view_finish(struct view *v, int status)
{
	lost = view_input_lost(v);
	return status;
}

static int count_it(const char *which, const char *aggregate, const char *target, const char *filter, uint32_t rows)
{
	static const struct view_kind kind = { .groups = groups };
	char *words[] = { (char *)target };
	struct view v = { .kind = &kind, .recording = dir, .rows = rows };
	int status;

	want_events = which;
	want_aggregate = aggregate;
	v.o.targets = words;
	v.o.ntargets = 1;
	v.o.filter = filter ? xstrdup(filter) : NULL;
	periods = 0;
	status = view_input_run(&v);
	for (size_t i = 0; i < v.ntables; i++)
		free(v.tables[i].event);
	free(v.tables);
	for (size_t i = 0; i < v.ngroups; i++) {
		for (size_t k = 0; k < v.groups[i].events.nevents; k++)
			free(v.groups[i].events.events[k]);
		free(v.groups[i].events.events);
		free(v.groups[i].aggregate);
	}
	free(v.groups);
	view_input_free(&v);
	probes_free(&v.run.probes);
	run_opts_free(&v.o);
	return status;
}

#endif
