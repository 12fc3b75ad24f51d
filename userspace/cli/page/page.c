// SPDX-License-Identifier: GPL-2.0-only
/* The third reading: what happened when. */
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "ctf/ctf_read.h"
#include "page/page.h"

#define FRAMES		24u	/* of an event's stack */

static struct page_box *box_of(struct page *p, uint32_t cid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].cid == cid)
			return &p->v[i];
	return &p->v[p->n];
}

static size_t index_of(const struct page *p, const struct page_box *b)
{
	return (size_t)(b - p->v);
}

static struct page_thread *thread_of(struct page *p, int32_t tid)
{
	struct page_thread *t = &p->threads[(uint32_t)tid % PAGE_THREADS];

	if (t->tid != tid)
		*t = (struct page_thread){ .tid = tid };
	return t;
}

static const struct ctrace_value *field(const struct ctrace_value *v, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, name))
			return &v[i];
	return NULL;
}

/* Its number; 0 if there is none. */
static uint64_t number(const struct ctrace_value *v, int n, const char *name)
{
	const struct ctrace_value *f = field(v, n, name);

	return f && (f->field->kind == CTRACE_FK_UINT || f->field->kind == CTRACE_FK_INT) ? f->u : 0;
}

static const struct detail *detail(const struct details *d, const char *name)
{
	for (size_t i = 0; d && i < d->n; i++)
		if (!strcmp(d->v[i].name, name))
			return &d->v[i];
	return NULL;
}

static uint64_t detail_number(const struct details *d, const char *name)
{
	const struct detail *x = detail(d, name);

	return x && x->kind != DETAIL_TEXT ? x->n : 0;
}

/* Does ctrace itself run? */
static bool is_ours(struct export *x, uint32_t cid, int32_t tid)
{
	int32_t pid;
	const char *comm = cid == CTRACE_CID_HOST ? comms_known(x->comms, tid, &pid) : NULL;

	return comm && comms_ours(comm, strlen(comm));
}

/* --- events that are kept --- */

static char *stack_text(struct export *x, const struct stacks *k, int32_t tid)
{
	struct sbuf b = { 0 };
	size_t n = 0;

	if (!k)
		return NULL;
	for (size_t i = 0; i < k->kernel.n && n < FRAMES; i++, n++)
		sbuf_printf(&b, "%s%s", n ? "\n" : "", frame_name(x->r.symbols, &k->kernel, i, true, tid));
	for (size_t i = 0; i < k->user.n && n < FRAMES; i++, n++)
		sbuf_printf(&b, "%s%s", n ? "\n" : "", frame_name(x->r.symbols, &k->user, i, false, tid));
	return b.s;
}

static void keep(struct export *x, struct page_box *b, enum page_kept what, const struct slice *s,
		 int32_t tid, const char *text)
{
	struct page_event *e = page_keep(x->own, b, what, s->to, s->to - s->from);
	int32_t pid;

	if (!e)
		return;
	e->tid = tid;
	snprintf(e->comm, sizeof(e->comm), "%s", comms_known(x->comms, tid, &pid) ?: "");
	snprintf(e->name, sizeof(e->name), "%s", s->name);
	e->text = xstrndup(text, strlen(text) < 160 ? strlen(text) : 160);
	e->stack = stack_text(x, s->stacks, tid);
}

/* The path, or what a descriptor leads to, in a call's arguments. */
static void put_where(struct sbuf *b, const char *args)
{
	const char *at = strpbrk(args, "\"<"), *end = at ? strchr(at + 1, *at == '<' ? '>' : '"') : NULL;

	sbuf_reset(b);
	/* a path that is relative to a directory: the path says more */
	if (at && *at == '<' && end && strchr(end, '"') && !strncmp(args, "AT_FDCWD", 8)) {
		at = strchr(end, '"');
		end = strchr(at + 1, '"');
	}
	if (end)
		sbuf_put(b, at + 1, (size_t)(end - at - 1) < 120 ? (size_t)(end - at - 1) : 120);
}

/* --- what is drawn --- */

static void spent(struct export *x, uint32_t cid, int32_t tid, enum spent_on what, uint64_t from, uint64_t to)
{
	static const enum page_series of[SPENT_KINDS] = {
		[SPENT_CPU] = PAGE_RAN, [SPENT_WAIT] = PAGE_WAITED, [SPENT_NO_QUOTA] = PAGE_THROTTLED,
		[SPENT_STUCK] = PAGE_BLOCKED,
	};
	struct page_box *b = box_of(x->own, cid);

	page_spend(x->own, &b->series[of[what]], from, to);
	if (what == SPENT_CPU && is_ours(x, cid, tid))
		page_spend(x->own, &b->series[PAGE_OBSERVER], from, to);
}

static void failed(struct export *x, struct page_box *b, const char *name, int64_t ret, const char *args)
{
	struct sbuf where = { 0 };

	put_where(&where, args);
	page_fail(b, name, syscall_errno(ret), where.s);
	page_count(x->own, b, PAGE_FAILED, x->last, 1);
	sbuf_free(&where);
}

