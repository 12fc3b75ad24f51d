// SPDX-License-Identifier: GPL-2.0-only
/* An argument of a kprobe's definition: where it comes from, its type, its field. */
#include "lang/fetch_internal.h"

static const struct ctrace_fetch_reg *find_reg(const struct span *name)
{
	const struct ctrace_fetch_abi *abi = &ctrace_fetch_abi;
	u32 i;

	for (i = 0; i < abi->nregs; i++)
		if (is(name, abi->regs[i].name))
			return &abi->regs[i];
	return NULL;
}

static int use_reg(struct parser *p, struct ctrace_fetch_arg *a, const struct span *name)
{
	const struct ctrace_fetch_reg *r = find_reg(name);

	if (!r)
		return ctrace_fetch_bad(p, "unknown register '%%%.*s': use the kernel's name, such as %%di on x86-64",
					SPAN(*name));
	a->base = CTRACE_FETCH_REG;
	a->value = r->offset;
	return 0;
}

static int use_reg_named(struct parser *p, struct ctrace_fetch_arg *a, const char *name)
{
	struct span s = { name, name ? name + strlen(name) : name };

	if (!name)
		return ctrace_fetch_bad(p, "not available on this machine");
	return use_reg(p, a, &s);
}

static int function_arg(struct parser *p, struct ctrace_fetch_arg *a, const struct span *digits)
{
	const struct ctrace_fetch_abi *abi = &ctrace_fetch_abi;
	u64 n;

	if (!ctrace_fetch_number(digits, &n) || !n || n > 16)
		return ctrace_fetch_bad(p, "'$arg%.*s' is unknown: use $arg1 to $arg16", SPAN(*digits));
	if (p->f->ret || p->f->offset)
		return ctrace_fetch_bad(p, "$arg%u is known only at a function's entry", (u32)n);
	if (n <= abi->nargs)
		return use_reg_named(p, a, abi->args[n - 1]);
	a->base = CTRACE_FETCH_STACK;
	a->value = abi->stack_args + n - 1 - abi->nargs;
	return 0;
}

/* v: the text after the $ */
static int parse_variable(struct parser *p, struct ctrace_fetch_arg *a, const struct span *v)
{
	struct span rest;

	if (is(v, "stack"))
		return use_reg_named(p, a, ctrace_fetch_abi.sp);
	if (is(v, "comm") || is(v, "COMM")) {
		a->base = CTRACE_FETCH_COMM;
		return a->nderefs ? ctrace_fetch_bad(p, "$comm is a string, not an address") : 0;
	}
	if (is(v, "retval")) {
		if (!p->f->ret)
			return ctrace_fetch_bad(p, p->f->span ? "$retval is in the field 'ret' of each span" :
						"$retval is known only at a function's return: use r:NAME");
		return use_reg_named(p, a, ctrace_fetch_abi.retval);
	}
	if (v->end - v->at > 5 && !memcmp(v->at, "stack", 5)) {
		rest = after(v, 5);
		if (!ctrace_fetch_number(&rest, &a->value) || a->value > 4096)
			return ctrace_fetch_bad(p, "'$%.*s' is unknown: use $stack0 to $stack4096", SPAN(*v));
		a->base = CTRACE_FETCH_STACK;
		return 0;
	}
	if (v->end - v->at > 3 && !memcmp(v->at, "arg", 3)) {
		rest = after(v, 3);
		return function_arg(p, a, &rest);
	}
	return ctrace_fetch_bad(p, "unknown variable '$%.*s': use $argN, $stack, $stackN, $retval or $comm",
				SPAN(*v));
}

/* What the dereferences start from, up to the closing bracket or the type. */
static int parse_base(struct parser *p, struct ctrace_fetch_arg *a, struct span *s)
{
	struct span b = *s, number;
	bool negative;

	while (!empty(s) && *s->at != ')' && *s->at != ':')
		s->at++;
	b.end = s->at;
	a->base = CTRACE_FETCH_IMM;
	if (eat(&b, '%'))
		return use_reg(p, a, &b);
	if (eat(&b, '$'))
		return parse_variable(p, a, &b);
	if (eat(&b, '\\')) {
		negative = eat(&b, '-');
		if (!ctrace_fetch_number(&b, &a->value))
			return ctrace_fetch_bad(p, "'\\' takes a number, not '%.*s'", SPAN(b));
		if (negative)
			a->value = -a->value;
		return 0;
	}
	number = b;
	if (eat(&number, '@')) {
		if (!ctrace_fetch_number(&number, &a->value))
			return ctrace_fetch_bad(p, "'@%.*s': @ takes a number, because modules cannot look up the kernel's data symbols",
				   SPAN(number));
		if (a->nderefs == CTRACE_FETCH_DEREFS)
			return ctrace_fetch_bad(p, "more than %u dereferences", CTRACE_FETCH_DEREFS);
		a->derefs[a->nderefs++] = (struct ctrace_fetch_deref){ };
		return 0;
	}
	return ctrace_fetch_bad(p, "'%.*s' is unknown: use %%REG, $VARIABLE, @ADDRESS, \\NUMBER or +|-[u]OFFSET(...)",
				SPAN(b));
}

