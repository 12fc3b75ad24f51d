// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "export/export.h"

void details_reset(struct details *d)
{
	d->n = 0;
	sbuf_reset(&d->text);
}

const char *detail_text(const struct details *d, const struct detail *x)
{
	return d->text.s + x->at;
}

static struct detail *add(struct details *d, const char *name, enum detail_kind kind)
{
	struct detail *x;

	if (d->n == DETAILS_MAX)
		d->n--;
	x = &d->v[d->n++];
	*x = (struct detail){ .name = name, .kind = kind, .at = d->text.len };
	return x;
}

/* The text must be UTF-8: names that others chose may be anything. */
static void add_text(struct details *d, const char *name, const char *s)
{
	add(d, name, DETAIL_TEXT);
	sbuf_clean(&d->text, s);
	sbuf_putc(&d->text, '\0');
}

static void add_painted(struct details *d, paint_fn fn, const struct ctrace_value *v)
{
	struct sbuf b = { 0 };

	fn(&b, v);
	add_text(d, v->field->name, b.s ? b.s : "");
	sbuf_free(&b);
}

/* Text as it is: without the quotes that it has in a line. */
static void add_string(struct details *d, const struct ctrace_value *v)
{
	char *s = xstrndup(v->str.s, v->str.len);

	add_text(d, v->field->name, s);
	free(s);
}

static bool is_plain(const struct paint *p, int i, const struct ctrace_value *v)
{
	static const char letters[] = "0123456789-x";
	struct sbuf b = { 0 };
	bool plain;

	p->fields[i].fn(&b, v);
	plain = b.s && strspn(b.s, letters) == (b.s[0] == '0' && b.s[1] == 'x' ? 2 : b.len);
	sbuf_free(&b);
	return plain;
}

void details_fields(struct details *d, const struct paint *p, const struct ctrace_value *v, int n, bool span)
{
	for (int i = 0; i < n; i++) {
		const struct ctrace_field *f = v[i].field;

		if (p->fields[i].stack || (span && !strcmp(f->name, "duration")))
			continue;
		if (f->kind == CTRACE_FK_UINT && f->display == CTRACE_FD_HEX)
			add(d, f->name, DETAIL_ADDRESS)->n = v[i].u;
		else if (f->kind == CTRACE_FK_TEXT || (f->kind == CTRACE_FK_STRING && !is_list(p->type, f)))
			add_string(d, &v[i]);
		else if ((f->kind == CTRACE_FK_UINT || f->kind == CTRACE_FK_INT) && is_plain(p, i, &v[i]))
			add(d, f->name, f->kind == CTRACE_FK_INT ? DETAIL_INT : DETAIL_UINT)->n = v[i].u;
		else
			add_painted(d, p->fields[i].fn, &v[i]);
	}
}

void details_args(struct details *d, const struct call_values *c, const struct call_values *r)
{
	struct sbuf b = { 0 };

	syscall_put_args(&b, c, r);
	add_text(d, "args", b.s ? b.s : "");
	sbuf_free(&b);
}

void details_ret(struct details *d, int64_t ret)
{
	int err = syscall_errno(ret);

	add(d, "ret", DETAIL_INT)->n = (uint64_t)ret;
	if (err && errno_name(err))
		add_text(d, "errno", errno_name(err));
}
