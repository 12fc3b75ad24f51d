// SPDX-License-Identifier: GPL-2.0-only
/* ctrace why: where a container's time went, on one screen. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "commands.h"
#include "ctf/sink_ctf.h"
#include "names/cgroupfs.h"
#include "names/io_limits.h"
#include "run/recording.h"
#include "run/window_options.h"
#include "names/cgroup_files.h"
#include "tools/why.h"

#define WHY_ROWS	2048	/* twice VIEW_ROWS */

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
	OPTION("input", 'i', "DIR", "look at what 'ctrace record' recorded into DIR"),
	WINDOW_OPTIONS("with --input: "),
	OPTION("interval", OPT_INTERVAL, "TIME", "with --input: a screen for each interval: 1, 500ms, 1m"),
	OPTION("duration", OPT_DURATION, "TIME", "look for this long: 2, 0.5, 500ms, 2m"),
	OPTION("rows", OPT_ROWS, "N", "rows of each table on each CPU (default " TEXT_OF(WHY_ROWS) ")"),
	OPTION("explain", OPT_EXPLAIN, NULL, "say which probes and tables it would use, and end"),
	VIEW_VERBOSE_OPTION,
	OPTION("json", 'j', NULL, "print a JSON object"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

static const char *const texts[SPENT_N] = {
	[SPENT_RAN] = "ran", [SPENT_WAITED] = "waited for a CPU", [SPENT_THROTTLED] = "had no quota", [SPENT_DISK] = "disk",
	[SPENT_KERNEL] = "in the kernel (state D)", [SPENT_LOCKS] = "locks (futex)",
	[SPENT_NETWORK] = "network (servers)", [SPENT_REQUESTS] = "requests (from clients)",
	[SPENT_EVENTS] = "events (poll, epoll)", [SPENT_IO_URING] = "io_uring (results)",
	[SPENT_FILES] = "read, write (pipes)",
	[SPENT_HANDOVER] = "hand-over (futex)", [SPENT_CHILDREN] = "children (wait4)",
	[SPENT_YIELDED] = "gave the CPU up (sched_yield)", [SPENT_SLEPT] = "slept (nanosleep)",
	 [SPENT_OTHER] = "other sleep", [SPENT_STOPPED] = "stopped",
	[SPENT_UNKNOWN] = "not known",
};

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
		put_percentile(b, p99);
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
	bool alone;

	switch (c) {
	case CAUSE_NEIGHBOUR:
		/* one that had all of it is named once */
		alone = (int)(share + 0.5) == (int)(percent(x->ns, waited) + 0.5);
		sbuf_puts(b, alone ? "Its neighbour " : "Its neighbours");
		if (alone)
			view_put_other_container(v, b, x->cid);
		sbuf_printf(b, " had the CPU for %.0f%% of its waits for one", share);
		if (alone)
			break;
		sbuf_puts(b, ", ");
		view_put_other_container(v, b, x->cid);
		sbuf_printf(b, " for %.0f%%", percent(x->ns, waited));
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
	case CAUSE_HYPERVISOR:
		sbuf_printf(b, "The hypervisor kept the CPUs for %.0f%% of its waits for one", share);
		break;
	case CAUSE_INTERRUPTS:
		sbuf_printf(b, "Interrupts had the CPU for %.0f%% of its waits for one", share);
		break;
	default:
		sbuf_printf(b, "It waited for a CPU, and %s for %.0f%% of that",
			    w->untold >= ns / 2 ? "who had it is not known" : "no task had it", share);
	}
	put_evidence(b, &w->waited);
}

static bool is_wait(enum cause c)
{
	return c >= CAUSE_NEIGHBOUR && c <= CAUSE_CPU;
}

/* "db at 10.0.0.2:5432", or what of it is known. The address may be a recording's. */
static void put_server(const struct view *v, struct sbuf *b, const struct other_end *far)
{
	if (far->cid != CTRACE_CID_UNKNOWN)
		view_put_other_container(v, b, far->cid);
	if (far->cid != CTRACE_CID_UNKNOWN && *far->address)
		sbuf_puts(b, " at ");
	sbuf_clean(b, far->address);
}

