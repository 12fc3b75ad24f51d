// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record there has numbers and texts of the event, and two texts more: the container's name, and the
 * event's fields as `ctrace trace` shows them, which trace-cmd prints. The events that trace-cmd and
 * KernelShark know have their fields by the kernel's names.
 */
#include <stdlib.h>
#include <string.h>
#include "export/trace_dat.h"

#define IDS		65536u
#define TEXT_MAX	16384u		/* bytes of one text */
#define RECORD_MAX	60000u
#define COMMON		8u		/* bytes that each record begins with */

struct dat_events {
	bool seen[IDS];		/* by id of the event */
};

struct dat_events *dat_events_new(void)
{
	return xcalloc(1, sizeof(struct dat_events));
}

void dat_events_free(struct dat_events *e)
{
	free(e);
}

/* --- fields ------------------------------------------------------------------------------ */

/* The kernel calls a thread's number pid. */
static void put_name(struct sbuf *b, const struct ctrace_event_type *t, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(t->system, "sched") && len >= 3 && !strcmp(name + len - 3, "tid"))
		sbuf_printf(b, "%.*spid", (int)(len - 3), name);
	else
		sbuf_puts(b, name);
}

static bool is_number(const struct ctrace_field *f)
{
	return f->kind == CTRACE_FK_UINT || f->kind == CTRACE_FK_INT;
}

/* Sequences are in the text alone. */
static size_t field_size(const struct ctrace_field *f)
{
	return is_number(f) || f->kind == CTRACE_FK_TEXT ? f->size : f->kind == CTRACE_FK_STRING ? 4 : 0;
}

static size_t field_align(const struct ctrace_field *f)
{
	return is_number(f) ? f->size : f->kind == CTRACE_FK_TEXT ? 1 : 4;
}

static size_t aligned(size_t at, size_t to)
{
	return (at + to - 1) / to * to;
}

static const char *type_name(const struct ctrace_field *f)
{
	static const char *const names[2][4] = {
		{ "unsigned char", "unsigned short", "unsigned int", "unsigned long" }, { "char", "short", "int", "long" },
	};
	int i = f->size == 1 ? 0 : f->size == 2 ? 1 : f->size == 4 ? 2 : 3;

	return names[f->kind == CTRACE_FK_INT][i];
}

static void describe_field(struct sbuf *b, const struct ctrace_event_type *t, const struct ctrace_field *f, size_t at)
{
	sbuf_puts(b, "\tfield:");
	if (f->kind == CTRACE_FK_STRING)
		sbuf_puts(b, "__data_loc char[] ");
	else if (f->kind == CTRACE_FK_TEXT)
		sbuf_puts(b, "char ");
	else
		sbuf_printf(b, "%s ", type_name(f));
	put_name(b, t, f->name);
	if (f->kind == CTRACE_FK_TEXT)
		sbuf_printf(b, "[%u]", f->size);
	sbuf_printf(b, ";\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", at, field_size(f), f->kind == CTRACE_FK_INT);
}

/* Puts all fields at their places, into the description or nowhere. Returns where the two texts stand. */
static size_t lay_out(const struct ctrace_event_type *t, struct sbuf *b, size_t *places)
{
	size_t at = COMMON + 8;	/* cid and vtid come first */

	for (uint32_t i = 0; i < t->nfields; i++) {
		const struct ctrace_field *f = &t->fields[i];

		places[i] = 0;
		if (!field_size(f))
			continue;
		at = aligned(at, field_align(f));
		places[i] = at;
		if (b)
			describe_field(b, t, f, at);
		at += field_size(f);
	}
	return aligned(at, 4);
}

