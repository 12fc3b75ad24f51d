// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fields of a call's record that describe an argument beyond its number: their name is the argument's and a
 * suffix. An entry, an exit or a whole call may have them; an exit's describe the arguments of the entry's
 * type.
 */
#include <string.h>
#include "strace/memory.h"
#include "strace/paint.h"
#include "base/util.h"

#define RET_PATH	"ret_path"

static const struct {
	const char *suffix;
	bool text;		/* a string, else bytes */
} about[ABOUT_N] = {
	[ABOUT_DATA] = { "_data", false }, [ABOUT_ADDR] = { "_addr", false }, [ABOUT_IOV] = { "_iov", false },
	[ABOUT_PIECES] = { "_bytes", false }, [ABOUT_CONTROL] = { "_control", false }, [ABOUT_NAMES] = { "_names", false },
	[ABOUT_WAS] = { "_was", false },
	[ABOUT_PATH] = { "_path", true },
};

static bool is_bytes(const struct ctrace_field *f)
{
	return f->kind == CTRACE_FK_SEQ && f->size == 1;
}

/* Which fact the field has about argument *of, one of n. ABOUT_N: it is about no argument. */
static enum about field_about(const struct ctrace_field *f, const struct ctrace_field *args, uint32_t n, uint32_t *of)
{
	size_t len = strlen(f->name);

	for (uint32_t k = 0; k < ABOUT_N; k++) {
		size_t suffix = strlen(about[k].suffix);

		if ((about[k].text ? f->kind != CTRACE_FK_STRING : !is_bytes(f)) || len <= suffix ||
		    strcmp(f->name + len - suffix, about[k].suffix))
			continue;
		for (uint32_t i = 0; i < n && i < CALL_ARGS; i++)
			if (strlen(args[i].name) == len - suffix && !strncmp(args[i].name, f->name, len - suffix)) {
				*of = i;
				return (enum about)k;
			}
	}
	return ABOUT_N;
}

/* Of rt_sigreturn(), which has no argument: which of paint.frame is the field? 2: neither. */
static uint32_t frame_field(const struct ctrace_field *f)
{
	return !is_bytes(f) ? 2 : !strcmp(f->name, "frame_data") ? 0 : !strcmp(f->name, "frame_was") ? 1 : 2;
}

/* How many of the type's n fields are arguments: all before the first field that is about an argument. */
static uint32_t count_args(const struct ctrace_field *f, uint32_t n)
{
	uint32_t of;

	for (uint32_t i = 0; i < n; i++)
		if (field_about(&f[i], f, i, &of) != ABOUT_N || !strcmp(f[i].name, RET_PATH) ||
		    frame_field(&f[i]) < 2)
			return i;
	return n;
}

/* The type that names the call's arguments: its own, or the entry's or the whole call's. */
static const struct ctrace_event_type *naming(const struct ctrace_schema *s, const struct paint *p,
					      enum syscall_phase *phase)
{
	uint32_t nr = (uint32_t)p->call.nr;
	const struct ctrace_event_type *t;

	*phase = p->call.phase;
	if (*phase != SYSCALL_EXIT || p->call.nr < 0)
		return p->type;
	*phase = SYSCALL_ENTER;
	t = ctrace_schema_by_id(s, (p->call.compat ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + nr);
	if (t)
		return t;
	*phase = SYSCALL_WHOLE;
	return ctrace_schema_by_id(s, (p->call.compat ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + nr);
}

static bool is_number(const struct ctrace_field *f)
{
	return f->kind == CTRACE_FK_INT || f->kind == CTRACE_FK_UINT;
}

static void find_return(struct paint *p, const struct ctrace_field *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!strcmp(f[i].name, "ret") && is_number(&f[i]))
			p->ret = (int)i;
		if (!strcmp(f[i].name, RET_PATH) && f[i].kind == CTRACE_FK_STRING)
			p->ret_path = (int)i;
	}
	if (p->ret < 0 && p->call.phase == SYSCALL_EXIT && n && is_number(&f[0]))
		p->ret = 0;
}

void call_about(struct paint *p, const struct ctrace_schema *s)
{
	uint32_t n = p->type ? p->type->nfields : 0, first, args = 0, of = 0;
	const struct ctrace_field *f = p->type ? p->type->fields : NULL;
	const struct ctrace_event_type *t;
	enum syscall_phase phase;
	int marks;

	for (uint32_t i = 0; i < CALL_ARGS; i++)
		for (uint32_t k = 0; k < ABOUT_N; k++)
			p->about[i][k] = -1;
	for (uint32_t i = 0; i < n; i++)
		p->fields[i].about = ABOUT_N;
	p->ret = p->ret_path = -1;
	p->frame[0] = p->frame[1] = -1;
	t = naming(s, p, &phase);
	first = syscall_first(t, phase, p->call.nr, &marks);
	if (t && first < t->nfields)
		args = count_args(t->fields + first, t->nfields - first);
	p->nargs = p->call.phase == SYSCALL_EXIT ? 0 : args;
	find_return(p, f, n);
	for (uint32_t i = p->call.phase == SYSCALL_EXIT ? 0 : first + args; i < n; i++) {
		enum about k = t ? field_about(&f[i], t->fields + first, args, &of) : ABOUT_N;

		p->fields[i].about = k;
		p->fields[i].of = (uint8_t)of;
		if (frame_field(&f[i]) < 2)
			p->frame[frame_field(&f[i])] = (int16_t)i;
		if (k != ABOUT_N && p->about[of][k] < 0)
			p->about[of][k] = (int16_t)i;
	}
}