static void put_cause(const struct view *v, struct sbuf *b, const struct why *w, enum cause c)
{
	static const char *const words[CAUSE_N] = {
		[CAUSE_RAN] = "It ran", [CAUSE_QUOTA] = "It had no CPU quota left",
		[CAUSE_DISK] = "It waited for disks",
		[CAUSE_KERNEL] = "It slept in the kernel, where no signal wakes it, and for no disk",
		[CAUSE_LOCKS] = "Its threads waited for locks", [CAUSE_NETWORK] = "It waited for servers",
	};

	if (is_wait(c)) {
		put_cpu_cause(v, b, w, c);
	} else {
		sbuf_puts(b, words[c]);
		if (c == CAUSE_NETWORK && w->nservers && w->servers[0].ns > w->spent[SPENT_NETWORK] / 2) {
			sbuf_puts(b, ", mostly for ");
			put_server(v, b, &w->servers[0].far);
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
		    x->counts[CAUSE_NEIGHBOUR] ? "O" : "No neighbour is to blame: o",
		    percent(others, w->all));
}

/* Reads its cgroup's files, live alone: no event says that a container was frozen before. */
static void read_files(const struct view *v, struct why *w)
{
	struct cgroup_files *f = v->recording ? NULL : cgroup_files_new();
	bool waits = w->waits && (is_wait(w->verdict.first) || is_wait(w->verdict.second));

	w->frozen = f && cgroup_frozen(f, &ctable_get(v->run.ctable, w->cid)->c);
	w->has_settings = waits && shares_read(v, f, w->waits, &w->settings);
	cgroup_files_free(f);
}

static void put_all(const struct view *v, struct sbuf *b, const struct why *w)
{
	if (w->frozen)
		sbuf_puts(b, "Its cgroup is frozen: it does nothing until somebody thaws it.\n");
	put_verdict(v, b, w);
	if (w->has_settings)
		shares_put(v, b, &w->settings);
}

struct next {
	const char *sentence, *command;	/* "%s" is the container's name */
	const char *event;		/* that the command counts; NULL: it takes live containers only */
};

/* Live, it is the kernel that has it or not. */
static bool has_locks(const struct view *v)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(v->run.schema, CTRACE_ID_LOCK_CONTENTION);

	return v->recording ? view_input_has(v, "lock_contention") : t && !t->reason;
}

/* Has the container a limit of a disk, or a cgroup above it? */
static bool has_io_limit(const struct view *v, uint32_t cid)
{
	const struct centry *e = v->recording ? NULL : ctable_find(v->run.ctable, cid);
	char *v2 = cgroup_root(NULL), *v1 = cgroup_root("blkio");
	struct io_limits l = { 0 };
	bool yes = false;

	if (e && e->known && e->c.cgroup_id)
		io_limits_read(&l, v2, v1, e->c.path);
	for (size_t i = 0; i < l.n && !yes; i++)
		yes = l.v[i].kind <= IO_WIOPS;
	io_limits_free(&l);
	free(v2);
	free(v1);
	return yes;
}