static void describe(struct sbuf *b, const struct ctrace_event_type *t)
{
	size_t places[FIELDS_MAX], at;

	sbuf_printf(b, "name: %s\nID: %u\nformat:\n", t->name, t->id);
	sbuf_puts(b, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		     "\tfield:unsigned int ctrace_cid;\toffset:8;\tsize:4;\tsigned:0;\n"
		     "\tfield:int ctrace_vtid;\toffset:12;\tsize:4;\tsigned:1;\n");
	at = lay_out(t, b, places);
	sbuf_printf(b, "\tfield:__data_loc char[] ctrace_container;\toffset:%zu;\tsize:4;\tsigned:1;\n", at);
	sbuf_printf(b, "\tfield:__data_loc char[] ctrace_text;\toffset:%zu;\tsize:4;\tsigned:1;\n", at + 4);
	sbuf_puts(b, "\nprint fmt: \"%s%s\", __get_str(ctrace_container), __get_str(ctrace_text)\n");
}

/* --- records ----------------------------------------------------------------------------- */

static void put_at(struct sbuf *b, size_t at, const void *p, size_t n)
{
	memcpy(b->s + at, p, n);
}

/* Puts the text behind everything, and at its place where it is. */
static void put_text(struct sbuf *b, size_t at, const char *s, size_t len)
{
	uint32_t where;

	len = len < TEXT_MAX ? len : TEXT_MAX;
	if (b->len + len + 1 > RECORD_MAX)
		len = b->len + 1 < RECORD_MAX ? RECORD_MAX - b->len - 1 : 0;
	where = (uint32_t)b->len | (uint32_t)(len + 1) << 16;
	put_at(b, at, &where, 4);
	sbuf_put(b, s, len);
	sbuf_putc(b, '\0');
}

static void put_call(struct sbuf *text, const struct paint *p, const struct ctrace_record *rec, const struct ctrace_value *v,
		     int n)
{
	const struct call_values c = { p, v, n };
	const struct call_form *form = NULL;
	struct syscall_ref ref;

	syscall_identify(&ref, p->type, rec);
	if (ref.phase != SYSCALL_EXIT) {
		sbuf_printf(text, " %s(", ref.name);
		form = syscall_put_args(text, &c, ref.phase == SYSCALL_WHOLE ? &c : NULL);
		sbuf_putc(text, ')');
	}
	if (ref.phase != SYSCALL_ENTER && p->ret >= 0 && p->ret < n) {
		sbuf_putc(text, ' ');
		syscall_put_return(text, form, v[p->ret].i);
	}
}

static void begin(struct sbuf *b, const struct ctrace_record *rec, uint32_t id, size_t size)
{
	uint16_t type = (uint16_t)id;

	sbuf_reset(b);
	while (b->len < size)
		sbuf_putc(b, '\0');
	put_at(b, 0, &type, 2);
	put_at(b, 4, &rec->tid, 4);
	put_at(b, 8, &rec->cid, 4);
	put_at(b, 12, &rec->vtid, 4);
}

bool dat_event(struct dat_events *e, struct export *x, const struct ctrace_record *rec, struct sbuf *b)
{
	const struct paint *p = paints_get(x->paints, rec->id);
	const char *label = ctable_shown(x->r.table, rec->cid);
	size_t places[FIELDS_MAX], at;
	struct ctrace_value v[FIELDS_MAX];
	struct sbuf text = { 0 };
	int n = p->type ? ctrace_decode(p->type, rec, v, FIELDS_MAX) : -1;

	if (n < 0)
		return false;
	e->seen[rec->id] = true;
	at = lay_out(p->type, NULL, places);
	begin(b, rec, rec->id, at + 8);
	for (int i = 0; i < n; i++) {
		const struct ctrace_field *f = v[i].field;

		if (is_number(f))
			put_at(b, places[i], &v[i].u, f->size);
		else if (f->kind == CTRACE_FK_TEXT)
			put_at(b, places[i], v[i].str.s, v[i].str.len < f->size ? v[i].str.len : f->size - 1);
		else if (f->kind == CTRACE_FK_STRING)
			put_text(b, places[i], v[i].str.s, v[i].str.len);
	}
	sbuf_reset(&text);
	if (p->call.phase != SYSCALL_NONE)
		put_call(&text, p, rec, v, n);
	else
		fields_put_text(&text, p, v, n, true);
	put_text(b, at, label, strlen(label));
	put_text(b, at + 4, text.s, text.len);
	sbuf_free(&text);
	return true;
}

