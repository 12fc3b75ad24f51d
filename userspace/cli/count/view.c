// SPDX-License-Identifier: GPL-2.0-only
/* A view's run: tables are read when a period ends; the last line reports counted and lost events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/output.h"
#include "count/view.h"

static void free_period(struct view *v)
{
	for (size_t i = 0; i < v->ntables; i++) {
		ctrace_look_free(v->tables[i].gain);
		v->tables[i].gain = NULL;
	}
}

int view_table_look(struct view_table *t)
{
	struct ctrace_look *now;
	int err = ctrace_look_take(t->a, &now);

	if (err)
		return err;
	ctrace_look_free(t->gain);
	t->gain = NULL;
	err = ctrace_look_gain(now, t->last, &t->gain);
	ctrace_look_free(t->last);
	t->last = now;
	return err;
}

/* Looks at all tables. 0 or -errno. */
static int look(struct view *v)
{
	int err = 0;

	for (size_t i = 0; i < v->ntables && !err; i++)
		err = view_table_look(&v->tables[i]);
	return err;
}

static void add_account(struct view *v)
{
	struct view_account *p = &v->period, *a = &v->account;
	struct ctrace_look_account k;

	*p = (struct view_account){ 0 };
	for (size_t i = 0; i < v->ntables; i++) {
		const struct view_table *t = &v->tables[i];
		const struct ctrace_look_row *r;

		ctrace_look_account(t->gain, &k, sizeof(k));
		p->lost += k.lost;
		p->stacks_lost += k.stacks_lost;
		for (size_t n = 0; (r = ctrace_look_row(t->gain, n)); n++) {
			uint64_t events = view_shows(v, r) ? view_events(t->t, r->values) : 0;

			p->events += events;
			p->ended += r->cid == CTRACE_CID_ALL ? events : 0;
			p->other += r->other && r->cid != CTRACE_CID_ALL ? events : 0;
		}
	}
	a->events += p->events;
	a->other += p->other;
	a->ended += p->ended;
	a->lost += p->lost;
	a->stacks_lost += p->stacks_lost;
}

static void json_account(struct view *v, struct json *j)
{
	const struct view_account *p = &v->period;
	struct losses l = { 0 };

	json_open(j, "account", '{');
	json_uint(j, "events", p->events);
	json_uint(j, "other", p->other);
	json_uint(j, "ended", p->ended);
	json_uint(j, "lost", p->lost + view_input_lost(v));
	json_uint(j, "stacks_lost", p->stacks_lost);
	/* these are of the whole run */
	if (v->recording)
		view_input_losses(v, &l);
	else
		losses_count(&v->run, &l);
	json_uint(j, "missed", l.missed);
	json_uint(j, "unfollowed", l.unfollowed);
	json_uint(j, "unfollowed_tasks", l.unfollowed_tasks);
	json_uint(j, "unread", l.unread);
	json_uint(j, "blind_ns", l.blind);
	view_waiting_json(v, j);
	json_close(j, '}');
}

uint64_t view_realtime(const struct view *v, uint64_t at)
{
	return v->recording ? at + (uint64_t)view_input_clock(v) :
	       clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - at);
}

static void print_json(struct view *v, uint64_t now)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	json_open(&j, NULL, '{');
	json_uint(&j, "time", now);
	json_uint(&j, "realtime", view_realtime(v, now));
	json_uint(&j, "duration", now - v->since);
	json_uint(&j, "began", v->since);
	json_uint(&j, "began_realtime", view_realtime(v, v->since));
	if (v->kind->head_json)
		v->kind->head_json(v, &j);
	json_open(&j, "rows", '[');
	v->kind->print(v, &j);
	json_close(&j, ']');
	json_account(v, &j);
	json_close(&j, '}');
	json_line(&j);
	fputs(b.s, stdout);
	sbuf_free(&b);
}

/* When the period began. */
static void print_time(const struct view *v)
{
	struct sbuf b = { 0 };

	sbuf_moment(&b, view_realtime(v, v->since));
	printf("%s%s\n", v->periods ? "\n" : "", b.s);
	sbuf_free(&b);
}

