// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "run/recording.h"
#include "count/summary.h"
#include "count/view.h"

#define CALLS		5u	/* shown of a container; JSON has all */
#define PROCESSES	4u
#define BOXES		12u

/* The parts that are counted, each if it was recorded. */
enum { OF_CALLS, OF_RUN, OF_WAIT, OF_BLOCK, OF_THROTTLED, OF_DISK, OF_TCP, NPARTS };
static const struct {
	const char *event, *aggregate;
} parts[NPARTS] = {
	[OF_CALLS] = { "calls", "count(), sum(duration), max(duration), hist(duration) by syscall, errno" },
	[OF_RUN] = { "sched_run", "count(), sum(duration) by comm" },
	[OF_WAIT] = { "sched_wait", "count(), sum(duration), max(duration), hist(duration)" },
	[OF_BLOCK] = { "sched_block", "count(), sum(duration)" },
	[OF_THROTTLED] = { "cpu_throttled", "count(), sum(duration), max(duration)" },
	[OF_DISK] = { "block_io", "count(), sum(bytes), max(duration), hist(duration)" },
	[OF_TCP] = { "tcp_life", "count(), sum(tx_bytes), sum(rx_bytes)" },
};

struct line {
	uint64_t id;		/* of a call */
	char name[CTRACE_COMM_LEN + 1];	/* of a task */
	uint64_t n, errors, total, max;
	uint64_t hist[CTRACE_TABLE_BUCKETS];
};

struct part {
	struct line all, *v;	/* v: by call, or by name of a task */
	size_t n;
	uint64_t second;	/* the sum of the second field: received bytes */
};

struct box {
	uint32_t cid;
	uint64_t events, lost;
	struct part part[NPARTS];
};

struct own {
	bool has[NPARTS];
	size_t group[NPARTS];
	struct box *v;
	size_t n;
};

static int groups(struct view *v)
{
	struct own *own = v->own;

	for (size_t i = 0; i < NPARTS; i++) {
		own->has[i] = view_input_has(v, parts[i].event);
		own->group[i] = v->ngroups;
		if (own->has[i])
			view_add_group(v, parts[i].event, xstrdup(parts[i].aggregate));
	}
	return CLI_OK;
}

/* --- adding up --------------------------------------------------------------------- */

static struct box *box_of(struct own *own, uint32_t cid)
{
	for (size_t i = 0; i < own->n; i++)
		if (own->v[i].cid == cid)
			return &own->v[i];
	own->v = xrealloc(own->v, (own->n + 1) * sizeof(own->v[0]));
	memset(&own->v[own->n], 0, sizeof(own->v[0]));
	own->v[own->n].cid = cid;
	return &own->v[own->n++];
}

static void add_line(struct line *to, const struct line *l)
{
	to->n += l->n;
	to->errors += l->errors;
	to->total += l->total;
	to->max = l->max > to->max ? l->max : to->max;
	for (uint32_t i = 0; i < CTRACE_TABLE_BUCKETS; i++)
		to->hist[i] += l->hist[i];
}

static void add_to_part(struct part *p, const struct line *l)
{
	size_t i = 0;

	add_line(&p->all, l);
	if (!l->id && !*l->name)
		return;
	while (i < p->n && (p->v[i].id != l->id || strcmp(p->v[i].name, l->name)))
		i++;
	if (i == p->n) {
		p->v = xrealloc(p->v, (p->n + 1) * sizeof(p->v[0]));
		memset(&p->v[p->n], 0, sizeof(p->v[0]));
		p->v[p->n].id = l->id;
		memcpy(p->v[p->n++].name, l->name, sizeof(l->name));
	}
	add_line(&p->v[i], l);
}

static void add_row(struct box *box, size_t which, const struct view_table *t, const struct ctrace_look_row *r)
{
	struct part *p = &box->part[which];
	struct line l = { .n = view_events(t->t, r->values) };
	bool told = !r->other && r->cid != CTRACE_CID_ALL, first = true;
	const char *text;
	size_t len;

	for (uint32_t k = 0; told && k < t->t->nkeys; k++) {
		const struct ctrace_table_column *c = &t->t->keys[k];

		if (c->kind == CTRACE_TABLE_KEY_SYSCALL) {
			l.id = r->key[c->at];
		} else if (c->kind == CTRACE_TABLE_KEY_ERRNO) {
			l.errors = r->key[c->at] ? l.n : 0;
		} else if (c->kind == CTRACE_TABLE_KEY_TEXT) {
			text = ctrace_row_text(t->gain, r, k, &len);
			snprintf(l.name, sizeof(l.name), "%.*s", (int)len, text);
		}
	}
	for (uint32_t k = 0; k < t->t->nvalues; k++) {
		const struct ctrace_table_column *c = &t->t->values[k];
		const uint64_t *w = &r->values[c->at];

		if (c->kind == CTRACE_TABLE_SUM && !first)
			p->second += *w;
		else if (c->kind == CTRACE_TABLE_SUM)
			l.total = *w;
		else if (c->kind == CTRACE_TABLE_MAX)
			l.max = *w;
		else if (c->kind == CTRACE_TABLE_HIST)
			memcpy(l.hist, w, sizeof(l.hist));
		first &= c->kind != CTRACE_TABLE_SUM;
	}
	add_to_part(p, &l);
}

