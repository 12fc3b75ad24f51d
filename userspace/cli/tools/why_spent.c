// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of a container's threads went: from the spans that were counted, and what no span covers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ctf/sink_ctf.h"
#include "run/recording.h"
#include "show/comms.h"
#include "tools/why.h"

/* The row's key of this name; 0 if there is none. */
static uint64_t key(const struct view_row *r, const char *name)
{
	int k = view_key(r->t->t, name);

	return k < 0 ? 0 : r->r->key[r->t->t->keys[k].at];
}

/* The first column of this kind; 0 if there is none. */
static uint64_t value(const struct view_row *r, uint32_t fn)
{
	int column = view_column(r->t->t, fn);

	return column < 0 ? 0 : r->r->values[r->t->t->values[column].at];
}

/* a thread whose average wait is longer waits for work, not for a lock */
#define LONG_WAIT	NSEC_PER_SEC

static enum spent of_sleep(const struct view *v, const struct why *w, const struct view_row *r,
			   const struct thread *x)
{
	const uint64_t stopped = 4 | 8;	/* TASK_*: the same since 2.6 */
	int32_t nr = (int32_t)key(r, "syscall"), arg = (int32_t)key(r, "arg");
	enum spent s = threads_in_call(&w->threads, x, v->run.schema, nr, arg);

	/*
	 * since 6.5, and in 6.1's stable series, all operations under way count as iowait there: accept(),
	 * too
	 */
	if (s == SPENT_IO_URING && !is_deep_sleep(key(r, "state")))
		return s;
	if (key(r, "iowait"))
		return SPENT_DISK;
	if (key(r, "state") & stopped)
		return SPENT_STOPPED;
	/* vfork() waits so for its child */
	if (is_deep_sleep(key(r, "state")) && s != SPENT_CHILDREN && s != SPENT_DISK)
		return SPENT_KERNEL;
	if (s == SPENT_LOCKS && value(r, CTRACE_TABLE_SUM) > LONG_WAIT * value(r, CTRACE_TABLE_COUNT))
		return SPENT_HANDOVER;
	return s;
}

static void add_evidence(struct evidence *e, const struct view_row *r)
{
	int column = view_column(r->t->t, CTRACE_TABLE_HIST);
	uint64_t longest = value(r, CTRACE_TABLE_MAX);

	e->n += value(r, CTRACE_TABLE_COUNT);
	e->longest = longest > e->longest ? longest : e->longest;
	for (uint32_t i = 0; column >= 0 && i < CTRACE_TABLE_BUCKETS; i++)
		e->hist[i] += r->r->values[r->t->t->values[column].at + i];
}

/*
 * Notes the other end for which a thread of process pid waited, at this descriptor. waker: the container that
 * ended the wait, 0: not known
 */
static void add_server(struct why *w, int32_t pid, int32_t fd, uint32_t waker, uint64_t ns)
{
	const struct descriptor *d = descriptors_at(&w->threads.fds, pid, fd);
	struct other_end far = { .cid = waker && waker != w->cid ? waker : CTRACE_CID_UNKNOWN };
	struct server *s = w->servers, *end = w->servers + w->nservers;

	if (d && (*d->far.address || d->far.cid != CTRACE_CID_UNKNOWN))
		far = d->far;
	if (!*far.address && far.cid == CTRACE_CID_UNKNOWN)
		return;
	while (s < end && (s->far.cid != far.cid || strcmp(s->far.address, far.address)))
		s++;
	if (s == w->servers + SERVERS_MAX)
		return;
	if (s == end) {
		w->nservers++;
		s->far = far;
		s->ns = 0;
	}
	s->ns += ns;
}

static int longest_first(const void *a, const void *b)
{
	const struct server *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(x->far.address, y->far.address);
}

static bool is_of_ctrace(const struct view_row *r)
{
	int k = view_key(r->t->t, "culprit_comm");
	const char *comm;
	size_t len;

	if (r->r->other || k < 0 || key(r, "culprit") != CTRACE_CULPRIT_HOST)
		return false;
	comm = ctrace_row_text(r->t->gain, r->r, (uint32_t)k, &len);
	return comms_ours(comm, len);
}

static enum spent of_wait(const struct view_row *r, const struct thread *x)
{
	if (x && key(r, "reason") == CTRACE_WAIT_YIELDED)
		return SPENT_YIELDED;
	return x && key(r, "culprit") == CTRACE_CULPRIT_THROTTLED ? SPENT_THROTTLED : SPENT_WAITED;
}

