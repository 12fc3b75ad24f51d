// SPDX-License-Identifier: GPL-2.0-only
/* ctrace record: writes a CTF trace to disk. */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "commands.h"
#include "base/cli.h"
#include "export/export.h"
#include "run/recording.h"
#include "run/run.h"
#include "ctf/sink_ctf.h"
#include "show/lines.h"
#include "count/threads.h"

#define BUSY	65536		/* bytes: after a round with this many, the next follows without a pause */

static const char usage[] =
"Usage: ctrace record [-o DIR] [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"       ctrace record --perfetto FILE [OPTIONS] [TARGET...]\n"
"                     [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Records what containers do into DIR, a CTF 1.8 trace for 'ctrace report',\n"
"babeltrace2 and Trace Compass: calls, waits for CPUs and who had these, sleeps,\n"
"disks, connections, and samples, for 'ctrace why', 'ctrace page' and others. It\n"
"ends with COMMAND; without one, when all targets have ended; with --follow,\n"
"never by itself.\n";

struct record {
	struct run run;
	struct ctf *ctf;
	const char *dir;
	const char *perfetto;	/* a file to write at the end, or NULL */
	char *temporary;	/* the directory, if it must be removed at the end, or NULL */
	const struct run_opts *opts;
	struct symbols *symbols;	/* NULL: no stacks */
	struct threads threads;		/* of the targets, if why can count what is recorded */
	struct sockets sockets;		/* if connections are recorded */
	struct sbuf sockets_text;	/* the first look at them, as JSON */
	uint64_t began;		/* CLOCK_MONOTONIC, ns */
	bool force;
	bool done;		/* the trace was written, and is whole */
	bool progress;		/* stderr is a terminal */
	struct ctrace_ctf_info shown;	/* at the last progress line */
};

static int drain(void *arg)
{
	struct record *r = arg;
	uint64_t before = ctf_info(r->ctf).bytes;
	int n = ctf_drain(r->ctf, r->run.reader);

	/*
	 * Little came. It may be what our own writing caused; going on at once would cause as much again,
	 * so pause. Once the session has stopped, drain to the last record.
	 */
	if (n > 0 && r->run.end == RUN_ON && ctf_info(r->ctf).bytes - before < BUSY)
		return 0;
	return n;
}

static void idle(void *arg, uint64_t ns)
{
	(void)arg;
	(void)ns;
}

/* What the threads are at. What cannot be read is not known. */
static void look(struct record *r)
{
	if (threads_asked(&r->run.probes))
		threads_look(&r->threads, r->run.ctable, r->run.schema, run_targets, &r->run);
}

static void write_threads(struct record *r)
{
	struct sbuf b = { 0 };

	if (!r->threads.looked)
		return;
	descriptors_far(&r->threads.fds, r->run.ctable, false);
	threads_put(&b, &r->threads);
	ctf_side(r->ctf, CTRACE_CTF_THREADS, &b);
}

static bool wants_sockets(const struct run *run)
{
	for (size_t i = 0; i < run->probes.n; i++)
		if (!strncmp(run->probes.v[i].name, "tcp_", strlen("tcp_")))
			return true;
	return false;
}

/* Which connections there are; and who is at the other ends. */
static void write_sockets(struct record *r, const char *when)
{
	struct json j = { .out = &r->sockets_text, .comma = r->sockets_text.len };
	struct sbuf b = { 0 };

	if (!wants_sockets(&r->run))
		return;
	r->sockets.table = r->run.ctable;
	r->sockets.wants = run_targets;
	r->sockets.wants_arg = &r->run;
	sockets_look(&r->sockets, true);
	sockets_put(&j, when, &r->sockets);
	sbuf_printf(&b, "{%s}\n", r->sockets_text.s);
	ctf_side(r->ctf, CTRACE_CTF_SOCKETS, &b);
}