/* Any number of +|-[u]OFFSET( in each other, outermost first. */
static int parse_derefs(struct parser *p, struct ctrace_fetch_arg *a, struct span *s)
{
	struct ctrace_fetch_deref *d;
	bool negative;
	u64 n;

	while (!empty(s) && (*s->at == '+' || *s->at == '-')) {
		if (a->nderefs == CTRACE_FETCH_DEREFS)
			return ctrace_fetch_bad(p, "more than %u dereferences", CTRACE_FETCH_DEREFS);
		d = &a->derefs[a->nderefs++];
		negative = *s->at++ == '-';
		d->user = eat(s, 'u');
		if (!ctrace_fetch_eat_number(s, &n) || n > 0x7fffffff)
			return ctrace_fetch_bad(p, "a number up to 0x7fffffff is expected before '%.*s'", SPAN(*s));
		if (!eat(s, '('))
			return ctrace_fetch_bad(p, "'(' must follow the offset, as in +8($arg1)");
		d->offset = negative ? -(s32)n : (s32)n;
	}
	return 0;
}

static int parse_source(struct parser *p, struct ctrace_fetch_arg *a, struct span *s)
{
	struct ctrace_fetch_deref d;
	u32 i, open;
	int err;

	err = parse_derefs(p, a, s);
	open = a->nderefs;
	err = err ?: parse_base(p, a, s);
	if (err)
		return err;
	while (open--)
		if (!eat(s, ')'))
			return ctrace_fetch_bad(p, "a ')' is missing");
	for (i = 0; i < a->nderefs / 2; i++) {
		d = a->derefs[i];
		a->derefs[i] = a->derefs[a->nderefs - 1 - i];
		a->derefs[a->nderefs - 1 - i] = d;
	}
	return 0;
}

/* --- its type ---------------------------------------------------------------- */

