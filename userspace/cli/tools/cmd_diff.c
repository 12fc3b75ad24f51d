// SPDX-License-Identifier: GPL-2.0-only
/* ctrace diff: what changed for each container between two recordings, or between two times of one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "run/recording.h"
#include "tools/diff.h"

#define TOP_DEFAULT	5

static const char usage[] =
"Usage: ctrace diff [OPTIONS] RECORDING RECORDING [TARGET...]\n"
"       ctrace diff [OPTIONS] RECORDING --a WINDOW --b WINDOW [TARGET...]\n"
"\n"
"Shows what changed for each container from A to B: its time on CPUs, waiting for\n"
"them and because of whom, without quota, asleep; its calls, their times, errors\n"
"and p99; disk and network. All numbers are per second, so that A and B may have\n"
"different lengths. What changed most comes first.\n"
"RECORDING is a directory of 'ctrace record'. WINDOW is FROM..TO, either\n"
"of which may be missing: 14:00..14:05, +30s..+40s, -5m..\n";

enum { OPT_A = OPT_VIEW_OWN, OPT_B };

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("a", OPT_A, "WINDOW", "the time to compare: the first recording's, or all of it"),
	OPTION("b", OPT_B, "WINDOW", "the time to compare with it: the second recording's, or the only one's"),
	OPTION("top", OPT_TOP, "N", "show N calls and N culprits of each container (default " TEXT_OF(TOP_DEFAULT) ")"),
	OPTION("json", 'j', NULL, "print a JSON object: totals of A and B"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

const struct diff_what diff_whats[NUMBERS] = {
	[RAN] = { "ran", "ran", OF_RUN },
	[WAITED] = { "waited for a CPU", "waited", OF_WAIT },
	[NO_QUOTA] = { "had no quota", "throttled", OF_THROTTLED },
	[SLEPT] = { "slept", "slept", OF_BLOCK },
	[CALL_TIME] = { "in system calls", "call_time", OF_CALLS },
	[CALLS] = { "system calls", "calls", OF_CALLS },
	[ERRORS] = { "that failed", "errors", OF_CALLS },
	[DISK_IOS] = { "disk requests", "disk_requests", OF_DISK },
	[DISK_BYTES] = { "disk bytes", "disk_bytes", OF_DISK },
	[TCP_ENDED] = { "connections ended", "tcp_ended", OF_TCP },
	[TCP_SENT] = { "bytes sent", "tx_bytes", OF_TCP },
	[TCP_RECEIVED] = { "bytes received", "rx_bytes", OF_TCP },
};

/* --- reading ---------------------------------------------------------------------------- */

static struct row *row_of(struct diff *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->v[i].name, name))
			return &d->v[i];
	d->v = xrealloc(d->v, (d->n + 1) * sizeof(d->v[0]));
	d->v[d->n] = (struct row){ .name = xstrdup(name) };
	return &d->v[d->n++];
}

static void take_call(const struct view *v, struct row *r, int side, const struct digest_line *l)
{
	const char *name = view_call_name(v, l->id);
	struct call *c;
	size_t i = 0;

	while (i < r->ncalls && strcmp(r->calls[i].name, name))
		i++;
	if (i == r->ncalls) {
		r->calls = xrealloc(r->calls, (r->ncalls + 1) * sizeof(r->calls[0]));
		r->calls[r->ncalls++] = (struct call){ .name = xstrdup(name) };
	}
	c = &r->calls[i];
	c->n[side] += l->n;
	c->errors[side] += l->errors;
	c->total[side] += l->total;
	c->p99[side] = view_percentile(l->hist, 0.99, l->max);
}

static void take_culprit(const struct view *v, struct row *r, int side, const struct blame_culprit *b)
{
	struct sbuf name = { 0 };
	size_t i = 0;

	sbuf_reset(&name);
	blame_put_culprit(v, &name, b);
	while (i < r->nculprits && strcmp(r->culprits[i].name, name.s))
		i++;
	if (i == r->nculprits) {
		r->culprits = xrealloc(r->culprits, (r->nculprits + 1) * sizeof(r->culprits[0]));
		r->culprits[r->nculprits++] = (struct culprit){ .name = xstrdup(name.s) };
	}
	r->culprits[i].ns[side] += b->ns;
	sbuf_free(&name);
}

