// SPDX-License-Identifier: GPL-2.0-only
/* System calls in strace's form. The tables of calls.h have the types of their arguments. */
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include "strace/paint.h"

#define MARKS	"marks"		/* the field that has CTRACE_CALL_M_* */
#define COMPAT	"compat_"	/* before the names of calls of 32-bit programs */

static bool one_of(const char *word, const char *list)
{
	size_t n = strlen(word);

	for (; *list; list += strcspn(list, " "), list += *list == ' ')
		if (!strncmp(list, word, n) && (list[n] == ' ' || !list[n]))
			return true;
	return false;
}

void syscall_identify(struct syscall_ref *ref, const struct ctrace_event_type *t,
		      const struct ctrace_record *rec)
{
	static const char *const prefix[] = {
		[SYSCALL_ENTER] = "syscall_entry_", [SYSCALL_EXIT] = "syscall_exit_", [SYSCALL_WHOLE] = "syscall_",
	};
	struct ctrace_id_call c = ctrace_id_call(rec->id);
	const char *compat, *of;
	size_t len;
	char *name;

	memset(ref, 0, sizeof(*ref));
	if (rec->id == CTRACE_ID_SYS_ENTER_UNKNOWN || rec->id == CTRACE_ID_SYS_EXIT_UNKNOWN) {
		ref->phase = rec->id == CTRACE_ID_SYS_ENTER_UNKNOWN ? SYSCALL_ENTER : SYSCALL_EXIT;
		ref->nr = -1;
		if (rec->len >= sizeof(*rec) + 8)
			memcpy(&ref->nr, rec + 1, 8);
		snprintf(ref->name, sizeof(ref->name), "syscall_%lld", (long long)ref->nr);
		return;
	}
	if (c.phase == CTRACE_CALL_NONE)
		return;
	ref->phase = c.phase == CTRACE_CALL_ENTRY ? SYSCALL_ENTER :
		     c.phase == CTRACE_CALL_EXIT ? SYSCALL_EXIT : SYSCALL_WHOLE;
	ref->compat = c.is32;
	ref->nr = c.nr;
	compat = ref->compat ? COMPAT : "";
	len = strlen(prefix[ref->phase]);
	of = t && !strncmp(t->name, compat, strlen(compat)) ? t->name + strlen(compat) : "";
	if (!strncmp(of, prefix[ref->phase], len)) {
		snprintf(ref->name, sizeof(ref->name), "%s%s", compat, of + len);
		return;
	}
	/* the call is newer than the headers the module was built with; libseccomp may know it */
#ifdef __x86_64__
	name = seccomp_syscall_resolve_num_arch(ref->compat ? SCMP_ARCH_X86 : SCMP_ARCH_NATIVE,
						(int)ref->nr);
#else
	name = seccomp_syscall_resolve_num_arch(ref->compat ? SCMP_ARCH_ARM : SCMP_ARCH_NATIVE,
						(int)ref->nr);
#endif
	if (name)
		snprintf(ref->name, sizeof(ref->name), "%s%s", compat, name);
	else
		snprintf(ref->name, sizeof(ref->name), "%ssyscall_%lld", compat, (long long)ref->nr);
	free(name);
}

bool syscall_whole(const struct ctrace_event_type *t, const struct ctrace_record *rec, uint64_t *duration,
		   int64_t *ret)
{
	struct ctrace_value v[FIELDS_MAX];
	int n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : -1;

	if (n < 2)
		return false;
	*duration = v[0].u;
	*ret = v[1].i;
	return true;
}

/* --- arguments ----------------------------------------------------------------- */

static void paint_address(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_printf(b, v->u ? "0x%llx" : "NULL", (unsigned long long)v->u);
}

static bool is_number(const struct ctrace_field *f)
{
	return f->kind == CTRACE_FK_UINT || f->kind == CTRACE_FK_INT;
}