static bool is_size(u64 bits)
{
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static void set_hex(struct ctrace_fetch_arg *a)
{
	a->kind = CTRACE_FK_UINT;
	a->display = CTRACE_FD_HEX;
}

/* bWIDTH@SHIFT/SIZE, after the b */
static bool parse_bits(struct ctrace_fetch_arg *a, struct span s)
{
	u64 width, shift, size;

	if (!ctrace_fetch_eat_number(&s, &width) || !eat(&s, '@') || !ctrace_fetch_eat_number(&s, &shift) || !eat(&s, '/') ||
	    !ctrace_fetch_eat_number(&s, &size) || !empty(&s) || !is_size(size) || !width || width > size ||
	    shift > size - width)
		return false;
	a->kind = CTRACE_FK_UINT;
	a->size = size / 8;
	a->bits = width;
	a->shift = shift;
	return true;
}

static bool parse_number_type(struct ctrace_fetch_arg *a, struct span s)
{
	u64 n;

	if (eat(&s, 'b'))
		return parse_bits(a, s);
	if (eat(&s, 'u'))
		a->kind = CTRACE_FK_UINT;
	else if (eat(&s, 's'))
		a->kind = CTRACE_FK_INT;
	else if (eat(&s, 'x'))
		set_hex(a);
	else
		return false;
	if (!ctrace_fetch_number(&s, &n) || !is_size(n))
		return false;
	a->size = n / 8;
	return true;
}

static int parse_string_type(struct parser *p, struct ctrace_fetch_arg *a, bool user)
{
	if (a->count)
		return ctrace_fetch_bad(p, "an array cannot hold strings: take +0(+0($arg1)):string, +0(+8($arg1)):string ...");
	if (!a->nderefs)
		return ctrace_fetch_bad(p, "a string must be in memory: use +0(...):%s", user ? "ustring" : "string");
	if (user)
		a->derefs[a->nderefs - 1].user = true;
	a->kind = CTRACE_FK_STRING;
	return 0;
}

/* t: the text after the colon */
static int parse_type(struct parser *p, struct ctrace_fetch_arg *a, struct span t)
{
	struct span all = t, count;
	u64 n;

	if (ctrace_fetch_split(&all, '[', &t, &count)) {
		if (!ctrace_fetch_eat_number(&count, &n) || !eat(&count, ']') || !empty(&count) || !n ||
		    n > CTRACE_FETCH_COUNT)
			return ctrace_fetch_bad(p, "an array has 1 to %u elements: write TYPE[N]", CTRACE_FETCH_COUNT);
		a->count = n;
	}
	if (a->base == CTRACE_FETCH_COMM) {
		if (!is(&all, "string"))
			return ctrace_fetch_bad(p, "$comm is a string: leave its type out");
		a->kind = CTRACE_FK_STRING;
		return 0;
	}
	if (is(&t, "string") || is(&t, "ustring"))
		return parse_string_type(p, a, *t.at == 'u');
	if (!parse_number_type(a, t))
		return ctrace_fetch_bad(p, "unknown type '%.*s': use u8 s8 x8 to u64 s64 x64, bWIDTH@SHIFT/SIZE, string, ustring or TYPE[N]",
			   SPAN(all));
	if (a->count && !a->nderefs)
		return ctrace_fetch_bad(p, "an array must be in memory: use +0(...):%.*s", SPAN(all));
	return 0;
}

/* --- the arguments as fields ------------------------------------------------- */

static bool same_name(const char *a, const struct ctrace_fetch_arg *b)
{
	size_t n = strlen(b->name);

	/* The count of an array is a field as well, NAME_length. */
	return !strcmp(a, b->name) ||
	       (b->count && !strncmp(a, b->name, n) && !strcmp(a + n, "_length"));
}

static int add_field(struct parser *p, struct ctrace_fetch_arg *a)
{
	struct ctrace_fetch *f = p->f;
	struct ctrace_field_desc *d = &f->fields[f->nfields];
	const struct ctrace_fetch_arg *b;

	for (b = f->args; b < a; b++)
		if (same_name(a->name, b) || same_name(b->name, a))
			return ctrace_fetch_bad(p, "the name is already taken by argument '%s'", b->name);
	if (f->span && (!strcmp(a->name, f->fields[0].name) || !strcmp(a->name, f->fields[1].name)))
		return ctrace_fetch_bad(p, "each span has a field '%s' already", a->name);
	d->name = a->name;
	d->size = a->size;
	d->kind = a->kind;
	d->display = a->display;
	if (a->count)
		d->kind = a->kind == CTRACE_FK_INT ? CTRACE_FK_SEQ_INT : CTRACE_FK_SEQ;
	if (a->base != CTRACE_FETCH_COMM && (a->base != CTRACE_FETCH_IMM || a->nderefs))
		f->kaddr = true;
	f->nargs++;
	f->nfields++;
	return 0;
}

int ctrace_fetch_parse_arg(struct parser *p, const struct span *word)
{
	struct ctrace_fetch *f = p->f;
	struct ctrace_fetch_arg *a = &f->args[f->nargs];
	struct span name, s = *word;
	int err;

	if (f->nfields == CTRACE_FETCH_ARGS)
		return ctrace_fetch_bad(p, "more than %u arguments", f->nargs);
	if (ctrace_fetch_split(word, '=', &name, &s)) {
		if (!ctrace_fetch_good_name(&name))
			return ctrace_fetch_bad(p, "'%.*s' is not a valid argument name: use letters, digits and '_', and no digit first",
						SPAN(name));
		if (!ctrace_fetch_take(&name, a->name, sizeof(a->name)))
			return ctrace_fetch_bad(p, "an argument's name may have at most %u characters", CTRACE_FETCH_NAME - 1);
	} else {
		snprintf(a->name, sizeof(a->name), "arg%u", f->nargs + 1);
	}
	err = parse_source(p, a, &s);
	if (err)
		return err;
	if (empty(&s) && a->base == CTRACE_FETCH_COMM) {
		a->kind = CTRACE_FK_STRING;
	} else if (empty(&s)) {
		set_hex(a);
		a->size = 8;
	} else {
		if (!eat(&s, ':'))
			return ctrace_fetch_bad(p, "only :TYPE may follow, not '%.*s'", SPAN(s));
		err = parse_type(p, a, s);
		if (err)
			return err;
	}
	return add_field(p, a);
}