static int by_total(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->total > y->total ? -1 : x->total < y->total ? 1 : strcmp(x->name, y->name);
}

static int by_events(const void *a, const void *b)
{
	const struct box *x = a, *y = b;

	return x->events > y->events ? -1 : x->events < y->events ? 1 : x->cid < y->cid ? -1 : x->cid > y->cid;
}

static void add_up(struct view *v)
{
	const struct recording *r = view_input_recording(v);
	struct own *own = v->own;
	const struct ctrace_look_row *row;
	struct centry *e;

	for (size_t i = 0; (e = ctable_next(r->table, &i));)
		if (recording_shows(r, e->c.cid) && view_input_events(v, e->c.cid))
			box_of(own, e->c.cid);
	for (size_t which = 0; which < NPARTS; which++) {
		for (size_t i = 0; own->has[which] && i < v->ntables; i++) {
			const struct view_table *t = &v->tables[i];

			for (size_t k = 0; t->group == own->group[which] && (row = ctrace_look_row(t->gain, k)); k++)
				if (view_events(t->t, row->values))
					add_row(box_of(own, row->cid), which, t, row);
		}
	}
	/* the recording does not say which events were asked for */
	for (size_t which = 0; !r->asked && which < NPARTS; which++) {
		bool any = false;

		for (size_t i = 0; i < own->n; i++)
			any |= own->v[i].part[which].all.n > 0;
		own->has[which] &= any;
	}
	for (size_t i = 0; i < own->n; i++) {
		struct box *box = &own->v[i];

		box->events = view_input_events(v, box->cid);
		box->lost = ctf_reader_lost(r->reader, box->cid);
		for (size_t k = 0; k < NPARTS; k++)
			if (box->part[k].n)
				qsort(box->part[k].v, box->part[k].n, sizeof(struct line), by_total);
	}
	if (own->n)
		qsort(own->v, own->n, sizeof(own->v[0]), by_events);
}

static void free_boxes(struct own *own)
{
	for (size_t i = 0; i < own->n; i++)
		for (size_t k = 0; k < NPARTS; k++)
			free(own->v[i].part[k].v);
	free(own->v);
}

/* --- text ---------------------------------------------------------------------------- */

static void put_times(struct sbuf *b, uint64_t n)
{
	sbuf_printf(b, "%llu", (unsigned long long)n);
}

