// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "strace/late.h"
#include "show/sink.h"
#include "count/call_pairs.h"

#define CALLS		(2 * CTRACE_NR_SYSCALLS)
/* of a whole call's fields, the first argument: duration, ret, marks stand before */
#define ARGS		3

/* A task's call under way. */
struct begun {
	int32_t tid;			/* 0: a free place */
	bool late[6];			/* argument i came right before the exit */
	char text[6][CTRACE_STR_MAX];
	struct late memory;		/* so did this */
	struct ctrace_record *entry;	/* len 0: none */
	size_t room;
	/* when it was seen to be in no call: call_pairs.losses at that time */
	uint32_t left;
};

struct call_pairs {
	const struct ctrace_schema *schema;
	const struct ctrace_event_type *types[CALLS];	/* looked up so far */
	bool looked[CALLS];
	struct begun **v;		/* by tid, open addressing, size a power of two */
	size_t n, size;
	bool all;			/* all calls of a task were recorded, but for losses */
	uint32_t losses;		/* seen so far, plus 1 */
	union {
		struct ctrace_record rec;
		char raw[CTRACE_RECORD_MAX];
	} out;
};

struct call_pairs *call_pairs_new(const struct ctrace_schema *s, bool all)
{
	struct call_pairs *w = xcalloc(1, sizeof(*w));

	w->schema = s;
	w->all = all;
	w->losses = 1;
	w->size = 256;
	w->v = xcalloc(w->size, sizeof(w->v[0]));
	return w;
}

static void free_begun(struct begun *b)
{
	if (b) {
		free(b->entry);
		late_free(&b->memory);
	}
	free(b);
}

void call_pairs_free(struct call_pairs *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->size; i++)
		free_begun(w->v[i]);
	free(w->v);
	free(w);
}

static struct begun **slot(struct call_pairs *w, int32_t tid)
{
	size_t i = ((uint32_t)tid * 0x9e3779b1u) & (w->size - 1);

	while (w->v[i] && w->v[i]->tid != tid)
		i = (i + 1) & (w->size - 1);
	return &w->v[i];
}

static bool is_known(const struct call_pairs *w, const struct begun *b)
{
	return b && (b->entry->len || b->left == w->losses);
}

/* Drops the tasks of which nothing is known, and doubles the table if many are left. */
static void tidy(struct call_pairs *w)
{
	struct begun **old = w->v;
	size_t n = w->size, live = 0;

	for (size_t i = 0; i < n; i++)
		live += is_known(w, old[i]);
	w->size = 4 * live > n ? 2 * n : n;
	w->v = xcalloc(w->size, sizeof(w->v[0]));
	w->n = live;
	for (size_t i = 0; i < n; i++) {
		if (is_known(w, old[i]))
			*slot(w, old[i]->tid) = old[i];
		else
			free_begun(old[i]);
	}
	free(old);
}

static struct begun *get(struct call_pairs *w, int32_t tid)
{
	struct begun **b = slot(w, tid);

	if (*b)
		return *b;
	if (2 * (w->n + 1) > w->size) {
		tidy(w);
		b = slot(w, tid);
	}
	*b = xcalloc(1, sizeof(**b));
	(*b)->tid = tid;
	(*b)->room = sizeof(struct ctrace_record);
	(*b)->entry = xcalloc(1, (*b)->room);
	w->n++;
	return *b;
}

static void enter(struct call_pairs *w, const struct ctrace_record *rec)
{
	struct begun *b = get(w, rec->tid);

	if (rec->len > b->room) {
		b->entry = xrealloc(b->entry, rec->len);
		b->room = rec->len;
	}
	memcpy(b->entry, rec, rec->len);
	memset(b->late, 0, sizeof(b->late));
	late_reset(&b->memory);
}

/* A thread's exec: the call is that of the task that it has become. */
static void executed(struct call_pairs *w, const struct ctrace_record *rec)
{
	int32_t old = record_number(ctrace_schema_by_id(w->schema, rec->id), rec, "old_tid");
	struct begun *from, *to, was;

	if (old <= 0 || old == rec->tid || !*slot(w, old))
		return;
	to = get(w, rec->tid);
	to->entry->len = 0;
	from = *slot(w, old);
	if (!from)	/* it was in no call */
		return;
	was = *to;
	*to = *from;
	*from = was;
	to->tid = rec->tid;
	from->tid = old;
	from->left = 0;
}

/* A task is in no call from now on: it has returned, or is a new one. */
static void leave(struct call_pairs *w, int32_t tid)
{
	struct begun *b = get(w, tid);

	b->entry->len = 0;
	b->left = w->losses;
}

static void ended(struct call_pairs *w, int32_t tid)
{
	struct begun *b = *slot(w, tid);

	if (!b)
		return;
	b->entry->len = 0;
	b->left = 0;
}