/* It counts when it returns. One whose return was lost has no details. */
static void call(struct export *x, struct export_task *t, const struct slice *s)
{
	const struct detail *ret = detail(s->details, "ret"), *args = detail(s->details, "args");
	struct page *p = x->own;
	struct page_box *b = box_of(p, t->cid);
	struct page_thread *of = thread_of(p, t->tid);
	struct slice whole = *s;
	struct page_call *c;
	bool fails = ret && syscall_errno((int64_t)ret->n);

	if (args)
		snprintf(of->args, sizeof(of->args), "%s", detail_text(s->details, args));
	if (!s->to || !s->details)
		return;
	whole.from = s->from ? s->from : t->began;
	whole.from = whole.from < s->to ? whole.from : s->to;
	c = page_call_of(p, index_of(p, b), s->name);
	page_cells_add(&c->cells, page_bin(p, s->to), s->to - whole.from, fails);
	c->hist[ctrace_table_bucket_unsigned(s->to - whole.from)]++;
	c->max = s->to - whole.from > c->max ? s->to - whole.from : c->max;
	page_count(p, b, PAGE_CALLED, s->to, 1);
	page_heat(p, b, PAGE_OF_CALLS, s->to, s->to - whole.from);
	if (fails)
		failed(x, b, s->name, (int64_t)ret->n, of->args);
	if (fails || !page_is_meant(s->name)) {
		const struct detail *err = detail(s->details, "errno");
		char *text = xasprintf("(%s) = %lld%s%s", of->args, ret ? (long long)ret->n : 0,
				       err ? " " : "", err ? detail_text(s->details, err) : "");

		keep(x, b, fails ? PAGE_FAIL : PAGE_SLOW, &whole, t->tid, text);
		free(text);
	}
	*of->args = '\0';
}

static void span(struct export *x, uint32_t cid, uint32_t lane, const struct slice *s)
{
	bool disk = !strcmp(s->name, "block_io"), tcp = !strcmp(s->name, "tcp_life");
	struct page_box *b = box_of(x->own, cid);
	struct page *p = x->own;

	(void)lane;
	if (disk) {
		uint64_t bytes = detail_number(s->details, "bytes");
		struct sbuf text = { 0 };

		page_count(p, b, PAGE_REQUESTS, s->to, 1);
		page_count(p, b, PAGE_BYTES, s->to, bytes);
		page_heat(p, b, PAGE_OF_DISK, s->to, s->to - s->from);
		sbuf_size(&text, bytes);
		sbuf_printf(&text, " bytes %s", detail(s->details, "rwbs") ?
			    detail_text(s->details, detail(s->details, "rwbs")) : "");
		keep(x, b, PAGE_DISK, s, (int32_t)detail_number(s->details, "tid"), text.s);
		sbuf_free(&text);
	} else if (tcp) {
		page_count(p, b, PAGE_ENDED, s->to, 1);
		page_count(p, b, PAGE_SENT, s->to, detail_number(s->details, "tx_bytes"));
		page_count(p, b, PAGE_RECEIVED, s->to, detail_number(s->details, "rx_bytes"));
	}
}

/* Too many at once for a lane of their own, or shorter than the clock: they are counted all the same. */
static void mark(struct export *x, struct export_task *t, uint32_t cid, const struct slice *s)
{
	(void)t;
	span(x, cid, 0, s);
}

/* A wait's culprits come right before it. */
static void blamed(struct export *x, const struct ctrace_record *rec, const struct ctrace_value *v, int n)
{
	uint64_t duration = number(v, n, "duration"), from = duration < rec->time ? rec->time - duration : 0;
	uint32_t kind = (uint32_t)number(v, n, "culprit"), cid = (uint32_t)number(v, n, "culprit_cid");
	const struct ctrace_value *comm = field(v, n, "culprit_comm");
	bool named = comm && (comm->field->kind == CTRACE_FK_TEXT || comm->field->kind == CTRACE_FK_STRING);
	bool ours = named && kind == CTRACE_CULPRIT_HOST && comms_ours(comm->str.s, comm->str.len);
	struct page_thread *t = thread_of(x->own, rec->tid);
	struct page *p = x->own;
	struct page_blame *b = page_blame_of(p, index_of(p, box_of(p, rec->cid)), kind, cid, ours);
	const char *who;

	page_spend(p, &b->ns, from, rec->time);
	if (duration <= t->blamed)
		return;
	t->blamed = duration;
	who = kind == CTRACE_CULPRIT_SELF ? "its own threads" : "no task";
	if (kind == CTRACE_CULPRIT_NEIGHBOUR || kind == CTRACE_CULPRIT_HOST)
		who = ctable_get(x->r.table, cid)->shown;
	snprintf(t->culprit, sizeof(t->culprit), "%s%s%.*s", who, named && comm->str.len ? ", " : "",
		 named ? (int)comm->str.len : 0, named ? comm->str.s : "");
}

