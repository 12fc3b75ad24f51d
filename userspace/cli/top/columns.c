// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "top/top.h"

enum {
	PERCENT, RATE, BYTES,		/* of a sum: of the interval's length; a second */
	MEMORY, RSS, PROCS, THREADS,
	ENGINE, NAME, IMAGE, ID, PID, TID, COMM, BY,
	CALL, N_CALLS, N_ERRORS, TOTAL, AVG, P99, MAX,
};

#define ON(level)	(1u << (level))
#define BOXES	ON(TOP_CONTAINERS)
#define TASKS	(ON(TOP_PROCESSES) | ON(TOP_THREADS))
#define CALLS	ON(TOP_CALLS_OF)

static const struct top_column columns[] = {
	{ "PID", "pid", PID, 0, 7, 0, TASKS },
	{ "TID", "tid", TID, 0, 7, 1, ON(TOP_THREADS) },
	{ "CPU%", "cpu", PERCENT, TOP_CPU, 6, 0, BOXES | TOP_BRIEF | TASKS },
	{ "WAIT%", "wait", PERCENT, TOP_WAIT, 6, 1, BOXES | TOP_BRIEF | TASKS },
	{ "THR%", "throttled", PERCENT, TOP_THROTTLED, 5, 2, BOXES | TOP_BRIEF },
	{ "PROCS", "procs", PROCS, 0, 5, 8, BOXES },
	{ "THREADS", "threads", THREADS, 0, 7, 9, BOXES | ON(TOP_PROCESSES) },
	{ "MEM/LIMIT", "memory", MEMORY, 0, 11, 3, BOXES | TOP_BRIEF },
	{ "RSS", "memory", RSS, 0, 6, 3, ON(TOP_PROCESSES) },
	{ "READ/s", "read", BYTES, TOP_READ, 6, 5, BOXES | TASKS },
	{ "WRITE/s", "write", BYTES, TOP_WRITE, 7, 5, BOXES | TASKS },
	{ "DISKR/s", "disk_read", BYTES, TOP_DISK_READ, 7, 7, BOXES | TASKS },
	{ "DISKW/s", "disk_write", BYTES, TOP_DISK_WRITE, 7, 7, BOXES | TASKS },
	{ "RX/s", "rx", BYTES, TOP_RX, 6, 6, BOXES },
	{ "TX/s", "tx", BYTES, TOP_TX, 6, 6, BOXES },
	{ "CALLS/s", "calls", RATE, TOP_CALLS, 7, 4, BOXES | TASKS },
	{ "ERR/s", "errors", RATE, TOP_ERRORS, 6, 10, BOXES | TOP_BRIEF | TASKS },
	{ "FAULTS/s", "faults", RATE, TOP_FAULTS, 8, 11, BOXES | TASKS },
	{ "ENGINE", "engine", ENGINE, 0, 8, 12, BOXES | TOP_BRIEF },
	{ "NAME", "name", NAME, 0, 12, 0, BOXES | TOP_BRIEF },
	{ "BY", "by", BY, 0, 8, 1, 0 },
	{ "COMMAND", "name", COMM, 0, 8, 0, TASKS },
	{ "IMAGE", "image", IMAGE, 0, 16, 13, BOXES },
	{ "ID", "id", ID, 0, 12, 14, BOXES },
	{ "CALLS", "calls", N_CALLS, 0, 8, 0, CALLS },
	{ "ERRORS", "errors", N_ERRORS, 0, 7, 1, CALLS },
	{ "TOTAL", "total", TOTAL, 0, 8, 0, CALLS },
	{ "AVG", "avg", AVG, 0, 8, 2, CALLS },
	{ "P99", "p99", P99, 0, 8, 3, CALLS },
	{ "MAX", "max", MAX, 0, 8, 4, CALLS },
	{ "SYSCALL", "name", CALL, 0, 15, 0, CALLS },
};

size_t top_columns(const struct top *t, enum top_level level, const struct top_column **v, size_t max)
{
	bool by = level == TOP_CONTAINERS && t->view->by && *t->view->by;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct top_column *c = &columns[i];

		/* files have numbers of whole containers only */
		if ((by && top_column_is_fact(c)) || (t->brief && !(c->levels & TOP_BRIEF)))
			continue;
		if (n < max && (c->levels & ON(level) || (by && c->kind == BY)))
			v[n++] = c;
	}
	return n;
}

bool top_column_is_text(const struct top_column *c)
{
	return (c->kind >= ENGINE && c->kind <= ID) || c->kind == COMM || c->kind == BY || c->kind == CALL;
}

bool top_column_is_fact(const struct top_column *c)
{
	return c->kind >= MEMORY && c->kind <= THREADS;
}

