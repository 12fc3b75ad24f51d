// SPDX-License-Identifier: GPL-2.0-only
/* ctrace why: where a container's time went, on one screen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "commands.h"
#include "ctf/sink_ctf.h"
#include "run/recording.h"
#include "count/blame.h"
#include "count/threads.h"

#define WHY_ROWS	2048	/* twice VIEW_ROWS */

static const char usage[] =
"Usage: ctrace why [OPTIONS] CONTAINER\n"
"\n"
"Says where a container's time went: on a CPU, waiting for one and because of\n"
"whom, without quota, at disks, at locks, at sockets, asleep. The times of all\n"
"threads add up to as long as they existed. Says whether a neighbour is to blame,\n"
"and what to look at next.\n"
"It takes 10 seconds, or --duration, or until Ctrl-C. CONTAINER is a TARGET that\n"
"is one container.\n";

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("input", 'i', "DIR", "look at what 'ctrace record -e views' recorded into DIR, all of it"),
	OPTION("duration", OPT_DURATION, "TIME", "look for this long: 2, 0.5, 500ms, 2m"),
	OPTION("rows", OPT_ROWS, "N", "rows of each table on each CPU (default " TEXT_OF(WHY_ROWS) ")"),
	OPTION("explain", OPT_EXPLAIN, NULL, "say which probes and tables it would use, and end"),
	OPTION("json", 'j', NULL, "print a JSON object"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

enum { RUNS, WAITS, SLEEPS };	/* groups */

static const char *const texts[SPENT_N] = {
	[SPENT_RAN] = "ran", [SPENT_WAITED] = "waited for a CPU", [SPENT_THROTTLED] = "had no quota", [SPENT_DISK] = "disk",
	[SPENT_LOCKS] = "locks (futex)", [SPENT_NETWORK] = "network (calls on sockets)",
	[SPENT_EVENTS] = "events (poll, epoll)", [SPENT_FILES] = "read, write (pipes, sockets)",
	[SPENT_CHILDREN] = "children (wait4)", [SPENT_SLEPT] = "slept (nanosleep)", [SPENT_OTHER] = "other sleep",
	[SPENT_STOPPED] = "stopped", [SPENT_UNKNOWN] = "not known",
};

struct why {
	uint32_t cid;
	const char *name;
	struct threads threads;
	uint64_t began, ended;
	size_t n;			/* threads */
	uint64_t spent[SPENT_N], all;	/* ns */
	struct blame blame;
	const struct blame_victim *waits;	/* in blame, or NULL */
};

/* --- from spans to what the time went to ---------------------------------------------- */

static uint64_t key(const struct view_row *r, const char *name)
{
	const struct ctrace_table *t = r->t->t;

	for (uint32_t k = 0; k < t->nkeys; k++)
		if (!strcmp(t->keys[k].name + (*t->keys[k].name == '$'), name))
			return r->r->key[t->keys[k].at];
	return 0;
}

static enum spent of_sleep(const struct view *v, const struct view_row *r)
{
	const uint64_t uninterruptible = 2, stopped = 4 | 8;	/* TASK_*: the same since 2.6 */
	int32_t nr = (int32_t)key(r, "syscall");
	enum spent s = spent_in_call(v->run.schema, nr);

	if (key(r, "iowait"))
		return SPENT_DISK;
	if (key(r, "state") & stopped)
		return SPENT_STOPPED;
	/* vfork() waits so for its child */
	return key(r, "state") & uninterruptible && s != SPENT_CHILDREN ? SPENT_DISK : s;
}

static enum spent of_row(const struct view *v, const struct view_row *r)
{
	if (r->t->group == RUNS)
		return SPENT_RAN;
	if (r->t->group == WAITS)
		return !r->r->other && key(r, "culprit") == CTRACE_CULPRIT_THROTTLED ? SPENT_THROTTLED : SPENT_WAITED;
	return r->r->other ? SPENT_OTHER : of_sleep(v, r);
}

/* Adds up the spans. Returns what is of no thread's row. */
static uint64_t add_spans(struct view *v, struct why *w)
{
	const struct ctrace_look_row *row;
	uint64_t loose = 0;

	for (size_t i = 0; i < v->ntables; i++) {
		const struct view_table *t = &v->tables[i];
		int sum = view_column(t->t, CTRACE_TABLE_SUM);

		for (size_t k = 0; (row = ctrace_look_row(t->gain, k)); k++) {
			const struct view_row r = { t, row };
			uint64_t ns = row->values[t->t->values[sum].at];
			struct thread *x;
			int32_t tid;

			if (row->cid != w->cid)
				continue;
			w->spent[of_row(v, &r)] += ns;
			if (row->other) {
				loose += ns;
				continue;
			}
			tid = (int32_t)key(&r, "tid");
			x = threads_find(&w->threads, w->cid, tid);
			x = x ? x : threads_add(&w->threads, w->cid, tid);
			x->covered += ns;
			x->covered_ran += t->group == RUNS ? ns : 0;
		}
	}
	return loose;
}

/*
 * What no span covers: of a thread that was there at the beginning, until its first span began; of one that is there at
 * the end, since its last one ended.
 */
static void add_rest(struct why *w, struct thread *x)
{
	bool there = x->seen == w->threads.looked;
	uint64_t from = x->start > w->began ? x->start : w->began, to = there ? w->ended : x->seen, rest, ran;

	rest = x->seen && to > from && to - from > x->covered ? to - from - x->covered : 0;
	/* of a thread that ran all the time, only the kernel's account knows */
	ran = x->old && x->ran - x->ran_first > x->covered_ran ? x->ran - x->ran_first - x->covered_ran : 0;
	ran = ran < rest ? ran : rest;
	w->spent[SPENT_RAN] += ran;
	rest -= ran;
	if (!x->old)
		w->spent[x->last] += rest;
	else if (!there || x->first == x->last)
		w->spent[x->first] += rest;
	else
		w->spent[SPENT_UNKNOWN] += rest;
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

static void make(struct view *v, struct why *w)
{
	uint64_t loose, *unknown = &w->spent[SPENT_UNKNOWN];

	w->ended = v->until;
	if (!v->recording)
		look(v);
	w->began = v->began;
	w->name = ctable_get(v->run.ctable, w->cid)->shown;
	loose = add_spans(v, w);
	w->n = w->threads.n;
	for (size_t i = 0; i < w->n; i++)
		add_rest(w, &w->threads.v[i]);
	/* it is in (other), and seemed to be missing */
	*unknown -= loose < *unknown ? loose : *unknown;
	for (int i = 0; i < SPENT_N; i++)
		w->all += w->spent[i];
	blame_make(v, WAITS, "tid", &w->blame);
	for (size_t i = 0; i < w->blame.n; i++)
		if (w->blame.v[i].cid == w->cid)
			w->waits = &w->blame.v[i];
}

/* --- the verdict ---------------------------------------------------------------------- */

/* The culprit of that kind with most of the waits, or NULL; *ns: of all of that kind. */
static const struct blame_culprit *worst(const struct why *w, uint32_t kind, uint64_t *ns)
{
	const struct blame_culprit *c = NULL;

	*ns = 0;
	for (size_t i = 0; w->waits && i < w->waits->n; i++) {
		if (w->waits->v[i].kind != kind)
			continue;
		c = c ? c : &w->waits->v[i];
		*ns += w->waits->v[i].ns;
	}
	return c;
}

static double percent(uint64_t ns, uint64_t all)
{
	return all ? 100 * (double)ns / (double)all : 0;
}

/* Is it a neighbour's fault? One that has less than a tenth of the waits, or of time, is innocent. */
static bool blames(const struct why *w, const struct blame_culprit **c, uint64_t *ns)
{
	*c = worst(w, CTRACE_CULPRIT_NEIGHBOUR, ns);
	return *c && *ns >= w->spent[SPENT_WAITED] / 10 && *ns >= w->all / 100;
}

static void put_neighbour(const struct view *v, struct sbuf *b, const struct why *w)
{
	const struct blame_culprit *c;
	uint64_t ns;

	if (blames(w, &c, &ns)) {
		sbuf_puts(b, "Neighbours are to blame for ");
		sbuf_printf(b, "%.0f%% of its waits for a CPU: ", percent(ns, w->spent[SPENT_WAITED]));
		view_put_container(v, b, c->cid);
		sbuf_printf(b, " had it for %.0f%% of them.", percent(c->ns, w->spent[SPENT_WAITED]));
	} else {
		sbuf_printf(b, "No neighbour is to blame: others had the CPU for %.1f%% of its time while it waited.",
			    percent(ns, w->all));
	}
}

/* What took most of the time, of what is no rest: the answer is about that. */
static enum spent main_cause(const struct why *w)
{
	static const enum spent busy[] = { SPENT_RAN, SPENT_WAITED, SPENT_THROTTLED, SPENT_DISK, SPENT_LOCKS };
	enum spent most = SPENT_RAN;
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(busy); i++) {
		most = w->spent[busy[i]] > w->spent[most] ? busy[i] : most;
		sum += w->spent[busy[i]];
	}
	if (sum >= w->all / 50)
		return most;
	for (int i = SPENT_NETWORK; i < SPENT_N; i++)
		most = w->spent[i] > w->spent[most] ? (enum spent)i : most;
	return most;
}

struct next {
	const char *sentence, *command;	/* "%s" is the container's name */
	const char *event;		/* what the command counts; NULL: it is for live containers alone */
};

static struct next next_of(const struct why *w)
{
	const struct blame_culprit *c;
	uint64_t ns;

	switch (main_cause(w)) {
	case SPENT_RAN:
		return (struct next){ "It runs most of the time that it wants to; see where in its code", "ctrace profile %s",
				      "cpu_sample" };
	case SPENT_WAITED:
		return (struct next){ blames(w, &c, &ns) ? "It waits for CPUs that neighbours have; see which of its tasks do" :
				      "It waits for CPUs, not because of neighbours; see which of its tasks do",
				      "ctrace blame %s --by comm", "sched_blame" };
	case SPENT_THROTTLED:
		return (struct next){ "Its quota is too small for what it does; see how often it runs out, and who uses it",
				      "ctrace throttle %s", "cpu_throttled" };
	case SPENT_DISK:
		return (struct next){ "It waits for disks; see which files", "ctrace files %s --slower 10ms", NULL };
	case SPENT_LOCKS:
		return (struct next){ "Its threads wait for each other at locks; see who wakes whom", "ctrace offcpu %s --wakers",
				      NULL };
	case SPENT_NETWORK:
	case SPENT_EVENTS:
	case SPENT_FILES:
		return (struct next){ "It waits for others to send something; see in which calls", "ctrace stats %s", "calls" };
	case SPENT_UNKNOWN:
		return (struct next){ "Too little has happened to tell; look for longer", "ctrace why %s", NULL };
	default:
		return (struct next){ "It sleeps, and nothing holds it up; see which calls it makes", "ctrace stats %s",
				      "calls" };
	}
}

/* Of a recording, the command counts that, if what it counts is there. The caller frees it. */
static char *command_of(const struct view *v, const struct why *w, const struct next *n)
{
	const char *at = strstr(n->command, "%s"), *how = main_cause(w) == SPENT_UNKNOWN ? "60" : "10";
	bool input = v->recording && n->event && view_input_has(v, n->event);

	return xasprintf("%.*s%s%s%s%s", (int)(at - n->command), n->command, w->name, at + 2,
			 input ? " --input " : " --duration ", input ? v->recording : how);
}

/* --- what is printed ------------------------------------------------------------------ */

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

	sbuf_printf(&b, "%s: %zu thread%s in %.3f s\n\n%-34s %10s %7s\n", w->name, w->n, w->n == 1 ? "" : "s",
		    (double)(w->ended - w->began) / 1e9, "ITS THREADS", "SECONDS", "%");
	for (int i = 0; i < SPENT_N; i++) {
		if (!w->spent[i] && i > SPENT_NETWORK)
			continue;
		put_line(&b, texts[i], 0, w->spent[i], w->all);
		sbuf_putc(&b, '\n');
		if (i == SPENT_WAITED)
			put_culprits(v, &b, w);
	}
	put_line(&b, "all", 0, w->all, w->all);
	sbuf_puts(&b, "\n\n");
	put_neighbour(v, &b, w);
	sbuf_printf(&b, "\n%s:\n    %s\n", next->sentence, command);
	fputs(b.s, stdout);
	sbuf_free(&b);
}

static void print_json(struct view *v, struct json *j, const struct why *w, const struct next *next, const char *command)
{
	const struct blame_culprit *c;
	struct sbuf b = { 0 };
	uint64_t ns;

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
	json_flag(j, "neighbour_to_blame", blames(w, &c, &ns));
	json_uint(j, "neighbours", ns);
	put_neighbour(v, &b, w);
	json_str(j, "verdict", b.s);
	json_str(j, "cause", spent_word(main_cause(w)));
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
	if (v->interval || v->o.follow)
		return cli_usage("why shows one screen: --interval and --follow are not for it");
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
	view_add_group(v, "sched_block", xstrdup("count(), sum(duration) by tid, state, iowait, syscall"));
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

	if (ts->n != 1 || ts->v[0].kind != CTRACE_TARGET_CID || ts->v[0].not)
		return cli_usage("why looks at one container: name one of those that 'ctrace ps' lists");
	w->cid = ts->v[0].cid;
	return v->recording ? load(v) : look(v);
}

static void tick(struct view *v)
{
	look(v);
}

static int run_why(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .words = words, .groups = groups, .begin = begin, .tick = tick, .print = print,
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
