// SPDX-License-Identifier: GPL-2.0-only
/* The tasks of a recording, by number. There are as many places as numbers were seen. */
#include <stdlib.h>
#include <string.h>
#include "export/export.h"

struct tasks {
	struct export_task *v;	/* open addressing, size a power of two; tid 0: a free place */
	size_t n, size;
	struct sbuf title;
};

struct tasks *tasks_new(void)
{
	struct tasks *t = xcalloc(1, sizeof(*t));

	t->size = 256;
	t->v = xcalloc(t->size, sizeof(t->v[0]));
	return t;
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	free(t->v);
	sbuf_free(&t->title);
	free(t);
}

static struct export_task *place(struct tasks *t, int32_t tid)
{
	size_t i = ((uint32_t)tid * 0x9e3779b1u) & (t->size - 1);

	while (t->v[i].tid && t->v[i].tid != tid)
		i = (i + 1) & (t->size - 1);
	return &t->v[i];
}

struct export_task *tasks_get(struct tasks *t, int32_t tid)
{
	struct export_task *e;

	if (tid <= 0)
		return NULL;
	e = place(t, tid);
	if (e->tid)
		return e;
	if (2 * (t->n + 1) > t->size) {
		struct export_task *old = t->v;
		size_t n = t->size;

		t->size *= 2;
		t->v = xcalloc(t->size, sizeof(t->v[0]));
		for (size_t i = 0; i < n; i++)
			if (old[i].tid)
				*place(t, old[i].tid) = old[i];
		free(old);
		e = place(t, tid);
	}
	t->n++;
	e->tid = tid;
	return e;
}

struct export_task *tasks_next(struct tasks *t, size_t *i)
{
	while (*i < t->size && !t->v[*i].tid)
		++*i;
	return *i < t->size ? &t->v[(*i)++] : NULL;
}

static int64_t field(const struct ctrace_value *v, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, name) &&
		    (v[i].field->kind == CTRACE_FK_INT || v[i].field->kind == CTRACE_FK_UINT))
			return v[i].i;
	return 0;
}

/* The innermost namespace comes first. */
static void learn_dumped(struct export *x, const struct ctrace_record *rec, const struct ctrace_value *v, int n)
{
	struct export_task *t = tasks_get(x->tasks, (int32_t)field(v, n, "tid"));

	if (!t || t->dumped)
		return;
	t->dumped = true;
	t->pid = (int32_t)field(v, n, "pid");
	t->vtid = (int32_t)field(v, n, "vtid");
	t->vpid = (int32_t)field(v, n, "vpid");
	t->cid = rec->cid;
}

static struct export_task *learn_fork(struct export *x, const struct ctrace_record *rec, const struct ctrace_value *v,
				      int n)
{
	struct export_task *t = tasks_get(x->tasks, (int32_t)field(v, n, "child_tid"));
	uint32_t life;

	if (!t)
		return NULL;
	life = t->life + (t->told || t->cid || t->pid);
	*t = (struct export_task){
		.tid = t->tid, .pid = (int32_t)field(v, n, "child_pid"), .cid = rec->cid, .life = life, .dumped = true,
	};
	/* the host's level is first */
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, "vtids") && v[i].field->kind == CTRACE_FK_SEQ_INT && v[i].seq.n)
			t->vtid = (int32_t)ctrace_value_at(&v[i], v[i].seq.n - 1);
	if (t->pid == t->tid)
		t->vpid = t->vtid;
	return t;
}

/* Do cid and tid belong to one task? For an interrupt, cid is the host's, and tid the interrupted task's. */
static bool is_of_task(const struct ctrace_event_type *type, uint16_t id)
{
	return id != CTRACE_ID_SCHED_SWITCH &&
	       (ctrace_id_call(id).phase != CTRACE_CALL_NONE || id == CTRACE_ID_CPU_SAMPLE ||
		!strcmp(type->system, "sched") || !strcmp(type->system, "exceptions"));
}

struct export_task *tasks_learn(struct export *x, const struct ctrace_record *rec)
{
	const struct ctrace_event_type *type = ctrace_schema_by_id(x->r.schema, rec->id);
	struct ctrace_value v[FIELDS_MAX];
	struct export_task *t;
	int n;

	comms_learn(x->comms, type, rec);
	if (type && (rec->id == CTRACE_ID_STATEDUMP_PROCESS_STATE || rec->id == CTRACE_ID_SCHED_PROCESS_FORK)) {
		n = ctrace_decode(type, rec, v, FIELDS_MAX);
		if (rec->id == CTRACE_ID_SCHED_PROCESS_FORK)
			return learn_fork(x, rec, v, n);
		learn_dumped(x, rec, v, n);
		return NULL;
	}
	if (!type || !is_of_task(type, rec->id))
		return NULL;
	t = tasks_get(x->tasks, rec->tid);
	if (!t)
		return NULL;
	t->cid = rec->cid;
	if (rec->vtid > 0)
		t->vtid = rec->vtid;
	if (!t->pid)
		t->pid = comms_task(x->comms, rec->tid)->pid;
	return NULL;
}

const char *tasks_title(struct export *x, const struct export_task *t)
{
	const struct centry *e = ctable_get(x->r.table, t->cid);
	const char *comm = comms_task(x->comms, t->pid ? t->pid : t->tid)->comm;
	struct sbuf *b = &x->tasks->title;

	sbuf_reset(b);
	sbuf_puts(b, e->shown);
	if (*comm) {
		sbuf_puts(b, " \u00b7 ");
		sbuf_clean(b, comm);
	}
	return b->s;
}
