// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts stacks, for flame graphs. Each different stack is a line "container;comm;outermost;...;innermost N",
 * with the user's frames before the kernel's frames that they called. Events without a stack do not count.
 */
#include <stdlib.h>
#include <string.h>
#include "flame/flame.h"
#include "show/comms.h"
#include "show/sink.h"

struct line {
	char *text;		/* NULL: a free place */
	uint64_t count;
};

struct folded {
	struct sink s;
	struct comms *comms;
	struct line *v;		/* open addressing, size a power of two */
	size_t n, size;
};

bool folded_marks;

static struct line *slot(struct line *v, size_t size, const char *text)
{
	uint32_t h = 2166136261u;
	size_t i;

	for (const char *p = text; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	for (i = h & (size - 1); v[i].text && strcmp(v[i].text, text); i = (i + 1) & (size - 1))
		;
	return &v[i];
}

static void count(struct folded *f, const char *text)
{
	struct line *l;

	if (2 * (f->n + 1) > f->size) {
		struct line *v = xcalloc(2 * f->size, sizeof(v[0]));

		for (size_t i = 0; i < f->size; i++)
			if (f->v[i].text)
				*slot(v, 2 * f->size, f->v[i].text) = f->v[i];
		free(f->v);
		f->v = v;
		f->size *= 2;
	}
	l = slot(f->v, f->size, text);
	if (!l->text) {
		l->text = xstrdup(text);
		f->n++;
	}
	l->count++;
}

/* Frames are separated by ';', so a ';' in a name becomes ':'. */
static void put_part(struct sbuf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sbuf_putc(b, s[i] == ';' ? ':' : s[i]);
}

/* The length of s without its "+0x..." offset, so that one function is one frame. "0x7f..." stays whole. */
static size_t name_length(const char *s)
{
	const char *plus = strstr(s, "+0x");

	return plus && plus > s ? (size_t)(plus - s) : strlen(s);
}

static void put_frames(struct folded *f, const struct stack *k, bool kernel, int32_t tid)
{
	if (k->cut)
		sbuf_puts(&f->s.line, ";(cut)");
	for (size_t i = k->n; i-- > 0;) {
		const char *name = frame_name(f->s.o.symbols, k, i, kernel, tid);

		sbuf_putc(&f->s.line, ';');
		if (kernel && folded_marks)
			sbuf_putc(&f->s.line, FLAME_KERNEL);
		put_part(&f->s.line, name, name_length(name));
	}
}

/* Is the stack another task's? A sched_switch is an event of the next task, on the stack of the previous. */
static bool of_another(const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];
	int n;

	if (!t || rec->id != CTRACE_ID_SCHED_SWITCH)
		return false;
	n = ctrace_decode(t, rec, v, FIELDS_MAX);
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, "prev_tid"))
			return (int32_t)v[i].u != rec->tid;
	return false;
}

static void folded_learn(struct sink *s, const struct ctrace_record *rec)
{
	comms_learn(((struct folded *)s)->comms, ctrace_schema_by_id(s->o.schema, rec->id), rec);
}

static void folded_record(struct sink *s, const struct ctrace_record *rec, const struct stacks *k)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(s->o.schema, rec->id);
	struct folded *f = (struct folded *)s;
	const char *label;
	struct sbuf comm = { 0 };

	comms_learn(f->comms, t, rec);
	if (!k || !(k->kernel.n + k->user.n) || of_another(t, rec))
		return;
	label = ctable_shown(s->o.ctable, rec->cid);
	sbuf_reset(&s->line);
	put_part(&s->line, label, strlen(label));
	sbuf_putc(&s->line, ';');
	sbuf_reset(&comm);
	sbuf_clean(&comm, comms_get(f->comms, rec->tid));
	put_part(&s->line, comm.s, comm.len);
	sbuf_free(&comm);
	put_frames(f, &k->user, false, rec->tid);
	put_frames(f, &k->kernel, true, rec->tid);
	count(f, s->line.s);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

static void folded_free(struct sink *s)
{
	struct folded *f = (struct folded *)s;
	size_t n = 0;

	for (size_t i = 0; i < f->size; i++)
		if (f->v[i].text)
			f->v[n++] = f->v[i];
	if (n)
		qsort(f->v, n, sizeof(f->v[0]), by_text);
	for (size_t i = 0; i < n; i++) {
		fprintf(s->o.out, "%s %llu\n", f->v[i].text, (unsigned long long)f->v[i].count);
		free(f->v[i].text);
	}
	free(f->v);
	comms_free(f->comms);
}

static void folded_lost(struct sink *s, const char *cause, uint64_t n)
{
	(void)s;
	(void)cause;
	(void)n;
}

static const struct sink_ops folded_ops = {
	.record	= folded_record,
	.learn	= folded_learn,
	.lost	= folded_lost,
	.idle	= sink_holds_nothing,
	.free	= folded_free,
};

struct sink *sink_folded_new(const struct sink_opts *o)
{
	struct folded *f = sink_new(sizeof(*f), &folded_ops, o);

	f->comms = comms_new(o->live);
	f->size = 1024;
	f->v = xcalloc(f->size, sizeof(f->v[0]));
	return &f->s;
}
