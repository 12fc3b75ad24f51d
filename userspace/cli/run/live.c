// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/output.h"
#include "run/live.h"

#define OUT_BUFFER	65536		/* a line is less than half of it */
#define BATCH		4096		/* records between two looks at signals and clocks */
#define NSEC_PER_MSEC	1000000ull
/* A call that takes longer than this is shown before it returns. */
#define SHOW_AFTER	(NSEC_PER_SEC)
/* How often to ask for losses: the kernel is asked, too. */
#define LOSS_INTERVAL	(500 * NSEC_PER_MSEC)

static void tell_losses(struct live *l)
{
	struct losses now;

	l->losses_looked = clock_ns(CLOCK_MONOTONIC);
	if (!losses_count(&l->run, &now))
		return;
	const struct { const char *cause; uint64_t n, told; } v[] = {
		{ "overrun", now.overrun, l->seen.overrun }, { "full", now.full, l->seen.full },
		{ "nested", now.nested, l->seen.nested }, { "frozen", now.frozen, l->seen.frozen },
		{ "missed", now.missed, l->seen.missed },
		{ "unfollowed", now.unfollowed, l->seen.unfollowed },
		{ "unfollowed_tasks", now.unfollowed_tasks, l->seen.unfollowed_tasks },
		{ "unread", now.unread, l->seen.unread },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (v[i].n > v[i].told)
			sink_lost(l->s, v[i].cause, v[i].n - v[i].told);
	l->seen = now;
}

/* The tasks of a run that is read at its end are gone: what later records say of them is asked first. */
static void look_ahead(struct live *l)
{
	const struct ctrace_record *rec;
	struct ctrace_reader *r;

	if (ctrace_reader_open(l->run.session, NULL, &r))
		return;		/* names are missing then */
	while (ctrace_reader_next(r, &rec) > 0)
		sink_ahead(l->s, rec);
	ctrace_reader_close(r);
}

static int drain(void *arg)
{
	struct live *l = arg;
	const struct ctrace_record *rec;
	int n, got = 0;

	if (l->run.at_end && !l->looked_ahead) {
		l->looked_ahead = true;
		look_ahead(l);
	}
	wall_look(&l->wall);
	for (n = 0; n < BATCH; n++) {
		got = ctrace_reader_next(l->run.reader, &rec);
		if (got <= 0)
			break;
		if (!follow_shows(&l->run.follow, rec->cid) || (l->takes && !l->takes(l->s, rec)))
			continue;
		sink_record(l->s, rec);
		/* flush whole lines only: COMMAND may print to the same place */
		if (__fpending(l->out) > OUT_BUFFER / 2)
			fflush(l->out);
	}
	if (clock_ns(CLOCK_MONOTONIC) - l->losses_looked > LOSS_INTERVAL)
		tell_losses(l);
	/* a line must not wait in a buffer, nor an event for a stack that would have come by now */
	if (got <= 0) {
		sink_settle(l->s, clock_ns(CLOCK_MONOTONIC) - STACK_NEAR);
		fflush(l->out);
	}
	return ferror(l->out) ? -1 : n > 0;
}

static void idle(void *arg, uint64_t ns)
{
	struct live *l = arg;

	wall_look(&l->wall);
	if (ns < SHOW_AFTER)
		return;
	sink_idle(l->s);
	fflush(l->out);
}

static void tick(void *arg)
{
	(void)arg;
}

/* Prints one line about events and losses, whatever ended the run. */
static void account(struct live *l)
{
	struct sbuf b = { 0 };

	sbuf_puts(&b, l->counted.s);
	run_losses(&l->run, &b);
	if (l->run.end == RUN_TARGETS)
		fputs("ctrace: all targets have ended\n", stderr);
	fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
	if (symbols_note(l->symbols))
		fprintf(stderr, "ctrace: %s\n", symbols_note(l->symbols));
}

static int ready(struct run *run, void *arg)
{
	struct live *l = arg;

	l->symbols = symbols_new(true);
	if (run_has_stacks(run, l->opts))
		symbols_prepare(l->symbols);
	return l->ready ? l->ready(l) : CLI_OK;
}

int live_run(struct live *l, struct run_opts *o)
{
	const struct run_ops ops = {
		.drain = drain, .idle = idle, .tick = tick, .out_fd = fileno(l->out),
	};
	static char out_buffer[OUT_BUFFER];
	int status, err;

	l->opts = o;
	o->ready = ready;
	o->ready_arg = l;
	status = run_setup(&l->run, o);
	if (status == RUN_DONE)
		return CLI_OK;
	if (status != CLI_OK)
		return status;
	setvbuf(l->out, out_buffer, _IOFBF, sizeof(out_buffer));
	l->so.out = l->out;
	l->so.schema = l->run.schema;
	l->so.ctable = l->run.ctable;
	wall_look(&l->wall);
	l->so.wall = &l->wall;
	l->so.command_vtid = l->run.follow.mode ? 0 : l->run.child.pid;
	l->so.symbols = l->symbols;
	l->so.stacks = o->stack;
	for (size_t i = 0; i < l->run.probes.n; i++)
		l->so.maps |= !l->run.probes.v[i].extra && !strcmp(l->run.probes.v[i].name, "process_map");
	l->so.live = true;
	l->s = l->sink(&l->so, l->arg);
	status = run_loop(&l->run, &ops, l);
	tell_losses(l);
	sink_idle(l->s);
	/* the folded sink writes its lines when it is freed, so account for it first */
	sink_account(l->s, &l->counted);
	sink_free(l->s);
	err = output_flush(l->out);
	account(l);
	/* who closes it reports that; this goes before COMMAND's own status */
	if (err && err != -EPIPE && status == CLI_OK)
		status = CLI_FAIL;
	return status == CLI_OK ? run_status(&l->run) : status;
}

void live_free(struct live *l)
{
	run_free(&l->run);
	symbols_free(l->symbols);
	sbuf_free(&l->counted);
}
