// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctrace throttle: containers whose quota of CPU time ran out, how often, how long, and which threads used
 * it.
 */
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
"long, and which threads had used them; so, too, the quotas of cgroups above a\n"
"container and inside it. Without a TARGET, it shows those that have a quota.\n";

#define THREADS	3	/* that used most of the quota */

enum { OPT_ALL = OPT_VIEW_OWN };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("all", OPT_ALL, NULL, "containers without a quota, too"),
	OPTION("by", OPT_BY, "KEY,...",
	       "who used the quota, separately for each comm, pid, ... (default tid,comm)", VIEW_KEYS),
	OPTION("sort", OPT_SORT, "COLUMN",
	       "by %s", "time throttled periods percent cpu_waits longest container"),
	{ 0 },
};

/* A cgroup that may have a quota: of a container, or inside one; above containers it is the host's. */
struct place {
	uint32_t cid;
	const char *path;		/* "": the container's own cgroup */
};

/* The numbers of its files. */
struct seen {
	struct place at;		/* the first member; owns the path */
	struct cgroup_quota then, now;	/* at the end of the period before; when last read */
	double psi10, psi60;
	bool pressure;			/* there is such a file */
	bool read;			/* this time, or it is known that there is no quota */
	bool wanted;			/* it is above a container that is shown */
};

struct own {
	bool all, named;
	bool waits;			/* the kernel reports them */
	bool pressure;			/* of a container in the table */
	struct cgroup_files *files;
	bool paths;			/* cgroups that are no container's are in the table */
	struct seen *seen;		/* by place */
	size_t nseen, room;
	/* CLOCK_MONOTONIC, ns: containers that came later are new, and began at 0 */
	uint64_t began;
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

	if (v->o.probes.nevents || v->o.probes.longer || v->o.probes.failed)
		return cli_usage("throttle chooses its events itself: leave out -e, --longer and --failed");
	own->files = cgroup_files_new();
	own->waits = v->recording ? view_input_has(v, "cpu_throttled") : t && !t->reason;
	v->by = by ? by : "tid, comm";
	view_add_group(v, "sched_run", view_aggregate(v, "sum(duration), count()", NULL));
	v->by = by;
	if (own->waits)
		view_add_group(v, "cpu_throttled",
			       xstrdup("sum(duration), count(), max(duration), hist(duration) by cgroup_id"));
	else
		fprintf(stderr, "ctrace: no columns CPU_WAITS and LONGEST: there is no cpu_throttled here%s%s\n",
			t && t->reason ? ": " : "", t && t->reason ? t->reason : "");
	return CLI_OK;
}

static bool is_target(const struct view *v, uint32_t cid, bool not)
{
	const struct targets *ts = &v->run.targets;

	for (size_t i = 0; i < ts->n; i++)
		if (ts->v[i].kind == CTRACE_TARGET_CID && ts->v[i].cid == cid && ts->v[i].not == not)
			return true;
	return false;
}

/* --- the files -------------------------------------------------------------------- */

/* For struct row, too: both begin with it. */
static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->cid != y->cid ? (x->cid < y->cid ? -1 : 1) : strcmp(x->path, y->path);
}

/* The place's, which is made if it is not there: *made. Others move. */
static struct seen *seen_of(struct own *own, uint32_t cid, const char *path, bool *made)
{
	const struct place at = { cid, path };
	size_t from = 0, to = own->nseen, mid;
	int r = 1;

	while (from < to && r) {
		mid = (from + to) / 2;
		r = by_place(&at, &own->seen[mid]);
		if (!r)
			from = mid;
		else if (r < 0)
			to = mid;
		else
			from = mid + 1;
	}
	*made = r;
	if (!r)
		return &own->seen[from];
	if (own->nseen == own->room) {
		own->room = own->room ? 2 * own->room : 64;
		own->seen = xrealloc(own->seen, own->room * sizeof(own->seen[0]));
	}
	memmove(&own->seen[from + 1], &own->seen[from], (own->nseen++ - from) * sizeof(own->seen[0]));
	own->seen[from] = (struct seen){ .at = { cid, xstrdup(path) } };
	return &own->seen[from];
}

