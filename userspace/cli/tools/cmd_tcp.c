// SPDX-License-Identifier: GPL-2.0-only
/* ctrace tcp: connections that end, are made or lose segments, a line for each; or counted. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "count/lines.h"
#include "count/sums.h"
#include "ctf/sink_ctf.h"
#include "tools/tcp_open.h"

static const char usage[] =
"Usage: ctrace tcp [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Prints a line for each TCP connection that ends: whose it was, its ends, the\n"
"bytes that it carried and how long it lived. The owner is the container that\n"
"connected or accepted, although most connections end in an interrupt.\n";

enum { OPT_CONNECTS = OPT_VIEW_OWN, OPT_RETRANSMITS, OPT_SUMMARY };

static const struct cli_option options[] = {
	{ .help = "What to show instead:" },
	OPTION("connects", OPT_CONNECTS, NULL,
	       "connections that are made, how long that took, and attempts that failed"),
	OPTION("retransmits", OPT_RETRANSMITS, NULL, "segments that are sent once more"),
	OPTION("summary", OPT_SUMMARY, NULL,
	       "count all of these for each container. --top, --sort, --interval, --count and --rows are "
	       "for this"),
	{ .help = "Which of them:" },
	OPTION("failed", OPT_FAILED, NULL, "with --connects: only attempts that failed"),
	OPTION("longer", OPT_LONGER, "TIME",
	       "connections that lived, or connects that took, at least this long"),
	OPTION("by", OPT_BY, "KEY,...",
	       "with --summary: separately for each comm, pid, dport, ...; at most 3", VIEW_KEYS),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s",
	       "connects failed p50 p99 max ended before open tx rx retransmits probes synacks"),
	OPTION("time", 'T', NULL, "the time of day in each line"),
	{ 0 },
};

struct own {
	int what;	/* one of these; 0: connections that end */
	bool time;
	struct tcp_open open;
	bool looked;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	switch (opt) {
	case 'T':
		own->time = true;
		return true;
	case OPT_CONNECTS:
	case OPT_RETRANSMITS:
	case OPT_SUMMARY:
		if (own->what && own->what != opt)
			*status = cli_usage("--connects, --retransmits and --summary each show something else: choose one");
		own->what = opt;
		return true;
	}
	return false;
}

/* Of a recording: both looks, for the other ends of connections. */
static void load(struct own *own, const char *dir)
{
	int err;
	struct json_object *looks = side_load(dir, CTF_SIDE_SOCKETS, &err);

	sockets_load(&own->open.s, names_get(looks, "first"));
	sockets_load(&own->open.s, names_get(looks, "last"));
	json_object_put(looks);
}

static int instead(struct view *v)
{
	struct own *own = v->own;
	const struct lines_opts lo = {
		.form = own->what == OPT_CONNECTS ? &lines_tcp_connects :
			own->what == OPT_RETRANSMITS ? &lines_tcp_retransmits : &lines_tcp_life,
		.time = own->time, .sockets = &own->open.s,
	};

	if (own->what == OPT_SUMMARY)
		return -1;
	if (v->recording)
		load(own, v->recording);
	return lines_run(v, &lo);
}

/* --- summary ----------------------------------------------------------------- */

enum { CONNECTS, LIVES, RETRANSMITS };	/* groups, in this order */

static int groups(struct view *v)
{
	if (v->o.probes.nevents)
		return cli_usage("tcp has its own events: 'ctrace count -e EVENT' counts others");
	if (v->o.probes.failed || v->o.probes.longer)
		return cli_usage("--summary counts all: leave --failed and --longer out");
	view_add_group(v, "tcp_connect", view_aggregate(v, "hist(duration), max(duration)", "error"));
	view_add_group(v, "tcp_life", view_aggregate(v, "count(), sum(tx_bytes), sum(rx_bytes)", "before"));
	view_add_group(v, "tcp_retransmit", view_aggregate(v, "count()", "how"));
	return CLI_OK;
}

/* Of a container, and the keys of --by. */
struct summary {
	/* the first member: whose; owned by one of the sums. hist and max: of connects that did not fail */
	struct sum at;
	uint64_t connects, failed, ended, tx, rx;
	uint64_t before;	/* of those that ended; the looks at sockets say their bytes */
	uint64_t open;
	uint64_t retransmits, probes, synacks;	/* probes: some of the retransmits */
	bool made;			/* a connect did not fail: it is known how long they take */
	bool looked;			/* it is known how many are open */
};