static void tick(void *arg)
{
	struct record *r = arg;
	struct ctrace_ctf_info t = ctf_info(r->ctf);
	struct losses l;
	struct sbuf b = { 0 };
	struct centry *e;

	/* ctable_get() looks names up, and puts them into the table */
	for (size_t i = 0; (e = ctable_next(r->run.ctable, &i));)
		if (!e->label || (!e->named && e->known))
			ctable_get(r->run.ctable, e->c.cid);
	ctf_containers(r->ctf);
	look(r);
	if (!r->progress)
		return;
	sbuf_printf(&b, "%llu events/s, ", (unsigned long long)(t.records - r->shown.records));
	sbuf_size(&b, t.bytes);
	if (losses_count(&r->run, &l))
		losses_print(&l, &b);
	r->shown = t;
	/* \033[K clears the rest of a line that was longer last time */
	fprintf(stderr, "\rctrace: recording: %s\033[K", b.s);
	sbuf_free(&b);
}

static bool shows(const void *follow, uint32_t cid)
{
	return follow_shows(follow, cid);
}

/* ended: 0 at the start; else when it ended, with what was lost. */
static void write_asked(struct record *r, uint64_t ended)
{
	struct sbuf b = { 0 };
	struct losses l;

	asked_put(&b, &r->run, r->opts, r->began, ended, ended && losses_count(&r->run, &l) ? &l : NULL);
	ctf_side(r->ctf, CTRACE_CTF_ASKED, &b);
}

/* Are there events of disks, and of the host? It has the stream that their names are in, to the end. */
static bool wants_disks(const struct run *run, const struct run_opts *o)
{
	bool host = false, block = false;

	for (int i = 0; i < o->ntargets; i++)
		host |= !strcmp(o->targets[i], "all") || !strcmp(o->targets[i], "host");
	for (size_t i = 0; i < run->probes.n; i++)
		block |= !strncmp(run->probes.v[i].name, "block_", strlen("block_"));
	return o->state_dump && host && block;
}

/* Makes the directory before the command runs: if that fails, the command has not worked in vain. */
static int ready(struct run *run, void *arg)
{
	struct record *r = arg;

	struct ctf_opts o = {
		.force = r->force, .stacks = r->opts->stack,
		.symbols = run_has_stacks(run, r->opts) ? symbols_new(true) : NULL,
	};

	if (run->follow.mode) {
		o.shows = shows;
		o.shows_arg = &run->follow;
	}
	r->symbols = o.symbols;
	if (r->symbols)
		symbols_prepare(r->symbols);
	r->ctf = ctf_create(r->dir, run->schema, run->ctable, &o);
	if (!r->ctf)
		return CLI_FAIL;
	r->began = clock_ns(CLOCK_MONOTONIC);
	if (wants_disks(run, r->opts))
		ctf_disks(r->ctf, run->schema, "/sys/class/block", r->began);
	write_asked(r, 0);
	look(r);
	write_threads(r);
	write_sockets(r, "first");
	return CLI_OK;
}

/* t: as it was before the files were closed */
static void account(struct record *r, const struct ctrace_ctf_info *t)
{
	struct sbuf b = { 0 };

	if (r->run.end == RUN_TARGETS)
		fputs("ctrace: all targets have ended\n", stderr);
	sbuf_count(&b, t->records, "event");
	sbuf_puts(&b, " in ");
	sbuf_count(&b, t->streams, "stream");
	/* viewers show these with the events that they belong to, and count those */
	if (run_has_stacks(&r->run, r->opts))
		sbuf_puts(&b, ", stacks and mappings among them");
	sbuf_puts(&b, ", ");
	sbuf_size(&b, recording_on_disk(r->dir));
	sbuf_puts(&b, " on disk");
	run_losses(&r->run, &b);
	if (!r->temporary) {
		sbuf_puts(&b, ", in ");
		sbuf_clean(&b, r->dir);
	}
	fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
	if (r->symbols && symbols_note(r->symbols))
		fprintf(stderr, "ctrace: %s\n", symbols_note(r->symbols));
}

