// SPDX-License-Identifier: GPL-2.0-only
/*
 * A view of a recording: its events are counted here (tally.h) in tables like the module's, and the view
 * shows them as it shows the module's. The view's clock is the recording's.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "count/input.h"

#define GLANCE		4096u			/* events between two looks at the clock and at signals */

static volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	if (stop_signal)
		_exit(128 + sig);
	stop_signal = sig;
}

/* --- questions of the view --------------------------------------------------------- */

int64_t view_input_clock(const struct view *v)
{
	return v->input->r.info.clock_offset;
}

uint64_t view_input_lost(const struct view *v)
{
	return v->input ? v->input->lost : 0;
}

const struct recording *view_input_recording(const struct view *v)
{
	return &v->input->r;
}

static struct tell *tell_of(const struct input *in, uint32_t cid)
{
	size_t i = (cid * 0x9e3779b1u) & (in->ntells - 1);

	while (in->tells[i].n && in->tells[i].cid != cid)
		i = (i + 1) & (in->ntells - 1);
	return &in->tells[i];
}

static void tell(struct input *in, uint32_t cid)
{
	struct tell *t, *old = in->tells;
	size_t n = in->ntells;

	if (2 * (in->ntold + 1) > n) {
		in->ntells = n ? 2 * n : 64;
		in->tells = xcalloc(in->ntells, sizeof(in->tells[0]));
		for (size_t i = 0; i < n; i++)
			if (old[i].n)
				*tell_of(in, old[i].cid) = old[i];
		free(old);
	}
	t = tell_of(in, cid);
	in->ntold += !t->n;
	t->cid = cid;
	t->n++;
}

uint64_t view_input_events(const struct view *v, uint32_t cid)
{
	return v->input->ntells ? tell_of(v->input, cid)->n : 0;
}

uint64_t view_input_all_events(const struct view *v)
{
	return v->input->read;
}

void view_input_losses(const struct view *v, struct losses *l)
{
	const struct recording *r = &v->input->r;

	*l = (struct losses){
		.missed = asked_lost(r, "missed"), .unfollowed = asked_lost(r, "unfollowed"),
		.unfollowed_tasks = asked_lost(r, "unfollowed_tasks"), .unread = asked_lost(r, "unread"),
		.blind = asked_number(r, "blind_ns"),
	};
}

void view_input_account(const struct view *v, struct sbuf *b)
{
	static const char *const causes[] = { "unfollowed", "missed", "unfollowed_tasks", "unread" };
	const struct input *in = v->input;

	sbuf_printf(b, ", %llu lost", (unsigned long long)in->lost);
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		if (asked_lost(&in->r, causes[i]))
			sbuf_printf(b, ", %llu %s", (unsigned long long)asked_lost(&in->r, causes[i]), causes[i]);
	blind_print(asked_number(&in->r, "blind_ns"), asked_text(&in->r, "blind") ?: "some events", b);
	if (in->nameless)
		sbuf_printf(b, ", %llu of tasks whose name was not recorded", (unsigned long long)in->nameless);
	if (in->stopped)
		sbuf_printf(b, ", %.0f%% of the recording was read", 100 * ctf_reader_done(in->r.reader));
}

/* --- events -------------------------------------------------------------------------- */

/* Is it a call on a file? The module marks these in whole calls. */
static bool on_file(const struct ctrace_record *rec)
{
	uint64_t marks = 0;
	size_t at = sizeof(*rec) + 2 * sizeof(marks);	/* behind duration and ret */

	if (ctrace_id_call(rec->id).phase != CTRACE_CALL_WHOLE || rec->len < at + sizeof(marks))
		return false;
	memcpy(&marks, (const char *)rec + at, sizeof(marks));
	return marks & CTRACE_CALL_M_FILE;
}

/* Counts the record in all tables whose condition it passes. */
static bool tally(struct input *in, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	struct tally_event e = { .rec = rec, .stacks = k, .cpu = cpu, .comm = "" };
	bool counted = false;
	const char *comm;
	char idle[CTRACE_COMM_LEN];

	if (in->v->o.files && !on_file(rec))
		return false;
	if (in->comms) {
		comm = comms_known(in->comms, rec->tid, &e.pid);
		e.comm = comm ? comm : "";
		/* of the tasks with this number, only idle ones have switches */
		if (!rec->tid && rec->id == CTRACE_ID_SCHED_SWITCH) {
			snprintf(idle, sizeof(idle), "swapper/%u", cpu);
			e.comm = idle;
		}
	}
	if (!tally_filter_match(in->filter, &e))
		return false;
	for (const struct way *w = in->ways[rec->id]; w; w = w->next)
		counted |= tally_count(w->type, &e);
	for (size_t i = 0; k && e.pid && counted && i < k->user.n; i++)
		symbols_share(in->r.symbols, rec->tid, e.pid, k->user.v[i], k->user.exact && !i);
	in->nameless += counted && in->comms && rec->tid && !*e.comm;
	return counted;
}

static void count(struct input *in, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	const struct view_kind *kind = in->v->kind;
	bool counted;

	if ((!in->ways[rec->id] && !kind->each) || !recording_shows(&in->r, rec->cid))
		return;
	counted = in->ways[rec->id] && tally(in, rec, cpu, k);
	if (kind->each)
		kind->each(in->v, rec, k, counted);
}

static void end_period(struct input *in, uint64_t time)
{
	struct view *v = in->v;

	while (!in->over && v->interval && !v->folded && time >= v->run.next) {
		in->over = view_show_period(v, v->run.next) || (v->count && v->periods >= v->count);
		v->run.next += v->interval;
	}
}

