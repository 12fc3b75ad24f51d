// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "show/comms.h"
#include "show/sink.h"

struct comm {
	int32_t tid;		/* 0: a free place */
	char name[CTRACE_COMM_LEN];
};

struct comms {
	bool live;
	struct comm *v;		/* by tid, open addressing, size a power of two */
	size_t n, size;
	char unknown[24];
};

struct comms *comms_new(bool live)
{
	struct comms *c = xcalloc(1, sizeof(*c));

	c->live = live;
	c->size = 256;
	c->v = xcalloc(c->size, sizeof(c->v[0]));
	return c;
}

void comms_free(struct comms *c)
{
	if (c)
		free(c->v);
	free(c);
}

static struct comm *slot(struct comms *c, int32_t tid)
{
	size_t i = ((uint32_t)tid * 0x9e3779b1u) & (c->size - 1);

	while (c->v[i].tid && c->v[i].tid != tid)
		i = (i + 1) & (c->size - 1);
	return &c->v[i];
}

static void put(struct comms *c, int32_t tid, const char *name, size_t len)
{
	struct comm *e;

	if (tid <= 0)
		return;
	if (2 * (c->n + 1) > c->size) {
		struct comm *old = c->v;
		size_t n = c->size;

		c->size *= 2;
		c->v = xcalloc(c->size, sizeof(c->v[0]));
		for (size_t i = 0; i < n; i++)
			if (old[i].tid)
				*slot(c, old[i].tid) = old[i];
		free(old);
	}
	e = slot(c, tid);
	c->n += !e->tid;
	e->tid = tid;
	snprintf(e->name, sizeof(e->name), "%.*s", (int)len, name);
}

/* The value of the field with this name, or NULL. */
static const struct ctrace_value *named(const struct ctrace_value *v, int n, const char *name, size_t len)
{
	for (int i = 0; i < n; i++)
		if (strlen(v[i].field->name) == len && !strncmp(v[i].field->name, name, len))
			return &v[i];
	return NULL;
}

static void learn_exec(struct comms *c, const struct ctrace_value *v, int n, int32_t tid)
{
	const struct ctrace_value *f = named(v, n, "filename", 8);
	const char *base;

	if (!f || f->field->kind != CTRACE_FK_STRING)
		return;
	base = memrchr(f->str.s, '/', f->str.len);
	base = base ? base + 1 : f->str.s;
	put(c, tid, base, (size_t)(f->str.s + f->str.len - base));
}

void comms_learn(struct comms *c, const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];
	int n;

	if (!t || rec->id >= CTRACE_ID_DYNAMIC)
		return;
	n = ctrace_decode(t, rec, v, FIELDS_MAX);
	if (rec->id == CTRACE_ID_SCHED_PROCESS_EXEC)
		learn_exec(c, v, n, rec->tid);
	/* comm is the name of tid, next_comm that of next_tid */
	for (int i = 0; i < n; i++) {
		const char *name = v[i].field->name, *end = strstr(name, "comm");
		const struct ctrace_value *tid;
		char of[64];

		if (v[i].field->kind != CTRACE_FK_TEXT && v[i].field->kind != CTRACE_FK_STRING)
			continue;
		if (rec->id == CTRACE_ID_STATEDUMP_PROCESS_STATE && !strcmp(name, "name"))
			end = name;
		else if (!end || strcmp(end, "comm"))
			continue;
		snprintf(of, sizeof(of), "%.*stid", (int)(end - name), name);
		tid = named(v, n, of, strlen(of));
		if (tid && (tid->field->kind == CTRACE_FK_UINT || tid->field->kind == CTRACE_FK_INT))
			put(c, (int32_t)tid->u, v[i].str.s, v[i].str.len);
	}
}

const char *comms_get(struct comms *c, int32_t tid)
{
	struct comm *e = slot(c, tid);
	char *path, *text;
	size_t len;

	if (tid > 0 && !e->tid && c->live) {
		path = xasprintf("/proc/%d/comm", tid);
		text = read_file(path, &len);
		if (text)
			put(c, tid, text, strcspn(text, "\n"));
		free(text);
		free(path);
		e = slot(c, tid);
	}
	if (tid > 0 && e->tid)
		return e->name;
	snprintf(c->unknown, sizeof(c->unknown), "tid-%d", tid);
	return c->unknown;
}
