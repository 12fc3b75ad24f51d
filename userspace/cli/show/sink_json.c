// SPDX-License-Identifier: GPL-2.0-only
/* One line per record, with one JSON object. The exit of a call has how long the call took. */
#include <string.h>
#include "show/sink.h"

static void put_hex(struct json *j, const char *name, uint64_t v)
{
	char hex[24];

	/* a string: many readers keep numbers as doubles, which cannot hold every pointer */
	snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)v);
	json_str(j, name, hex);
}

static void put_sequence(struct json *j, const struct ctrace_value *v)
{
	json_open(j, v->field->name, '[');
	for (size_t i = 0; i < v->seq.n; i++) {
		uint64_t u = ctrace_value_at(v, i);

		if (v->field->kind == CTRACE_FK_SEQ_INT)
			json_int(j, NULL, (int64_t)u);
		else if (v->field->display == CTRACE_FD_HEX)
			put_hex(j, NULL, u);
		else
			json_uint(j, NULL, u);
	}
	json_close(j, ']');
}

static void put_value(struct json *j, const struct ctrace_value *v)
{
	const char *name = v->field->name;

	switch (v->field->kind) {
	case CTRACE_FK_UINT:
		if (v->field->display == CTRACE_FD_HEX)
			put_hex(j, name, v->u);
		else
			json_uint(j, name, v->u);
		break;
	case CTRACE_FK_INT:
		json_int(j, name, v->i);
		break;
	case CTRACE_FK_TEXT:
	case CTRACE_FK_STRING:
		json_strn(j, name, v->str.s, v->str.len);
		break;
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		put_sequence(j, v);
		break;
	}
}

static void put_fields(struct json *j, const struct ctrace_event_type *t,
		       const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];
	int n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : -1;

	json_open(j, "fields", '{');
	for (int i = 0; i < n; i++)
		put_value(j, &v[i]);
	json_close(j, '}');
	if (n < 0)
		json_flag(j, "undecoded", true);
}

static void put_errno(struct json *j, int64_t ret)
{
	int err = syscall_errno(ret);

	if (err && errno_name(err))
		json_str(j, "errno", errno_name(err));
}

static void put_whole(struct json *j, const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	uint64_t duration;
	int64_t ret;

	if (!syscall_whole(t, rec, &duration, &ret))
		return;
	put_errno(j, ret);
	json_uint(j, "duration", duration);
}

/* Writes the call's name, and duration and errno of an exit. Remembers an entry. */
static void put_call(struct sink *s, struct json *j, const struct syscall_ref *ref,
		     const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	struct pending *p = pairs_get(s->pairs, rec->tid);
	struct ctrace_value v[FIELDS_MAX];
	int n;

	json_str(j, "syscall", ref->name);
	if (ref->phase == SYSCALL_WHOLE) {
		put_whole(j, t, rec);
		return;
	}
	if (ref->phase == SYSCALL_ENTER) {
		p->id = rec->id;
		p->time = rec->time;
		return;
	}
	n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : -1;
	if (n > 0)
		put_errno(j, v[n - 1].i);
	if (pairs_match(p, rec->id) && rec->time >= p->time)
		json_uint(j, "duration", rec->time - p->time);
	p->id = 0;
}

static void put_stack(struct sink *s, struct json *j, const char *name, const struct stack *k,
		      bool kernel, int32_t tid)
{
	if (!k->there)
		return;
	json_open(j, name, '[');
	for (size_t i = 0; i < k->n; i++)
		json_str(j, NULL, frame_name(s->o.symbols, k, i, kernel, tid));
	json_close(j, ']');
}

static void json_record(struct sink *s, const struct ctrace_record *rec, const struct stacks *k)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(s->o.schema, rec->id);
	struct json j = { .out = &s->line };
	struct syscall_ref ref;
	char unknown[24];

	sbuf_reset(&s->line);
	json_open(&j, NULL, '{');
	snprintf(unknown, sizeof(unknown), "event_%u", rec->id);
	json_str(&j, "event", t ? t->name : unknown);
	json_uint(&j, "time", rec->time);
	json_uint(&j, "realtime", rec->time + (uint64_t)s->o.clock_offset);
	json_uint(&j, "cid", rec->cid);
	json_str(&j, "container", ctable_get(s->o.ctable, rec->cid)->label);
	json_int(&j, "tid", rec->tid);
	json_int(&j, "vtid", rec->vtid);
	syscall_identify(&ref, t, rec);
	if (ref.phase != SYSCALL_NONE)
		put_call(s, &j, &ref, t, rec);
	put_fields(&j, t, rec);
	if (k) {
		put_stack(s, &j, "kernel_stack", &k->kernel, true, rec->tid);
		put_stack(s, &j, "user_stack", &k->user, false, rec->tid);
	}
	json_close(&j, '}');
	json_line(&j);
	fwrite(s->line.s, 1, s->line.len, s->o.out);
}

static void json_lost(struct sink *s, const char *cause, uint64_t n)
{
	struct json j = { .out = &s->line };

	sbuf_reset(&s->line);
	json_open(&j, NULL, '{');
	json_uint(&j, "lost", n);
	json_str(&j, "cause", cause);
	json_close(&j, '}');
	json_line(&j);
	fwrite(s->line.s, 1, s->line.len, s->o.out);
}

static void json_nothing(struct sink *s)
{
	(void)s;
}

static const struct sink_ops json_ops = {
	.record	= json_record,
	.lost	= json_lost,
	.idle	= json_nothing,
	.free	= json_nothing,
};

struct sink *sink_json_new(const struct sink_opts *o)
{
	struct sink *s = xcalloc(1, sizeof(*s));

	s->ops = &json_ops;
	s->o = *o;
	s->pairs = pairs_new();
	return s;
}