void call_pairs_lost(struct call_pairs *w)
{
	w->losses++;
}

static void keep_late(struct call_pairs *w, const struct ctrace_record *rec)
{
	struct begun *b = *slot(w, rec->tid);
	struct ctrace_value v[2];
	size_t len;

	if (!b || ctrace_decode(ctrace_schema_by_id(w->schema, rec->id), rec, v, 2) != 2 || v[0].u >= 6 ||
	    v[1].field->kind != CTRACE_FK_STRING)
		return;
	len = v[1].str.len < CTRACE_STR_MAX ? v[1].str.len : CTRACE_STR_MAX - 1;
	memcpy(b->text[v[0].u], v[1].str.s, len);
	b->text[v[0].u][len] = '\0';
	b->late[v[0].u] = true;
}

static void keep_memory(struct call_pairs *w, const struct ctrace_record *rec)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(w->schema, rec->id);
	struct begun *b = *slot(w, rec->tid);
	struct ctrace_value v[2];

	if (b && t)
		late_keep(&b->memory, v, ctrace_decode(t, rec, v, 2));
}

static const struct ctrace_event_type *type_of(struct call_pairs *w, uint32_t nr, bool is32)
{
	uint32_t i = is32 ? CTRACE_NR_SYSCALLS + nr : nr;

	if (!w->looked[i])
		w->types[i] = ctrace_schema_by_id(w->schema, (is32 ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + nr);
	w->looked[i] = true;
	return w->types[i];
}

/* --- making a record ---------------------------------------------------------------- */

struct into {
	char *at, *end;		/* at NULL: there was no room */
	char *begin;
};

static void put(struct into *o, const void *p, size_t n, size_t align)
{
	size_t pad = (align - (size_t)(o->at - o->begin) % align) % align;

	if (!o->at || (size_t)(o->end - o->at) < pad + n) {
		o->at = NULL;
		return;
	}
	memset(o->at, 0, pad);
	memcpy(o->at + pad, p, n);
	o->at += pad + n;
}

static void put_number(struct into *o, uint64_t n, size_t size)
{
	/* its low bytes: they are the first ones, or the last */
	const union { uint16_t two; uint8_t one; } order = { 1 };
	const char *bytes = (const char *)&n;

	put(o, order.one ? bytes : bytes + sizeof(n) - size, size, size);
}

static void put_value(struct into *o, const struct ctrace_field *f, const struct ctrace_value *v)
{
	uint32_t count = 0;

	switch (f->kind) {
	case CTRACE_FK_UINT:
	case CTRACE_FK_INT:
		put_number(o, v ? v->u : 0, f->size);
		break;
	case CTRACE_FK_TEXT:
		/* all its bytes are in the record */
		for (uint32_t i = 0; !v && i < f->size; i++)
			put(o, "", 1, 1);
		if (v)
			put(o, v->str.s, f->size, 1);
		break;
	case CTRACE_FK_STRING:
		put(o, v ? v->str.s : "", v ? v->str.len : 0, 1);
		put(o, "", 1, 1);
		break;
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		count = v ? (uint32_t)v->seq.n : 0;
		put(o, &count, sizeof(count), sizeof(count));
		put(o, v ? v->seq.v : "", count * (size_t)f->size, f->size);
		break;
	}
}

static const struct ctrace_value *named(const struct ctrace_value *v, int n, const struct ctrace_field *f)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, f->name) && v[i].field->kind == f->kind && v[i].field->size == f->size)
			return &v[i];
	return NULL;
}

