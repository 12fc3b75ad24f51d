// SPDX-License-Identifier: GPL-2.0-only
/* Parsing aggregates: a list of functions, and perhaps a list of keys behind `by`. */
#include "lang/agg.h"
#include "lang/expr_parse.h"

static const struct {
	const char *name;
	u8 fn, words;
} functions[] = {
	{ "count", CTRACE_TABLE_COUNT, 1 }, { "sum", CTRACE_TABLE_SUM, 1 }, { "min", CTRACE_TABLE_MIN, 1 },
	{ "max", CTRACE_TABLE_MAX, 1 }, { "avg", CTRACE_TABLE_AVG, 2 },
	{ "hist", CTRACE_TABLE_HIST, CTRACE_TABLE_BUCKETS },
};
#define FUNCTIONS	"count() sum(FIELD) min(FIELD) max(FIELD) avg(FIELD) hist(FIELD)"

/* --- words ----------------------------------------------------------------------- */

static bool word_is(const struct ctrace_expr_parse *p, const char *name)
{
	return p->t.kind == CTRACE_T_NAME && strlen(name) == p->t.n && !memcmp(name, p->text + p->t.at, p->t.n);
}

static int take(struct ctrace_expr_parse *p, u8 kind, const char *what)
{
	return p->t.kind == kind ? ctrace_expr_next(p) : ctrace_expr_expect(p, what);
}

/* The column's name is the text from at to where the last token ended. */
static void name_it(const struct ctrace_expr_parse *p, struct ctrace_table_column *to, u32 at, u32 end)
{
	u32 n = end - at < sizeof(to->name) - 1 ? end - at : sizeof(to->name) - 1;

	memcpy(to->name, p->text + at, n);
}

/* A number's field into c; p->t becomes what follows it. */
static int take_field(struct ctrace_expr_parse *p, struct ctrace_agg *a, struct ctrace_agg_column *c, u8 *display,
		      u32 *end)
{
	struct ctrace_expr_operand o = { };
	int err;

	if (p->t.kind != CTRACE_T_NAME || p->text[p->t.at] == '$')
		return ctrace_expr_expect(p, "a field that is a number");
	err = ctrace_expr_resolve(p, &o);
	if (err)
		return err;
	if (!ctrace_expr_is_number(o.kind))
		return ctrace_expr_bad(p, p->t.at, "%s is a string, not a number", ctrace_expr_seen(p));
	c->what = o.what;
	c->part = o.part;
	c->is_signed = o.kind == CTRACE_FK_INT;
	*display = o.part ? CTRACE_FD_DEFAULT : p->fields[o.what].display;
	if (a->head <= o.what)
		a->head = o.what + 1;
	*end = p->t.at + p->t.n;
	return ctrace_expr_next(p);
}

/* --- functions -------------------------------------------------------------------- */

static int take_function(struct ctrace_expr_parse *p, struct ctrace_agg *a)
{
	struct ctrace_table_column *name = &a->value_names[a->nvalues];
	struct ctrace_agg_column *c = &a->values[a->nvalues];
	u32 at = p->t.at, end;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(functions) && !word_is(p, functions[i].name); i++)
		;
	if (i == ARRAY_SIZE(functions))
		return ctrace_expr_expect(p, "one of " FUNCTIONS);
	if (a->nvalues == CTRACE_TABLE_VALUES)
		return ctrace_expr_bad(p, at, "too many functions: at most %u are allowed", CTRACE_TABLE_VALUES);
	c->kind = functions[i].fn;
	c->words = functions[i].words;
	c->from = a->value_words;
	err = ctrace_expr_next(p) ?: take(p, CTRACE_T_OPEN, "'('");
	if (!err && c->kind != CTRACE_TABLE_COUNT)
		err = take_field(p, a, c, &name->display, &end);
	if (err)
		return err;
	end = p->t.at + 1;
	err = take(p, CTRACE_T_CLOSE, "')'");
	if (err)
		return err;
	name->kind = c->kind;
	name->is_signed = c->is_signed;
	name->words = c->words;
	name->at = c->from;
	name_it(p, name, at, end);
	a->value_words += c->words;
	a->nvalues++;
	return 0;
}

/* --- keys ------------------------------------------------------------------------- */