static void take_box(struct view *v, struct diff *d, const struct digest_box *x)
{
	const struct digest *g = &d->side[d->now].digest;
	const struct digest_part *p = x->part;
	struct sbuf name = { 0 };
	int side = d->now;
	struct row *r;

	sbuf_reset(&name);
	view_put_container(v, &name, x->cid);
	r = row_of(d, name.s);
	sbuf_free(&name);
	r->events[side] += x->events;
	r->n[RAN][side] += p[OF_RUN].all.total;
	r->n[WAITED][side] += p[OF_WAIT].all.total;
	r->n[NO_QUOTA][side] += p[OF_THROTTLED].all.total;
	r->n[SLEPT][side] += p[OF_BLOCK].all.total;
	r->n[CALL_TIME][side] += p[OF_CALLS].all.total;
	r->n[CALLS][side] += p[OF_CALLS].all.n;
	r->n[ERRORS][side] += p[OF_CALLS].all.errors;
	r->n[DISK_IOS][side] += p[OF_DISK].all.n;
	r->n[DISK_BYTES][side] += p[OF_DISK].all.total;
	r->n[TCP_ENDED][side] += p[OF_TCP].all.n;
	r->n[TCP_SENT][side] += p[OF_TCP].all.total;
	r->n[TCP_RECEIVED][side] += p[OF_TCP].second;
	r->p99[0][side] = view_percentile(p[OF_WAIT].all.hist, 0.99, p[OF_WAIT].all.max);
	r->p99[1][side] = view_percentile(p[OF_DISK].all.hist, 0.99, p[OF_DISK].all.max);
	for (size_t i = 0; i < p[OF_CALLS].n; i++)
		take_call(v, r, side, &p[OF_CALLS].v[i]);
	for (size_t i = 0; i < g->blame.n; i++)
		for (size_t k = 0; g->blame.v[i].cid == x->cid && k < g->blame.v[i].n; k++)
			take_culprit(v, r, side, &g->blame.v[i].v[k]);
}

static int groups(struct view *v)
{
	struct diff *d = v->own;

	return digest_groups(v, &d->side[d->now].digest);
}

static void take(struct view *v)
{
	struct diff *d = v->own;
	struct side *s = &d->side[d->now];

	digest_add_up(v, &s->digest);
	s->realtime = view_realtime(v, s->digest.began);
	for (size_t i = 0; i < s->digest.n; i++)
		take_box(v, d, &s->digest.v[i]);
}

/* --- what changed ----------------------------------------------------------------------- */

double diff_seconds(const struct diff *d, int side)
{
	return (double)(d->side[side].digest.ended - d->side[side].digest.began) / 1e9;
}

double diff_rate(const struct diff *d, int side, uint64_t n)
{
	double s = diff_seconds(d, side);

	return s > 0 ? (double)n / s : 0;
}

/* How much more a second B has. */
static double gain(const struct diff *d, const uint64_t n[SIDES])
{
	return diff_rate(d, B, n[B]) - diff_rate(d, A, n[A]);
}

bool diff_both(const struct diff *d, enum what w)
{
	return d->side[A].digest.has[diff_whats[w].part] && d->side[B].digest.has[diff_whats[w].part];
}

static int compare(double x, double y)
{
	return fabs(x) > fabs(y) ? -1 : fabs(x) < fabs(y);
}

static int by_change(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int r = compare(x->change, y->change);

	return r ? r : strcmp(x->name, y->name);
}

static int call_by_change(const void *a, const void *b, void *arg)
{
	const struct call *x = a, *y = b;
	int r = compare(gain(arg, x->total), gain(arg, y->total));

	r = r ? r : compare(gain(arg, x->n), gain(arg, y->n));
	return r ? r : strcmp(x->name, y->name);
}

static int culprit_by_change(const void *a, const void *b, void *arg)
{
	const struct culprit *x = a, *y = b;
	int r = compare(gain(arg, x->ns), gain(arg, y->ns));

	return r ? r : strcmp(x->name, y->name);
}

/* A container changed by what changed most of its time; if that is not known, by its calls. */
static void weigh(struct diff *d, struct row *r)
{
	for (int w = RAN; w <= NO_QUOTA; w++)
		if (diff_both(d, (enum what)w) && fabs(gain(d, r->n[w]) / 1e9) > fabs(r->change))
			r->change = gain(d, r->n[w]) / 1e9;
	if (!diff_both(d, RAN) && !diff_both(d, WAITED) && diff_both(d, CALLS))
		r->change = gain(d, r->n[CALLS]) / 1e9;
	if (r->ncalls)
		qsort_r(r->calls, r->ncalls, sizeof(r->calls[0]), call_by_change, d);
	if (r->nculprits)
		qsort_r(r->culprits, r->nculprits, sizeof(r->culprits[0]), culprit_by_change, d);
}

/* --- text ------------------------------------------------------------------------------- */

static void put_side(const struct diff *d, struct sbuf *b, int side)
{
	const struct side *s = &d->side[side];

	sbuf_printf(b, "%c  ", "AB"[side]);
	sbuf_clean(b, s->dir);
	sbuf_puts(b, ": ");
	sbuf_moment(b, s->realtime);
	sbuf_printf(b, ", for %.3f s: ", diff_seconds(d, side));
	sbuf_count(b, s->digest.events, "event");
	sbuf_printf(b, ", %llu lost\n", (unsigned long long)s->digest.lost);
}

