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

/* From now on they are counted anew. */
void view_input_forget(const struct view *v)
{
	struct input *in = v->input;

	for (size_t i = 0; i < in->ntells; i++)
		in->tells[i].n = 0;
	in->ntold = 0;
	in->read = 0;
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
		.blind = asked_number(r, "blind_ns"), .discarded = v->input->lost,
	};
}

bool view_input_account(const struct view *v, struct sbuf *b)
{
	const struct input *in = v->input;

	if (in->nameless)
		sbuf_printf(b, ", %llu of tasks whose name was not recorded", (unsigned long long)in->nameless);
	if (in->stopped)
		sbuf_printf(b, ", %.0f%% of the recording was read", 100 * ctf_reader_done(in->r.reader));
	return in->nameless || in->stopped;
}

const char *view_input_blind(const struct view *v)
{
	return asked_text(&v->input->r, "blind") ?: "some events";
}

/* --- events -------------------------------------------------------------------------- */

/*
 * Is it a call on a file? The module marks these in whole calls. Of operations of io_uring, the view's
 * condition asks for it.
 */
static bool on_file(const struct ctrace_record *rec)
{
	uint64_t marks = 0;
	size_t at = sizeof(*rec) + 2 * sizeof(marks);	/* behind duration and ret */

	if (rec->id == CTRACE_ID_IO_URING_OP)
		return true;
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

/* time: of the first record */
static void begin(struct input *in, uint64_t time)
{
	uint64_t began = asked_number(&in->r, "began"), duration = in->v->o.duration;
	struct view *v = in->v;

	in->began = true;
	v->began = v->since = in->r.from ? in->r.from : began && began < time ? began : time;
	v->run.next = v->began + v->interval;
	if (duration && duration < in->r.to - v->began)
		in->end = v->began + duration;
}

/* What the record says of later ones. Returns the whole call that it ends, or NULL. */
static const struct ctrace_record *learn_from(struct input *in, const struct ctrace_record *rec)
{
	symbols_learn(in->r.symbols, in->r.schema, rec);
	if (in->comms)
		comms_learn(in->comms, ctrace_schema_by_id(in->r.schema, rec->id), rec);
	return in->calls ? call_pairs_put(in->calls, rec) : NULL;
}

static void take(void *arg, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	const struct ctrace_record *whole;
	struct input *in = arg;

	if (in->over)
		return;
	if (!recording_in_window(&in->r, rec)) {
		if (rec->time < in->r.from)
			learn_from(in, rec);
		if (rec->time < in->r.from && in->v->kind->learn && recording_shows(&in->r, rec->cid))
			in->v->kind->learn(in->v, rec);
		return;
	}
	if (!in->began)
		begin(in, rec->time);
	end_period(in, rec->time);
	in->over |= in->end && rec->time >= in->end;
	if (in->over)
		return;
	in->read++;
	tell(in, rec->cid);
	if (recording_shows(&in->r, rec->cid))
		view_note_io_uring_call(in->v, rec);
	in->time = rec->time > in->time ? rec->time : in->time;
	whole = learn_from(in, rec);
	if (whole)
		count(in, whole, cpu, k);
	count(in, rec, cpu, k);
}

static void learn(void *arg, const struct ctrace_record *rec)
{
	struct input *in = arg;

	comms_learn(in->comms, ctrace_schema_by_id(in->r.schema, rec->id), rec);
}

/* Counts what the span has of the window. */
static void take_cut(struct input *in, const struct ctrace_record *rec, uint32_t cpu)
{
	const struct ctrace_record *cut;

	if (recording_in_window(&in->r, rec)) {
		in->read++;
		tell(in, rec->cid);
	}
	if (!in->ways[rec->id] || !recording_shows(&in->r, rec->cid))
		return;
	cut = spans_cut(in->spans, rec, in->r.from, in->r.to);
	if (cut)
		count(in, cut, cpu, NULL);
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
	uint64_t told = clock_ns(CLOCK_MONOTONIC), lost, n = 0;
	const struct ctrace_record *rec;

	while (!in->over && ((rec = ctf_reader_next(in->r.reader, &lost)) || lost)) {
		in->lost += lost;
		if (lost && in->calls)
			call_pairs_lost(in->calls);
		if (!rec)
			break;
		if (in->queue)
			stack_queue_put(in->queue, rec, ctf_reader_cpu(in->r.reader));
		else if (in->spans)
			take_cut(in, rec, ctf_reader_cpu(in->r.reader));
		else
			take(in, rec, ctf_reader_cpu(in->r.reader), NULL);
		if (++n % GLANCE)
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

	if (in->end && in->over)
		return in->end;
	return in->stopped ? in->time : recording_end(&in->r, in->time);
}

/* --- spans that are cut where a period ends ------------------------------------------- */

/* Shows all spans to the view. Returns how long the longest took. */
static uint64_t read_spans(struct input *in)
{
	struct ctf_reader *reader = ctf_reader_open(in->r.dir, in->r.info.uuid);
	struct spans *spans = spans_new(in->r.schema);
	const struct ctrace_record *rec;
	struct ctf_types types = { 0 };
	uint64_t lost, from, to, longest = 0;

	for (uint32_t id = 0; id < CTF_TYPES; id++)
		if (in->ways[id])
			ctf_types_add(&types, (uint16_t)id);
	if (reader)
		ctf_reader_window(reader, UINT64_MAX, UINT64_MAX, 0, 0, &types);
	while (reader && !stop_signal && (rec = ctf_reader_next(reader, &lost))) {
		if (!recording_shows(&in->r, rec->cid) || !spans_of(spans, rec, &from, &to))
			continue;
		in->v->kind->span(in->v, rec, from, to);
		longest = rec->time - from > longest ? rec->time - from : longest;
	}
	ctf_reader_close(reader);
	spans_free(spans);
	return longest;
}

/*
 * Reads the recording anew for each period, up to where its longest span can have ended. A span at the first
 * or the last one's outer edge is not cut there, so that the periods add up to the whole recording.
 */
static int run_cut(struct input *in)
{
	uint64_t began, ended, longest, from = in->r.from, to = in->r.to;
	struct view *v = in->v;
	int status = recording_times(&in->r, &began, &ended);

	if (status != CLI_OK)
		return status;
	began = from ? from : began;
	ended = to < UINT64_MAX ? to : ended;
	v->began = v->since = began;
	longest = read_spans(in);
	while (v->since < ended && !stop_signal && !in->over && status == CLI_OK) {
		uint64_t end = v->interval && v->interval < ended - v->since ? v->since + v->interval : ended;

		in->r.from = v->since == began ? from : v->since;
		in->r.to = end == ended ? to : end;
		ctf_reader_close(in->r.reader);
		status = recording_read(&in->r);
		if (status != CLI_OK)
			break;
		ctf_reader_window(in->r.reader, in->r.from, in->r.to, SPANS_NEAR, longest + SPANS_NEAR, NULL);
		spans_free(in->spans);
		in->spans = spans_new(in->r.schema);
		read_all(in);
		in->over = view_show_period(v, end) || (v->count && v->periods >= v->count);
	}
	return status;
}

/* --- the run ------------------------------------------------------------------------- */

/* Has the reader give what is counted, and of the time before what that depends on. */
static void seek(struct input *in, uint32_t asks, bool pairs)
{
	const struct ctrace_event_type *t;

	bool names = in->comms || in->v->kind->learn;

	recording_names(&in->r, names, asks & TALLY_USTACK, &in->before);
	for (size_t i = 0; pairs && (t = ctrace_schema_at(in->r.schema, i)); i++)
		if (call_pairs_takes(t->id))
			ctf_types_add(&in->before, (uint16_t)t->id);
	recording_seek(&in->r, in->queue ? STACK_NEAR : 0, names || pairs || asks & TALLY_USTACK ?
		       &in->before : NULL);
}

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
				 "descriptors: 'ctrace record --fds'; or count all calls: --all", in->r.dir);
	if (pairs)
		in->calls = call_pairs_new(in->r.schema, recording_has_each(&in->r));
	if (asks & (TALLY_COMM | TALLY_PID)) {
		in->comms = comms_new(false);
		recording_dump(&in->r, learn, in);
	}
	v->has_stacks = asks & (TALLY_STACK | TALLY_USTACK);
	if (v->has_stacks)
		in->queue = stack_queue_new(in->r.schema, in->r.info.stacks, in->r.symbols, take, in);
	seek(in, asks, pairs);
	return view_open_tables(v);
}