static paint_fn plain_paint(const struct ctrace_event_type *t, const struct ctrace_field *f)
{
	return f->kind == CTRACE_FK_UINT && f->display == CTRACE_FD_HEX ? paint_address : field_paint(t, f);
}

const struct call_args *syscall_find_args(const struct syscall_ref *call)
{
	const char *bare = call->name + (call->compat ? strlen(COMPAT) : 0);
	const struct call_args *found = NULL;

	for (const struct call_args *a = call_args; a < call_args + ncall_args; a++) {
		if (!strcmp(a->name, call->name))
			return a;
		if (!strcmp(a->name, bare))
			found = a;
	}
	return found;
}

static const struct part *find_field(const char *name)
{
	for (uint32_t i = 0; i < nfield_args; i++)
		if (!strcmp(field_args[i].name, name))
			return field_args[i].arg;
	return NULL;
}

void syscall_paint(struct paint *p, const struct ctrace_schema *s, bool plain)
{
	const char *call = p->call.name + (p->call.compat ? strlen(COMPAT) : 0);
	uint32_t n = p->type ? p->type->nfields : 0;

	if (p->call.nr < 0)
		p->call.name[0] = 0;
	p->last = one_of(call, "exit exit_group");
	p->fork = one_of(call, "fork vfork clone clone3");
	p->clone = !strcmp(call, "clone");
	p->first = syscall_first(p->type, p->call.phase, p->call.nr, &p->marks);
	call_about(p, s);
	if (!plain)
		p->args = syscall_find_args(&p->call);
	p->plain = plain;
	p->timeout = !plain && one_of(call, "poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 "
						 "recvmmsg recvmmsg_time64");
	for (uint32_t i = 0; i < n; i++) {
		const struct ctrace_field *f = &p->type->fields[i];

		p->fields[i].fn = plain_paint(p->type, f);
		p->fields[i].number = is_number(f);
		if (!plain && !p->args && is_number(f))
			p->fields[i].arg = find_field(f->name);
	}
}

/* Has the argument these bits? */
static bool has_bits(const struct paint *p, const struct ctrace_value *v, uint32_t n, uint8_t arg, uint64_t mask,
		     uint64_t value)
{
	uint32_t i = p->first + arg;

	return !mask || (i < n && p->fields[i].number && (v[i].u & mask) == value);
}

enum arg_mark syscall_mark(uint64_t marks, uint32_t arg, const struct ctrace_value *v)
{
	if (arg >= 6 || v->field->kind != CTRACE_FK_STRING)
		return ARG_PLAIN;
	return marks & CTRACE_CALL_M_NULL(arg) ? ARG_NULL : marks & CTRACE_CALL_M_UNREAD(arg) ? ARG_UNREAD : ARG_PLAIN;
}

uint64_t syscall_unread(const struct ctrace_value *v)
{
	char hex[24] = "";

	memcpy(hex, v->str.s, v->str.len < sizeof(hex) - 1 ? v->str.len : sizeof(hex) - 1);
	return strtoull(hex, NULL, 16);
}

uint32_t syscall_first(const struct ctrace_event_type *t, enum syscall_phase phase, int64_t nr, int *marks)
{
	uint32_t first = phase == SYSCALL_WHOLE ? 2 : nr < 0 ? 1 : 0;

	*marks = -1;
	if (t && first < t->nfields && !strcmp(t->fields[first].name, MARKS))
		*marks = (int)first++;
	return first;
}

uint64_t syscall_marks(const struct paint *p, const struct ctrace_value *v, int n)
{
	return p->marks >= 0 && p->marks < n ? v[p->marks].u : 0;
}

/* The form that the call has with these arguments. */
const struct call_form *syscall_form(const struct paint *p, const struct ctrace_value *v, uint32_t n)
{
	const struct call_args *a = p->args;

	if (!a)
		return NULL;
	for (uint32_t i = 0; i < a->nvariants; i++) {
		const struct call_variant *x = &a->variants[i];

		if (has_bits(p, v, n, a->by, x->mask, x->value) &&
		    has_bits(p, v, n, x->also, x->also_mask, x->also_value))
			return &x->form;
	}
	return &a->form;
}