/* Adds a span row. Returns what is of no thread's row. */
static uint64_t add_span(const struct view *v, struct why *w, const struct view_row *r)
{
	uint64_t ns = value(r, CTRACE_TABLE_SUM);
	size_t group = r->t->group;
	enum spent s = SPENT_RAN;
	struct thread *x = NULL;

	if (!r->r->other) {
		int32_t tid = (int32_t)key(r, "tid");

		x = threads_find(&w->threads, w->cid, tid);
		x = x ? x : threads_add(&w->threads, w->cid, tid);
		x->covered += ns;
		x->covered_ran += group == RUNS ? ns : 0;
		x->covered_waited += group == WAITS ? ns : 0;
	}
	if (group == WAITS) {
		s = of_wait(r, x);
		w->ctrace += s == SPENT_WAITED && is_of_ctrace(r) ? ns : 0;
	} else if (group == SLEEPS) {
		s = x ? of_sleep(v, w, r, x) : SPENT_OTHER;
		add_evidence(&w->asleep[s], r);
		if (s == SPENT_NETWORK && x)
			add_server(w, x->pid, (int32_t)key(r, "arg"), (uint32_t)key(r, "waker_cid"), ns);
	}
	w->spent[s] += ns;
	return x ? 0 : ns;
}

static uint64_t add_spans(struct view *v, struct why *w)
{
	const struct ctrace_look_row *row;
	uint64_t loose = 0;

	for (size_t i = 0; i < v->ntables; i++)
		for (size_t k = 0; (row = ctrace_look_row(v->tables[i].gain, k)); k++) {
			const struct view_row r = { &v->tables[i], row };

			if (row->cid != w->cid)
				continue;
			if (r.t->group == LATENCY)
				add_evidence(&w->waited, &r);
			else
				loose += add_span(v, w, &r);
		}
	return loose;
}

/* Before the periods of a recording: adds up the spans of the whole. */
void why_span(struct view *v, struct why *w, const struct ctrace_record *rec, uint64_t from, uint64_t to)
{
	struct thread *x;

	/* sched_blame has the waits in parts */
	if (rec->cid != w->cid || rec->id == CTRACE_ID_SCHED_WAIT)
		return;
	w->parts = true;
	x = threads_find(&w->threads, w->cid, rec->tid);
	x = x ? x : threads_add(&w->threads, w->cid, rec->tid);
	x->all += to - from;
	x->all_ran += rec->id == CTRACE_ID_SCHED_RUN ? to - from : 0;
	x->all_waited += rec->id == CTRACE_ID_SCHED_BLAME ? to - from : 0;
	if (from < v->began)
		x->before += (to < v->began ? to : v->began) - from;
}

/*
 * Up to `time`, the time that the thread existed and no span covers. It only grows, up to that of the whole.
 */
static uint64_t rest_until(const struct why *w, const struct thread *x, uint64_t time, uint64_t covered,
			   uint64_t most)
{
	uint64_t from = x->start > w->first ? x->start : w->first, rest;
	uint64_t to = x->seen == w->threads.looked ? w->last : x->seen;

	to = to < time ? to : time;
	rest = x->seen && to > from && to - from > covered ? to - from - covered : 0;
	return rest < most ? rest : most;
}

static uint64_t share(uint64_t n, uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((unsigned __int128)n * part / whole) : 0;
}

static uint64_t take(uint64_t *rest, uint64_t ns)
{
	ns = ns < *rest ? ns : *rest;
	*rest -= ns;
	return ns;
}

/* What the kernel's account has more than the spans. */
static uint64_t missing(uint64_t first, uint64_t last, uint64_t covered)
{
	return last - first > covered ? last - first - covered : 0;
}

/* The part of the period from `begin` to `end` in n, of which the whole has `most`. */
static uint64_t of_period(uint64_t n, uint64_t begin, uint64_t end, uint64_t most)
{
	return share(n, end, most) - share(n, begin, most);
}

/*
 * Adds the time that no span covers: before the first span of a thread that existed at the beginning, and
 * after the last one of a thread that still exists. It is found for the whole recording, so that its parts
 * add up.
 */
static void add_rest(struct why *w, struct thread *x)
{
	bool there = x->seen == w->threads.looked;
	uint64_t most = rest_until(w, x, UINT64_MAX, x->all, UINT64_MAX), begin, end, rest, ran, waited;
	enum spent s = x->last;

	begin = rest_until(w, x, w->began, x->before, most);
	x->before += x->covered;
	end = rest_until(w, x, w->ended, x->before, most);
	rest = end > begin ? end - begin : 0;
	w->n += rest || x->covered;
	if (x->old) {
		uint64_t left = most;

		/* of a thread that ran, or waited, all the time, only the kernel's account knows */
		ran = take(&left, missing(x->ran_first, x->ran, x->all_ran));
		waited = take(&left, missing(x->waited_first, x->waited, x->all_waited));
		w->spent[SPENT_RAN] += take(&rest, of_period(ran, begin, end, most));
		/*
		 * It could run at both ends, so it did not sleep before its first span, nor after its last
		 * one.
		 */
		if (x->first == SPENT_UNKNOWN && x->last == SPENT_UNKNOWN && x->seen && x->ran)
			waited = take(&rest, rest);
		else
			waited = take(&rest, of_period(waited, begin, end, most));
		w->spent[SPENT_WAITED] += waited;
		w->untold += waited;
		if (!there || x->first == x->last || x->last == SPENT_UNKNOWN)
			s = x->first;
		else if (x->first != SPENT_UNKNOWN)
			s = SPENT_UNKNOWN;
	}
	w->spent[s] += rest;
	if (s == SPENT_NETWORK)
		add_server(w, x->pid, x->fd, 0, rest);
}