/* since: all that it counted so far, it counted since we began */
static void note(struct seen *s, bool made, bool since, const struct cgroup_quota *q)
{
	if (made && !since)
		s->then = *q;
	s->now = *q;
	s->read = true;
}

/* That of a container has a row already. */
static bool is_container(const struct view *v, const char *path)
{
	const struct centry *e;

	for (size_t i = 0; (e = ctable_next(v->run.ctable, &i));)
		if (e->known && !strcmp(e->c.path, path))
			return true;
	return false;
}

struct inside {
	struct view *v;
	const struct centry *e;
	bool since;
};

static void look_inside(void *arg, const char *path, const struct cgroup_quota *q)
{
	const struct inside *in = arg;
	struct seen *s;
	bool made;

	if (is_container(in->v, path))
		return;
	s = seen_of(in->v->own, in->e->c.cid, path, &made);
	note(s, made, in->since, q);
}

/* Reads the files of the cgroups above the container, once for all that are below. */
static void look_above(struct view *v, const struct ctrace_container *c, bool wanted)
{
	struct own *own = v->own;
	char path[sizeof(c->path)];
	struct cgroup_quota q;
	struct seen *s;
	bool made;

	snprintf(path, sizeof(path), "%s", c->path);
	for (char *end; (end = strrchr(path, '/')) && end != path;) {
		*end = '\0';
		s = seen_of(own, CTRACE_CID_HOST, path, &made);
		s->wanted |= wanted;
		if (s->read)
			continue;
		s->read = true;
		if (is_container(v, path) || !cgroup_quota_at(own->files, c, path, &q))
			continue;
		note(s, made, false, &q);
	}
}

/* Reads the files of all living containers; dead ones keep their last values. A recording has no files. */
static void look(struct view *v)
{
	struct own *own = v->own;
	struct centry *e;

	if (v->recording)
		return;
	for (size_t i = 0; i < own->nseen; i++)
		own->seen[i].read = false;
	for (size_t i = 0; (e = ctable_next(v->run.ctable, &i));) {
		struct inside in = { v, e, own->began && e->c.first_seen >= own->began };
		struct cgroup_quota q;
		struct seen *s;
		bool made;

		if (!e->known || !ctable_alive(e) || e->c.cid == CTRACE_CID_HOST)
			continue;
		look_above(v, &e->c, targets_want(&v->run.targets, e->c.cid));
		if (!cgroup_quota_read(own->files, &e->c, &q))
			continue;
		s = seen_of(own, e->c.cid, "", &made);
		/* a new container counted all in this period */
		note(s, made, in.since, &q);
		s->pressure = cgroup_cpu_pressure(own->files, &e->c, &s->psi10, &s->psi60);
		own->pressure |= s->pressure;
		cgroup_quota_below(own->files, &e->c, look_inside, &in);
	}
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
	struct place at;		/* the first member */
	const char *label;
	uint64_t number;		/* of the cgroup; 0: not known */
	/* its files were read; they say that it has a quota; and how long tasks waited */
	bool files, limited, pressure;
	bool wanted;			/* of a cgroup above: so is a container below it */
	bool counted, waited;		/* its waits are events that were asked for; it had some */
	uint64_t periods, throttled, time, quota, period, waits, longest;
	double percent, limit, psi10, psi60;
	uint64_t ran;			/* of all threads */
	const struct sum *threads[THREADS];
};

static double percent(uint64_t n, uint64_t of)
{
	return of ? 100 * (double)n / (double)of : 0;
}

/* Above containers, waits are the host's. */
static bool counts_waits(const struct view *v, const struct place *at)
{
	return at->cid != CTRACE_CID_HOST || v->recording || targets_want(&v->run.targets, CTRACE_CID_HOST);
}

static struct row row_of(const struct view *v, const struct seen *s)
{
	struct row r = {
		.at = s->at, .number = s->now.number, .wanted = s->wanted, .counted = counts_waits(v, &s->at), .files = true, .limited = s->now.quota, .pressure = s->pressure,
		.periods = s->now.periods - s->then.periods, .throttled = s->now.throttled - s->then.throttled,
		.time = s->now.throttled_ns - s->then.throttled_ns, .quota = s->now.quota, .period = s->now.period,
		.psi10 = s->psi10, .psi60 = s->psi60,
	};

