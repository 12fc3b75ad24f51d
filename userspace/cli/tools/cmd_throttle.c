// SPDX-License-Identifier: GPL-2.0-only
/* ctrace throttle: whose quota of CPU time ran out, how often, for how long, and which threads used it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "commands.h"
#include "names/cgroup_files.h"
#include "count/sums.h"

static const char usage[] =
"Usage: ctrace throttle [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows which containers' quotas of CPU time ran out: in how many periods, for how\n"
"long, and which threads had used them. Without a TARGET, it shows containers\n"
"that have a quota.\n";

#define THREADS	3	/* that used most of the quota */

enum { OPT_ALL = OPT_VIEW_OWN };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("all", OPT_ALL, NULL, "containers without a quota, too"),
	OPTION("by", OPT_BY, "KEY,...",
	       "who used the quota, separately for each comm, pid, ... (default tid,comm)", VIEW_KEYS),
	OPTION("sort", OPT_SORT, "COLUMN",
	       "by %s", "time throttled periods percent windows longest container"),
	{ 0 },
};

/* What a container's files said. */
struct seen {
	uint32_t cid;
	struct cgroup_quota then, now;	/* at the end of the period before; when last read */
	double psi10, psi60;
	bool pressure;			/* there is such a file */
};

struct own {
	bool all, named;
	bool windows;			/* the kernel tells of them */
	bool pressure;			/* of a container in the table */
	struct cgroup_files *files;
	struct seen *seen;		/* by cid */
	size_t nseen, room;
	uint64_t began;			/* CLOCK_MONOTONIC, ns: containers that came later are new, and began at 0 */
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	(void)status;
	if (opt != OPT_ALL)
		return false;
	own->all = true;
	return true;
}

static int words(struct view *v, char ***words, int *n)
{
	struct own *own = v->own;

	for (int i = 0; i < *n; i++)
		own->named |= strcmp((*words)[i], "all") && (*words)[i][0] != '!' && strncmp((*words)[i], "not:", 4);
	own->named |= v->o.command != NULL;
	return CLI_OK;
}

static int groups(struct view *v)
{
	const struct ctrace_event_type *t = ctrace_schema_by_name(v->run.schema, "cpu_throttled");
	struct own *own = v->own;
	const char *by = v->by;
	int status;

	if (v->o.probes.nevents || v->o.probes.longer || v->o.probes.failed)
		return cli_usage("throttle chooses its events itself: leave out -e, --longer and --failed");
	status = view_sort_is(v, "time throttled periods percent windows longest container");
	if (status != CLI_OK)
		return status;
	own->files = cgroup_files_new();
	own->windows = v->recording ? view_input_has(v, "cpu_throttled") : t && !t->reason;
	v->by = by ? by : "tid, comm";
	view_add_group(v, "sched_run", view_aggregate(v, "sum(duration), count()", NULL));
	v->by = by;
	if (own->windows)
		view_add_group(v, "cpu_throttled", xstrdup("sum(duration), count(), max(duration), hist(duration)"));
	else
		fprintf(stderr, "ctrace: no columns WINDOWS and LONGEST: there is no cpu_throttled here%s%s\n",
			t && t->reason ? ": " : "", t && t->reason ? t->reason : "");
	return CLI_OK;
}

/* --- the files -------------------------------------------------------------------- */