static void waited(struct export *x, const struct ctrace_record *rec, uint64_t duration)
{
	struct page_thread *t = thread_of(x->own, rec->tid);
	struct page_box *b = box_of(x->own, rec->cid);
	struct sbuf text = { 0 };

	page_heat(x->own, b, PAGE_OF_WAITS, rec->time, duration);
	sbuf_reset(&text);
	if (t->blamed) {
		sbuf_printf(&text, "%s had it for ", t->culprit);
		put_ns(&text, t->blamed);
	}
	keep(x, b, PAGE_WAIT, &(struct slice){ "wait for a CPU", .from = rec->time - duration, .to = rec->time },
	     rec->tid, text.s);
	t->blamed = 0;
	sbuf_free(&text);
}

static void blocked(struct export *x, const struct ctrace_record *rec, const struct stacks *k,
		    const struct ctrace_value *v, int n)
{
	struct slice s = { .name = "blocked", .from = rec->time, .to = rec->time, .stacks = k };
	uint64_t duration = number(v, n, "duration");

	s.from -= duration < rec->time ? duration : rec->time;
	if (is_deep_sleep(number(v, n, "state")))
		keep(x, box_of(x->own, rec->cid), PAGE_BLOCK, &s, rec->tid,
		     number(v, n, "iowait") ? "for a disk" : "in the kernel");
}

static void sample(struct export *x, struct export_task *t, uint32_t cpu, const struct ctrace_record *rec,
		   const struct stacks *k)
{
	(void)t, (void)cpu;
	page_sample(x->own, x, box_of(x->own, rec->cid), rec, k);
}

/* --- the writer ----------------------------------------------------------------------------- */

static int begin(struct export *x)
{
	static const struct draw_ops ops = {
		.spent = spent, .call = call, .mark = mark, .span = span, .sample = sample,
	};
	uint64_t began = asked_number(&x->r, "began"), ended = asked_number(&x->r, "ended");
	uint64_t first = 0, last = 0;
	struct page *p = x->own;

	ctf_reader_times(x->r.reader, &first, &last);
	first = began && began < first ? began : first;
	last = ended > last ? ended : last;
	p->began = x->r.from ? x->r.from : first;
	p->ended = x->r.to < UINT64_MAX ? x->r.to : last;
	p->width = p->ended > p->began ? (p->ended - p->began) / PAGE_BINS + 1 : 1;
	p->draw = draw_new(x, &ops);
	return CLI_OK;
}

static void record(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	bool sched = rec->id == CTRACE_ID_SCHED_WAIT || rec->id == CTRACE_ID_SCHED_BLAME ||
		     rec->id == CTRACE_ID_SCHED_BLOCK;
	const struct ctrace_event_type *t = sched ? ctrace_schema_by_id(x->r.schema, rec->id) : NULL;
	struct ctrace_value v[FIELDS_MAX];
	int n = t && recording_shows(&x->r, rec->cid) ? ctrace_decode(t, rec, v, FIELDS_MAX) : 0;
	uint64_t duration = n > 0 ? number(v, n, "duration") : 0;

	if (n > 0 && rec->id == CTRACE_ID_SCHED_BLAME)
		blamed(x, rec, v, n);
	else if (n > 0 && rec->id == CTRACE_ID_SCHED_WAIT)
		waited(x, rec, duration < rec->time ? duration : rec->time);
	else if (n > 0)
		blocked(x, rec, k, v, n);
	draw_record(((struct page *)x->own)->draw, rec, cpu, k);
}

/* Beyond the last place, they are one. */
static void lost(struct export *x, const struct ctf_loss *l)
{
	struct page *p = x->own;
	struct page_gap *g = &p->gaps[p->ngaps < PAGE_GAPS ? p->ngaps++ : PAGE_GAPS - 1];
	bool first = !g->n;

	g->cid = first || g->cid == l->cid ? l->cid : CTRACE_CID_ALL;
	g->from = first || l->after < g->from ? l->after : g->from;
	g->to = l->before > g->to ? l->before : g->to;
	g->n += l->n;
	draw_lost(p->draw, l);
}

static void end(struct export *x)
{
	draw_end(((struct page *)x->own)->draw);
	page_put(x);
}

static void free_own(struct export *x)
{
	draw_free(((struct page *)x->own)->draw);
}

int page_run(const struct export_opts *o, const char *old)
{
	static const struct export_writer writer = {
		.begin = begin, .record = record, .lost = lost, .end = end, .free = free_own,
	};
	struct page *p = xcalloc(1, sizeof(*p));
	struct export_opts opts = *o;
	int status;

	p->o = o;
	p->old = old;
	opts.own = p;
	status = page_gather(p);
	if (status == CLI_OK)
		status = export_run(&writer, &opts);
	page_free(p);
	return status;
}