struct summaries {
	struct sums of[3];
	struct summary *v;
	size_t n;
};

static int by_place(const void *a, const void *b)
{
	const struct summary *x = a, *y = b;

	if (x->at.cid != y->at.cid)
		return x->at.cid < y->at.cid ? -1 : 1;
	return strcmp(x->at.by, y->at.by);
}

static void put_sum(struct summary *to, const struct sum *s, size_t group)
{
	bool failed = group == CONNECTS && !s->other && strcmp(s->name, "0");

	*to = (struct summary){ .at = { .cid = s->cid, .by = s->by, .other = s->other } };
	switch (group) {
	case CONNECTS:
		to->connects = s->n;
		to->failed = failed ? s->n : 0;
		if (!failed)
			sum_add(&to->at, s);
		break;
	case LIVES:
		to->ended = s->n;
		if (!s->other && strcmp(s->name, "0")) {
			to->before = s->n;
			break;
		}
		to->tx = s->total;
		to->rx = s->more[0];
		break;
	default:
		if (!s->other && !strcmp(s->name, "SYNACK"))
			to->synacks = s->n;
		else
			to->retransmits = s->n;
		if (!s->other && !strcmp(s->name, "PROBE"))
			to->probes = s->n;
	}
}

static void add(struct summary *a, const struct summary *b)
{
	sum_add(&a->at, &b->at);
	a->connects += b->connects;
	a->failed += b->failed;
	a->ended += b->ended;
	a->before += b->before;
	a->open += b->open;
	a->tx += b->tx;
	a->rx += b->rx;
	a->retransmits += b->retransmits;
	a->probes += b->probes;
	a->synacks += b->synacks;
}

static void json_latency(struct json *j, const void *row)
{
	json_open(j, "latency", '{');
	sum_json_hist(j, row);
	json_close(j, '}');
}

static struct cell made_and_ended(const void *row)
{
	const struct summary *s = row;

	return (struct cell){ .n = s->connects + s->ended + s->open };
}

#define IF(member)	COLUMN_IF(struct summary, member)
#define TCP_COLUMN(head, key, unit, member)	{ head, key, unit, COLUMN_AT(struct summary, member) }

static const struct column columns[] = {
	TCP_COLUMN("CONNECTS", "connects", COLUMN_NUMBER, connects),
	TCP_COLUMN("FAILED", "failed", COLUMN_NUMBER, failed),
	{ "P50", NULL, COLUMN_PERCENTILE, IF(made), .get = sum_p50 },
	{ "P99", NULL, COLUMN_PERCENTILE, IF(made), .get = sum_p99 },
	{ "MAX", NULL, COLUMN_NS, IF(made), COLUMN_AT(struct sum, max) },
	{ .json = json_latency },
	TCP_COLUMN("ENDED", "ended", COLUMN_NUMBER, ended),
	TCP_COLUMN("BEFORE", "before", COLUMN_NUMBER, before),
	{ "OPEN", "open", COLUMN_NUMBER, IF(looked), COLUMN_AT(struct summary, open) },
	TCP_COLUMN("TX", "tx_bytes", COLUMN_BYTES, tx),
	TCP_COLUMN("RX", "rx_bytes", COLUMN_BYTES, rx),
	TCP_COLUMN("RETRANSMITS", "retransmits", COLUMN_NUMBER, retransmits),
	TCP_COLUMN("PROBES", "probes", COLUMN_NUMBER, probes),
	TCP_COLUMN("SYNACKS", "synacks", COLUMN_NUMBER, synacks),
	{ .get = made_and_ended, .word = "both" },	/* the order without --sort */
};

static int tie(const void *x, const void *y, double n)
{
	(void)n;
	return by_place(x, y);
}

static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct summary), .first = "both", .whose = sum_whose, .tie = tie,
};

