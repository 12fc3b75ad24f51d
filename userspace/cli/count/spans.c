// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "count/spans.h"

/* The parts of a task's last wait, as far as they were read. */
struct wait {
	int32_t tid;		/* 0: a free place */
	uint64_t written;	/* when its first part was */
	uint64_t begins;	/* where the last one that was read does */
};

struct spans {
	const struct ctrace_schema *schema;
	struct wait *v;		/* open addressing, size a power of two */
	size_t n, size;
	union {
		struct ctrace_record rec;
		uint64_t raw[CTRACE_RECORD_MAX / 8];
	} cut;
};

struct spans *spans_new(const struct ctrace_schema *s)
{
	struct spans *x = xcalloc(1, sizeof(*x));

	x->schema = s;
	x->size = 64;
	x->v = xcalloc(x->size, sizeof(x->v[0]));
	return x;
}

void spans_free(struct spans *s)
{
	if (!s)
		return;
	free(s->v);
	free(s);
}

static struct wait *place(const struct spans *s, int32_t tid)
{
	size_t i = ((uint32_t)tid * 0x9e3779b1u) & (s->size - 1);

	while (s->v[i].tid && s->v[i].tid != tid)
		i = (i + 1) & (s->size - 1);
	return &s->v[i];
}

static struct wait *wait_of(struct spans *s, int32_t tid)
{
	struct wait *w = place(s, tid);

	if (w->tid)
		return w;
	if (2 * (s->n + 1) > s->size) {
		struct wait *old = s->v;
		size_t n = s->size;

		s->size *= 2;
		s->v = xcalloc(s->size, sizeof(s->v[0]));
		for (size_t i = 0; i < n; i++)
			if (old[i].tid)
				*place(s, old[i].tid) = old[i];
		free(old);
		w = place(s, tid);
	}
	s->n++;
	w->tid = tid;
	return w;
}

/* The duration stands first. */
bool spans_has(const struct ctrace_event_type *t)
{
	return t && t->nfields && !strcmp(t->fields[0].name, "duration") &&
	       t->fields[0].kind == CTRACE_FK_UINT &&
	       t->fields[0].size == sizeof(uint64_t);
}

bool spans_of(struct spans *s, const struct ctrace_record *rec, uint64_t *from, uint64_t *to)
{
	uint64_t duration;
	struct wait *w;

	if (rec->len < sizeof(*rec) + sizeof(duration) || !spans_has(ctrace_schema_by_id(s->schema, rec->id)))
		return false;
	memcpy(&duration, rec + 1, sizeof(duration));
	*to = rec->time;
	*from = duration < *to ? *to - duration : 0;
	if (rec->id != CTRACE_ID_SCHED_BLAME || rec->tid <= 0)
		return true;
	w = wait_of(s, rec->tid);
	/* one that began after the last wait's parts were written is the first of another */
	if (*from >= w->written) {
		w->written = rec->time;
	} else {
		*to = w->begins;
		*from = duration < *to ? *to - duration : 0;
	}
	w->begins = *from;
	return true;
}

const struct ctrace_record *spans_cut(struct spans *s, const struct ctrace_record *rec, uint64_t from,
				      uint64_t to)
{
	uint64_t begin, end, duration;

	if (!spans_of(s, rec, &begin, &end))
		return NULL;
	/* the recording's first moment has what began before it */
	if (begin == end ? begin < from || begin >= to : begin >= to || end <= from)
		return NULL;
	duration = (end < to ? end : to) - (begin > from ? begin : from);
	memcpy(s->cut.raw, rec, rec->len);
	memcpy(&s->cut.rec + 1, &duration, sizeof(duration));
	return &s->cut.rec;
}
