// SPDX-License-Identifier: GPL-2.0-only
/* One line per record, with one JSON object. The exit of a call has how long the call took. */
#include <string.h>
#include "show/sink.h"
#include "strace/paint.h"

struct json_sink {
	struct sink s;
	struct paints *paints;
};

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

static void put_argv(struct json *j, const struct ctrace_value *v)
{
	const char *s = v->str.s, *end = s + v->str.len;
	struct sbuf arg = { 0 };
	bool more = true;

	json_open(j, v->field->name, '[');
	while (more) {
		more = argv_next(&s, end, &arg);
		json_strn(j, NULL, arg.s, arg.len);
	}
	json_close(j, ']');
	sbuf_free(&arg);
}

static void put_rwbs(struct json *j, const char *name, uint64_t bits)
{
	struct sbuf b = { 0 };

	rwbs_put(&b, bits);
	json_str(j, name, b.s);
	sbuf_free(&b);
}

static void put_value(struct json *j, const struct ctrace_value *v)
{
	const char *name = v->field->name;

	switch (v->field->kind) {
	case CTRACE_FK_UINT:
		if (v->field->display == CTRACE_FD_HEX)
			put_hex(j, name, v->u);
		else if (v->field->display == CTRACE_FD_RWBS)
			put_rwbs(j, name, v->u);
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

/* The paint with the call's arguments: for an exit, that of the entry. */
static const struct paint *entry_paint(struct json_sink *s, const struct paint *p)
{
	uint32_t set = p->call.compat ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER;

	if (p->call.phase != SYSCALL_EXIT || p->call.nr < 0)
		return p;
	return paints_get(s->paints, (uint16_t)(set + (uint32_t)p->call.nr));
}

/* Of socketcall(): the address, and the data, of the call that it makes. */
static void put_apart(struct json *j, const struct ctrace_value *v, enum about about, const struct memory *m)
{
	static const struct part one = { .kind = PART_MEMORY };
	const struct memory addr = { .layout = &layout_sockaddr, .data = m->addr, .many = -1, .ret = -1 };

	if (about == ABOUT_PIECES)
		json_strn(j, v->field->name, v->seq.v, v->seq.n);
	else if (about != ABOUT_ADDR || !memory_put_json(j, v->field->name, &one, &addr))
		put_sequence(j, v);
}

/* Of descriptors in memory, each with its NUL. */
static void put_names(struct json *j, const struct ctrace_value *v)
{
	const char *s = v->seq.v, *end = s + v->seq.n;
	size_t n;

	json_open(j, v->field->name, '[');
	for (; s < end; s += n + 1) {
		n = strnlen(s, (size_t)(end - s));
		json_strn(j, NULL, s, n);
	}
	json_close(j, ']');
}

/* Writes field i, which is about an argument. args has the arguments if the record has; form may be NULL. */
static void put_about(struct json *j, const struct paint *p, const struct ctrace_value *v, int i,
		      const struct call_values *args, const struct call_values *r, const struct call_form *form)
{
	uint32_t of = p->fields[i].of;
	struct memory m;
	bool known;

	if (p->plain)
		return;
	if (p->fields[i].about == ABOUT_PATH) {
		if (v[i].str.len)
			json_strn(j, v[i].field->name, v[i].str.s, v[i].str.len);
		return;
	}
	if (!v[i].seq.n)
		return;
	if (p->fields[i].about == ABOUT_NAMES) {
		put_names(j, &v[i]);
		return;
	}
	known = call_memory(&m, form, of, args, r);
	if (p->fields[i].about == ABOUT_WAS) {
		m.data = m.was;
	} else if (p->fields[i].about != ABOUT_DATA) {
		/* it is part of the data, unless it belongs to a call that is made by this one */
		if (known && form->args[of]->many == MANY_THERE)
			put_apart(j, &v[i], p->fields[i].about, &m);
		else if (!known)
			put_sequence(j, &v[i]);
		return;
	}
	if (!known || !memory_put_json(j, v[i].field->name, form->args[of], &m))
		put_sequence(j, &v[i]);
}

static void put_errno(struct json *j, int64_t ret)
{
	int err = syscall_errno(ret);

	if (err && errno_name(err))
		json_str(j, "errno", errno_name(err));
}

static void put_operation(struct json *j, uint64_t opcode)
{
	struct sbuf b = { 0 };

	io_uring_op_put(&b, opcode);
	json_str(j, "operation", b.s);
	sbuf_free(&b);
}

/* A string that is NULL is null, and one that could not be read is its address, a number. */
static void put_fields(struct json_sink *s, struct json *j, const struct paint *p, const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];
	int n = p->type ? ctrace_decode(p->type, rec, v, FIELDS_MAX) : -1;
	bool call = p->call.phase != SYSCALL_NONE;
	uint64_t marks = call ? syscall_marks(p, v, n) : 0;
	const struct call_values r = { p, v, n };
	const struct paint *entry = call ? entry_paint(s, p) : p;
	const struct call_values args = entry == p ? r : (struct call_values){ .p = entry };
	const struct call_form *form = call && n >= 0 ? syscall_form(entry, v, entry == p ? (uint32_t)n : 0) : NULL;

	if (marks & CTRACE_CALL_M_DENIED)
		json_flag(j, "denied", true);
	for (int i = 0; !call && i < n; i++)
		if (is_error(p->type, v[i].field))
			put_errno(j, v[i].i);
	for (int i = 0; !call && i < n && p->type->id == CTRACE_ID_IO_URING_OP; i++)
		if (!strcmp(v[i].field->name, "opcode"))
			put_operation(j, v[i].u);
	json_open(j, "fields", '{');
	for (int i = 0; i < n; i++) {
		enum arg_mark mark = syscall_mark(marks, (uint32_t)i - p->first, &v[i]);

		if (call && i == p->marks)
			continue;
		if (call && p->fields[i].about != ABOUT_N)
			put_about(j, p, v, i, &args, &r, form);
		else if (call && i == p->ret_path && (p->plain || !v[i].str.len))
			continue;
		else if (mark == ARG_NULL)
			json_null(j, v[i].field->name);
		else if (mark == ARG_UNREAD)
			json_uint(j, v[i].field->name, syscall_unread(&v[i]));
		else if (is_list(p->type, v[i].field))
			put_argv(j, &v[i]);
		else
			put_value(j, &v[i]);
	}
	json_close(j, '}');
	if (n < 0)
		json_flag(j, "undecoded", true);
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
static void put_call(struct sink *s, struct json *j, const struct paint *paint, const struct syscall_ref *ref,
		     const struct ctrace_record *rec)
{
	const struct ctrace_event_type *t = paint->type;
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
	if (paint->ret >= 0 && paint->ret < n)
		put_errno(j, v[paint->ret].i);
	if (pairs_match(p, rec->id) && rec->time >= p->time)
		json_uint(j, "duration", rec->time - p->time);
	else if (pairs_no_entry(s->pairs, p) && !(paint->fork && paint->ret >= 0 && paint->ret < n && !v[paint->ret].i))
		json_flag(j, "no_entry", true);
	pairs_left(s->pairs, rec->tid);
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
	struct json_sink *js = (struct json_sink *)s;
	const struct paint *p = paints_get(js->paints, rec->id);
	const struct ctrace_event_type *t = p->type;
	struct json j = { .out = &s->line };
	struct syscall_ref ref;
	const char *waited;
	char unknown[24];

	sbuf_reset(&s->line);
	json_open(&j, NULL, '{');
	snprintf(unknown, sizeof(unknown), "event_%u", rec->id);
	json_str(&j, "event", t ? t->name : unknown);
	json_uint(&j, "time", rec->time);
	json_uint(&j, "realtime", sink_realtime(s, rec->time));
	json_uint(&j, "cid", rec->cid);
	json_str(&j, "container", ctable_label(s->o.ctable, rec->cid));
	json_int(&j, "tid", rec->tid);
	json_int(&j, "vtid", rec->vtid);
	syscall_identify(&ref, t, rec);
	if (ref.phase != SYSCALL_NONE)
		put_call(s, &j, p, &ref, rec);
	else
		pairs_learn(s->pairs, t, rec);
	put_fields(js, &j, p, rec);
	if (k) {
		waited = p->call.phase == SYSCALL_WHOLE ? waited_for(s->o.symbols, &k->kernel, rec->tid) : NULL;
		if (waited)
			json_str(&j, "waited_for", waited);
		put_stack(s, &j, "kernel_stack", &k->kernel, true, rec->tid);
		put_stack(s, &j, "user_stack", &k->user, false, rec->tid);
		if (k->user.cut)
			json_str(&j, "user_stack_cut", k->user.cut);
	}
	json_close(&j, '}');
	json_line(&j);
	fwrite(s->line.s, 1, s->line.len, s->o.out);
}

static void json_lost(struct sink *s, const char *cause, uint64_t n)
{
	pairs_lost(s->pairs);
	sink_lost_json(s, cause, n);
}

static void json_free(struct sink *s)
{
	paints_free(((struct json_sink *)s)->paints);
}

static const struct sink_ops json_ops = {
	.record	= json_record,
	.lost	= json_lost,
	.idle	= sink_holds_nothing,
	.free	= json_free,
};

struct sink *sink_json_new(const struct sink_opts *o)
{
	struct json_sink *s = sink_new(sizeof(*s), &json_ops, o);

	s->s.pairs = pairs_new();
	s->paints = paints_new(o->schema, o->quiet_args);
	return &s->s;
}
