// SPDX-License-Identifier: GPL-2.0-only
/* Reads the recording, and hands each record to the writer with the stacks that belong to it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/output.h"
#include "export/export.h"

#define GLANCE		4096u	/* events between two looks at the clock and at signals */

static volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	if (stop_signal)
		_exit(128 + sig);
	stop_signal = sig;
}

void export_put(struct export *x, const void *p, size_t n)
{
	errno = 0;
	if (!x->failed && n && fwrite(p, 1, n, x->out) != n) {
		x->failed = true;
		x->err = errno ?: EIO;
	}
	x->done += n;
}

/* --- reading -------------------------------------------------------------------------- */

struct reading {
	struct export *x;
	const struct export_writer *w;
};

static void take(void *arg, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	struct reading *y = arg;
	struct export *x = y->x;

	if (!recording_in_window(&x->r, rec)) {
		if (rec->time < x->r.from) {
			tasks_learn(x, rec);
			symbols_learn(x->r.symbols, x->r.schema, rec);
		}
		return;
	}
	if (!x->first)
		x->first = x->r.from ? x->r.from : rec->time;
	x->last = rec->time > x->last ? rec->time : x->last;
	/* stacks are shown with their events; what is mapped is for their names */
	if (k || (rec->id != CTRACE_ID_KERNEL_STACK && rec->id != CTRACE_ID_USER_STACK && rec->id != CTRACE_ID_PROCESS_MAP &&
		  !stack_is_copy(rec->id))) {
		x->events += recording_shows(&x->r, rec->cid);
		y->w->record(x, rec, cpu, k);
	}
	symbols_learn(x->r.symbols, x->r.schema, rec);
}

static void learn(void *arg, const struct ctrace_record *rec)
{
	tasks_learn(arg, rec);
}

static void progress(const struct export *x, uint64_t *told)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct sbuf b = { 0 };

	if (now - *told < NSEC_PER_SEC / 2)
		return;
	*told = now;
	sbuf_size(&b, x->done);
	fprintf(stderr, "\rctrace: exporting: %.0f%%, %llu events, %s bytes\033[K", 100 * ctf_reader_done(x->r.reader),
		(unsigned long long)x->events, b.s);
	sbuf_free(&b);
}

static void lose(struct export *x, const struct export_writer *w, uint64_t lost)
{
	struct ctf_loss l;

	x->lost += lost;
	while (ctf_reader_loss(x->r.reader, &l))
		if (w->lost && (l.cid == CTRACE_CID_ALL || recording_shows(&x->r, l.cid)))
			w->lost(x, &l);
}

void export_read(struct export *x, const struct export_writer *w, bool *stopped)
{
	const struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	uint64_t told = clock_ns(CLOCK_MONOTONIC), lost, n = 0;
	bool tell = isatty(STDERR_FILENO) && !cli_json;
	struct reading y = { .x = x, .w = w };
	const struct ctrace_record *rec;
	struct stack_queue *queue = NULL;
	struct ctf_types before = { 0 };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	recording_dump(&x->r, learn, x);
	recording_names(&x->r, true, true, &before);
	if (window_given(&x->window))
		recording_seek(&x->r, STACK_NEAR, &before);
	queue = stack_queue_new(x->r.schema, x->r.info.stacks, x->r.symbols, take, &y);
	*stopped = false;
	while (!x->failed && ((rec = ctf_reader_next(x->r.reader, &lost)) || lost)) {
		if (lost)
			lose(x, w, lost);
		if (!rec)
			break;
		stack_queue_put(queue, rec, ctf_reader_cpu(x->r.reader));
		if (++n % GLANCE)
			continue;
		if (tell)
			progress(x, &told);
		if (stop_signal) {
			*stopped = true;
			break;
		}
	}
	stack_queue_flush(queue, UINT64_MAX);
	stack_queue_free(queue);
	/* who has a CPU at the end of the window has it then */
	if (x->first && !*stopped && !x->failed && x->r.to < UINT64_MAX)
		x->last = x->r.to;
	if (tell)
		fputs("\r\033[K", stderr);
}

/* --- the run -------------------------------------------------------------------------- */

static int finish(struct export *x, const struct export_opts *o, bool stopped)
{
	bool is_stdout = x->out == stdout;
	struct sbuf b = { 0 };
	int err, status;

	err = output_close_whole(x->out, o->out, x->failed ? -x->err : 0);
	/* of standard output, this is reported at the end */
	if (err && is_stdout && output_flush(stdout))
		return err == -EPIPE ? CLI_OK : CLI_FAIL;
	if (err)
		return cli_error("cannot write '%s': %s%s", x->where ? x->where : o->out, strerror(-err),
				 x->where ? ": TMPDIR can name another directory" : "");
	sbuf_size(&b, x->done);
	fprintf(stderr, "ctrace: %s: %llu events, %s bytes, %llu lost\n", o->out, (unsigned long long)x->events, b.s,
		(unsigned long long)x->lost);
	sbuf_free(&b);
	status = recording_whole(&x->r, "exported");
	if (stopped)
		return cli_error("stopped: '%s' is whole, but has only the first %.0f%% of the recording", o->out,
				 100 * ctf_reader_done(x->r.reader));
	return status;
}

static FILE *open_out(const struct export_opts *o)
{
	struct stat st;

	if (strcmp(o->out, "-") && !stat(o->out, &st) && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return NULL;
	}
	return output_open(o->out);
}

int export_run(const struct export_writer *w, const struct export_opts *o)
{
	struct export x = { .window = o->window, .own = o->own };
	bool stopped;
	int status = recording_open(&x.r, o->dir);

	if (status == CLI_OK)
		status = recording_choose(&x.r, o->targets, o->ntargets);
	if (status == CLI_OK)
		status = recording_read(&x.r);
	if (status == CLI_OK)
		status = recording_window(&x.r, &o->window);
	if (status != CLI_OK)
		goto close;
	x.comms = comms_new(false);
	x.paints = paints_new(x.r.schema, false);
	x.tasks = tasks_new();
	x.out = open_out(o);
	if (!x.out) {
		status = cli_error("cannot write '%s': %s", o->out, strerror(errno));
		goto free;
	}
	status = w->begin ? w->begin(&x) : CLI_OK;
	if (status == CLI_OK) {
		export_read(&x, w, &stopped);
		if (w->end)
			w->end(&x);
		status = finish(&x, o, stopped);
	} else {
		output_close_whole(x.out, o->out, -ECANCELED);
	}
	if (w->free)
		w->free(&x);
free:
	tasks_free(x.tasks);
	paints_free(x.paints);
	comms_free(x.comms);
close:
	recording_close(&x.r);
	return status;
}