int view_show_period(struct view *v, uint64_t now)
{
	v->until = now;
	v->error = look(v);
	if (v->error) {
		free_period(v);
		return -1;
	}
	add_account(v);
	view_note_io_uring(v);
	if (v->folded || v->kind->each)
		;	/* at the end, or as it came */
	else if (v->kind->take)
		v->kind->take(v);
	else if (cli_json)
		print_json(v, now);
	else {
		if (v->interval && !v->screen && !v->kind->timed)
			print_time(v);
		v->kind->print(v, NULL);
	}
	v->since = now;
	v->periods++;
	if (!v->folded)
		free_period(v);
	return output_flush(stdout) ? -1 : 0;
}

/* Reads the only records of a view: mappings, for the names in stacks. */
static void learn_maps(struct view *v)
{
	const struct ctrace_record *rec;

	while (v->symbols && ctrace_reader_next(v->run.reader, &rec) > 0)
		symbols_learn(v->symbols, v->run.schema, rec);
}

static int drain(void *arg)
{
	struct view *v = arg;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	learn_maps(v);
	if (v->screen && v->run.end == RUN_ON) {
		int end = v->kind->keys(v);

		v->failed = end < 0;
		v->run.end = end ? RUN_DURATION : RUN_ON;
	}
	if (!v->interval || v->folded || v->run.end != RUN_ON || now < v->run.next)
		return 0;
	v->run.next += v->interval;
	/* the last period ends when the session has stopped: it has all remaining events */
	if (v->count && v->periods + 1 >= v->count) {
		v->run.end = RUN_DURATION;
		return 0;
	}
	if (v->o.duration && now + v->interval / 20 >= v->began + v->o.duration)
		return 0;
	if (v->run.next < now)
		v->run.next = now + v->interval;
	/* at the end, stopping does the same */
	v->error = run_cut_waits(&v->run);
	if (v->error)
		return -1;
	return view_show_period(v, clock_ns(CLOCK_MONOTONIC));
}

static void idle(void *arg, uint64_t ns)
{
	(void)arg;
	(void)ns;
}

static void tick(void *arg)
{
	struct view *v = arg;

	if (v->has_stacks)
		view_learn_symbols(v);
	if (v->kind->tick)
		v->kind->tick(v);
}

static int ready(struct run *r, void *arg)
{
	struct view *v = arg;
	int status = v->kind->begin ? v->kind->begin(v) : CLI_OK;

	(void)r;
	if (status != CLI_OK)
		return status;
	if (v->has_stacks) {
		v->symbols = symbols_new(true);
		symbols_prepare(v->symbols);
	}
	return view_open_tables(v);
}

/* Appends ", 17 lost (12 nested, 5 unfollowed)", of the session or of the recording. Returns how many. */
static uint64_t put_lost(struct view *v, struct sbuf *b)
{
	struct losses l = { 0 };
	struct sbuf names = { 0 };
	uint64_t all;

	if (v->recording) {
		view_input_losses(v, &l);
	} else if (!losses_count(&v->run, &l)) {
		sbuf_puts(b, ", losses unknown");
		return 1;
	}
	l.nested += v->account.lost;
	all = losses_print(&l, b);
	if (l.blind && !v->recording)
		blind_names(&v->run, &names);
	blind_print(l.blind, v->recording ? view_input_blind(v) : names.len ? names.s : "", b);
	sbuf_free(&names);
	return all + l.blind;
}

/*
 * Says what was counted, if it is asked for (-v), or if that is not all that happened: something was lost, or
 * has no row of its own. If there was no event at all, there is nothing else to see.
 */
static void print_account(struct view *v)
{
	const struct view_account *a = &v->account;
	double all = a->events ? (double)a->events : 1;
	struct sbuf b = { 0 };
	bool shown = v->verbose || !a->events;

	sbuf_printf(&b, "%llu event%s counted", (unsigned long long)a->events, a->events == 1 ? "" : "s");
	if (a->other)
		sbuf_printf(&b, ", %.1f%% of them in (other)", 100 * (double)a->other / all);
	if (a->ended)
		sbuf_printf(&b, ", %.1f%% of ended and other containers", 100 * (double)a->ended / all);
	shown |= put_lost(v, &b) || a->other || a->ended;
	if (v->has_stacks && (a->stacks_lost || v->verbose))
		sbuf_printf(&b, ", %llu without %s stack, which found no place",
			    (unsigned long long)a->stacks_lost, a->stacks_lost == 1 ? "its" : "their");
	shown |= a->stacks_lost;
	shown |= v->recording && view_input_account(v, &b);
	if (v->run.end == RUN_TARGETS)
		fputs("ctrace: all targets have ended\n", stderr);
	if (shown)
		fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
	view_print_io_uring(v, &v->run);
	if (v->symbols && symbols_note(v->symbols))
		fprintf(stderr, "ctrace: %s\n", symbols_note(v->symbols));
	view_waiting_print(v);
}