static void take(void *arg, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	struct input *in = arg;
	const struct ctrace_record *whole;

	if (in->over)
		return;
	symbols_learn(in->r.symbols, in->r.schema, rec);
	if (!in->began) {
		uint64_t began = asked_number(&in->r, "began");

		in->began = true;
		in->v->began = in->v->since = began && began < rec->time ? began : rec->time;
		in->v->run.next = in->v->began + in->v->interval;
		in->end = in->v->o.duration ? in->v->began + in->v->o.duration : 0;
	}
	end_period(in, rec->time);
	in->over |= in->end && rec->time >= in->end;
	if (in->over)
		return;
	tell(in, rec->cid);
	in->time = rec->time > in->time ? rec->time : in->time;
	if (in->comms)
		comms_learn(in->comms, ctrace_schema_by_id(in->r.schema, rec->id), rec);
	whole = in->calls ? call_pairs_put(in->calls, rec) : NULL;
	if (whole)
		count(in, whole, cpu, k);
	count(in, rec, cpu, k);
}

static void learn(void *arg, const struct ctrace_record *rec)
{
	struct input *in = arg;

	comms_learn(in->comms, ctrace_schema_by_id(in->r.schema, rec->id), rec);
}

static void progress(const struct input *in, uint64_t *told)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - *told < NSEC_PER_SEC / 2)
		return;
	*told = now;
	fprintf(stderr, "\rctrace: reading: %.0f%%, %llu events\033[K", 100 * ctf_reader_done(in->r.reader),
		(unsigned long long)in->read);
}

static void read_all(struct input *in)
{
	bool tell = isatty(STDERR_FILENO) && !cli_json && !in->v->interval;
	uint64_t told = clock_ns(CLOCK_MONOTONIC), lost;
	const struct ctrace_record *rec;

	while (!in->over && ((rec = ctf_reader_next(in->r.reader, &lost)) || lost)) {
		in->lost += lost;
		if (!rec)
			break;
		if (in->queue)
			stack_queue_put(in->queue, rec, ctf_reader_cpu(in->r.reader));
		else
			take(in, rec, ctf_reader_cpu(in->r.reader), NULL);
		if (++in->read % GLANCE)
			continue;
		if (tell)
			progress(in, &told);
		if (stop_signal) {
			in->stopped = true;
			break;
		}
	}
	if (in->queue)
		stack_queue_flush(in->queue, UINT64_MAX);
	if (tell)
		fputs("\r\033[K", stderr);
}

uint64_t view_input_end(const struct view *v)
{
	const struct input *in = v->input;
	uint64_t end = asked_number(&in->r, "ended");

	if (in->end && in->over)
		return in->end;
	return in->stopped || end < in->time ? in->time : end;
}

/* --- the run ------------------------------------------------------------------------- */

/* Tables and ways for all probes of the view. */
static int prepare(struct input *in)
{
	struct view *v = in->v;
	bool pairs = false;
	uint32_t asks = 0;
	int status = input_ways(in, &asks, &pairs);

	if (status != CLI_OK)
		return status;
	if (v->o.files && (pairs || !asked_number(&in->r, "fds")))
		return cli_error("'%s' does not tell files from sockets and pipes. Record whole calls with the names of "
				 "descriptors: 'ctrace record -e views --fds'; or count all calls: --all", in->r.dir);
	if (pairs)
		in->calls = call_pairs_new(in->r.schema);
	if (asks & (TALLY_COMM | TALLY_PID)) {
		in->comms = comms_new(false);
		recording_dump(&in->r, learn, in);
	}
	v->has_stacks = asks & (TALLY_STACK | TALLY_USTACK);
	if (v->has_stacks)
		in->queue = stack_queue_new(in->r.schema, in->r.info.stacks, in->r.symbols, take, in);
	return view_open_tables(v);
}

int view_input_run(struct view *v)
{
	struct input *in = v->input = xcalloc(1, sizeof(*in));
	const struct sigaction sa = { .sa_handler = on_signal };
	uint64_t end;
	int status;

	in->v = v;
	status = recording_open(&in->r, v->recording);
	v->run.schema = in->r.schema;
	v->run.ctable = in->r.table;
	v->symbols = in->r.symbols;
	if (status == CLI_OK)
		status = recording_read(&in->r);
	if (status == CLI_OK)
		status = view_want(v);
	/* a view's words are TARGETs only once it has made its groups */
	if (status == CLI_OK)
		status = recording_choose(&in->r, v->o.targets, v->o.ntargets);
	if (status == CLI_OK && v->kind->begin)
		status = v->kind->begin(v);
	if (status == CLI_OK)
		status = prepare(in);
	if (status != CLI_OK)
		return status;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	read_all(in);
	end = view_input_end(v);
	if (!in->over)
		end_period(in, end);
	if (!(v->count && v->periods >= v->count) && !v->error)
		view_show_period(v, end > v->since ? end : v->since);
	status = view_finish(v, status);
	return status == CLI_OK ? recording_whole(&in->r, "counted") : status;
}

void view_input_free(struct view *v)
{
	struct input *in = v->input;

	if (!in)
		return;
	input_ways_free(in);
	free(in->tells);
	call_pairs_free(in->calls);
	comms_free(in->comms);
	in->over = true;	/* events still in the queue are not counted */
	stack_queue_free(in->queue);
	recording_close(&in->r);
	free(in);
	v->input = NULL;
}