/*
 * As strace does: between < and >, which are escaped in paths. Quotes are escaped in names that are not
 * paths.
 */
void path_put(struct sbuf *b, const char *s, size_t len)
{
	const char *end = s + len;
	static const char deleted[] = " (deleted)";	/* as the kernel ends such a path */
	const size_t tail = sizeof(deleted) - 1;
	bool file = *s == '/', gone = file && len > tail && !memcmp(end - tail, deleted, tail);

	if (gone)
		end -= tail;
	sbuf_putc(b, '<');
	while (s < end) {
		size_t n = 0;

		while (s + n < end && (file ? s[n] != '<' && s[n] != '>' : s[n] != '"'))
			n++;
		sbuf_escape(b, s, n);
		s += n;
		if (s == end)
			break;
		if (!file)
			sbuf_putc(b, *s);
		else
			sbuf_printf(b, s + 1 < end && s[1] >= '0' && s[1] <= '7' ? "\\%03o" : "\\%o", *s);
		s++;
	}
	sbuf_puts(b, gone ? ">(deleted)" : ">");
}

static const struct ctrace_value *arg_path(const struct call_values *c, uint32_t arg)
{
	return c && !c->p->plain && arg < CALL_ARGS ? call_path(c, c->p->about[arg][ABOUT_PATH]) : NULL;
}

/* Appends an argument's memory as the program gave it. False: nothing was appended. */
static bool put_memory(struct sbuf *b, const struct call_form *form, uint32_t arg, const struct part *type,
		       const struct call_values *c, const struct call_values *r)
{
	struct memory m;

	if (!call_memory(&m, form, arg, c, r))
		return false;
	/* a call that failed has not changed the memory */
	if (found_in(c->p, m.layout) && (m.was.n || m.ret >= 0))
		m.data = m.was;
	return memory_put_text(b, type, &m);
}

static void put_number(struct sbuf *b, const struct call_form *form, uint32_t arg, const struct part *type,
		       const struct call_values *c, const struct call_values *r)
{
	uint32_t at = c->p->first + arg;
	const struct ctrace_value *path;

	if (!type) {
		c->p->fields[at].fn(b, &c->v[at]);
	} else if (!c->v[at].u || !put_memory(b, form, arg, type, c, r)) {
		number_put(b, type, c->v[at].u);
	}
	path = arg_path(c, arg) ?: arg_path(r, arg);
	/* to most calls, AT_FDCWD is an ordinary number */
	if (path && type && type->kind == PART_INT && (int32_t)c->v[at].u < 0)
		path = NULL;
	if (path)
		path_put(b, path->str.s, path->str.len);
}

/* The mask that rt_sigreturn() restores, as strace shows it. mask: what a set of signals is. */
static void put_frame(struct sbuf *b, const struct part *mask, const struct call_values *c)
{
	const void *frame = mask && mask->kind == PART_MEMORY ? call_frame(c) : NULL;
	const struct memory m = { .layout = frame ? mask->memory : NULL, .data = { frame, 8 }, .many = 8 };
	size_t len = b->len;

	if (!frame)
		return;
	sbuf_puts(b, "{mask=");
	if (memory_put_text(b, mask, &m)) {
		sbuf_putc(b, '}');
		return;
	}
	b->len = len;
	b->s[len] = '\0';
}