static int fold(struct view *v)
{
	FILE *out = output_open(v->folded);
	int err;

	if (!out)
		return cli_error("cannot write '%s': %s", output_name(v->folded), strerror(errno));
	view_fold(v, out);
	err = out == stdout ? 0 : output_close_whole(out, v->folded, 0);
	return err ? cli_error("cannot write '%s': %s", output_name(v->folded), strerror(-err)) : CLI_OK;
}

int view_finish(struct view *v, int status)
{
	if (v->error)
		return cli_error("cannot read the tables: %s", strerror(-v->error));
	if (status == CLI_OK && v->folded)
		status = fold(v);
	if (!v->kind->quiet)
		print_account(v);
	return status;
}

static int run(struct view *v)
{
	const struct run_ops ops = {
		.drain = drain, .idle = idle, .tick = tick, .out_fd = STDOUT_FILENO, .keys = v->screen,
	};
	int status = run_setup(&v->run, &v->o);

	if (status == RUN_DONE)
		return CLI_OK;
	if (status != CLI_OK)
		return status;
	v->began = v->since = clock_ns(CLOCK_MONOTONIC);
	v->run.next = v->interval ? v->began + v->interval : 0;
	status = run_loop(&v->run, &ops, v);
	if (v->screen)
		v->kind->leave(v);
	if (v->failed)
		return CLI_FAIL;
	if (!v->screen && status == CLI_OK && !v->error && v->run.end != RUN_OUTPUT)
		view_show_period(v, v->run.stopped);
	status = view_finish(v, status);
	return status == CLI_OK ? run_status(&v->run) : status;
}

static void free_view(struct view *v)
{
	free_period(v);
	for (size_t i = 0; i < v->ntables; i++) {
		ctrace_look_free(v->tables[i].last);
		if (!v->recording)
			ctrace_aggregate_close(v->tables[i].a);
		free(v->tables[i].event);
	}
	free(v->tables);
	for (size_t i = 0; i < v->ngroups; i++) {
		struct probes_opts *p = &v->groups[i].events;

		for (size_t k = 0; p->events != v->o.probes.events && k < p->nevents; k++)
			free(p->events[k]);
		if (p->events != v->o.probes.events)
			free(p->events);
		free(v->groups[i].aggregate);
	}
	free(v->groups);
	free(v->io_uring.cids);
	if (v->recording) {
		view_input_free(v);
		probes_free(&v->run.probes);
	} else {
		symbols_free(v->symbols);
		run_free(&v->run);
	}
	run_opts_free(&v->o);
}

int view_run(const struct view_kind *kind, void *own, int argc, char **argv)
{
	struct view v = { .kind = kind, .own = own };
	bool help;
	int status;

	v.o.plan = view_plan;
	v.o.ready = ready;
	v.o.ready_arg = &v;
	status = view_options(&v, argc, argv, &help);
	if (help) {
		run_opts_free(&v.o);
		return cli_help(cli_cmd);
	}
	if (status == CLI_OK) {
		status = kind->instead ? kind->instead(&v) : -1;
		if (status < 0)
			status = v.recording ? view_input_run(&v) : run(&v);
	}
	free_view(&v);
	return status;
}

int view_run_recording(const struct view_kind *kind, void *own, const char *dir, char **targets, int ntargets,
		       const struct window *window, uint64_t interval)
{
	static char *everything[] = { "all", NULL };
	struct view v = { .kind = kind, .own = own, .recording = dir, .window = *window,
		.interval = interval };
	int status;

	v.o.targets = ntargets ? targets : everything;
	v.o.ntargets = ntargets ? ntargets : 1;
	status = view_input_run(&v);
	free_view(&v);
	return status;
}