/* Adds what the looks at sockets say. They know no keys of --by. */
static void add_open(struct view *v, struct summaries *s)
{
	struct own *own = v->own;
	struct tcp_open *o = &own->open;

	if (!own->looked)
		return;
	for (size_t i = 0; i < s->of[LIVES].n; i++) {
		const struct sum *x = &s->of[LIVES].v[i];

		if (!x->other && strcmp(x->name, "0"))
			tcp_open_ended(o, x->cid, x->n, x->total, x->more[0]);
	}
	tcp_open_period(o, v->recording || v->run.stopped);
	s->v = xrealloc(s->v, (s->n + o->nsums + 1) * sizeof(s->v[0]));
	for (size_t i = 0; i < o->nsums; i++) {
		const struct tcp_sum *x = &o->sums[i];

		if (follow_shows(&v->run.follow, x->cid) && (x->open || x->tx || x->rx))
			s->v[s->n++] = (struct summary){
				.at = { .cid = x->cid, .by = "" }, .open = x->open, .tx = x->tx, .rx = x->rx
			};
	}
	tcp_open_next(o);
}

/* At most --top, in order. */
static void make(struct view *v, struct summaries *s)
{
	static const char *const names[] = { "error", "before", "how" };
	size_t n;

	memset(s, 0, sizeof(*s));
	for (size_t g = CONNECTS; g <= RETRANSMITS; g++) {
		sums_make_group(v, &s->of[g], g, names[g], NULL);
		s->v = xrealloc(s->v, (s->n + s->of[g].n + 1) * sizeof(s->v[0]));
		for (size_t i = 0; i < s->of[g].n; i++)
			put_sum(&s->v[s->n++], &s->of[g].v[i], g);
	}
	add_open(v, s);
	n = s->n;
	s->n = 0;
	if (n)
		qsort(s->v, n, sizeof(s->v[0]), by_place);
	for (size_t i = 0; i < n; i++) {
		if (s->n && !by_place(&s->v[s->n - 1], &s->v[i]))
			add(&s->v[s->n - 1], &s->v[i]);
		else
			s->v[s->n++] = s->v[i];
	}
	for (size_t i = 0; i < s->n; i++) {
		s->v[i].made = s->v[i].connects > s->v[i].failed;
		s->v[i].looked = ((const struct own *)v->own)->looked && !s->v[i].at.other;
	}
	s->n = listing_sort(v, &listing, s->v, s->n);
}

static void free_summaries(struct summaries *s)
{
	for (size_t g = CONNECTS; g <= RETRANSMITS; g++)
		sums_free(&s->of[g]);
	free(s->v);
}

static void print(struct view *v, struct json *j)
{
	struct summaries s;

	make(v, &s);
	listing_print(v, j, &listing, s.v, s.n);
	free_summaries(&s);
}

static bool of_tasks(const struct view *v)
{
	return v->o.comms || v->o.uids || v->o.filter;
}

/*
 * A socket has no keys, and no task that a condition could be about. A recording has looks at its beginning
 * and its end alone.
 */
static int begin(struct view *v)
{
	struct own *own = v->own;

	own->looked = !v->by && !of_tasks(v) && !(v->recording && (v->interval || window_given(&v->window)));
	if (own->looked && v->recording)
		own->looked = tcp_open_load(&own->open, view_input_recording(v));
	else if (own->looked)
		tcp_open_begin(&own->open, &v->run, false);
	return CLI_OK;
}

static void tick(struct view *v)
{
	struct own *own = v->own;

	if (own->looked)
		tcp_open_tick(&own->open);
}

static void lines(struct view *v, struct run *r, bool ended)
{
	struct own *own = v->own;

	own->looked = !own->what && !of_tasks(v);
	if (!ended)
		tcp_open_begin(&own->open, r, true);
	else if (own->looked)
		tcp_open_end(&own->open);
}

static void head_json(struct view *v, struct json *j)
{
	struct own *own = v->own;

	if (!own->looked)
		return;
	json_open(j, "began_before", '{');
	json_uint(j, "connections", own->open.before);
	json_uint(j, "shared", own->open.shared);
	json_uint(j, "left_out", own->open.left);
	json_close(j, '}');
}

static int run_tcp(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .groups = groups, .begin = begin, .tick = tick,
		.print = print, .head_json = head_json, .lines = lines, .instead = instead,
	};
	struct own own = { 0 };
	int status = view_run(&kind, &own, argc, argv);

	if (own.looked)
		tcp_open_print(&own.open, own.what != OPT_SUMMARY);
	tcp_open_free(&own.open);
	return status;
}

const struct command cmd_tcp = {
	.name = "tcp", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_tcp,
};