static int take_amount(struct ctrace_expr_parse *p, struct ctrace_agg_column *c, u32 *end)
{
	int err = ctrace_expr_next(p);

	if (err)
		return err;
	if (p->t.kind != CTRACE_T_NUMBER || p->t.minus || !p->t.num)
		return ctrace_expr_expect(p, "a number above 0");
	c->arg = p->t.num;
	if (c->op == CTRACE_AGG_DIVIDE && !(c->arg & (c->arg - 1)))
		c->reciprocal = 64 - __builtin_clzll(c->arg);
	*end = p->t.at + p->t.n;
	return ctrace_expr_next(p);
}

static u32 text_size(const struct ctrace_expr_operand *o)
{
	if (o->kind != CTRACE_FK_TEXT)
		return CTRACE_TABLE_TEXT;
	if (o->size <= CTRACE_COMM_LEN)
		return CTRACE_COMM_LEN;
	return o->size < CTRACE_TABLE_TEXT_MAX ? CTRACE_TABLE_TEXT : CTRACE_TABLE_TEXT_MAX;
}

/* A field, a word of the task, or a field's number rounded. */
static int take_operand(struct ctrace_expr_parse *p, struct ctrace_agg *a, struct ctrace_agg_column *c,
			struct ctrace_table_column *name, u32 *end)
{
	struct ctrace_expr_operand o = { };
	int err;

	if (p->t.kind != CTRACE_T_NAME)
		return ctrace_expr_expect(p, "a key: a field, a $word, stack, ustack, syscall or errno");
	if (word_is(p, "log2")) {
		c->op = CTRACE_AGG_LOG2;
		err = ctrace_expr_next(p) ?: take(p, CTRACE_T_OPEN, "'('") ?:
		      take_field(p, a, c, &name->display, end);
		name->display = CTRACE_FD_DEFAULT;
		*end = p->t.at + 1;
		return err ?: take(p, CTRACE_T_CLOSE, "')'");
	}
	err = ctrace_expr_operand(p, &o);
	if (err)
		return err;
	c->what = o.what;
	c->part = o.part;
	c->is_signed = o.kind == CTRACE_FK_INT;
	if (o.what >= CTRACE_WORD_COMM) {
		a->words = true;
	} else {
		name->display = o.part ? CTRACE_FD_DEFAULT : p->fields[o.what].display;
		if (a->head <= o.what)
			a->head = o.what + 1;
	}
	*end = p->t.at + p->t.n;
	if (ctrace_expr_is_string(o.kind)) {
		c->kind = CTRACE_TABLE_KEY_TEXT;
		c->words = text_size(&o) / sizeof(u64);
		return ctrace_expr_next(p);
	}
	err = ctrace_expr_next(p);
	if (err || (p->t.kind != CTRACE_T_SLASH && !(p->t.kind == CTRACE_T_OP && p->t.op == CTRACE_OP_BITS)))
		return err;
	c->op = p->t.kind == CTRACE_T_SLASH ? CTRACE_AGG_DIVIDE : CTRACE_AGG_MASK;
	return take_amount(p, c, end);
}

/* errno is made of ret, which all whole calls have, and operations of io_uring. */
static int of_call(struct ctrace_expr_parse *p, struct ctrace_agg *a, struct ctrace_agg_column *c, bool call)
{
	bool has_ret = call || c->kind == CTRACE_TABLE_KEY_ERRNO;
	u32 i;

	for (i = 0; has_ret && i < p->nfields; i++)
		if (!strcmp(p->fields[i].name, "ret") && p->fields[i].kind == CTRACE_FK_INT)
			break;
	if (!has_ret || i == p->nfields)
		return ctrace_expr_bad(p, p->t.at, "%s is a key of whole calls alone (calls, call:NAME)%s",
				       ctrace_expr_seen(p),
				       has_ret ? " and of events with a number 'ret'" : "");
	c->what = i;
	if (a->head <= i)
		a->head = i + 1;
	return 0;
}

/* Spans of the scheduler have a field called syscall. */
static bool is_field(const struct ctrace_expr_parse *p)
{
	u32 i;

	for (i = 0; i < p->nfields && !word_is(p, p->fields[i].name); i++)
		;
	return i < p->nfields;
}