/* The types of stacks have other fields; what trace-cmd gets is a text. */
static const struct ctrace_event_type stack_types[2] = {
	{ .id = CTRACE_ID_USER_STACK, .name = "user_stack", .system = "ctrace" },
	{ .id = CTRACE_ID_KERNEL_STACK, .name = "kernel_stack", .system = "ctrace" },
};

bool dat_stack(struct dat_events *e, struct export *x, const struct ctrace_record *rec, const struct stack *k, bool kernel,
	       struct sbuf *b)
{
	const char *label = ctable_shown(x->r.table, rec->cid);
	struct sbuf text = { 0 };

	if (!k->n)
		return false;
	e->seen[stack_types[kernel].id] = true;
	begin(b, rec, stack_types[kernel].id, COMMON + 8 + 8);
	for (size_t i = 0; i < k->n; i++)
		sbuf_printf(&text, "\n => %s", frame_name(x->r.symbols, k, i, kernel, rec->tid));
	put_text(b, COMMON + 8, label, strlen(label));
	put_text(b, COMMON + 12, text.s, text.len);
	sbuf_free(&text);
	return true;
}

/* --- descriptions -------------------------------------------------------------------------- */

static const struct ctrace_event_type *seen_type(const struct dat_events *e, const struct export *x, size_t i)
{
	const struct ctrace_event_type *t = ctrace_schema_at(x->r.schema, i);
	static const struct ctrace_event_type none = { .system = "" };

	if (!t || (t->id < IDS && e->seen[t->id] && t->id != CTRACE_ID_KERNEL_STACK && t->id != CTRACE_ID_USER_STACK))
		return t;
	return &none;
}

static void put_number(struct export *x, uint64_t v, size_t size)
{
	export_put(x, &v, size);
}

static void put_type(struct export *x, const struct ctrace_event_type *t)
{
	struct sbuf b = { 0 };

	describe(&b, t);
	put_number(x, b.len, 8);
	export_put(x, b.s, b.len);
	sbuf_free(&b);
}

/* Each system with its events. Two passes over the types of each: how many there are, and then they. */
static void put_system(const struct dat_events *e, struct export *x, const char *system)
{
	bool ours = !strcmp(system, "ctrace");
	const struct ctrace_event_type *t;
	uint32_t n = 0;

	for (size_t i = 0; (t = seen_type(e, x, i)); i++)
		n += !strcmp(t->system, system);
	for (int k = 0; ours && k < 2; k++)
		n += e->seen[stack_types[k].id];
	export_put(x, system, strlen(system) + 1);
	put_number(x, n, 4);
	for (size_t i = 0; (t = seen_type(e, x, i)); i++)
		if (!strcmp(t->system, system))
			put_type(x, t);
	for (int k = 0; ours && k < 2; k++)
		if (e->seen[stack_types[k].id])
			put_type(x, &stack_types[k]);
}

#define SYSTEMS	64

void dat_events_put(const struct dat_events *e, struct export *x)
{
	const char *systems[SYSTEMS] = { "ctrace" };
	const struct ctrace_event_type *t;
	uint32_t n = 1;

	for (size_t i = 0; (t = seen_type(e, x, i)); i++) {
		uint32_t k = 0;

		while (k < n && strcmp(systems[k], t->system))
			k++;
		if (k == n && *t->system && n < SYSTEMS)
			systems[n++] = t->system;
	}
	put_number(x, n, 4);
	for (uint32_t k = 0; k < n; k++)
		put_system(e, x, systems[k]);
}
