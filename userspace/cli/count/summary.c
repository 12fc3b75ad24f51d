// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "run/recording.h"
#include "count/digest.h"
#include "count/summary.h"
#include "show/comms.h"

#define CALLS		5u	/* shown of a container; JSON has all */
#define PROCESSES	4u
#define BOXES		12u

/* --- text ---------------------------------------------------------------------------- */

static void put_times(struct sbuf *b, uint64_t n)
{
	sbuf_printf(b, "%llu", (unsigned long long)n);
}

/* The head, which all intervals share. */
static void put_head(const struct view *v, struct sbuf *b)
{
	const struct recording *r = view_input_recording(v);
	const struct digest *own = v->own;
	const char *sep = "missing     ";

	sbuf_puts(b, "recording   ");
	sbuf_clean(b, r->dir);
	sbuf_puts(b, ": ");
	if (!v->interval) {
		sbuf_count(b, own->events, "event");
		sbuf_puts(b, ", ");
	}
	sbuf_size(b, recording_on_disk(r->dir));
	sbuf_puts(b, " on disk");
	if (!v->interval)
		sbuf_printf(b, ", %llu lost", (unsigned long long)own->lost);
	sbuf_putc(b, '\n');
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
	if (asked_text(r, "filter")) {
		sbuf_puts(b, "only if     ");
		sbuf_clean(b, asked_text(r, "filter"));
		sbuf_putc(b, '\n');
	}
	for (size_t i = 0; i < NPARTS; i++) {
		if (own->has[i])
			continue;
		sbuf_printf(b, "%s%s", sep, digest_events[i]);
		sep = ", ";
	}
	if (*sep == ',')
		sbuf_puts(b, ": 'ctrace record' records what this summary shows\n");
}

static void put_period(const struct view *v, struct sbuf *b)
{
	const struct digest *own = v->own;

	sbuf_puts(b, v->periods ? "\ntime        " : "time        ");
	sbuf_moment(b, view_realtime(v, own->began));
	sbuf_puts(b, ", for ");
	put_ns(b, own->ended - own->began);
	if (v->interval) {
		sbuf_puts(b, ": ");
		sbuf_count(b, own->events, "event");
		sbuf_printf(b, ", %llu lost", (unsigned long long)own->lost);
	}
	sbuf_putc(b, '\n');
}

static void put_life(const struct view *v, struct sbuf *b, const struct centry *e)
{
	bool born = e && e->known && e->c.first_seen > v->since, gone = e && e->known && e->c.gone &&
		e->c.gone < v->until;

	if (!e || e->c.cid == CTRACE_CID_HOST)
		return;
	if (born) {
		sbuf_puts(b, ", began after ");
		put_ns(b, e->c.first_seen - v->since);
	}
	if (gone) {
		sbuf_puts(b, ", ended after ");
		put_ns(b, e->c.gone > v->since ? e->c.gone - v->since : 0);
	}
	if (!born && !gone)
		sbuf_puts(b, ", there all the time");
}

static void put_calls(const struct view *v, struct sbuf *b, const struct digest_part *p)
{
	sbuf_printf(b, "  calls     %llu, %llu failed, ", (unsigned long long)p->all.n, (unsigned long long)p->all.errors);
	put_ns(b, p->all.total);
	sbuf_puts(b, " in them\n");
	for (size_t i = 0; i < p->n && i < CALLS; i++) {
		const struct digest_line *l = &p->v[i];

		sbuf_printf(b, "            %-16s %8llu, %6llu failed, total ", view_call_name(v, l->id),
			    (unsigned long long)l->n, (unsigned long long)l->errors);
		put_ns(b, l->total);
		sbuf_puts(b, ", p99 ");
		put_percentile(b, view_percentile(l->hist, 0.99, l->max));
		sbuf_putc(b, '\n');
	}
	if (p->n > CALLS)
		sbuf_printf(b, "            and %zu others\n", p->n - CALLS);
}

static void put_cpu(const struct digest *own, struct sbuf *b, const struct digest_box *x)
{
	static const struct {
		int part;
		const char *word;
	} words[] = { { OF_RUN, "ran" }, { OF_WAIT, "waited" }, { OF_BLOCK, "slept" }, { OF_THROTTLED, "throttled" } };
	const char *sep = "  CPU       ";

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct digest_line *l = &x->part[words[i].part].all;

		if (!own->has[words[i].part])
			continue;
		sbuf_printf(b, "%s%s ", sep, words[i].word);
		put_ns(b, l->total);
		sep = ", ";
		if (words[i].part == OF_WAIT && l->n) {
			sbuf_puts(b, " (p99 ");
			put_percentile(b, view_percentile(l->hist, 0.99, l->max));
			sbuf_puts(b, ", max ");
			put_ns(b, view_hist_max(l->hist, l->max));
			sbuf_putc(b, ')');
		}
	}
	if (*sep == ',')
		sbuf_putc(b, '\n');
}