static bool is_ours(const void *cid, uint32_t of)
{
	return of == *(const uint32_t *)cid;
}

int why_look(struct view *v)
{
	struct why *w = v->own;
	int err = threads_look(&w->threads, v->run.ctable, v->run.schema, is_ours, &w->cid);

	return err ? cli_error("cannot read /proc: %s", strerror(-err)) : CLI_OK;
}

static void decide(struct why *w)
{
	static const enum cause of[] = {
		[CTRACE_CULPRIT_SELF] = CAUSE_SELF, [CTRACE_CULPRIT_NEIGHBOUR] = CAUSE_NEIGHBOUR,
		[CTRACE_CULPRIT_HOST] = CAUSE_HOST, [CTRACE_CULPRIT_HYPERVISOR] = CAUSE_HYPERVISOR,
		[CTRACE_CULPRIT_INTERRUPTS] = CAUSE_INTERRUPTS,
	};
	struct verdict_in *in = &w->in;
	uint64_t told = 0;

	in->look = w->ended - w->began;
	in->all = w->all;
	memcpy(in->spent, w->spent, sizeof(in->spent));
	for (size_t i = 0; w->waits && i < w->waits->n; i++) {
		uint32_t kind = w->waits->v[i].kind;

		if (kind < ARRAY_SIZE(of) && of[kind])
			in->waited[of[kind]] += w->waits->v[i].ns;
	}
	in->waited[CAUSE_CTRACE] = w->ctrace;
	in->waited[CAUSE_HOST] -= w->ctrace < in->waited[CAUSE_HOST] ? w->ctrace : in->waited[CAUSE_HOST];
	for (enum cause c = CAUSE_NEIGHBOUR; c < CAUSE_CPU; c++)
		told += in->waited[c];
	in->waited[CAUSE_CPU] = w->spent[SPENT_WAITED] > told ? w->spent[SPENT_WAITED] - told : 0;
	for (enum cause c = CAUSE_DISK; c < CAUSE_N; c++)
		in->longest[c] = w->asleep[cause_spent(c)].longest;
	w->verdict = verdict_of(in);
}

/* Before the next period. */
static void forget(struct why *w)
{
	memset(w->spent, 0, sizeof(w->spent));
	memset(&w->in, 0, sizeof(w->in));
	memset(&w->waited, 0, sizeof(w->waited));
	memset(w->asleep, 0, sizeof(w->asleep));
	w->all = w->n = w->untold = w->ctrace = w->nservers = 0;
	for (size_t i = 0; i < w->threads.n; i++) {
		struct thread *x = &w->threads.v[i];

		x->covered = x->covered_ran = x->covered_waited = 0;
	}
	blame_free(&w->blame);
	memset(&w->blame, 0, sizeof(w->blame));
	w->waits = NULL;
}

void why_make(struct view *v, struct why *w)
{
	uint64_t loose, *unknown = &w->spent[SPENT_UNKNOWN];

	forget(w);
	w->ended = v->until;
	if (!v->recording && !why_look(v))
		descriptors_far(&w->threads.fds, v->run.ctable, false);
	w->began = v->since;
	/* the whole, or all that there is */
	w->first = w->began;
	w->last = w->ended;
	if (w->parts)
		recording_times(view_input_recording(v), &w->first, &w->last);
	w->name = ctable_shown(v->run.ctable, w->cid);
	loose = add_spans(v, w);
	for (size_t i = 0; i < w->threads.n; i++) {
		struct thread *x = &w->threads.v[i];

		x->all = w->parts ? x->all : x->covered;
		x->all_ran = w->parts ? x->all_ran : x->covered_ran;
		x->all_waited = w->parts ? x->all_waited : x->covered_waited;
		add_rest(w, x);
	}
	/* time in (other) was counted as not known for its threads, too: take it back */
	*unknown -= loose < *unknown ? loose : *unknown;
	for (int i = 0; i < SPENT_N; i++)
		w->all += w->spent[i];
	blame_make(v, WAITS, "tid,reason", CTRACE_WAIT_YIELDED, &w->blame);
	w->waits = NULL;
	for (size_t i = 0; i < w->blame.n; i++)
		if (w->blame.v[i].cid == w->cid)
			w->waits = &w->blame.v[i];
	qsort(w->servers, w->nservers, sizeof(w->servers[0]), longest_first);
	decide(w);
}