	r.percent = percent(r.throttled, r.periods);
	r.limit = r.period ? (double)r.quota / (double)r.period : 0;
	return r;
}

#define WAITS	'\n'		/* begins the name of waits; then the cgroup's id */

static void put_user(struct view *v, struct sbuf *b, const struct view_row *row)
{
	const struct ctrace_table *t = row->t->t;

	if (row->t->group) {
		sbuf_printf(b, "%c%llu", WAITS, view_is_other(row) ? 0 :
			    (unsigned long long)row->r->key[t->keys[0].at]);
		return;
	}
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

static bool shown(const struct view *v, const struct row *r)
{
	const struct own *own = v->own;
	uint32_t cid = r->at.cid;
	bool alive = !view_is_gone(v, cid);

	if (is_target(v, cid, true))
		return false;
	if (cid == CTRACE_CID_HOST)
		return v->recording ? r->waits : r->wanted && (r->limited || r->throttled);
	/* inside a container */
	if (*r->at.path)
		return own->named && !is_target(v, cid, false) ? false : r->throttled || r->waits ||
			(alive && r->limited);
	if (r->throttled || r->waits)
		return true;
	if (own->named)
		return r->ran || (alive && is_target(v, cid, false));
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

static void put_path(struct sbuf *b, const void *row)
{
	const struct row *r = row;

	sbuf_clean(b, r->at.path);
}

static void json_path(struct json *j, const void *row)
{
	const struct row *r = row;

	if (*r->at.path)
		json_str(j, "cgroup", r->at.path);
	else
		json_null(j, "cgroup");
}

static bool has_paths(const struct view *v)
{
	return ((const struct own *)v->own)->paths;
}

static bool has_waits(const struct view *v)
{
	return ((const struct own *)v->own)->waits;
}

static bool has_pressure(const struct view *v)
{
	return ((const struct own *)v->own)->pressure;
}

#define ROW_COLUMN(head, key, unit, member)	head, key, unit, COLUMN_AT(struct row, member)
#define IF(member)	COLUMN_IF(struct row, member)

static const struct column columns[] = {
	{ "CGROUP", NULL, COLUMN_TEXT, .put = put_path, .word = "", .there = has_paths },
	{ .json = json_path },
	{ ROW_COLUMN("PERIODS", "periods", COLUMN_NUMBER, periods), IF(files) },
	{ ROW_COLUMN("THROTTLED", "throttled", COLUMN_NUMBER, throttled), IF(files) },
	{ ROW_COLUMN("THROTTLED_TIME", "throttled_time", COLUMN_NS, time), IF(files), .word = "time" },
	{ ROW_COLUMN("%THROT", NULL, COLUMN_REAL, percent), IF(files), .word = "percent" },
	{ "QUOTA", "quota", COLUMN_NS, .get = quota, .word = "" },
	{ ROW_COLUMN(NULL, "period", COLUMN_NS, period), IF(files) },
	{ ROW_COLUMN("LIMIT", NULL, COLUMN_REAL, limit), IF(limited), .word = "" },
	{ ROW_COLUMN("CPU_WAITS", "cpu_waits", COLUMN_NUMBER, waits), IF(counted), .there = has_waits },
	{ ROW_COLUMN("LONGEST", NULL, COLUMN_NS, longest), IF(waited), .there = has_waits },
	{ ROW_COLUMN(NULL, "longest", COLUMN_NS, longest), IF(counted), .there = has_waits },
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

	return (struct listed){ .cid = r->at.cid, .other = r->at.cid == CTRACE_CID_ALL };
}

static int tie(const void *x, const void *y, double n)
{
	return n ? 0 : by_place(x, y);
}

static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct row), .first = "time", .no_by = true, .whose = whose, .tie = tie,
};

struct rows {
	struct row *v;
	size_t n, seen;		/* the first ones are of own->seen, in its order */
	char **paths;		/* of a recording's; ours */
	size_t npaths;
};

static struct row *row_at(struct rows *rows, uint32_t cid, const char *path)
{
	const struct place at = { cid, path };
	struct row *r = rows->seen ? bsearch(&at, rows->v, rows->seen, sizeof(*r), by_place) : NULL;