/* The host's own tasks: a container may call its as it likes. */
static void put_processes(struct sbuf *b, const struct digest_part *p, bool host)
{
	for (size_t i = 0; i < p->n && i < PROCESSES; i++) {
		sbuf_puts(b, i ? ", " : "  tasks     ");
		sbuf_clean(b, p->v[i].name);
		if (host && comms_ours(p->v[i].name, strlen(p->v[i].name)))
			sbuf_puts(b, " (the observer)");
		sbuf_putc(b, ' ');
		put_ns(b, p->v[i].total);
	}
	if (p->n > PROCESSES)
		sbuf_printf(b, ", %zu others", p->n - PROCESSES);
	if (p->n)
		sbuf_putc(b, '\n');
}

static void put_box(const struct view *v, struct sbuf *b, const struct digest_box *x)
{
	const struct digest *own = v->own;
	const struct centry *e = ctable_find(v->run.ctable, x->cid);
	const struct digest_part *disk = &x->part[OF_DISK], *tcp = &x->part[OF_TCP];

	sbuf_putc(b, '\n');
	view_put_container(v, b, x->cid);
	sbuf_puts(b, ": ");
	sbuf_count(b, x->events, "event");
	if (x->lost)
		sbuf_printf(b, ", %llu lost", (unsigned long long)x->lost);
	put_life(v, b, e);
	sbuf_putc(b, '\n');
	if (own->has[OF_CALLS])
		put_calls(v, b, &x->part[OF_CALLS]);
	put_cpu(own, b, x);
	put_processes(b, &x->part[OF_RUN], x->cid == CTRACE_CID_HOST);
	if (own->has[OF_DISK]) {
		sbuf_puts(b, "  disk      ");
		put_times(b, disk->all.n);
		sbuf_puts(b, disk->all.n == 1 ? " request, " : " requests, ");
		sbuf_size(b, disk->all.total);
		sbuf_puts(b, " bytes");
		if (disk->all.n) {
			sbuf_puts(b, ", p99 ");
			put_percentile(b, view_percentile(disk->all.hist, 0.99, disk->all.max));
		}
		sbuf_putc(b, '\n');
	}
	if (own->has[OF_TCP]) {
		sbuf_puts(b, "  network   ");
		put_times(b, tcp->all.n);
		sbuf_puts(b, tcp->all.n == 1 ? " connection ended, " : " connections ended, ");
		sbuf_size(b, tcp->all.total);
		sbuf_puts(b, " bytes sent, ");
		sbuf_size(b, tcp->second);
		sbuf_puts(b, " received\n");
	}
}

static void print_text(struct view *v)
{
	struct digest *own = v->own;
	struct sbuf b = { 0 };

	digest_add_up(v, own);
	if (!v->periods)
		put_head(v, &b);
	put_period(v, &b);
	for (size_t i = 0; i < own->n && i < BOXES; i++)
		put_box(v, &b, &own->v[i]);
	if (own->n > BOXES)
		sbuf_printf(&b, "\nand %zu more: name them as TARGETs, or use --json\n", own->n - BOXES);
	fputs(b.s, stdout);
	sbuf_free(&b);
}

/* --- JSON ---------------------------------------------------------------------------- */

void summary_json_head(const struct view *v, const struct digest *own, struct json *j)
{
	const struct recording *r = view_input_recording(v);
	struct sbuf b = { 0 };

	json_str(j, "recording", r->dir);
	json_uint(j, "events", own->events);
	json_uint(j, "bytes", ctf_reader_size(r->reader));
	json_uint(j, "lost", own->lost);
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
			json_str(j, NULL, digest_events[i]);
	json_close(j, ']');
}

static void head_json(struct view *v, struct json *j)
{
	digest_add_up(v, v->own);
	summary_json_head(v, v->own, j);
}

static void json_part(const struct view *v, struct json *j, size_t which, const struct digest_part *p, size_t most)
{
	json_open(j, digest_events[which], '{');
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
		for (size_t i = 0; i < p->n && i < most; i++) {
			const struct digest_line *l = &p->v[i];

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

void summary_json_box(const struct view *v, const struct digest *own, const struct digest_box *x, size_t most,
		      struct json *j)
{
	const struct centry *e = ctable_find(v->run.ctable, x->cid);

	json_open(j, NULL, '{');
	view_json_container(v, j, x->cid, false);
	json_uint(j, "events", x->events);
	json_uint(j, "lost", x->lost);
	json_uint(j, "first_seen", e ? e->c.first_seen : 0);
	json_uint(j, "gone_at", e ? e->c.gone : 0);
	for (size_t k = 0; k < NPARTS; k++)
		if (own->has[k])
			json_part(v, j, k, &x->part[k], most);
	json_close(j, '}');
}

static void print_json(struct view *v, struct json *j)
{
	const struct digest *own = v->own;

	for (size_t i = 0; i < own->n; i++)
		summary_json_box(v, own, &own->v[i], SIZE_MAX, j);
}

static void print(struct view *v, struct json *j)
{
	if (j)
		print_json(v, j);
	else
		print_text(v);
	if (v->interval)
		digest_next(v, v->own);
}

static int groups(struct view *v)
{
	return digest_groups(v, v->own);
}

int summary_run(const char *dir, char **targets, int ntargets, const struct window *w, uint64_t interval)
{
	static const struct view_kind kind = {
		.groups = groups, .print = print, .head_json = head_json, .timed = true,
	};
	struct digest own = { 0 };
	int status = view_run_recording(&kind, &own, dir, targets, ntargets, w, interval);

	digest_free(&own);
	return status;
}