static int take_key(struct ctrace_expr_parse *p, struct ctrace_agg *a, bool call)
{
	static const struct {
		const char *name;
		u8 kind;
	} own[] = {
		{ "stack", CTRACE_TABLE_KEY_STACK }, { "ustack", CTRACE_TABLE_KEY_USTACK },
		{ "syscall", CTRACE_TABLE_KEY_SYSCALL }, { "errno", CTRACE_TABLE_KEY_ERRNO },
	};
	struct ctrace_table_column *name = &a->key_names[a->nkeys];
	struct ctrace_agg_column *c = &a->keys[a->nkeys];
	u32 at = p->t.at, end = at + p->t.n;
	size_t i;
	int err = 0;

	if (word_is(p, "container"))
		return ctrace_expr_next(p);
	if (a->nkeys == CTRACE_TABLE_KEYS)
		return ctrace_expr_bad(p, at, "too many keys: at most %u are allowed beside the container",
				       CTRACE_TABLE_KEYS);
	c->words = 1;
	for (i = 0; i < ARRAY_SIZE(own) && !word_is(p, own[i].name); i++)
		;
	if (i < ARRAY_SIZE(own) && (call || !is_field(p))) {
		c->kind = own[i].kind;
		a->stack |= c->kind == CTRACE_TABLE_KEY_STACK;
		a->ustack |= c->kind == CTRACE_TABLE_KEY_USTACK;
		if (c->kind >= CTRACE_TABLE_KEY_SYSCALL)
			err = of_call(p, a, c, call);
		err = err ?: ctrace_expr_next(p);
	} else {
		c->kind = CTRACE_TABLE_KEY_NUMBER;
		err = take_operand(p, a, c, name, &end);
	}
	if (err)
		return err;
	if (a->key_words + c->words > CTRACE_TABLE_KEY_WORDS)
		return ctrace_expr_bad(p, at, "the keys are longer than %u bytes together",
				       (CTRACE_TABLE_KEY_WORDS - 1) * (u32)sizeof(u64));
	c->at = a->key_words;
	a->key_words += c->words;
	name->kind = c->kind;
	name->is_signed = c->is_signed;
	name->words = c->words;
	name->at = c->at;
	name_it(p, name, at, end);
	a->nkeys++;
	return 0;
}

/* --- the whole ---------------------------------------------------------------------- */

static int parse_agg(struct ctrace_expr_parse *p, struct ctrace_agg *a, bool call)
{
	int err = ctrace_expr_next(p) ?: take_function(p, a);

	while (!err && p->t.kind == CTRACE_T_COMMA)
		err = ctrace_expr_next(p) ?: take_function(p, a);
	if (err || p->t.kind == CTRACE_T_END)
		return err;
	if (!word_is(p, "by"))
		return ctrace_expr_expect(p, "',' or 'by'");
	do
		err = ctrace_expr_next(p) ?: take_key(p, a, call);
	while (!err && p->t.kind == CTRACE_T_COMMA);
	if (!err && p->t.kind != CTRACE_T_END)
		err = ctrace_expr_expect(p, "','");
	return err;
}

/* Most fields that are asked for are numbers with a fixed place: these are read without a walk. */
static void place(const struct ctrace_agg *a, struct ctrace_agg_column *c)
{
	const struct ctrace_field_place *f = a->fields.places;

	if (c->what >= a->fields.nfixed || c->part)
		return;
	f += c->what;
	if (!ctrace_expr_is_number(f->kind))
		return;
	c->size = f->size;
	c->place = f->at;
}

static void place_all(struct ctrace_agg *a)
{
	u32 i;

	for (i = 0; i < a->nkeys; i++)
		place(a, &a->keys[i]);
	for (i = 0; i < a->nvalues; i++)
		place(a, &a->values[i]);
}

int ctrace_agg_new(const char *text, const struct ctrace_field_desc *fields, u32 nfields, bool call,
		   struct ctrace_agg **out, char *why, size_t why_size)
{
	struct ctrace_expr_parse *p;
	struct ctrace_agg *a;
	int err = -ENOMEM;

	if (strnlen(text, CTRACE_TEXT_MAX) == CTRACE_TEXT_MAX) {
		snprintf(why, why_size, "aggregate: longer than %u bytes", CTRACE_TEXT_MAX - 1);
		return -EINVAL;
	}
	p = ctrace_zalloc(sizeof(*p));
	a = ctrace_zalloc(sizeof(*a));
	if (p && a) {
		p->subject = "aggregate";
		p->lists = true;
		p->text = text;
		p->fields = fields;
		p->nfields = nfields;
		p->why = why;
		p->why_size = why_size;
		a->key_words = 1;
		err = ctrace_expr_layout(p, &a->fields) ?: parse_agg(p, a, call);
	}
	if (!err) {
		place_all(a);
		*out = a;
	} else {
		ctrace_agg_free(a);
	}
	ctrace_free(p);
	return err;
}