/* Of a call that seccomp has answered, b has no entry. Then the record has the result alone. */
static const struct ctrace_record *make(struct call_pairs *w, const struct ctrace_event_type *t, const struct begun *b,
					const struct ctrace_record *exit)
{
	bool denied = !b->entry->len;
	struct ctrace_value in[FIELDS_MAX], back[FIELDS_MAX], late;
	const struct ctrace_event_type *entry_type = denied ? NULL : ctrace_schema_by_id(w->schema, b->entry->id);
	const struct ctrace_event_type *exit_type = ctrace_schema_by_id(w->schema, exit->id);
	int nin = entry_type ? ctrace_decode(entry_type, b->entry, in, FIELDS_MAX) : denied ? 0 : -1;
	int nback = exit_type ? ctrace_decode(exit_type, exit, back, FIELDS_MAX) : -1;
	struct into o = { w->out.raw + sizeof(*exit), w->out.raw + sizeof(w->out.raw), w->out.raw + sizeof(*exit) };
	static const uint64_t zero;

	if (nin < 0 || nback < 0)
		return NULL;
	if (!denied)
		late_put(&b->memory, entry_type, in, nin);
	for (uint32_t i = 0; i < t->nfields && o.at; i++) {
		const struct ctrace_field *f = &t->fields[i];
		const struct ctrace_value *v = named(in, nin, f);
		uint64_t marks = v ? v->u : 0;

		if (!denied && i >= ARGS && i < ARGS + 6 && b->late[i - ARGS] && f->kind == CTRACE_FK_STRING) {
			late.str.s = b->text[i - ARGS];
			late.str.len = strlen(late.str.s);
			late.field = NULL;	/* nothing else has it */
			v = &late;
		}
		if (!strcmp(f->name, "duration")) {
			put_number(&o, !denied && exit->time > b->entry->time ? exit->time - b->entry->time : 0, f->size);
		} else if (denied && !strcmp(f->name, "marks")) {
			put_number(&o, CTRACE_CALL_M_DENIED, f->size);
		} else if (i == ARGS - 1 && !strcmp(f->name, "marks")) {
			for (uint32_t k = 0; k < 6; k++)
				marks &= b->late[k] ? ~CTRACE_CALL_M_UNREAD(k) : ~0ull;
			put_number(&o, marks, f->size);
		} else {
			/* memory that the call wrote comes from its exit */
			put_value(&o, f, v && v->field && named(back, nback, f) ? named(back, nback, f) :
				  v ? v : named(back, nback, f));
		}
	}
	if (o.at && (o.at - o.begin) % 8)
		put(&o, &zero, 8 - (size_t)(o.at - o.begin) % 8, 1);
	if (!o.at)
		return NULL;
	w->out.rec = *exit;
	w->out.rec.id = (uint16_t)t->id;
	w->out.rec.len = (uint16_t)(o.at - w->out.raw);
	return &w->out.rec;
}

bool call_pairs_takes(uint32_t id)
{
	enum ctrace_call_phase phase = ctrace_id_call(id).phase;

	return phase == CTRACE_CALL_ENTRY || phase == CTRACE_CALL_EXIT || id == CTRACE_ID_SYS_EXIT_UNKNOWN ||
	       id == CTRACE_ID_LATE_ARGUMENT || id == CTRACE_ID_LATE_MEMORY || id == CTRACE_ID_SCHED_PROCESS_EXEC ||
	       id == CTRACE_ID_SCHED_PROCESS_FORK || id == CTRACE_ID_SCHED_PROCESS_EXIT;
}

/* The result of an exit's record, if it is an error. */
static bool failed(const struct call_pairs *w, const struct ctrace_record *rec)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(w->schema, rec->id);
	struct ctrace_value v[FIELDS_MAX];
	int n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : -1;

	return n > 0 && !strcmp(v[0].field->name, "ret") && syscall_errno(v[0].i);
}

/* A call has returned. Returns it as a whole, or NULL: its entry is not known. */
static const struct ctrace_record *returned(struct call_pairs *w, const struct ctrace_record *rec)
{
	struct ctrace_id_call c = ctrace_id_call(rec->id);
	const struct ctrace_event_type *t = NULL;
	struct begun *b = *slot(w, rec->tid);
	struct pending p;

	if (!b)
		return NULL;
	p.id = b->entry->id;
	if (b->entry->len && pairs_match(&p, rec->id)) {
		c = ctrace_id_call(p.id);
		t = type_of(w, c.nr, c.is32);
	} else if (!b->entry->len && w->all && b->left == w->losses && c.phase == CTRACE_CALL_EXIT && failed(w, rec)) {
		/* as the module does: of what seccomp answers without an error, whole calls have nothing */
		t = type_of(w, c.nr, c.is32);
	}
	return t ? make(w, t, b, rec) : NULL;
}

const struct ctrace_record *call_pairs_put(struct call_pairs *w, const struct ctrace_record *rec)
{
	const struct ctrace_record *whole;
	int32_t child;

	switch (rec->id) {
	case CTRACE_ID_LATE_ARGUMENT:
		keep_late(w, rec);
		return NULL;
	case CTRACE_ID_LATE_MEMORY:
		keep_memory(w, rec);
		return NULL;
	case CTRACE_ID_SCHED_PROCESS_EXEC:
		executed(w, rec);
		return NULL;
	case CTRACE_ID_SCHED_PROCESS_FORK:
		child = record_number(ctrace_schema_by_id(w->schema, rec->id), rec, "child_tid");
		if (child > 0)
			leave(w, child);
		return NULL;
	case CTRACE_ID_SCHED_PROCESS_EXIT:
		ended(w, rec->tid);
		return NULL;
	}
	if (ctrace_id_call(rec->id).phase == CTRACE_CALL_ENTRY)
		enter(w, rec);
	if (ctrace_id_call(rec->id).phase != CTRACE_CALL_EXIT && rec->id != CTRACE_ID_SYS_EXIT_UNKNOWN)
		return NULL;
	whole = returned(w, rec);
	leave(w, rec->tid);
	return whole;
}