	for (size_t i = rows->seen; i < rows->n && !r; i++)
		r = by_place(&at, &rows->v[i]) ? NULL : &rows->v[i];
	if (r)
		return r;
	r = &rows->v[rows->n++];
	*r = (struct row){ .at = at, .counted = true };
	return r;
}

/* Waits of a cgroup are of the row that has its number; else they are the container's. NULL: no row. */
static struct row *row_of_waits(struct view *v, struct rows *rows, const struct sum *s)
{
	uint64_t id = strtoull(s->name + 1, NULL, 10);
	char *path;

	for (size_t i = 0; id && i < rows->seen; i++)
		if (rows->v[i].at.cid == s->cid && rows->v[i].number == (uint32_t)id)
			return &rows->v[i];
	if (s->cid != CTRACE_CID_HOST)
		return row_at(rows, s->cid, "");
	/* a unit of the host's, perhaps; a recording does not say so */
	if (!v->recording)
		return NULL;
	path = rows->paths[rows->npaths++] = xasprintf("id:%llu", (unsigned long long)id);
	return row_at(rows, s->cid, path);
}

/* The threads of a container use up the quotas above it, too. */
static void add_thread_above(const struct view *v, struct rows *rows, const struct sum *s)
{
	const struct centry *e = ctable_find(v->run.ctable, s->cid);

	for (size_t i = 0; e && e->known && i < rows->seen && rows->v[i].at.cid == CTRACE_CID_HOST; i++) {
		size_t n = strlen(rows->v[i].at.path);

		if (n && rows->v[i].limited && !strncmp(e->c.path, rows->v[i].at.path, n) &&
		    e->c.path[n] == '/')
			add_thread(&rows->v[i], s);
	}
}

static void add_sum(struct view *v, struct rows *rows, const struct sum *s)
{
	struct row *r;

	if (*s->name != WAITS) {
		add_thread(row_at(rows, s->cid, ""), s);
		if (s->cid != CTRACE_CID_HOST)
			add_thread_above(v, rows, s);
		return;
	}
	r = row_of_waits(v, rows, s);
	if (!r)
		return;
	r->waits += s->n;
	r->waited = r->waits;
	r->longest = s->max > r->longest ? s->max : r->longest;
}

/* The rows of a period; they point into s. */
static struct rows make(struct view *v, struct sums *s, size_t *n)
{
	struct own *own = v->own;
	struct rows all = { 0 };
	struct row *rows;

	look(v);
	sums_make_named(v, s, put_user, v->by ? v->by : "tid,comm");
	rows = all.v = xcalloc(s->n + own->nseen + 1, sizeof(rows[0]));
	all.paths = xcalloc(s->n + 1, sizeof(all.paths[0]));
	for (size_t i = 0; i < own->nseen; i++) {
		struct seen *seen = &own->seen[i];

		rows[all.n++] = row_of(v, seen);
		seen->then = seen->now;
		seen->wanted = false;
	}
	all.seen = all.n;
	for (size_t i = 0; i < s->n; i++)
		add_sum(v, &all, &s->v[i]);
	*n = 0;
	for (size_t i = 0; i < all.n; i++)
		if (shown(v, &rows[i]))
			rows[(*n)++] = rows[i];
	own->paths = false;
	for (size_t i = 0; i < *n; i++)
		own->paths |= *rows[i].at.path;
	for (size_t i = 0; i < *n; i++)
		rows[i].label = ctable_label(v->run.ctable, rows[i].at.cid);
	*n = listing_sort(v, &listing, rows, *n);
	return all;
}

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	size_t n;
	struct sums s;
	struct rows rows = make(v, &s, &n);

	listing_print(v, j, &listing, rows.v, n);
	if (!n && !j && !own->all && !own->named)
		fputs("ctrace: no container has a quota of CPU time: --all shows the others, too\n", stderr);
	for (size_t i = 0; i < rows.npaths; i++)
		free(rows.paths[i]);
	free(rows.paths);
	free(rows.v);
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
	for (size_t i = 0; i < own.nseen; i++)
		free((char *)own.seen[i].at.path);
	free(own.seen);
	return status;
}

const struct command cmd_throttle = {
	.name = "throttle", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_throttle,
};