/* +12.3%, or what a percentage does not say. */
static void put_change(struct table *t, double a, double b)
{
	char text[32];

	if (a <= 0 || b <= 0)
		snprintf(text, sizeof(text), a > 0 ? "gone" : b > 0 ? "new" : "-");
	else if (b / a >= 10)
		snprintf(text, sizeof(text), "x%.0f", b / a);
	else
		snprintf(text, sizeof(text), "%+.1f%%", 100 * (b - a) / a);
	table_right(t, text);
}

static void put_rate(struct table *t, enum what w, double n)
{
	struct sbuf b = { 0 };

	sbuf_reset(&b);
	if (w < TIMES)
		sbuf_printf(&b, "%.3fms", n / 1e6);
	else if (w == DISK_BYTES || w == TCP_SENT || w == TCP_RECEIVED)
		sbuf_size(&b, (uint64_t)n);
	else
		sbuf_printf(&b, "%.1f", n);
	table_right(t, b.s);
	sbuf_free(&b);
}

static void put_p99_cell(struct table *t, uint64_t ns, bool there)
{
	struct sbuf b = { 0 };

	sbuf_reset(&b);
	if (there)
		put_percentile(&b, ns);
	table_right(t, there ? b.s : "-");
	sbuf_free(&b);
}

static void put_line(const struct diff *d, struct table *t, const char *name, enum what w,
		     const uint64_t n[SIDES])
{
	double a = diff_rate(d, A, n[A]), b = diff_rate(d, B, n[B]);

	table_str(t, name);
	put_rate(t, w, a);
	put_rate(t, w, b);
	put_change(t, a, b);
	table_end_row(t);
}

static void put_p99(struct table *t, const char *name, const uint64_t ns[SIDES])
{
	if (!ns[A] && !ns[B])
		return;
	table_str(t, name);
	put_p99_cell(t, ns[A], ns[A]);
	put_p99_cell(t, ns[B], ns[B]);
	put_change(t, (double)ns[A], (double)ns[B]);
	table_end_row(t);
}

static void print_numbers(const struct diff *d, const struct row *r)
{
	const char *const heads[] = { "PER SECOND", "A", "B", "CHANGE" };
	struct table t;

	table_init(&t, heads, ARRAY_SIZE(heads));
	for (int w = 0; w < NUMBERS; w++) {
		if (!diff_both(d, (enum what)w) || (!r->n[w][A] && !r->n[w][B]))
			continue;
		put_line(d, &t, diff_whats[w].text, (enum what)w, r->n[w]);
		for (size_t i = 0; w == WAITED && i < r->nculprits && i < d->top; i++) {
			char *name = xasprintf("  because of %s", r->culprits[i].name);

			put_line(d, &t, name, WAITED, r->culprits[i].ns);
			free(name);
		}
		if (w == WAITED)
			put_p99(&t, "  p99 of a wait", r->p99[0]);
		if (w == DISK_BYTES)
			put_p99(&t, "  p99 of a request", r->p99[1]);
	}
	table_print(&t, stdout);
	table_free(&t);
}

static void print_calls(const struct diff *d, const struct row *r)
{
	const char *const heads[] = {
		"CALL", "A/S", "B/S", "CHANGE", "FAILED A/S", "B/S", "TIME A/S", "B/S", "CHANGE", "P99 A",
			"B",
	};
	struct table t;

	if (!r->ncalls || !diff_both(d, CALLS))
		return;
	puts("");
	table_init(&t, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < r->ncalls && i < d->top; i++) {
		const struct call *c = &r->calls[i];
		double n[SIDES], ns[SIDES];

		for (int s = A; s <= B; s++) {
			n[s] = diff_rate(d, s, c->n[s]);
			ns[s] = diff_rate(d, s, c->total[s]);
		}
		table_str(&t, c->name);
		put_rate(&t, CALLS, n[A]);
		put_rate(&t, CALLS, n[B]);
		put_change(&t, n[A], n[B]);
		put_rate(&t, ERRORS, diff_rate(d, A, c->errors[A]));
		put_rate(&t, ERRORS, diff_rate(d, B, c->errors[B]));
		put_rate(&t, CALL_TIME, ns[A]);
		put_rate(&t, CALL_TIME, ns[B]);
		put_change(&t, ns[A], ns[B]);
		put_p99_cell(&t, c->p99[A], c->n[A]);
		put_p99_cell(&t, c->p99[B], c->n[B]);
		table_end_row(&t);
	}
	table_print(&t, stdout);
	table_free(&t);
	if (r->ncalls > d->top)
		printf("and %zu other calls\n", r->ncalls - d->top);
}