static struct next next_of(const struct view *v, const struct why *w)
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

	if (c == CAUSE_INTERRUPTS)
		return (struct next){ "See which soft interrupts take how long",
				      "ctrace agg host -e 'softirq => count(), sum(duration) by vec'", "softirq" };
	if (is_wait(c))
		return (struct next){ "See which of its tasks wait, and for whom",
			"ctrace blame %s --by comm",
				      "sched_blame" };
	if (c == CAUSE_KERNEL && has_locks(v))
		return (struct next){ "See where in the kernel it sleeps ('ctrace locks' shows waits for the kernel's locks)",
				      all[c].command, NULL };
	if (c == CAUSE_DISK && has_io_limit(v, w->cid))
		return (struct next){ "It has a limit of disks (io.max). See whether that holds it up, or the disk",
				      "ctrace bio %s", NULL };
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
			sbuf_printf(&b, strchr(times[i].word, ' ') ? " --%s '%s'" : " --%s %s",
				    times[i].option,
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

	command = xasprintf("%.*s%s%s%s%s%s", at ? (int)(at - n->command) : INT_MAX, n->command,
			    at ? w->name : "", at ? at + 2 : "", input ? " --input " : " --duration ",
			    input ? v->recording : how, times);
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
		sbuf_printf(b, *c->comm ? "  %s%s\n" : "\n", c->comm,
			    blame_is_observer(c) ? " (the observer)" : "");
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
		sbuf_moment(&b, view_realtime(v, w->began));
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
	put_all(v, &b, w);
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

static void json_servers(const struct view *v, struct json *j, const struct why *w)
{
	json_open(j, "servers", '[');
	for (size_t i = 0; i < w->nservers; i++) {
		const struct other_end *far = &w->servers[i].far;

		json_open(j, NULL, '{');
		if (far->cid != CTRACE_CID_UNKNOWN)
			view_json_other_container(v, j, far->cid);
		if (*far->address)
			json_str(j, "address", far->address);
		json_uint(j, "time", w->servers[i].ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_json(struct view *v, struct json *j, const struct why *w, const struct next *next, const char *command)
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
	if (w->waits) {
		struct blame_victim x = *w->waits;

		x.n = w->most && x.n > w->most ? w->most : x.n;
		blame_json_culprits(v, j, &x);
	}
	json_servers(v, j, w);
	json_uint(j, "untold", w->untold);
	json_open(j, "causes", '{');
	for (enum cause c = CAUSE_RAN; c < CAUSE_N; c++)
		json_cause(j, w, c);
	json_close(j, '}');
	json_uint(j, "busy", x->busy);
	json_flag(j, "neighbour_to_blame", x->first == CAUSE_NEIGHBOUR || x->second == CAUSE_NEIGHBOUR);
	json_uint(j, "neighbours", w->in.waited[CAUSE_NEIGHBOUR]);
	if (w->has_settings)
		shares_json(v, j, &w->settings);
	json_flag(j, "frozen", w->frozen);
	put_all(v, &b, w);
	json_str(j, "verdict", b.s);
	json_str(j, "cause", cause_word(x->first));
	if (x->second != CAUSE_NONE)
		json_str(j, "second_cause", cause_word(x->second));
	json_str(j, "why", next->sentence);
	json_str(j, "next", command);
	json_close(j, '}');
	sbuf_free(&b);
}

/* Is there a line about the progress on standard error? */
static bool shows_progress(const struct view *v)
{
	return !v->recording && !cli_json && isatty(STDERR_FILENO);
}

void why_print(struct view *v, struct why *w, struct json *j)
{
	struct next next;
	char *command;

	if (shows_progress(v))
		fputs("\r\033[K", stderr);
	why_make(v, w);
	read_files(v, w);
	next = next_of(v, w);
	command = command_of(v, w, &next);
	if (j)
		put_json(v, j, w, &next, command);
	else
		print_text(v, w, &next, command);
	free(command);
}

static void print(struct view *v, struct json *j)
{
	why_print(v, v->own, j);
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
			return cli_error("'%s' has no %s: record what why counts with 'ctrace record'",
					 v->recording, threads_events[i]);
	return CLI_OK;
}

int why_groups(struct view *v)
{
	int status = v->recording ? check_recording(v) : CLI_OK;

	if (status != CLI_OK)
		return status;
	if (v->o.probes.nevents || v->by || v->sort || v->top || v->o.comms || v->o.uids || v->o.filter)
		return cli_usage("why adds up all that a container does: it takes no -e, --by, --sort, --top or filter");
	v->rows = v->rows ? v->rows : WHY_ROWS;
	view_add_group(v, "sched_run", xstrdup("count(), sum(duration) by tid"));
	view_add_group(v, "sched_blame", xstrdup("count(), sum(duration) by tid, reason, " BLAME_KEYS));
	view_add_group(v, "sched_block",
		       xstrdup("count(), sum(duration), max(duration) by tid, state, iowait, syscall, arg, "
			       "waker_cid"));
	if (v->recording && !view_input_has(v, "sched_wait"))
		return CLI_OK;
	view_add_group(v, "sched_wait", xstrdup(VIEW_DURATIONS));
	v->groups[LATENCY].rows = 16;
	return CLI_OK;
}

void why_load(const struct view *v, struct why *w)
{
	int err = threads_load(&w->threads, v->recording, w->cid);

	if (err)
		fprintf(stderr, "ctrace: what threads did before their first event and after their last one is not known: %s/"
			CTF_SIDE_THREADS ": %s\n", v->recording, err == -EBADMSG ? "damaged" : strerror(-err));
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
	if (w->says_what && !v->recording && !cli_json)
		why_what(v, w);
	if (!v->recording)
		return why_look(v);
	why_load(v, w);
	return CLI_OK;
}

static void tick(struct view *v)
{
	uint64_t gone = clock_ns(CLOCK_MONOTONIC) - v->began;

	why_look(v);
	if (shows_progress(v) && gone < v->o.duration)
		fprintf(stderr, "\rctrace: looking where its time goes: %.0f s more\033[K",
			(double)(v->o.duration - gone) / 1e9);
}

static void head_json(struct view *v, struct json *j)
{
	const struct why *w = v->own;

	if (w->says_what && !v->recording)
		why_what_json(v, j, w);
}

static void span(struct view *v, const struct ctrace_record *rec, uint64_t from, uint64_t to)
{
	why_span(v, v->own, rec, from, to);
}

void why_free(struct why *w)
{
	threads_free(&w->threads);
	blame_free(&w->blame);
}

static int run_as(struct why *w, int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .words = words, .groups = why_groups, .begin = begin, .tick = tick,
		.span = span, .print = print, .head_json = head_json,
	};
	int status = view_run(&kind, w, argc, argv);

	why_free(w);
	return status;
}

static int run_why(int argc, char **argv)
{
	return run_as(&(struct why){ .cid = CTRACE_CID_UNKNOWN }, argc, argv);
}

int why_first(int argc, char **argv, const char *because)
{
	struct why w = { .cid = CTRACE_CID_UNKNOWN, .says_what = true, .because = because };

	return run_as(&w, argc, argv);
}

const struct command cmd_why = {
	.name = "why", .usage = usage, .options = { options }, .words = { "@targets" }, .run = run_why,
};