const struct call_form *syscall_put_args(struct sbuf *b, const struct call_values *c, const struct call_values *r)
{
	const struct paint *p = c->p;
	const struct ctrace_value *v = c->v;
	const struct call_form *form;
	uint64_t marks = syscall_marks(p, v, c->n);

	if (c->n < 0) {
		sbuf_puts(b, "?");
		return NULL;
	}
	form = syscall_form(p, v, (uint32_t)c->n);
	if (form && p->clone && clone_put_args(b, c, r, form->args[0]))
		return form;
	if (form && form->nargs && !p->nargs)
		put_frame(b, form->args[0], c);
	for (uint32_t i = p->first; i < (uint32_t)c->n && i - p->first < p->nargs; i++) {
		enum arg_mark mark = syscall_mark(marks, i - p->first, &v[i]);
		const struct part *arg = p->fields[i].arg;

		if (form) {
			if (i - p->first >= form->nargs)
				break;
			arg = form->args[i - p->first];
			if (!arg)
				continue;
			if (!p->fields[i].number)
				arg = NULL;
		}
		if (i > p->first)
			sbuf_puts(b, ", ");
		if (mark == ARG_NULL)
			sbuf_puts(b, "NULL");
		else if (mark == ARG_UNREAD)
			sbuf_printf(b, "0x%llx", (unsigned long long)syscall_unread(&v[i]));
		else
			put_number(b, form, i - p->first, arg, c, r);
	}
	return form;
}

void syscall_put_resumed(struct sbuf *b, const struct call_form *form, const struct call_values *entry,
			 const struct call_values *r, bool after)
{
	struct memory m;

	for (uint32_t i = 0; form && i < form->nargs; i++) {
		size_t len = b->len;

		if (!call_memory(&m, form, i, entry, r) || !m.data.n || found_in(r->p, m.layout))
			continue;
		sbuf_puts(b, after ? ", " : "");
		if (memory_put_text(b, form->args[i], &m)) {
			after = true;
			continue;
		}
		b->len = len;
		b->s[len] = '\0';
	}
}

static const char *restart_text(int err)
{
	switch (err) {
	case 512: return "To be restarted if SA_RESTART is set";
	case 513: return "To be restarted";
	case 514: return "To be restarted if no handler";
	case 516: return "Interrupted by signal";
	}
	return NULL;
}

/* A number that has no name is shown alone. */
static void put_named_return(struct sbuf *b, const struct call_form *form, uint64_t ret)
{
	size_t number, name;
	bool decimal;

	if (!form->ret_label) {
		sbuf_puts(b, "= ");
		number_put(b, form->ret, ret);
		return;
	}
	decimal = !ret || form->ret->kind == PART_SIG || !strcmp(form->ret_label, "d");
	sbuf_printf(b, decimal ? "= %llu" : "= 0x%llx", (unsigned long long)ret);
	number = b->len;
	sbuf_puts(b, " (");
	if (!decimal && *form->ret_label)
		sbuf_printf(b, "%s ", form->ret_label);
	name = b->len;
	number_put(b, form->ret, ret);
	if (strcmp(b->s + name, "0")) {
		sbuf_putc(b, ')');
		return;
	}
	b->len = number;
	b->s[number] = '\0';
}

void syscall_put_return(struct sbuf *b, const struct call_form *form, int64_t ret)
{
	int err = syscall_errno(ret);
	const char *name = errno_name(err);

	if (err && restart_text(err))
		sbuf_printf(b, "= ? %s (%s)", name, restart_text(err));
	else if (err && name)
		sbuf_printf(b, "= -1 %s (%s)", name, strerror(err));
	else if (err)
		sbuf_printf(b, "= -1 (errno %d)", err);
	else if (form && form->ret)
		put_named_return(b, form, (uint64_t)ret);
	else
		sbuf_printf(b, "= %lld", (long long)ret);
}

void syscall_put_result(struct sbuf *b, const struct call_form *form, const struct call_values *c,
			const struct call_values *r, int64_t ret)
{
	const struct ctrace_value *path = r->p->plain ? NULL : call_path(r, r->p->ret_path);

	syscall_put_return(b, form, ret);
	/* a result with a type of its own is not a descriptor */
	if (path && ret >= 0 && !(form && form->ret))
		path_put(b, path->str.s, path->str.len);
	if (!ret && c->p->timeout)
		sbuf_puts(b, " (Timeout)");
	found_put(b, form, c, r, ret);
}