static void put_head(const struct view *v, struct sbuf *b)
{
	const struct recording *r = view_input_recording(v);
	const struct own *own = v->own;
	time_t sec = (time_t)((v->began + (uint64_t)r->info.clock_offset) / NSEC_PER_SEC);
	const char *sep = "missing     ";
	char text[32] = "";
	struct tm tm;

	sbuf_puts(b, "recording   ");
	sbuf_clean(b, r->dir);
	sbuf_printf(b, ": %llu events, ", (unsigned long long)view_input_all_events(v));
	sbuf_size(b, ctf_reader_size(r->reader));
	sbuf_printf(b, " bytes, %llu lost\n", (unsigned long long)view_input_lost(v));
	if (r->asked) {
		sbuf_puts(b, "events      ");
		asked_events(r, b);
		sbuf_puts(b, "\ntargets     ");
		asked_targets(r, b);
		sbuf_puts(b, "\nmachine     ");
		sbuf_clean(b, asked_text(r, "host") ? asked_text(r, "host") : "?");
		sbuf_puts(b, ", Linux ");
		sbuf_clean(b, asked_text(r, "kernel") ? asked_text(r, "kernel") : "?");
		sbuf_putc(b, '\n');
	} else {
		sbuf_puts(b, "events      not known: an older ctrace recorded it\n");
	}
	if (localtime_r(&sec, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	sbuf_printf(b, "time        %s, for ", text);
	put_ns(b, v->since - v->began);
	sbuf_putc(b, '\n');
	if (asked_text(r, "filter")) {
		sbuf_puts(b, "only if     ");
		sbuf_clean(b, asked_text(r, "filter"));
		sbuf_putc(b, '\n');
	}
	for (size_t i = 0; i < NPARTS; i++) {
		if (own->has[i])
			continue;
		sbuf_printf(b, "%s%s", sep, parts[i].event);
		sep = ", ";
	}
	if (*sep == ',')
		sbuf_puts(b, ": 'ctrace record -e views' records what this summary shows\n");
}

static void put_life(const struct view *v, struct sbuf *b, const struct centry *e)
{
	bool born = e && e->known && e->c.first_seen > v->began, gone = e && e->known && e->c.gone && e->c.gone < v->since;

	if (!e || e->c.cid == CTRACE_CID_HOST)
		return;
	if (born) {
		sbuf_puts(b, ", began after ");
		put_ns(b, e->c.first_seen - v->began);
	}
	if (gone) {
		sbuf_puts(b, ", ended after ");
		put_ns(b, e->c.gone > v->began ? e->c.gone - v->began : 0);
	}
	if (!born && !gone)
		sbuf_puts(b, ", there all the time");
}

static void put_calls(const struct view *v, struct sbuf *b, const struct part *p)
{
	sbuf_printf(b, "  calls     %llu, %llu failed, ", (unsigned long long)p->all.n, (unsigned long long)p->all.errors);
	put_ns(b, p->all.total);
	sbuf_puts(b, " in them\n");
	for (size_t i = 0; i < p->n && i < CALLS; i++) {
		const struct line *l = &p->v[i];

		sbuf_printf(b, "            %-16s %8llu, %6llu failed, total ", view_call_name(v, l->id),
			    (unsigned long long)l->n, (unsigned long long)l->errors);
		put_ns(b, l->total);
		sbuf_puts(b, ", p99 ");
		put_ns(b, view_percentile(l->hist, 0.99, l->max));
		sbuf_putc(b, '\n');
	}
	if (p->n > CALLS)
		sbuf_printf(b, "            and %zu others\n", p->n - CALLS);
}

static void put_cpu(const struct own *own, struct sbuf *b, const struct box *x)
{
	static const struct {
		int part;
		const char *word;
	} words[] = { { OF_RUN, "ran" }, { OF_WAIT, "waited" }, { OF_BLOCK, "slept" }, { OF_THROTTLED, "throttled" } };
	const char *sep = "  CPU       ";

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct line *l = &x->part[words[i].part].all;

		if (!own->has[words[i].part])
			continue;
		sbuf_printf(b, "%s%s ", sep, words[i].word);
		put_ns(b, l->total);
		sep = ", ";
		if (words[i].part == OF_WAIT && l->n) {
			sbuf_puts(b, " (p99 ");
			put_ns(b, view_percentile(l->hist, 0.99, l->max));
			sbuf_puts(b, ", max ");
			put_ns(b, l->max);
			sbuf_putc(b, ')');
		}
	}
	if (*sep == ',')
		sbuf_putc(b, '\n');
}

static void put_processes(struct sbuf *b, const struct part *p)
{
	for (size_t i = 0; i < p->n && i < PROCESSES; i++) {
		sbuf_puts(b, i ? ", " : "  tasks     ");
		sbuf_clean(b, p->v[i].name);
		sbuf_putc(b, ' ');
		put_ns(b, p->v[i].total);
	}
	if (p->n > PROCESSES)
		sbuf_printf(b, ", %zu others", p->n - PROCESSES);
	if (p->n)
		sbuf_putc(b, '\n');
}

static void put_box(const struct view *v, struct sbuf *b, const struct box *x)
{
	const struct own *own = v->own;
	const struct centry *e = ctable_find(v->run.ctable, x->cid);
	const struct part *disk = &x->part[OF_DISK], *tcp = &x->part[OF_TCP];

	sbuf_putc(b, '\n');
	view_put_container(v, b, x->cid);
	sbuf_printf(b, ": %llu events", (unsigned long long)x->events);
	if (x->lost)
		sbuf_printf(b, ", %llu lost", (unsigned long long)x->lost);
	put_life(v, b, e);
	sbuf_putc(b, '\n');
	if (own->has[OF_CALLS])
		put_calls(v, b, &x->part[OF_CALLS]);
	put_cpu(own, b, x);
	put_processes(b, &x->part[OF_RUN]);
	if (own->has[OF_DISK]) {
		sbuf_puts(b, "  disk      ");
		put_times(b, disk->all.n);
		sbuf_puts(b, " requests, ");
		sbuf_size(b, disk->all.total);
		sbuf_puts(b, " bytes");
		if (disk->all.n) {
			sbuf_puts(b, ", p99 ");
			put_ns(b, view_percentile(disk->all.hist, 0.99, disk->all.max));
		}
		sbuf_putc(b, '\n');
	}
	if (own->has[OF_TCP]) {
		sbuf_puts(b, "  network   ");
		put_times(b, tcp->all.n);
		sbuf_puts(b, " connections ended, ");
		sbuf_size(b, tcp->all.total);
		sbuf_puts(b, " bytes sent, ");
		sbuf_size(b, tcp->second);
		sbuf_puts(b, " received\n");
	}
}

static void print_text(struct view *v)
{
	struct own *own = v->own;
	struct sbuf b = { 0 };
	uint64_t since = v->since;

	v->since = view_input_end(v);
	add_up(v);
	put_head(v, &b);
	for (size_t i = 0; i < own->n && i < BOXES; i++)
		put_box(v, &b, &own->v[i]);
	if (own->n > BOXES)
		sbuf_printf(&b, "\nand %zu other containers: name them as TARGETs, or use --json\n", own->n - BOXES);
	fputs(b.s, stdout);
	sbuf_free(&b);
	v->since = since;
}

/* --- JSON ---------------------------------------------------------------------------- */

static void head_json(struct view *v, struct json *j)
{
	const struct recording *r = view_input_recording(v);
	const struct own *own = v->own;
	struct sbuf b = { 0 };

	add_up(v);
	json_str(j, "recording", r->dir);
	json_uint(j, "events", view_input_all_events(v));
	json_uint(j, "bytes", ctf_reader_size(r->reader));
	json_uint(j, "lost", view_input_lost(v));
	json_uint(j, "began", v->began);
	sbuf_reset(&b);
	asked_events(r, &b);
	json_str(j, "asked", b.s);
	sbuf_reset(&b);
	asked_targets(r, &b);
	json_str(j, "targets", b.s);
	sbuf_free(&b);
	json_str(j, "host", asked_text(r, "host") ? asked_text(r, "host") : "");
	json_str(j, "kernel", asked_text(r, "kernel") ? asked_text(r, "kernel") : "");
	json_open(j, "missing", '[');
	for (size_t i = 0; i < NPARTS; i++)
		if (!own->has[i])
			json_str(j, NULL, parts[i].event);
	json_close(j, ']');
}

static void json_part(const struct view *v, struct json *j, size_t which, const struct part *p)
{
	json_open(j, parts[which].event, '{');
	json_uint(j, "count", p->all.n);
	json_uint(j, which == OF_TCP ? "tx_bytes" : which == OF_DISK ? "bytes" : "total", p->all.total);
	if (which == OF_TCP)
		json_uint(j, "rx_bytes", p->second);
	if (which == OF_WAIT || which == OF_DISK)
		json_uint(j, "p99", view_percentile(p->all.hist, 0.99, p->all.max));
	if (which == OF_CALLS)
		json_uint(j, "errors", p->all.errors);
	if (which == OF_CALLS || which == OF_RUN) {
		json_open(j, which == OF_CALLS ? "calls" : "tasks", '[');
		for (size_t i = 0; i < p->n; i++) {
			const struct line *l = &p->v[i];

			json_open(j, NULL, '{');
			json_str(j, which == OF_CALLS ? "syscall" : "comm", which == OF_CALLS ? view_call_name(v, l->id) : l->name);
			json_uint(j, "count", l->n);
			json_uint(j, "total", l->total);
			if (which == OF_CALLS) {
				json_uint(j, "errors", l->errors);
				json_uint(j, "p99", view_percentile(l->hist, 0.99, l->max));
			}
			json_close(j, '}');
		}
		json_close(j, ']');
	}
	json_close(j, '}');
}

static void print_json(struct view *v, struct json *j)
{
	struct own *own = v->own;

	for (size_t i = 0; i < own->n; i++) {
		const struct box *x = &own->v[i];
		const struct centry *e = ctable_find(v->run.ctable, x->cid);

		json_open(j, NULL, '{');
		view_json_container(v, j, x->cid, false);
		json_uint(j, "events", x->events);
		json_uint(j, "lost", x->lost);
		json_uint(j, "first_seen", e ? e->c.first_seen : 0);
		json_uint(j, "gone_at", e ? e->c.gone : 0);
		for (size_t k = 0; k < NPARTS; k++)
			if (own->has[k])
				json_part(v, j, k, &x->part[k]);
		json_close(j, '}');
	}
}

static void print(struct view *v, struct json *j)
{
	if (j)
		print_json(v, j);
	else
		print_text(v);
}

int summary_run(const char *dir, char **targets, int ntargets)
{
	static const struct view_kind kind = {
		.groups = groups, .print = print, .head_json = head_json,
	};
	struct own own = { 0 };
	int status = view_run_recording(&kind, &own, dir, targets, ntargets);

	free_boxes(&own);
	return status;
}