/* --- the memory of one argument ------------------------------------------------ */

static struct bytes bytes_in(const struct call_values *c, uint32_t arg, enum about k)
{
	int at = c && arg < CALL_ARGS ? c->p->about[arg][k] : -1;

	if (at < 0 || at >= c->n)
		return (struct bytes){ NULL, 0 };
	return (struct bytes){ c->v[at].seq.v, c->v[at].seq.n };
}

/* The record of the return comes first: it is newer. */
static struct bytes bytes_of(const struct call_values *c, const struct call_values *r, uint32_t arg, enum about k)
{
	struct bytes d = bytes_in(r, arg, k);

	return d.n ? d : bytes_in(c, arg, k);
}

const void *call_frame(const struct call_values *c)
{
	for (size_t k = 0; k < ARRAY_SIZE(c->p->frame); k++) {
		int at = c->p->frame[k];

		if (at >= 0 && at < c->n && c->v[at].seq.n == 8)
			return c->v[at].seq.v;
	}
	return NULL;
}

static bool has_field(const struct call_values *c, uint32_t arg)
{
	return c && c->n >= 0 && arg < CALL_ARGS && c->p->about[arg][ABOUT_DATA] >= 0;
}

static bool returned(const struct call_values *r, int64_t *ret)
{
	if (!r || r->p->ret < 0 || r->p->ret >= r->n)
		return false;
	*ret = r->v[r->p->ret].i;
	return true;
}

/* The number of elements, which is argument `arg`; < 0: not known. */
static int64_t argument(const struct call_values *c, const struct call_form *form, uint32_t arg)
{
	uint32_t i = c->p->first + arg;
	const struct part *type;
	int64_t v;

	if (c->n < 0 || arg >= c->p->nargs || i >= (uint32_t)c->n || !c->v[i].field ||
	    !c->p->fields[i].number || arg >= form->nargs)
		return -1;
	v = c->v[i].i;
	type = form->args[arg];
	/* the upper half of an int's register has no meaning */
	return type && (type->kind == PART_ULONG || type->kind == PART_LONG) ? v : (int32_t)v;
}

bool call_tells_was(const struct call_values *c, uint32_t arg)
{
	return arg < CALL_ARGS && c->p->about[arg][ABOUT_WAS] >= 0;
}

/* A length, before the call changed it; < 0: not known. */
static int64_t length_before(struct bytes data, struct bytes was)
{
	if (data.n >= 8)
		return (int32_t)bytes_number(bytes_at(data, 4, 4), 4);
	return was.n >= 4 ? (int32_t)bytes_number(was, 4) : -1;
}

/* If the program had less room than the address needs, the kernel wrote only as much as fits. */
static void cut_address(struct memory *m, const struct call_form *form, uint32_t arg, const struct call_values *c,
			const struct call_values *r)
{
	const struct part *next = arg + 1u < form->nargs ? form->args[arg + 1] : NULL;
	int64_t room;

	if (!next || next->kind != PART_MEMORY || next->memory->kind != MEMORY_LENGTH)
		return;
	room = length_before(bytes_of(c, r, arg + 1, ABOUT_DATA), bytes_in(c, arg + 1, ABOUT_DATA));
	if (room >= 0 && (uint64_t)room < m->data.n)
		m->data.n = (size_t)room;
}

bool call_memory(struct memory *m, const struct call_form *form, uint32_t arg, const struct call_values *c,
		 const struct call_values *r)
{
	const struct part *p = form && arg < form->nargs ? form->args[arg] : NULL;
	const struct layout *l;
	int64_t ret = -1;

	if (!p || p->kind != PART_MEMORY || !(has_field(c, arg) || has_field(r, arg)))
		return false;
	l = c->p->call.compat && !p->memory->both ? p->memory->narrow : p->memory;
	if (!l)
		return false;
	returned(r, &ret);
	*m = (struct memory){
		.layout = l,
		.data = bytes_of(c, r, arg, ABOUT_DATA), .addr = bytes_of(c, r, arg, ABOUT_ADDR),
		.iov = bytes_of(c, r, arg, ABOUT_IOV), .pieces = bytes_of(c, r, arg, ABOUT_PIECES),
		.control = bytes_of(c, r, arg, ABOUT_CONTROL), .names = bytes_of(c, r, arg, ABOUT_NAMES),
		.was = bytes_in(c, arg, call_tells_was(c, arg) ? ABOUT_WAS : ABOUT_DATA),
		.many = -1, .ret = ret,
		.at = c->n > 0 && c->p->first + arg < (uint32_t)c->n ? c->v[c->p->first + arg].u : 0,
	};
	if (l->kind == MEMORY_SOCKADDR)
		cut_address(m, form, arg, c, r);
	if (p->many == MANY_RET)
		m->many = ret;
	else if (p->many >= MANY_FIXED)
		m->many = p->many - MANY_FIXED;
	else if (p->many && p->many != MANY_THERE)
		m->many = argument(c, form, p->many - 1u);
	return m->data.n || !m->many;
}

const struct ctrace_value *call_path(const struct call_values *c, int field)
{
	if (!c || field < 0 || field >= c->n || !c->v[field].str.len)
		return NULL;
	return &c->v[field];
}