/* For struct row, too: both begin with it. */
static int by_cid(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static struct seen *add_seen(struct own *own, uint32_t cid)
{
	struct seen *s;

	if (own->nseen == own->room) {
		own->room = own->room ? 2 * own->room : 64;
		own->seen = xrealloc(own->seen, own->room * sizeof(own->seen[0]));
	}
	s = &own->seen[own->nseen++];
	*s = (struct seen){ .cid = cid };
	return s;
}

/* Reads the files of all containers that live. What is known of the others stays. A recording has no files. */
static void look(struct view *v)
{
	struct own *own = v->own;
	size_t n = own->nseen;
	struct centry *e;

	if (v->recording)
		return;
	for (size_t i = 0; (e = ctable_next(v->run.ctable, &i));) {
		struct cgroup_quota q;
		struct seen *s;

		if (!e->known || !ctable_alive(e) || !cgroup_quota_read(own->files, &e->c, &q))
			continue;
		s = n ? bsearch(&e->c.cid, own->seen, n, sizeof(*s), by_cid) : NULL;
		if (!s) {
			s = add_seen(own, e->c.cid);
			/* all that a container counted that has come meanwhile came meanwhile */
			if (!own->began || e->c.first_seen < own->began)
				s->then = q;
		}
		s->now = q;
		s->pressure = cgroup_cpu_pressure(own->files, &e->c, &s->psi10, &s->psi60);
		own->pressure |= s->pressure;
	}
	if (own->nseen > n)
		qsort(own->seen, own->nseen, sizeof(own->seen[0]), by_cid);
	if (!own->began)
		own->began = clock_ns(CLOCK_MONOTONIC);
}

static int begin(struct view *v)
{
	if (!v->recording)
		look(v);
	return CLI_OK;
}

/* --- a container's row -------------------------------------------------------------- */

struct row {
	uint32_t cid;
	const char *label;
	bool files, limited, pressure;	/* its files were read; they say that it has a quota; and how long tasks waited */
	bool windowed;			/* it had windows */
	uint64_t periods, throttled, time, quota, period, windows, longest;
	double percent, limit, psi10, psi60;
	uint64_t ran;			/* of all threads */
	const struct sum *threads[THREADS];
};

static double percent(uint64_t n, uint64_t of)
{
	return of ? 100 * (double)n / (double)of : 0;
}

static struct row row_of(const struct seen *s)
{
	struct row r = {
		.cid = s->cid, .files = true, .limited = s->now.quota, .pressure = s->pressure,
		.periods = s->now.periods - s->then.periods, .throttled = s->now.throttled - s->then.throttled,
		.time = s->now.throttled_ns - s->then.throttled_ns, .quota = s->now.quota, .period = s->now.period,
		.psi10 = s->psi10, .psi60 = s->psi60,
	};

	r.percent = percent(r.throttled, r.periods);
	r.limit = r.period ? (double)r.quota / (double)r.period : 0;
	return r;
}

/* The windows have no name. */
static void put_user(struct view *v, struct sbuf *b, const struct view_row *row)
{
	const struct ctrace_table *t = row->t->t;

	if (row->t->group)
		return;
	if (view_is_other(row)) {
		sbuf_puts(b, "(other)");
		return;
	}
	if (!v->by) {
		view_put_key(v, b, row, 1);
		sbuf_putc(b, '/');
		view_put_key(v, b, row, 0);
		return;
	}
	for (uint32_t k = 0; k < t->nkeys; k++) {
		sbuf_puts(b, k ? "/" : "");
		view_put_key(v, b, row, k);
	}
}

static void add_thread(struct row *r, const struct sum *s)
{
	size_t i = THREADS;

	r->ran += s->total;
	while (i && (!r->threads[i - 1] || r->threads[i - 1]->total < s->total)) {
		if (i < THREADS)
			r->threads[i] = r->threads[i - 1];
		r->threads[--i] = s;
	}
}

static bool is_target(const struct view *v, uint32_t cid, bool not)
{
	const struct targets *ts = &v->run.targets;

	for (size_t i = 0; i < ts->n; i++)
		if (ts->v[i].kind == CTRACE_TARGET_CID && ts->v[i].cid == cid && ts->v[i].not == not)
			return true;
	return false;
}

static bool shown(const struct view *v, const struct row *r)
{
	const struct own *own = v->own;
	bool alive = !view_is_gone(v, r->cid);

	if (r->cid == CTRACE_CID_HOST || is_target(v, r->cid, true))
		return false;
	if (r->throttled || r->windows)
		return true;
	if (own->named)
		return r->ran || (alive && is_target(v, r->cid, false));
	return r->files && alive && (own->all || r->limited);
}

/* --- columns -------------------------------------------------------------------------- */

static struct cell quota(const void *row)
{
	const struct row *r = row;

	return (struct cell){ .is = r->limited ? CELL_KNOWN : r->files ? CELL_UNKNOWN : CELL_MISSING, .n = r->quota };
}

static void put_users(struct sbuf *b, const void *row)
{
	const struct row *r = row;

	for (size_t i = 0; i < THREADS && r->threads[i]; i++)
		sbuf_printf(b, "%s%s %.0f%%", i ? ", " : "", r->threads[i]->name,
			    percent(r->threads[i]->total, r->ran));
}

static void json_threads(struct json *j, const void *row)
{
	const struct row *r = row;

	json_open(j, "threads", '[');
	for (size_t i = 0; i < THREADS && r->threads[i]; i++) {
		json_open(j, NULL, '{');
		json_str(j, "name", r->threads[i]->name);
		json_uint(j, "ran", r->threads[i]->total);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static bool has_windows(const struct view *v)
{
	return ((const struct own *)v->own)->windows;
}

static bool has_pressure(const struct view *v)
{
	return ((const struct own *)v->own)->pressure;
}

#define ROW_COLUMN(head, key, unit, member)	head, key, unit, COLUMN_AT(struct row, member)
#define IF(member)	COLUMN_IF(struct row, member)

static const struct column columns[] = {
	{ ROW_COLUMN("PERIODS", "periods", COLUMN_NUMBER, periods), IF(files) },
	{ ROW_COLUMN("THROTTLED", "throttled", COLUMN_NUMBER, throttled), IF(files) },
	{ ROW_COLUMN("THROTTLED_TIME", "throttled_time", COLUMN_NS, time), IF(files), .word = "time" },
	{ ROW_COLUMN("%THROT", NULL, COLUMN_REAL, percent), IF(files), .word = "percent" },
	{ "QUOTA", "quota", COLUMN_NS, .get = quota, .word = "" },
	{ ROW_COLUMN(NULL, "period", COLUMN_NS, period), IF(files) },
	{ ROW_COLUMN("LIMIT", NULL, COLUMN_REAL, limit), IF(limited), .word = "" },
	{ ROW_COLUMN("WINDOWS", "windows", COLUMN_NUMBER, windows), .there = has_windows },
	{ ROW_COLUMN("LONGEST", NULL, COLUMN_NS, longest), IF(windowed), .there = has_windows },
	{ ROW_COLUMN(NULL, "longest", COLUMN_NS, longest), .there = has_windows },
	{ ROW_COLUMN("%PSI10", "psi10", COLUMN_REAL, psi10), IF(pressure), .word = "", .there = has_pressure },
	{ ROW_COLUMN("%PSI60", "psi60", COLUMN_REAL, psi60), IF(pressure), .word = "", .there = has_pressure },
	{ "USED BY", NULL, COLUMN_TEXT, .put = put_users, .word = "" },
	{ ROW_COLUMN(NULL, "ran", COLUMN_NS, ran) },
	{ .json = json_threads },
	{ ROW_COLUMN(NULL, NULL, COLUMN_TEXT, label), .word = "container" },
};

static struct listed whose(const void *row)
{
	const struct row *r = row;

	return (struct listed){ .cid = r->cid, .other = r->cid == CTRACE_CID_ALL };
}

static int tie(const void *x, const void *y, double n)
{
	return n ? 0 : by_cid(x, y);
}

static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct row), .first = "time", .no_by = true, .whose = whose, .tie = tie,
};

/* The rows of a period, which the caller frees; they point into s. */
static struct row *make(struct view *v, struct sums *s, size_t *n)
{
	struct own *own = v->own;
	struct row *rows, *r = NULL;
	size_t all = 0;

	look(v);
	sums_make_named(v, s, put_user, v->by ? v->by : "tid,comm");
	rows = xcalloc(s->n + own->nseen + 1, sizeof(rows[0]));
	for (size_t i = 0; i < own->nseen; i++) {
		struct seen *seen = &own->seen[i];

		rows[all++] = row_of(seen);
		seen->then = seen->now;
	}
	for (size_t i = 0; i < s->n; i++) {
		/* the sums of a container stand together */
		if (!i || s->v[i - 1].cid != s->v[i].cid)
			r = own->nseen ? bsearch(&s->v[i].cid, rows, own->nseen, sizeof(*r), by_cid) : NULL;
		if (!r) {
			r = &rows[all++];
			r->cid = s->v[i].cid;
		}
		if (*s->v[i].name) {
			add_thread(r, &s->v[i]);
		} else {
			r->windows = s->v[i].n;
			r->windowed = r->windows;
			r->longest = s->v[i].max;
		}
	}
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (shown(v, &rows[i]))
			rows[(*n)++] = rows[i];
	for (size_t i = 0; i < *n; i++)
		rows[i].label = ctable_label(v->run.ctable, rows[i].cid);
	*n = listing_sort(v, &listing, rows, *n);
	return rows;
}

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	size_t n;
	struct sums s;
	struct row *rows = make(v, &s, &n);

	listing_print(v, j, &listing, rows, n);
	if (!n && !j && !own->all && !own->named)
		fputs("ctrace: no container has a quota of CPU time: --all shows the others, too\n", stderr);
	free(rows);
	sums_free(&s);
}

static int run_throttle(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .words = words, .groups = groups, .begin = begin, .tick = look,
		.print = print,
	};
	struct own own = { 0 };
	int status = view_run(&kind, &own, argc, argv);

	cgroup_files_free(own.files);
	free(own.seen);
	return status;
}

const struct command cmd_throttle = {
	.name = "throttle", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_throttle,
};