/* --- text ---------------------------------------------------------------------------- */

static uint64_t max(const struct top_line *l)
{
	return l->hist ? view_hist_max(l->hist, l->call.max) : 0;
}

static uint64_t p99(const struct top_line *l)
{
	return l->hist ? view_percentile(l->hist, 0.99, max(l)) : 0;
}

static void put_known(struct sbuf *b, int64_t n)
{
	if (n < 0)
		sbuf_putc(b, '-');
	else
		sbuf_u64(b, (uint64_t)n);
}

static void put_size(struct sbuf *b, int64_t n)
{
	if (n < 0)
		sbuf_putc(b, '-');
	else
		sbuf_size(b, (uint64_t)n);
}

static double per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * NSEC_PER_SEC / (double)ns : 0;
}

static void put_rate(struct sbuf *b, double rate)
{
	if (rate < 9.95)
		sbuf_printf(b, rate ? "%.1f" : "%.0f", rate);
	else if (rate < 999999.5)
		sbuf_printf(b, "%.0f", rate);
	else
		sbuf_printf(b, "%.1fM", rate / 1e6);
}

static void put_word(struct sbuf *b, const char *s)
{
	sbuf_clean(b, s && *s ? s : "-");
}

static void put_entry(const struct top *t, const struct top_column *c, const struct top_line *l, struct sbuf *b)
{
	const struct centry *e = l->key.cid == CTRACE_CID_ALL ? NULL : ctable_find(t->view->run.ctable, l->key.cid);
	char *id;

	switch (c->kind) {
	case ENGINE:
		put_word(b, e ? e->runtime : NULL);
		break;
	case IMAGE:
		put_word(b, e ? e->r.image : NULL);
		break;
	case ID:
		id = xstrndup(e ? e->c.runtime_id : "", 12);
		put_word(b, id);
		free(id);
		break;
	case NAME:
		view_put_container(t->view, b, l->key.cid);
		/* of a container that ended as the interval did, the kernel has not said so yet */
		if (l->gone && !view_is_gone(t->view, l->key.cid))
			sbuf_puts(b, " (gone)");
		break;
	}
}

static void put_comm(const struct top_line *l, struct sbuf *b)
{
	char *comm = xstrndup(l->comm, sizeof(l->comm));

	put_word(b, *l->key.by ? l->key.by : comm);
	free(comm);
	if (l->gone)
		sbuf_puts(b, " (gone)");
}

void top_column_put(const struct top *t, const struct top_column *c, const struct top_line *l, uint64_t ns,
		    struct sbuf *b)
{
	switch (c->kind) {
	case PERCENT:
		if (t->there[c->sum])
			sbuf_printf(b, "%.1f", per_second(l->sums[c->sum], ns) * 100 / NSEC_PER_SEC);
		else
			sbuf_putc(b, '-');
		break;
	case RATE:
	case BYTES:
		if (!t->there[c->sum])
			sbuf_putc(b, '-');
		else if (c->kind == RATE)
			put_rate(b, per_second(l->sums[c->sum], ns));
		else
			sbuf_size(b, (uint64_t)per_second(l->sums[c->sum], ns));
		break;
	case MEMORY:
		put_size(b, l->memory);
		if (l->memory < 0)
			break;
		sbuf_putc(b, '/');
		put_size(b, l->limit);
		break;
	case RSS:
		put_size(b, l->memory);
		break;
	case PROCS:
		put_known(b, l->procs);
		break;
	case THREADS:
		put_known(b, l->threads);
		break;
	case PID:
		put_known(b, l->key.pid);
		break;
	case TID:
		put_known(b, l->key.tid);
		break;
	case COMM:
		put_comm(l, b);
		break;
	case BY:
	case CALL:
		put_word(b, l->key.by);
		break;
	case N_CALLS:
		sbuf_u64(b, l->call.calls);
		break;
	case N_ERRORS:
		sbuf_u64(b, l->call.errors);
		break;
	case TOTAL:
		put_ns(b, l->call.total);
		break;
	case AVG:
		put_ns(b, l->call.calls ? l->call.total / l->call.calls : 0);
		break;
	case P99:
		put_percentile(b, p99(l));
		break;
	case MAX:
		put_ns(b, max(l));
		break;
	default:
		put_entry(t, c, l, b);
	}
}

/* --- order ---------------------------------------------------------------------------- */

