// SPDX-License-Identifier: GPL-2.0-only
/* Commands that print a line for each event. They share the options of views that make sense for lines. */
#include <stdlib.h>
#include <string.h>
#include "run/live.h"
#include "count/lines.h"

struct lines_run {
	struct live live;
	const struct lines_opts *lo;
	struct view *v;
};

static struct sink *new_sink(const struct sink_opts *o, void *arg)
{
	return sink_lines_new(o, arg);
}

static int ready(struct live *l)
{
	const struct lines_run *x = (const struct lines_run *)l;
	struct sbuf b = { 0 };

	if (!x->v->explain) {
		if (x->v->kind->lines)
			x->v->kind->lines(x->v, &l->run, false);
		return CLI_OK;
	}
	for (size_t i = 0; i < l->run.probes.n; i++) {
		const struct probe_want *w = &l->run.probes.v[i];

		sbuf_printf(&b, "probe   %s%s%s\n", w->name, w->filter ? " if " : "", w->filter ? w->filter : "");
	}
	sbuf_puts(&b, "memory  ");
	sbuf_size(&b, BUFFER_DEFAULT);
	sbuf_puts(&b, " for records, allocated once; what does not fit is counted as lost\n"
		  "cost    a record for each event that passes its condition, which the kernel asks first.\n");
	if (!x->lo->form->named)
		sbuf_puts(&b, "        Tasks that begin have a record, too, for their names and parents\n");
	fputs(b.s, stdout);
	sbuf_free(&b);
	return RUN_DONE;
}

/* A list consists of system calls. */
static bool of_calls(const char *events)
{
	return strchr(events, ',');
}

static int refuse(const struct view *v, const struct lines_form *f)
{
	const struct { const char *name; bool given; } counts[] = {
		{ "--by", v->by }, { "--top", v->top }, { "--sort", v->sort }, { "--interval", v->interval },
		{ "--count", v->count }, { "--rows", v->rows },
	};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (counts[i].given)
			return cli_usage("%s is for tables, but '%s' prints a line for each event: leave it out",
					 counts[i].name, f->word);
	if (v->o.probes.nevents)
		return cli_usage("'%s' has its own events: -e is for 'ctrace trace'", f->word);
	if (v->o.probes.failed && f->no_failed)
		return cli_usage("'%s' shows nothing that can fail: leave --failed out", f->word);
	if (v->o.probes.longer && !f->spans && !of_calls(f->events))
		return cli_usage("'%s' shows nothing that takes time: leave --longer out", f->word);
	return CLI_OK;
}

static void add(struct probes_opts *p, char *text)
{
	p->events = xrealloc(p->events, (p->nevents + 1) * sizeof(p->events[0]));
	p->events[p->nevents++] = text;
}

/* The condition of plain events; the condition of calls is made with the probes. */
static char *condition(const struct probes_opts *p, const struct lines_form *f, bool all)
{
	struct sbuf b = { 0 };

	if (f->usual && !all)
		sbuf_printf(&b, "(%s)", f->usual);
	if (p->failed && f->failed)
		sbuf_printf(&b, "%s(%s)", b.len ? " && " : "", f->failed);
	if (p->longer && f->spans)
		sbuf_printf(&b, "%sduration >= %llu", b.len ? " && " : "", (unsigned long long)p->longer);
	return b.s;
}

/* Conditions of calls are made with the probes; these are not of calls. */
static char *io_uring(const struct probes_opts *p, const struct lines_form *f)
{
	struct sbuf b = { 0 };

	sbuf_printf(&b, "io_uring_op if (%s)", f->io_uring);
	if (p->failed)
		sbuf_puts(&b, " && ret < 0");
	if (p->longer)
		sbuf_printf(&b, " && duration >= %llu", (unsigned long long)p->longer);
	return b.s;
}

static void besides(struct run *r, void *arg)
{
	const struct lines_run *x = arg;

	view_watch_io_uring(x->v, r);
}

int lines_run(struct view *v, const struct lines_opts *lo)
{
	struct lines_run x = {
		.live = { .out = stdout, .sink = new_sink, .takes = sink_lines_takes, .ready = ready, .arg = (void *)lo },
		.lo = lo, .v = v,
	};
	const struct lines_form *f = lo->form;
	struct probes_opts *p = &v->o.probes;
	const char *events = lines_events(f, p->failed);
	int status = refuse(v, f);
	char *cond;

	if (status != CLI_OK)
		return status;
	cond = condition(p, f, lo->all);
	add(p, xasprintf("%s%s%s", events, cond ? " if " : "", cond ? cond : ""));
	free(cond);
	if (f->io_uring)
		add(p, io_uring(p, f));
	if (!v->recording && !f->named)
		add(p, xstrdup(LINES_TASKS));
	p->lenient = of_calls(events);	/* a kernel may lack some of them */
	if (f->failed)
		p->failed = false;
	if (f->spans)
		p->longer = 0;
	p->whole = true;
	v->o.files = f->files && !lo->all;
	if (v->recording)
		return lines_of_recording(v, lo);
	v->o.plan = NULL;
	v->o.besides = f->io_uring ? besides : NULL;
	v->o.state_dump = !f->named;
	v->o.fds = f->fds;
	status = live_run(&x.live, &v->o);
	if (x.live.run.stopped)
		view_print_io_uring(v, &x.live.run);
	if (v->kind->lines && x.live.run.stopped)
		v->kind->lines(v, &x.live.run, true);
	live_free(&x.live);
	return status;
}
