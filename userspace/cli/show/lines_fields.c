// SPDX-License-Identifier: GPL-2.0-only
/* What the columns of lines are made of. */
#include <inttypes.h>
#include <string.h>
#include "show/lines.h"

const struct ctrace_value *line_field(const struct line *l, const char *name)
{
	for (int i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].field->name, name))
			return &l->v[i];
	return NULL;
}

bool line_number(const struct line *l, const char *name, int64_t *n)
{
	const struct ctrace_value *v = line_field(l, name);

	if (!v || (v->field->kind != CTRACE_FK_UINT && v->field->kind != CTRACE_FK_INT))
		return false;
	*n = v->i;
	return true;
}

bool line_container(const struct line *l, struct sbuf *b, uint32_t cid)
{
	sbuf_puts(b, ctable_get(l->ctable, cid)->label);
	return true;
}

bool line_errno(struct sbuf *b, int64_t err)
{
	int e = syscall_errno(err);
	const char *name = e ? errno_name(e) : NULL;

	if (name)
		sbuf_puts(b, name);
	else if (e)
		sbuf_printf(b, "%d", e);
	return e;
}

bool line_text(const struct line *l, struct sbuf *b, const char *name)
{
	const struct ctrace_value *v = line_field(l, name);

	if (!v || (v->field->kind != CTRACE_FK_STRING && v->field->kind != CTRACE_FK_TEXT))
		return false;
	if (l->p->call.phase != SYSCALL_NONE && v >= l->v + l->p->first &&
	    syscall_mark(syscall_marks(l->p, l->v, l->n), (uint32_t)(v - l->v) - l->p->first, v) == ARG_NULL)
		return false;
	sbuf_put(b, v->str.s, v->str.len);
	return v->str.len;
}

bool line_get_comm(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	if (l->rec->tid)
		sbuf_puts(b, comms_get(l->comms, l->rec->tid));
	return l->rec->tid;
}

bool line_get_pid(struct line *l, struct sbuf *b, int64_t *n)
{
	const struct task *t = comms_task(l->comms, l->rec->tid);

	(void)b;
	*n = t->pid ? t->pid : l->rec->tid;
	return l->rec->tid;
}

bool line_get_duration(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "duration", n);
}
