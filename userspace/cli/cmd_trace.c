// SPDX-License-Identifier: GPL-2.0-only
/* ctrace trace: shows what containers do, live. */
#include <errno.h>
#include <getopt.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "commands.h"
#include "base/cli.h"
#include "run/run.h"
#include "show/sink.h"

#define OUT_BUFFER	65536		/* a line is less than half of it */
#define BATCH		4096		/* records between two looks at signals and clocks */
#define NSEC_PER_MSEC	1000000ull
/* A call that takes longer than this is shown before it returns. */
#define SHOW_AFTER	(NSEC_PER_SEC)
/* How often to ask for losses: the kernel is asked, too. */
#define LOSS_INTERVAL	(500 * NSEC_PER_MSEC)

static const char usage[] =
"Usage: ctrace trace [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows what containers do, as it happens: one line per event, system calls in the form\n"
"of strace. It ends with COMMAND; without one, when all targets have ended;\n"
"with --follow, never by itself.\n"
"\n"
TARGET_HELP
"\n"
PROBES_HELP
"\n"
RUN_HELP
"How:\n"
"      --folded FILE     print no lines; at the end, write each stack and how often it was\n"
"                        seen, for flame graphs; FILE - is standard output\n"
"      --duration TIME   end after 2, 0.5, 500ms, 2m\n"
"  -o, --output FILE     write the lines to FILE\n"
"  -j, --json            print one JSON object per line\n"
"      --relative        show times since the first event, not the time of day\n"
"      --quiet-args      show flags and constants of system calls as plain numbers\n"
"      --buffer-size N   memory of the session: 64M (default 32M)\n"
"      --stop-when-full  when the reader is slow, keep the oldest events, not the newest\n"
"  -h, --help            this text\n"
"\n"
"Examples:\n"
"  ctrace trace web                        # calls, forks, execs and exits of 'web'\n"
"  ctrace trace web db -e openat,connect   # two containers, two calls\n"
"  ctrace trace 3f2a --duration 10         # a container by its id, for ten seconds\n"
"  ctrace trace --follow 'web-*'           # also those that start later or restart\n"
"  ctrace trace --wait web -- podman start web\n"
"  ctrace trace all -e sched_process_exec  # every program started on this machine\n"
"  ctrace trace -o make.txt -- make        # a command and all it forks\n"
"  ctrace trace web --json | jq .syscall   # for programs\n"
"  ctrace trace web --longer 200ms         # calls that took longer\n"
"  ctrace trace all not:web -e %file --failed --comm 'nginx*'\n"
"  ctrace trace web -e 'sched_switch if prev_comm ~ \"nginx*\" && prev_prio < 100'\n"
"  ctrace trace web -e 'p:ovl ovl_open file=+0(%si):x64' --stack\n"
"  ctrace trace web -F 99 --duration 10 --folded web.folded\n";

struct trace {
	struct run run;
	struct sink *sink;
	struct symbols *symbols;
	const struct run_opts *opts;
	bool folded;
	struct sbuf counted;	/* the sink's own account of its events */
	FILE *out;
	struct losses seen;		/* the losses that were already reported */
	uint64_t losses_looked;
	int write_error;		/* errno of the write that ended the run */
};

static void tell_losses(struct trace *t)
{
	struct losses now;

	t->losses_looked = clock_ns(CLOCK_MONOTONIC);
	if (!losses_count(&t->run, &now))
		return;
	const struct { const char *cause; uint64_t n, told; } v[] = {
		{ "overrun", now.overrun, t->seen.overrun }, { "full", now.full, t->seen.full },
		{ "nested", now.nested, t->seen.nested }, { "missed", now.missed, t->seen.missed },
		{ "unfollowed", now.unfollowed, t->seen.unfollowed },
		{ "unfollowed_tasks", now.unfollowed_tasks, t->seen.unfollowed_tasks },
		{ "unread", now.unread, t->seen.unread },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (v[i].n > v[i].told)
			sink_lost(t->sink, v[i].cause, v[i].n - v[i].told);
	t->seen = now;
}

static int drain(void *arg)
{
	struct trace *t = arg;
	const struct ctrace_record *rec;
	int n, got = 0;

	for (n = 0; n < BATCH; n++) {
		got = ctrace_reader_next(t->run.reader, &rec);
		if (got <= 0)
			break;
		if (!follow_shows(&t->run.follow, rec->cid))
			continue;
		sink_record(t->sink, rec);
		/* flush whole lines only: COMMAND may print to the same place */
		if (__fpending(t->out) > OUT_BUFFER / 2)
			fflush(t->out);
	}
	if (clock_ns(CLOCK_MONOTONIC) - t->losses_looked > LOSS_INTERVAL)
		tell_losses(t);
	/* a line must not wait in a buffer, nor an event for a stack that would have come by now */
	if (got <= 0) {
		sink_settle(t->sink, clock_ns(CLOCK_MONOTONIC) - STACK_NEAR);
		fflush(t->out);
	}
	if (!ferror(t->out))
		return n > 0;
	/* an earlier write may have failed, and errno is gone: this write fails for the same reason */
	errno = 0;
	fputc('\n', t->out);
	fflush(t->out);
	t->write_error = errno ? errno : EIO;
	return -1;
}

static void idle(void *arg, uint64_t ns)
{
	struct trace *t = arg;

	if (ns < SHOW_AFTER)
		return;
	sink_idle(t->sink);
	fflush(t->out);
}

static void tick(void *arg)
{
	(void)arg;
}

/* Prints one line about events and losses, whatever ended the run. */
static int account(struct trace *t)
{
	struct sbuf b = { 0 };

	sbuf_puts(&b, t->counted.s);
	run_losses(&t->run, &b);
	if (t->run.end == RUN_TARGETS)
		fputs("ctrace: all targets have ended\n", stderr);
	fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
	if (symbols_note(t->symbols))
		fprintf(stderr, "ctrace: %s\n", symbols_note(t->symbols));
	if (!t->write_error && fflush(t->out) == EOF)
		t->write_error = errno;
	/* EPIPE is no error: the reader of our output has seen enough */
	if (!t->write_error || t->write_error == EPIPE)
		return CLI_OK;
	return cli_error("cannot write the output: %s", strerror(t->write_error));
}

static int64_t clock_offset(void)
{
	uint64_t a = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);

	return (int64_t)(real - (a + clock_ns(CLOCK_MONOTONIC)) / 2);
}

