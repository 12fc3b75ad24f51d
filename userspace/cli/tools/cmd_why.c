// SPDX-License-Identifier: GPL-2.0-only
/* ctrace why: where a container's time went, on one screen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "commands.h"
#include "ctf/sink_ctf.h"
#include "run/recording.h"
#include "run/window_options.h"
#include "count/blame.h"
#include "count/threads.h"
#include "count/verdict.h"

#define WHY_ROWS	2048	/* twice VIEW_ROWS */
#define SERVERS_MAX	16u	/* containers that ended waits for the network; further ones are left out */

static const char usage[] =
"Usage: ctrace why [OPTIONS] CONTAINER\n"
"\n"
"Says where a container's time went: on a CPU, waiting for one and because of\n"
"whom, without quota, at disks, at locks, at sockets, asleep. The times of all\n"
"threads add up to as long as they existed. Says whether a neighbour is to blame,\n"
"and what to look at next.\n"
"It takes 10 seconds, or --duration, or until Ctrl-C. CONTAINER is a TARGET that\n"
"is one container, unit or cgroup.\n";

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("input", 'i', "DIR", "look at what 'ctrace record -e views' recorded into DIR"),
	WINDOW_OPTIONS("with --input: "),
	OPTION("interval", OPT_INTERVAL, "TIME", "with --input: a screen for each interval: 1, 500ms, 1m"),
	OPTION("duration", OPT_DURATION, "TIME", "look for this long: 2, 0.5, 500ms, 2m"),
	OPTION("rows", OPT_ROWS, "N", "rows of each table on each CPU (default " TEXT_OF(WHY_ROWS) ")"),
	OPTION("explain", OPT_EXPLAIN, NULL, "say which probes and tables it would use, and end"),
	OPTION("json", 'j', NULL, "print a JSON object"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

enum { RUNS, WAITS, SLEEPS, LATENCY };	/* groups */

static const char *const texts[SPENT_N] = {
	[SPENT_RAN] = "ran", [SPENT_WAITED] = "waited for a CPU", [SPENT_THROTTLED] = "had no quota", [SPENT_DISK] = "disk",
	[SPENT_KERNEL] = "in the kernel (state D)", [SPENT_LOCKS] = "locks (futex)",
	[SPENT_NETWORK] = "network (servers)", [SPENT_REQUESTS] = "requests (from clients)",
	[SPENT_EVENTS] = "events (poll, epoll)", [SPENT_FILES] = "read, write (pipes)",
	[SPENT_HANDOVER] = "hand-over (futex)", [SPENT_CHILDREN] = "children (wait4)", [SPENT_SLEPT] = "slept (nanosleep)", [SPENT_OTHER] = "other sleep", [SPENT_STOPPED] = "stopped",
	[SPENT_UNKNOWN] = "not known",
};

/* Waits that ended. */
struct evidence {
	uint64_t n, longest;
	uint64_t hist[CTRACE_TABLE_BUCKETS];	/* empty: not known */
};

struct why {
	uint32_t cid;
	const char *name;
	struct threads threads;
	uint64_t began, ended;		/* of the period */
	uint64_t first, last;		/* of the whole recording, or of the period */
	bool parts;			/* of a recording: the threads know what they have of the whole */
	size_t n;			/* threads */
	uint64_t spent[SPENT_N], all;	/* ns */
	struct blame blame;
	const struct blame_victim *waits;	/* in blame, or NULL */
	uint64_t untold;		/* ns of SPENT_WAITED without a span that says who had the CPU */
	uint64_t ctrace;		/* ns of SPENT_WAITED in which ctrace had the CPU */
	struct evidence waited, asleep[SPENT_N];
	struct server {
		uint32_t cid;
		uint64_t ns;
	} servers[SERVERS_MAX];		/* containers that ended waits for the network */
	size_t nservers;
	uint64_t network;		/* ns: all waits for the network that ended */
	struct verdict_in in;
	struct verdict verdict;
};

/* --- from spans to causes ------------------------------------------------------------- */

static const struct ctrace_table_column *key_of(const struct view_row *r, const char *name, uint32_t *at)
{
	const struct ctrace_table *t = r->t->t;

	for (*at = 0; *at < t->nkeys; ++*at)
		if (!strcmp(t->keys[*at].name + (*t->keys[*at].name == '$'), name))
			return &t->keys[*at];
	return NULL;
}

static uint64_t key(const struct view_row *r, const char *name)
{
	uint32_t at;
	const struct ctrace_table_column *k = key_of(r, name, &at);

	return k ? r->r->key[k->at] : 0;
}

/* The first column of this kind; 0 if there is none. */
static uint64_t value(const struct view_row *r, uint32_t fn)
{
	int column = view_column(r->t->t, fn);

	return column < 0 ? 0 : r->r->values[r->t->t->values[column].at];
}

#define LONG_WAIT	NSEC_PER_SEC	/* a thread whose average wait is longer waits for work, not for a lock */

static enum spent of_sleep(const struct view *v, const struct why *w, const struct view_row *r,
			   const struct thread *x)
{
	const uint64_t uninterruptible = 2, stopped = 4 | 8;	/* TASK_*: the same since 2.6 */
	int32_t nr = (int32_t)key(r, "syscall"), arg = (int32_t)key(r, "arg");
	enum spent s = threads_in_call(&w->threads, x, v->run.schema, nr, arg);

	if (key(r, "iowait"))
		return SPENT_DISK;
	if (key(r, "state") & stopped)
		return SPENT_STOPPED;
	/* vfork() waits so for its child */
	if (key(r, "state") & uninterruptible && s != SPENT_CHILDREN && s != SPENT_DISK)
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

/* Notes the container that ended waits for the network. */
static void add_server(struct why *w, const struct view_row *r)
{
	uint32_t waker = (uint32_t)key(r, "waker_cid");
	uint64_t ns = value(r, CTRACE_TABLE_SUM);
	struct server *s = w->servers;

	w->network += ns;
	if (!waker || waker == w->cid)
		return;
	while (s < w->servers + w->nservers && s->cid != waker)
		s++;
	if (s == w->servers + SERVERS_MAX)
		return;
	w->nservers += s == w->servers + w->nservers;
	s->cid = waker;
	s->ns += ns;
}

static bool is_of_ctrace(const struct view_row *r)
{
	uint32_t at;
	const char *comm;
	size_t len;

	if (r->r->other || key(r, "culprit") != CTRACE_CULPRIT_HOST || !key_of(r, "culprit_comm", &at))
		return false;
	comm = ctrace_row_text(r->t->gain, r->r, at, &len);
	return len >= 6 && !strncmp(comm, "ctrace", len < 7 ? 6 : 7);
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
		s = x && key(r, "culprit") == CTRACE_CULPRIT_THROTTLED ? SPENT_THROTTLED : SPENT_WAITED;
		w->ctrace += is_of_ctrace(r) ? ns : 0;
	} else if (group == SLEEPS) {
		s = x ? of_sleep(v, w, r, x) : SPENT_OTHER;
		add_evidence(&w->asleep[s], r);
		if (s == SPENT_NETWORK)
			add_server(w, r);
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
static void span(struct view *v, const struct ctrace_record *rec, uint64_t from, uint64_t to)
{
	struct why *w = v->own;
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

/* Up to `time`, the time that the thread existed and no span covers. It only grows, up to that of the whole. */
static uint64_t rest_until(const struct why *w, const struct thread *x, uint64_t time, uint64_t covered, uint64_t most)
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
 * after the last one of a thread that still exists. It is found for the whole recording, so that its parts add up.
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
		/* It could run at both ends, so it did not sleep before its first span, nor after its last one. */
		if (x->first == SPENT_UNKNOWN && x->last == SPENT_UNKNOWN && x->seen && x->ran)
			waited += left;
		w->spent[SPENT_RAN] += take(&rest, of_period(ran, begin, end, most));
		waited = take(&rest, of_period(waited, begin, end, most));
		w->spent[SPENT_WAITED] += waited;
		w->untold += waited;
		if (!there || x->first == x->last || x->last == SPENT_UNKNOWN)
			s = x->first;
		else if (x->first != SPENT_UNKNOWN)
			s = SPENT_UNKNOWN;
	}
	w->spent[s] += rest;
}

static bool is_ours(const void *cid, uint32_t of)
{
	return of == *(const uint32_t *)cid;
}

static int look(struct view *v)
{
	struct why *w = v->own;
	int err = threads_look(&w->threads, v->run.ctable, v->run.schema, is_ours, &w->cid);

	return err ? cli_error("cannot read /proc: %s", strerror(-err)) : CLI_OK;
}

static void decide(struct why *w)
{
	static const enum cause of[] = {
		[CTRACE_CULPRIT_SELF] = CAUSE_SELF, [CTRACE_CULPRIT_NEIGHBOUR] = CAUSE_NEIGHBOUR,
		[CTRACE_CULPRIT_HOST] = CAUSE_HOST,
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
	w->all = w->n = w->untold = w->ctrace = w->network = w->nservers = 0;
	for (size_t i = 0; i < w->threads.n; i++) {
		struct thread *x = &w->threads.v[i];

		x->covered = x->covered_ran = x->covered_waited = 0;
	}
	memset(w->servers, 0, sizeof(w->servers));
	blame_free(&w->blame);
	memset(&w->blame, 0, sizeof(w->blame));
	w->waits = NULL;
}

static void make(struct view *v, struct why *w)
{
	uint64_t loose, *unknown = &w->spent[SPENT_UNKNOWN];

	w->ended = v->until;
	if (!v->recording)
		look(v);
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
	blame_make(v, WAITS, "tid", &w->blame);
	w->waits = NULL;
	for (size_t i = 0; i < w->blame.n; i++)
		if (w->blame.v[i].cid == w->cid)
			w->waits = &w->blame.v[i];
	decide(w);
}

/* --- the verdict ---------------------------------------------------------------------- */

static double percent(uint64_t ns, uint64_t all)
{
	return all ? 100 * (double)ns / (double)all : 0;
}

/* The culprit of that kind with most of the waits, or NULL. */
static const struct blame_culprit *worst(const struct why *w, uint32_t kind)
{
	for (size_t i = 0; w->waits && i < w->waits->n; i++)
		if (w->waits->v[i].kind == kind)
			return &w->waits->v[i];
	return NULL;
}

static void put_evidence(struct sbuf *b, const struct evidence *e)
{
	uint64_t p99 = ctrace_hist_count(e->hist) ? view_percentile(e->hist, 0.99, e->longest) : 0;

	if (!e->n)
		return;
	sbuf_printf(b, " (%llu wait%s", (unsigned long long)e->n, e->n == 1 ? "" : "s");
	if (p99) {
		sbuf_puts(b, ", p99 ");
		put_ns(b, p99);
	}
	sbuf_puts(b, ", longest ");
	put_ns(b, e->longest);
	sbuf_puts(b, ")");
}

static void put_cpu_cause(const struct view *v, struct sbuf *b, const struct why *w, enum cause c)
{
	uint32_t kind = c == CAUSE_NEIGHBOUR ? CTRACE_CULPRIT_NEIGHBOUR : CTRACE_CULPRIT_HOST;
	const struct blame_culprit *x = worst(w, kind);
	uint64_t waited = w->spent[SPENT_WAITED], ns = w->verdict.ns[c];
	double share = percent(ns, waited);

	switch (c) {
	case CAUSE_NEIGHBOUR:
		sbuf_printf(b, "Neighbours are to blame for %.0f%% of its waits for a CPU: ", share);
		view_put_other_container(v, b, x->cid);
		sbuf_printf(b, " had it for %.0f%% of them", percent(x->ns, waited));
		break;
	case CAUSE_HOST:
		sbuf_printf(b, "The host had the CPU for %.0f%% of its waits for one%s%s", share,
			    x && *x->comm ? ", mostly " : "", x ? x->comm : "");
		break;
	case CAUSE_CTRACE:
		sbuf_printf(b, "ctrace itself had the CPU for %.0f%% of its waits for one", share);
		break;
	case CAUSE_SELF:
		sbuf_printf(b, "Its own threads had the CPU for %.0f%% of its waits for one: more of them can run than it "
			    "gets CPUs", share);
		break;
	default:
		sbuf_printf(b, "It waited for a CPU, and %s for %.0f%% of that",
			    w->untold >= ns / 2 ? "who had it is not known" : "no task had it", share);
	}
	put_evidence(b, &w->waited);
}

static void put_cause(const struct view *v, struct sbuf *b, const struct why *w, enum cause c)
{
	static const char *const words[CAUSE_N] = {
		[CAUSE_RAN] = "It ran", [CAUSE_QUOTA] = "It had no CPU quota left",
		[CAUSE_DISK] = "It waited for disks",
		[CAUSE_KERNEL] = "It slept in the kernel, where no signal wakes it, and for no disk",
		[CAUSE_LOCKS] = "Its threads waited for locks", [CAUSE_NETWORK] = "It waited for servers",
	};

	if (c >= CAUSE_NEIGHBOUR && c <= CAUSE_CPU) {
		put_cpu_cause(v, b, w, c);
	} else {
		sbuf_puts(b, words[c]);
		for (size_t i = 0; c == CAUSE_NETWORK && i < w->nservers; i++)
			if (w->servers[i].ns > w->network / 2) {
				sbuf_puts(b, ", mostly for ");
				view_put_other_container(v, b, w->servers[i].cid);
			}
		if (c != CAUSE_RAN && c != CAUSE_QUOTA)
			put_evidence(b, &w->asleep[cause_spent(c)]);
	}
	sbuf_printf(b, ": %.1f%% of its time.", percent(w->verdict.ns[c], w->all));
}

static void put_verdict(const struct view *v, struct sbuf *b, const struct why *w)
{
	const struct verdict *x = &w->verdict;
	uint64_t others = x->ns[CAUSE_NEIGHBOUR], untold = w->in.waited[CAUSE_CPU];

	if (x->first == CAUSE_NONE)
		sbuf_printf(b, "Nothing unusual: it is at rest for %.1f%% of its time, mostly in %s.",
			    percent(w->all - x->busy - w->spent[SPENT_UNKNOWN], w->all), texts[x->rest]);
	else if (x->first == CAUSE_UNKNOWN)
		sbuf_puts(b, "Too little has happened to tell.");
	else
		put_cause(v, b, w, x->first);
	if (x->second != CAUSE_NONE) {
		sbuf_putc(b, '\n');
		put_cause(v, b, w, x->second);
	}
	if (x->first == CAUSE_NEIGHBOUR || x->second == CAUSE_NEIGHBOUR || untold > w->all / 100)
		return;
	sbuf_printf(b, "\n%sthers had the CPU for %.1f%% of its time while it waited.",
		    x->counts[CAUSE_NEIGHBOUR] ? "O" : "No neighbour is to blame: o", percent(others, w->all));
}

struct next {
	const char *sentence, *command;	/* "%s" is the container's name */
	const char *event;		/* that the command counts; NULL: it takes live containers only */
};

static struct next next_of(const struct why *w)
{
	static const struct next all[CAUSE_N] = {
		[CAUSE_NONE] = { "See which calls it makes", "ctrace stats %s", "calls" },
		[CAUSE_UNKNOWN] = { "Look for longer", "ctrace why %s", NULL },
		[CAUSE_RAN] = { "See where in its code it runs", "ctrace profile %s", "cpu_sample" },
		[CAUSE_QUOTA] = { "See which quota runs out, its own or one above it, how often, and who uses it",
				  "ctrace throttle %s", "cpu_throttled" },
		[CAUSE_DISK] = { "See which files are slow", "ctrace files %s --slower 10ms", NULL },
		[CAUSE_KERNEL] = { "See where in the kernel it sleeps", "ctrace offcpu %s --stack", NULL },
		[CAUSE_LOCKS] = { "See who wakes whom", "ctrace offcpu %s --wakers", NULL },
		[CAUSE_NETWORK] = { "See in which calls it waits", "ctrace stats %s -e %net", "calls" },
	};
	enum cause c = w->verdict.first;

	if (c >= CAUSE_NEIGHBOUR && c <= CAUSE_CPU)
		return (struct next){ "See which of its tasks wait, and for whom", "ctrace blame %s --by comm",
				      "sched_blame" };
	return all[c];
}

/* The options that choose the same part of the recording. The caller frees it. */
static char *times_of(const struct view *v, bool input)
{
	const struct {
		const char *option, *word;
	} times[] = { { "from", v->window.from }, { "to", v->window.to }, { "last", v->window.last } };
	struct sbuf b = { 0 };

	sbuf_reset(&b);
	for (size_t i = 0; i < ARRAY_SIZE(times) && input; i++)
		if (times[i].word)
			sbuf_printf(&b, strchr(times[i].word, ' ') ? " --%s '%s'" : " --%s %s", times[i].option,
				    times[i].word);
	return b.s;
}

/* The command: of a recording, it has --input if the event was recorded. The caller frees it. */
static char *command_of(const struct view *v, const struct why *w, const struct next *n)
{
	const char *how = w->verdict.first == CAUSE_UNKNOWN ? "60" : "10";
	const char *at = strstr(n->command, "%s");
	bool input = v->recording && n->event && view_input_has(v, n->event);

	char *command, *times = times_of(v, input);

	command = xasprintf("%.*s%s%s%s%s%s", (int)(at - n->command), n->command, w->name, at + 2,
			    input ? " --input " : " --duration ", input ? v->recording : how, times);
	free(times);
	return command;
}

/* --- output --------------------------------------------------------------------------- */

static void put_line(struct sbuf *b, const char *name, int indent, uint64_t ns, uint64_t all)
{
	sbuf_printf(b, "%*s%-*s %10.3f %6.1f%%", indent, "", 34 - indent, name, (double)ns / 1e9, percent(ns, all));
}

static void put_culprits(struct view *v, struct sbuf *b, const struct why *w)
{
	struct sbuf name = { 0 };

	for (size_t i = 0; w->waits && i < w->waits->n; i++) {
		const struct blame_culprit *c = &w->waits->v[i];

		if (c->kind == CTRACE_CULPRIT_THROTTLED)
			continue;
		sbuf_reset(&name);
		blame_put_culprit(v, &name, c);
		put_line(b, name.s, 2, c->ns, w->all);
		sbuf_printf(b, *c->comm ? "  %s\n" : "\n", c->comm);
	}
	sbuf_free(&name);
}

static void print_text(struct view *v, const struct why *w, const struct next *next, const char *command)
{
	struct sbuf b = { 0 };

	sbuf_printf(&b, "%s: %zu thread%s in %.3f s", w->name, w->n, w->n == 1 ? "" : "s",
		    (double)(w->ended - w->began) / 1e9);
	if (window_given(&v->window) && !v->interval) {
		sbuf_puts(&b, " from ");
		window_put_moment(&b, view_realtime(v, w->began));
	}
	sbuf_printf(&b, "\n\n%-34s %10s %7s\n", "ITS THREADS", "SECONDS", "%");
	for (int i = 0; i < SPENT_N; i++) {
		if (!w->spent[i] && i >= SPENT_REQUESTS)
			continue;
		put_line(&b, texts[i], 0, w->spent[i], w->all);
		sbuf_putc(&b, '\n');
		if (i == SPENT_WAITED)
			put_culprits(v, &b, w);
	}
	put_line(&b, "all", 0, w->all, w->all);
	sbuf_puts(&b, "\n\n");
	put_verdict(v, &b, w);
	sbuf_printf(&b, "\n%s:\n    %s\n", next->sentence, command);
	fputs(b.s, stdout);
	sbuf_free(&b);
}

static void json_cause(struct json *j, const struct why *w, enum cause c)
{
	json_open(j, cause_word(c), '{');
	json_uint(j, "time", w->verdict.ns[c]);
	if (w->in.longest[c])
		json_uint(j, "longest", w->in.longest[c]);
	json_close(j, '}');
}

static void print_json(struct view *v, struct json *j, const struct why *w, const struct next *next, const char *command)
{
	const struct verdict *x = &w->verdict;
	struct sbuf b = { 0 };

	json_open(j, NULL, '{');
	view_json_container(v, j, w->cid, false);
	json_uint(j, "threads", w->n);
	json_uint(j, "duration", w->ended - w->began);
	json_uint(j, "time", w->all);
	json_open(j, "spent", '{');
	for (int i = 0; i < SPENT_N; i++)
		json_uint(j, spent_word(i), w->spent[i]);
	json_close(j, '}');
	if (w->waits)
		blame_json_culprits(v, j, w->waits);
	json_uint(j, "untold", w->untold);
	json_open(j, "causes", '{');
	for (enum cause c = CAUSE_RAN; c < CAUSE_N; c++)
		json_cause(j, w, c);
	json_close(j, '}');
	json_uint(j, "busy", x->busy);
	json_flag(j, "neighbour_to_blame", x->first == CAUSE_NEIGHBOUR || x->second == CAUSE_NEIGHBOUR);
	json_uint(j, "neighbours", w->in.waited[CAUSE_NEIGHBOUR]);
	put_verdict(v, &b, w);
	json_str(j, "verdict", b.s);
	json_str(j, "cause", cause_word(x->first));
	if (x->second != CAUSE_NONE)
		json_str(j, "second_cause", cause_word(x->second));
	json_str(j, "why", next->sentence);
	json_str(j, "next", command);
	json_close(j, '}');
	sbuf_free(&b);
}

static void print(struct view *v, struct json *j)
{
	struct why *w = v->own;
	struct next next;
	char *command;

	forget(w);
	make(v, w);
	next = next_of(w);
	command = command_of(v, w, &next);
	if (j)
		print_json(v, j, w, &next, command);
	else
		print_text(v, w, &next, command);
	free(command);
}

/* --- the view --------------------------------------------------------------------------- */

static int words(struct view *v, char ***words, int *n)
{
	(void)words;
	if (v->o.command)
		return cli_usage("why looks at a container, not at a command");
	if (!*n)
		return cli_usage("why needs a container: 'ctrace ps' lists them");
	if (*n != 1)
		return cli_usage("why looks at one container, not %d", *n);
	if (v->recording && v->o.duration)
		return cli_usage("--duration cannot be used with a recording: 'why' reads all of it");
	if (v->o.follow || (v->interval && !v->recording))
		return cli_usage("why shows one screen of what happens now: --follow is not for it, and --interval only of a "
				 "recording (--input)");
	if (!v->o.duration && !v->recording)
		v->o.duration = 10 * NSEC_PER_SEC;
	return CLI_OK;
}

/* Status after a message. */
static int check_recording(const struct view *v)
{
	for (size_t i = 0; threads_events[i]; i++)
		if (!view_input_has(v, threads_events[i]))
			return cli_error("'%s' has no %s: record what why counts with 'ctrace record -e views'",
					 v->recording, threads_events[i]);
	return CLI_OK;
}

static int groups(struct view *v)
{
	int status = v->recording ? check_recording(v) : CLI_OK;

	if (status != CLI_OK)
		return status;
	if (v->o.probes.nevents || v->by || v->sort || v->top || v->o.comms || v->o.uids || v->o.filter)
		return cli_usage("why adds up all that a container does: it takes no -e, --by, --sort, --top or filter");
	v->rows = v->rows ? v->rows : WHY_ROWS;
	view_add_group(v, "sched_run", xstrdup("count(), sum(duration) by tid"));
	view_add_group(v, "sched_blame", xstrdup("count(), sum(duration) by tid, " BLAME_KEYS));
	view_add_group(v, "sched_block",
		       xstrdup("count(), sum(duration), max(duration) by tid, state, iowait, syscall, arg, "
			       "waker_cid"));
	if (v->recording && !view_input_has(v, "sched_wait"))
		return CLI_OK;
	view_add_group(v, "sched_wait", xstrdup(VIEW_DURATIONS));
	v->groups[LATENCY].rows = 16;
	return CLI_OK;
}

static int load(struct view *v)
{
	struct why *w = v->own;
	int err = threads_load(&w->threads, v->recording, w->cid);

	if (err)
		fprintf(stderr, "ctrace: what threads did before their first event and after their last one is not known: %s/"
			CTF_SIDE_THREADS ": %s\n", v->recording, err == -EBADMSG ? "damaged" : strerror(-err));
	return CLI_OK;
}

static int begin(struct view *v)
{
	struct why *w = v->own;
	const struct targets *ts = v->recording ? &view_input_recording(v)->in : &v->run.targets;

	if (ts->n != 1 || ts->v[0].not ||
	    (ts->v[0].kind != CTRACE_TARGET_CID && ts->v[0].kind != CTRACE_TARGET_CGROUP))
		return cli_usage("why looks at one container or unit: one that 'ctrace ps' lists, or unit:NAME");
	w->cid = ts->v[0].cid;
	if (ts->v[0].kind == CTRACE_TARGET_CGROUP)
		w->cid = targets_cid(&ts->v[0], v->run.ctable);
	return v->recording ? load(v) : look(v);
}

static void tick(struct view *v)
{
	look(v);
}

static int run_why(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .words = words, .groups = groups, .begin = begin, .tick = tick, .span = span,
		.print = print,
	};
	struct why w = { .cid = CTRACE_CID_UNKNOWN };
	int status = view_run(&kind, &w, argc, argv);

	threads_free(&w.threads);
	blame_free(&w.blame);
	return status;
}

const struct command cmd_why = {
	.name = "why", .usage = usage, .options = { options }, .words = { "@targets" }, .run = run_why,
};