static void run_whole(struct input *in)
{
	struct view *v = in->v;
	uint64_t end;

	if (in->r.from)
		begin(in, in->r.from);
	read_all(in);
	end = view_input_end(v);
	if (!in->over)
		end_period(in, end);
	if (!(v->count && v->periods >= v->count) && !v->error)
		view_show_period(v, end > v->since ? end : v->since);
}

int view_input_run(struct view *v)
{
	struct input *in = v->input = xcalloc(1, sizeof(*in));
	const struct sigaction sa = { .sa_handler = on_signal };
	int status;

	in->v = v;
	status = recording_open(&in->r, v->recording);
	v->run.schema = in->r.schema;
	v->run.ctable = in->r.table;
	v->symbols = in->r.symbols;
	if (status == CLI_OK)
		status = recording_read(&in->r);
	if (status == CLI_OK)
		status = recording_window(&in->r, &v->window);
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
	if (v->kind->span && (v->interval || window_given(&v->window)))
		status = run_cut(in);
	else
		run_whole(in);
	status = view_finish(v, status);
	return status == CLI_OK && !v->kind->quiet ? recording_whole(&in->r, "counted") : status;
}

void view_input_free(struct view *v)
{
	struct input *in = v->input;

	if (!in)
		return;
	input_ways_free(in);
	spans_free(in->spans);
	free(in->tells);
	call_pairs_free(in->calls);
	comms_free(in->comms);
	in->over = true;	/* events still in the queue are not counted */
	stack_queue_free(in->queue);
	recording_close(&in->r);
	free(in);
	v->input = NULL;
}