static int ready(struct run *run, void *arg)
{
	struct trace *t = arg;

	t->symbols = symbols_new(true);
	if (run_has_stacks(run, t->opts))
		symbols_prepare(t->symbols);
	return CLI_OK;
}

static int trace(struct trace *t, const struct run_opts *o, struct sink_opts so)
{
	const struct run_ops ops = {
		.drain = drain, .idle = idle, .tick = tick, .out_fd = fileno(t->out),
	};
	static char out_buffer[OUT_BUFFER];
	int status = run_setup(&t->run, o), r;

	if (status != CLI_OK)
		return status;
	setvbuf(t->out, out_buffer, _IOFBF, sizeof(out_buffer));
	so.out = t->out;
	so.schema = t->run.schema;
	so.ctable = t->run.ctable;
	so.clock_offset = clock_offset();
	so.command_vtid = t->run.follow.mode ? 0 : t->run.child.pid;
	so.symbols = t->symbols;
	so.stacks = o->stack;
	so.live = true;
	t->sink = t->folded ? sink_folded_new(&so) : cli_json ? sink_json_new(&so) : sink_text_new(&so);
	status = run_loop(&t->run, &ops, t);
	tell_losses(t);
	sink_idle(t->sink);
	/* the folded sink writes its lines when it is freed, so account for it first */
	sink_account(t->sink, &t->counted);
	sink_free(t->sink);
	r = account(t);
	if (status == CLI_OK)
		status = r;
	return status == CLI_OK ? run_status(&t->run) : status;
}

static int run_trace(int argc, char **argv)
{
	static const struct option longs[] = {
		RUN_LONG_OPTIONS,
		{ "relative", no_argument, NULL, OPT_RELATIVE },
		{ "quiet-args", no_argument, NULL, OPT_QUIET_ARGS },
		{ "folded", required_argument, NULL, OPT_FOLDED },
		{ NULL, 0, NULL, 0 },
	};
	struct run_opts o = { .fds = true };
	struct trace t = { .out = stdout };
	struct sink_opts so = { 0 };
	const char *file = NULL;
	int opt, status = CLI_OK;

	t.opts = &o;
	argc = run_split(argc, argv, &o.command);
	while (status == CLI_OK &&
	       (opt = getopt_long(argc, argv, ":" RUN_SHORT_OPTIONS, longs, NULL)) != -1) {
		if (run_option(&o, opt, &status))
			continue;
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'o' || opt == OPT_FOLDED) {
			t.folded |= opt == OPT_FOLDED;
			file = t.folded && !strcmp(optarg, "-") ? NULL : optarg;
		} else if (opt == OPT_RELATIVE)
			so.relative = true;
		else if (opt == OPT_QUIET_ARGS)
			so.quiet_args = true;
		else
			status = cli_bad_option(opt, argv);
	}
	if (status == CLI_OK && t.folded && cli_json)
		status = cli_usage("--folded and --json are two forms of output: choose one");
	else if (status == CLI_OK && t.folded && !o.stack && !o.probes.frequency)
		status = cli_usage("--folded counts stacks: add --stack or -F HZ");
	o.targets = argv + optind;
	o.ntargets = argc - optind;
	o.ready = ready;
	o.ready_arg = &t;
	if (status == CLI_OK && file) {
		t.out = fopen(file, "we");
		if (!t.out)
			status = cli_error("cannot write '%s': %s", file, strerror(errno));
	}
	if (status == CLI_OK) {
		status = trace(&t, &o, so);
		run_free(&t.run);
		if (file && fclose(t.out) && status == CLI_OK)
			status = cli_error("cannot write to '%s': %s", file, strerror(errno));
	}
	symbols_free(t.symbols);
	sbuf_free(&t.counted);
	run_opts_free(&o);
	return status;
}

const struct command cmd_trace = {
	.name = "trace",
	.summary = "show what containers do, live",
	.usage = usage,
	.run = run_trace,
};
