// SPDX-License-Identifier: GPL-2.0-only
/* Gathers what the page shows. */
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "export/page.h"

#define LINES_MAX	20000u	/* so many are told apart */
#define HEATS_MAX	64u

static uint32_t hash(uint32_t cid, enum page_kind kind, const char *name)
{
	uint32_t h = (2166136261u ^ cid * 0x9e3779b1u) * 16777619u ^ (uint32_t)kind;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h ^ h >> 15;
}

static struct page_line **place(const struct page *p, uint32_t cid, enum page_kind kind, const char *name)
{
	size_t i = hash(cid, kind, name) & (p->size - 1);

	while (p->v[i] && (p->v[i]->cid != cid || p->v[i]->kind != kind || strcmp(p->v[i]->name, name)))
		i = (i + 1) & (p->size - 1);
	return &p->v[i];
}

const struct page_line *page_find(const struct page *p, uint32_t cid, enum page_kind kind, const char *name)
{
	return *place(p, cid, kind, name);
}

static void grow(struct page *p)
{
	struct page_line **old = p->v;
	size_t n = p->size;

	p->size *= 2;
	p->v = xcalloc(p->size, sizeof(p->v[0]));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*place(p, old[i]->cid, old[i]->kind, old[i]->name) = old[i];
	free(old);
}

static struct page_line *get(struct export *x, uint32_t cid, enum page_kind kind, const char *name)
{
	char cut[sizeof(((struct page_line *)NULL)->name)];
	struct page *p = x->own;
	struct page_line **at, *l;

	snprintf(cut, sizeof(cut), "%s", p->n < LINES_MAX || page_find(p, cid, kind, name) ? name : "(other)");
	at = place(p, cid, kind, cut);
	if (*at)
		return *at;
	l = xcalloc(1, sizeof(*l));
	l->cid = cid;
	l->kind = kind;
	memcpy(l->name, cut, sizeof(l->name));
	if (p->heats < HEATS_MAX && (kind == PAGE_CALLS || kind == PAGE_WAIT || kind == PAGE_DISK)) {
		l->heat = heat_new(x->first);
		p->heats++;
	}
	*at = l;
	if (2 * ++p->n > p->size)
		grow(p);
	return l;
}

static int by_total(const void *a, const void *b)
{
	const struct page_line *x = *(struct page_line *const *)a, *y = *(struct page_line *const *)b;

	return x->total > y->total ? -1 : x->total < y->total ? 1 : strcmp(x->name, y->name);
}

size_t page_list(const struct page *p, uint32_t cid, enum page_kind kind, const struct page_line ***list)
{
	size_t n = 0;

	*list = xcalloc(p->n + 1, sizeof((*list)[0]));
	for (size_t i = 0; i < p->size; i++)
		if (p->v[i] && p->v[i]->cid == cid && p->v[i]->kind == kind)
			(*list)[n++] = p->v[i];
	if (n)
		qsort(*list, n, sizeof((*list)[0]), by_total);
	return n;
}

static void add(struct page_line *l, uint64_t time, uint64_t duration)
{
	l->n++;
	l->total += duration;
	l->max = duration > l->max ? duration : l->max;
	l->hist[ctrace_table_bucket_unsigned(duration)]++;
	if (l->heat)
		heat_add(l->heat, time, duration);
}

/* --- what is drawn -------------------------------------------------------------------------- */

static int64_t ret_of(const struct details *d)
{
	for (size_t i = 0; d && i < d->n; i++)
		if (!strcmp(d->v[i].name, "ret"))
			return (int64_t)d->v[i].n;
	return 0;
}

static uint64_t number_of(const struct details *d, const char *name)
{
	for (size_t i = 0; d && i < d->n; i++)
		if (!strcmp(d->v[i].name, name) && d->v[i].kind != DETAIL_TEXT)
			return d->v[i].n;
	return 0;
}

/* It counts when it returns. One whose return was lost has no details. */
static void call(struct export *x, struct export_task *t, const struct slice *s)
{
	uint64_t from = s->from ? s->from : t->began, duration = s->to > from ? s->to - from : 0;
	bool failed = syscall_errno(ret_of(s->details));
	struct page_line *l;

	if (!s->to || !s->details)
		return;
	l = get(x, t->cid, PAGE_CALLS, "");
	add(l, s->to, duration);
	l->failed += failed;
	l = get(x, t->cid, PAGE_CALL, s->name);
	add(l, s->to, duration);
	l->failed += failed;
}