static double weight(const struct top_column *c, const struct top_line *l)
{
	switch (c->kind) {
	case MEMORY:
	case RSS:
		return (double)l->memory;
	case PROCS:
		return (double)l->procs;
	case THREADS:
		return (double)l->threads;
	case PID:
		return (double)l->key.pid;
	case TID:
		return (double)l->key.tid;
	case N_CALLS:
		return (double)l->call.calls;
	case N_ERRORS:
		return (double)l->call.errors;
	case TOTAL:
		return (double)l->call.total;
	case AVG:
		return l->call.calls ? (double)l->call.total / (double)l->call.calls : 0;
	case P99:
		return (double)p99(l);
	case MAX:
		return (double)max(l);
	default:
		return (double)l->sums[c->sum];
	}
}

struct order {
	const struct top *t;
	const struct top_column *c;
	bool turned;
};

static int by_text(const struct order *o, const struct top_line *x, const struct top_line *y)
{
	struct sbuf a = { 0 }, b = { 0 };
	int r;

	top_column_put(o->t, o->c, x, 0, &a);
	top_column_put(o->t, o->c, y, 0, &b);
	r = strcmp(a.s, b.s);
	sbuf_free(&a);
	sbuf_free(&b);
	return r;
}

static int in_order(const void *a, const void *b, void *arg)
{
	const struct top_line *x = *(struct top_line *const *)a, *y = *(struct top_line *const *)b;
	const struct order *o = arg;
	double v, w;
	int r;

	if (top_column_is_text(o->c)) {
		r = by_text(o, x, y);
	} else {
		v = weight(o->c, x);
		w = weight(o->c, y);
		r = v > w ? -1 : v < w;
	}
	if (r)
		return o->turned ? -r : r;
	/* always the same order of what is alike */
	if (x->key.cid != y->key.cid)
		return x->key.cid < y->key.cid ? -1 : 1;
	if (x->key.pid != y->key.pid)
		return x->key.pid < y->key.pid ? -1 : 1;
	if (x->key.tid != y->key.tid)
		return x->key.tid < y->key.tid ? -1 : 1;
	return strcmp(x->key.by, y->key.by);
}

void top_sort(const struct top *t, struct top_lines *l, const struct top_column *by, bool turned)
{
	struct order o = { t, by, turned };

	if (l->n)
		qsort_r(l->v, l->n, sizeof(l->v[0]), in_order, &o);
}

int top_column_find(const struct top *t, enum top_level level, const char *word, const struct top_column **c,
		    bool *turned)
{
	const struct top_column *v[TABLE_COLUMNS];
	struct nearest near = { .word = word };
	size_t n = top_columns(t, level, v, ARRAY_SIZE(v));
	struct sbuf b = { 0 };

	*turned = *word == '-';
	word += *turned;
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(word, v[i]->word) || !strcasecmp(word, v[i]->head)) {
			*c = v[i];
			return CLI_OK;
		}
	near.word = word;
	for (size_t i = 0; i < n; i++)
		nearest_offer(&near, v[i]->word);
	sbuf_reset(&b);
	nearest_print(&near, &b);
	sbuf_puts(&b, ": there are");
	for (size_t i = 0; i < n; i++)
		sbuf_printf(&b, "%s %s", i ? "," : "", v[i]->word);
	cli_usage("top has no column '%s'%s", word, b.s);
	sbuf_free(&b);
	return CLI_USAGE;
}

/* --- JSON ------------------------------------------------------------------------------ */

static void put_fact(struct json *j, const char *name, int64_t v)
{
	if (v >= 0)
		json_uint(j, name, (uint64_t)v);
	else
		json_null(j, name);
}

static const char *word_of(enum top_sum sum)
{
	size_t i = 0;

	while (columns[i].kind > BYTES || columns[i].sum != sum)
		i++;
	return columns[i].word;
}

void top_json(const struct top *t, struct json *j, const struct top_line *l)
{
	const struct centry *e = l->key.cid == CTRACE_CID_ALL ? NULL : ctable_find(t->view->run.ctable, l->key.cid);

	json_open(j, NULL, '{');
	view_json_container(t->view, j, l->key.cid, l->key.cid == CTRACE_CID_ALL);
	if (l->gone && !view_is_gone(t->view, l->key.cid))
		json_flag(j, "gone", true);
	if (*l->key.by)
		json_str(j, "by", l->key.by);
	for (int i = 0; i < TOP_SUMS; i++) {
		if (t->there[i])
			json_uint(j, word_of(i), l->sums[i]);
		else
			json_null(j, word_of(i));
	}
	if (!*l->key.by) {
		put_fact(j, "procs", l->procs);
		put_fact(j, "threads", l->threads);
		put_fact(j, "memory", l->memory);
		put_fact(j, "memory_limit", l->limit);
	}
	json_str(j, "engine", e ? e->runtime : "");
	json_str(j, "image", e && e->r.image ? e->r.image : "");
	json_str(j, "id", e ? e->c.runtime_id : "");
	json_close(j, '}');
}