/* What one of them lacks cannot be compared. */
static void put_missing(const struct diff *d, struct sbuf *b)
{
	const char *sep = "not in both: ";

	for (size_t i = 0; i < NPARTS; i++) {
		if (d->side[A].digest.has[i] && d->side[B].digest.has[i])
			continue;
		sbuf_printf(b, "%s%s", sep, digest_events[i]);
		sep = ", ";
	}
	if (*sep == ',')
		sbuf_puts(b, ": 'ctrace record' records what diff compares\n");
}

static void print_text(const struct diff *d)
{
	struct sbuf b = { 0 };

	put_side(d, &b, A);
	put_side(d, &b, B);
	put_missing(d, &b);
	for (size_t i = 0; i < d->n; i++) {
		const struct row *r = &d->v[i];

		sbuf_printf(&b, "\n%s", r->name);
		if (!r->events[A] || !r->events[B])
			sbuf_printf(&b, ": only in %c", r->events[A] ? 'A' : 'B');
		sbuf_putc(&b, '\n');
		fputs(b.s, stdout);
		sbuf_reset(&b);
		print_numbers(d, r);
		print_calls(d, r);
	}
	fputs(b.s, stdout);
	sbuf_free(&b);
}

/* --- the command ------------------------------------------------------------------------ */

static int compare_sides(struct diff *d, const struct view_kind *kind, char **targets, int ntargets)
{
	int status = CLI_OK;

	for (d->now = A; d->now <= B && status == CLI_OK; d->now++) {
		struct side *s = &d->side[d->now];

		s->digest.blames = true;
		status = view_run_recording(kind, d, s->dir, targets, ntargets, &s->window, 0);
	}
	if (status != CLI_OK)
		return status;
	for (size_t i = 0; i < d->n; i++)
		weigh(d, &d->v[i]);
	if (d->n)
		qsort(d->v, d->n, sizeof(d->v[0]), by_change);
	return CLI_OK;
}

static void free_diff(struct diff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct row *r = &d->v[i];

		for (size_t k = 0; k < r->ncalls; k++)
			free(r->calls[k].name);
		for (size_t k = 0; k < r->nculprits; k++)
			free(r->culprits[k].name);
		free(r->calls);
		free(r->culprits);
		free(r->name);
	}
	free(d->v);
	digest_free(&d->side[A].digest);
	digest_free(&d->side[B].digest);
}

int diff_json(const char *old, const struct export_opts *now, size_t most, struct json *j)
{
	static const struct view_kind kind = { .groups = groups, .take = take, .quiet = true };
	struct diff d = {
		.side = { [A] = { .dir = old }, [B] = { .dir = now->dir, .window = now->window } },
	};
	int status = compare_sides(&d, &kind, now->targets, now->ntargets);

	if (status == CLI_OK)
		diff_put_json(&d, most, j);
	free_diff(&d);
	return status;
}

static int read_options(struct diff *d, int argc, char **argv, bool *help)
{
	struct getopts g = getopts_of(options);
	int opt, status = CLI_OK;

	while (status == CLI_OK && (opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			*help = true;
		else if (opt == OPT_A || opt == OPT_B)
			status = window_parse(&d->side[opt == OPT_A ? A : B].window, optarg);
		else if (opt == OPT_TOP && (parse_u32(optarg, &d->top) || !d->top))
			status = cli_usage("--top needs a number of 1 or more, not '%s'", optarg);
		else if (opt != OPT_TOP && opt != 'j')
			status = cli_bad_option(opt, argv, &g);
	}
	return status;
}

static int run_diff(int argc, char **argv)
{
	static const struct view_kind kind = { .groups = groups, .take = take };
	struct diff d = { .top = TOP_DEFAULT };
	bool help = false, two;
	int status = read_options(&d, argc, argv, &help), words;

	if (help)
		return cli_help(cli_cmd);
	if (status != CLI_OK)
		return status;
	if (argc == optind)
		return cli_usage("diff needs a recording, or two: directories that 'ctrace record -o' wrote");
	d.side[A].dir = d.side[B].dir = argv[optind];
	words = optind + 1;
	two = words < argc && recording_is(argv[words]);
	if (two)
		d.side[B].dir = argv[words++];
	if (!two && !(window_given(&d.side[A].window) && window_given(&d.side[B].window)))
		return cli_usage("one recording is compared with itself: choose two times, --a 14:00..14:05 --b 14:10..14:15, or "
				 "name a second recording");
	status = compare_sides(&d, &kind, argv + words, argc - words);
	if (status == CLI_OK && cli_json)
		diff_print_json(&d);
	else if (status == CLI_OK)
		print_text(&d);
	free_diff(&d);
	return status;
}

const struct command cmd_diff = {
	.name = "diff", .usage = usage, .options = { options }, .words = { "@dirs", "@dirs @targets" },
	.run = run_diff,
};