static int record(struct record *r, const struct run_opts *o)
{
	const struct run_ops ops = { .drain = drain, .idle = idle, .tick = tick, .out_fd = -1 };
	int status = run_setup(&r->run, o), closed;
	struct ctrace_ctf_info info;
	struct centry *e;

	if (status != CLI_OK) {
		if (r->ctf)
			ctf_close(r->ctf);
		return status;
	}
	status = run_loop(&r->run, &ops, r);
	look(r);
	write_threads(r);
	write_sockets(r, "last");
	for (size_t i = 0; (e = ctable_next(r->run.ctable, &i));)
		ctable_get(r->run.ctable, e->c.cid);
	ctf_containers(r->ctf);
	write_asked(r, r->run.stopped ? r->run.stopped : clock_ns(CLOCK_MONOTONIC));
	info = ctf_info(r->ctf);
	if (r->progress)
		fputs("\r\033[K", stderr);
	closed = ctf_close(r->ctf);
	account(r, &info);
	r->done = closed == CLI_OK;
	if (status == CLI_OK)
		status = closed;
	return status == CLI_OK ? run_status(&r->run) : status;
}

/* --- a file for a viewer -------------------------------------------------------------- */

/* The command should not run in vain: can the file be written? Makes the temporary directory. */
static int before_export(struct record *r)
{
	struct stat st;

	if (!strcmp(r->perfetto, "-"))
		return cli_usage("--perfetto needs a FILE; for a pipe, record, then ctrace export --perfetto -");
	if (!stat(r->perfetto, &st)) {
		if (S_ISDIR(st.st_mode))
			return cli_error("cannot write '%s': %s", r->perfetto, strerror(EISDIR));
		if (access(r->perfetto, W_OK))
			return cli_error("cannot write '%s': %s", r->perfetto, strerror(errno));
	}
	if (r->dir)
		return CLI_OK;
	r->temporary = xasprintf("%s.XXXXXX", r->perfetto);
	if (!mkdtemp(r->temporary)) {
		free(r->temporary);
		r->temporary = NULL;
		return cli_error("cannot write '%s': %s", r->perfetto, strerror(errno));
	}
	r->dir = r->temporary;
	return CLI_OK;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* Writes the Perfetto file. If that fails, the temporary recording is kept. */
static int write_perfetto(struct record *r)
{
	const struct export_opts o = { .dir = r->dir, .out = r->perfetto };
	int status = r->done ? export_run(&export_perfetto, &o) : CLI_FAIL;

	if (r->temporary && (status == CLI_OK || !r->ctf))
		nftw(r->temporary, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	else if (r->temporary)
		fprintf(stderr, "ctrace: the recording is in %s\n", r->temporary);
	free(r->temporary);
	return status;
}

/* -------------------------------------------------------------------------------------- */

/* Is the word among the items of -e? */
static bool asks_for(const struct run_opts *o, const char *word)
{
	for (size_t i = 0; i < o->probes.nevents; i++) {
		for (const char *s = o->probes.events[i]; *s; s += strcspn(s, ",")) {
			s += strspn(s, ", ");
			if (strcspn(s, ", ") == strlen(word) && !strncmp(s, word, strlen(word)))
				return true;
		}
	}
	return false;
}

/* SIGXFSZ must not end us: the write that exceeds the limit fails, and that error is reported. */
static void too_long(int sig)
{
	(void)sig;
}

/*
 * Adds the events that are recorded by default: what views, the page and flame graphs need, unless an option
 * says what is wanted. Samples need names of tasks: a reader cannot ask /proc for old ones.
 */
static void add_events(struct run_opts *o, bool viewer, bool minimal)
{
	struct probes_opts *p = &o->probes;
	const char *events = viewer ? "viewer" : p->frequency ? LINES_TASKS : "views";

	if (p->nevents || (!viewer && (minimal || p->longer || p->failed || o->stack)))
		return;
	if (!viewer && !p->frequency) {
		p->frequency = SAMPLES_HZ;
		p->samples_if_any = true;
	}
	p->events = xcalloc(1, sizeof(p->events[0]));
	p->events[0] = xstrdup(events);
	p->nevents = 1;
}

enum { OPT_PERFETTO = OPT_VIEW, OPT_MINIMAL };

static const struct cli_option options[] = {
	{ .help = "How:" },
	OPTION("output", 'o', "DIR",
	       "the directory to write to; made if it does not exist (default ctrace-DATE-TIME)"),
	OPTION("perfetto", OPT_PERFETTO, "FILE",
	       "write FILE for https://ui.perfetto.dev when the recording ends, as 'ctrace export' does; "
	       "without -o, DIR is temporary, beside FILE. Without -e, it records what viewers need: -e "
	       "viewer"),
	OPTION("minimal", OPT_MINIMAL, NULL,
	       "without -e: only the entries and exits of calls, and processes"),
	OPTION("force", OPT_FORCE, NULL, "accept a DIR that is not empty; replace an older trace"),
	OPTION("json", 'j', NULL, "print errors as JSON"),
	{ 0 },
};

/* Where a recording without -o goes: it never meets an older one. */
static const char *usual_name(char *name, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!localtime_r(&now, &tm) || !strftime(name, size, "ctrace-%Y%m%d-%H%M%S", &tm))
		snprintf(name, size, "ctrace-recording");
	return name;
}

static int run_record(int argc, char **argv)
{
	struct getopts g = run_getopts(options);
	struct run_opts o = { .state_dump = true };
	struct record r = { .opts = &o, .progress = isatty(STDERR_FILENO) && !cli_json };
	char usual[sizeof("ctrace-20270101-123456")];
	int opt, status = CLI_OK, exported;
	bool fds_said = false, minimal = false;

	argc = run_split(argc, argv, &o.command);
	while (status == CLI_OK &&
	       (opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		fds_said |= opt == OPT_FDS || opt == OPT_NO_FDS;
		if (run_option(&o, opt, &status))
			continue;
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'o')
			r.dir = optarg;
		else if (opt == OPT_FORCE)
			r.force = true;
		else if (opt == OPT_PERFETTO)
			r.perfetto = optarg;
		else if (opt == OPT_MINIMAL)
			minimal = true;
		else
			status = cli_bad_option(opt, argv, &g);
	}
	if (!r.dir && !r.perfetto)
		r.dir = usual_name(usual, sizeof(usual));
	if (status == CLI_OK && (r.dir ? !*r.dir : !*r.perfetto))
		status = cli_usage("record needs a directory to write to: -o DIR");
	if (status == CLI_OK && minimal && (o.probes.nevents || o.probes.frequency || r.perfetto))
		status = cli_usage("--minimal chooses the events: leave out -e, -F and --perfetto");
	if (status == CLI_OK && r.perfetto)
		status = before_export(&r);
	if (status != CLI_OK)
		goto out;
	add_events(&o, r.perfetto, minimal);
	/* viewers name files by them */
	if (!fds_said && asks_for(&o, "viewer"))
		o.fds = true;
	o.targets = argv + optind;
	o.ntargets = argc - optind;
	o.ready = ready;
	o.ready_arg = &r;
	signal(SIGXFSZ, too_long);	/* not SIG_IGN: COMMAND would inherit that */
	status = record(&r, &o);
	run_free(&r.run);
	symbols_free(r.symbols);
	threads_free(&r.threads);
	sockets_free(&r.sockets);
	sbuf_free(&r.sockets_text);
	if (r.perfetto) {
		exported = write_perfetto(&r);
		status = status == CLI_OK ? exported : status;
	}
out:
	run_opts_free(&o);
	return status;
}

const struct command cmd_record = {
	.name = "record", .kind = COMMAND_TRACES, .usage = usage, .options = { run_record_options, options },
	.words = { "@targets" }, .run = run_record,
};