static void ran(struct export *x, uint32_t cpu, const struct export_task *t, uint64_t from, uint64_t to, int32_t prio,
		int64_t state)
{
	struct page_line *l = get(x, t->cid, PAGE_TASK, comms_task(x->comms, t->tid)->comm);

	(void)cpu, (void)prio, (void)state;
	l->n++;
	l->total += to - from;
}

static void span(struct export *x, uint32_t cid, uint32_t lane, const struct slice *s)
{
	bool disk = !strcmp(s->name, "block_io"), tcp = !strcmp(s->name, "tcp_life");
	struct page_line *l;

	(void)lane;
	if (!disk && !tcp)
		return;
	l = get(x, cid, disk ? PAGE_DISK : PAGE_TCP, "");
	add(l, s->to, s->to - s->from);
	l->bytes += number_of(s->details, disk ? "bytes" : "tx_bytes");
	l->more_bytes += number_of(s->details, "rx_bytes");
	l->failed += disk && number_of(s->details, "error");
}

/* Too many at once for a lane of their own: they are counted all the same. */
static void mark(struct export *x, struct export_task *t, uint32_t cid, const struct slice *s)
{
	(void)t;
	if (s->to > s->from)
		span(x, cid, 0, s);
}

static bool event(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct paint *p,
		  const struct ctrace_value *v, int n)
{
	(void)cpu, (void)p;
	if (rec->id == CTRACE_ID_SCHED_WAIT && n > 0)
		add(get(x, rec->cid, PAGE_WAIT, ""), rec->time, v[0].u);
	return false;
}

static void put_frames(struct sbuf *b, struct export *x, const struct stack *k, bool kernel, int32_t tid)
{
	for (size_t i = k->n; i-- > 0;) {
		const char *name = frame_name(x->r.symbols, k, i, kernel, tid), *plus = strstr(name, "+0x");
		size_t len = plus && plus > name ? (size_t)(plus - name) : strlen(name);

		sbuf_putc(b, ';');
		for (size_t c = 0; c < len; c++)
			sbuf_putc(b, name[c] == ';' ? ':' : name[c]);
	}
}

static void sample(struct export *x, struct export_task *t, uint32_t cpu, const struct ctrace_record *rec,
		   const struct stacks *k)
{
	struct page *p = x->own;
	struct sbuf b = { 0 };

	(void)cpu, (void)t;
	p->samples++;
	if (!k || !(k->user.n + k->kernel.n))
		return;
	sbuf_printf(&b, "%s;", ctable_shown(x->r.table, rec->cid));
	sbuf_clean(&b, comms_get(x->comms, rec->tid));
	put_frames(&b, x, &k->user, false, rec->tid);
	put_frames(&b, x, &k->kernel, true, rec->tid);
	sbuf_puts(&b, " 1");
	flame_add(&p->flame, b.s, false);
	sbuf_free(&b);
}

/* --- the writer ----------------------------------------------------------------------------- */

static int begin(struct export *x)
{
	static const struct draw_ops ops = {
		.ran = ran, .call = call, .mark = mark, .span = span, .sample = sample, .event = event,
	};
	struct page *p = xcalloc(1, sizeof(*p));

	x->own = p;
	p->draw = draw_new(x, &ops);
	p->size = 256;
	p->v = xcalloc(p->size, sizeof(p->v[0]));
	flame_init(&p->flame);
	return CLI_OK;
}

static void record(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	draw_record(((struct page *)x->own)->draw, rec, cpu, k);
}

static void lost(struct export *x, const struct ctf_loss *l)
{
	draw_lost(((struct page *)x->own)->draw, l);
}

static void end(struct export *x)
{
	draw_end(((struct page *)x->own)->draw);
	page_put(x);
}

static void free_own(struct export *x)
{
	struct page *p = x->own;

	for (size_t i = 0; i < p->size; i++) {
		if (p->v[i])
			free(p->v[i]->heat);
		free(p->v[i]);
	}
	free(p->v);
	flame_free(&p->flame);
	draw_free(p->draw);
	free(p);
}

const struct export_writer export_page = {
	.begin = begin, .record = record, .lost = lost, .end = end, .free = free_own,
};
