// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "aggregate/table.h"
#include "lang/expr_internal.h"
#include "aggregate_map.h"
#include "base/cli.h"
#include "count/tally.h"

#define PAGE		4096u
#define OTHERS_MIN	64u	/* these two as in the module */
#define STACKS_MIN	64u

struct tally_type {
	struct tally *tally;
	struct tally_type *next;
	struct ctrace_agg *agg;
	struct ctrace_expr *expr;	/* or NULL */
	bool call;
};

struct tally {
	uint32_t ncpus, rows;
	bool (*alive)(const void *arg, uint32_t cid);
	const void *arg;
	struct tally_type *types;
	struct ctrace_table_shape shape;
	char *map;		/* a page, then the table; in the module's mapping the page is a directory */
	struct ctrace_table *head;
	struct ctrace_aggregate *a;
};

/* The tally of known(), which table.h calls without an argument. */
static const struct tally *asking;

static bool known(u32 cid)
{
	return asking->alive(asking->arg, cid);
}

struct tally *tally_new(uint32_t ncpus, uint32_t rows, bool (*alive)(const void *arg, uint32_t cid), const void *arg)
{
	struct tally *t = xcalloc(1, sizeof(*t));

	t->ncpus = ncpus;
	for (t->rows = 1; t->rows < rows; t->rows *= 2)
		;
	t->alive = alive;
	t->arg = arg;
	return t;
}

void tally_free(struct tally *t)
{
	struct tally_type *next;

	if (!t)
		return;
	for (struct tally_type *x = t->types; x; x = next) {
		next = x->next;
		ctrace_agg_free(x->agg);
		ctrace_expr_free(x->expr);
		free(x);
	}
	ctrace_aggregate_close(t->a);
	free(t->map);
	free(t);
}

/* --- compiling ------------------------------------------------------------------- */

static struct ctrace_table_shape shape_of(const struct ctrace_agg *a)
{
	struct ctrace_table_shape s = { .key_words = a->key_words, .nvalues = a->nvalues };

	s.row_size = sizeof(struct ctrace_table_row) + (a->key_words + a->value_words) * sizeof(u64);
	for (u32 i = 0; i < a->nvalues; i++) {
		s.values[i].fn = a->values[i].kind;
		s.values[i].is_signed = a->values[i].is_signed;
		s.values[i].at = a->key_words + a->values[i].from;
	}
	return s;
}

int tally_add(struct tally *t, const struct ctrace_event_type *type, const char *aggregate, const char *filter,
	      struct tally_type **out, char *why, size_t why_size)
{
	struct ctrace_field_desc fields[CTRACE_EXPR_FIELDS];
	struct tally_type *x;
	struct ctrace_table_shape s;
	uint32_t n = type->nfields;
	int err;

	if (n > CTRACE_EXPR_FIELDS) {
		snprintf(why, why_size, "event '%s' has more than %u fields", type->name, CTRACE_EXPR_FIELDS);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct ctrace_field *f = &type->fields[i];

		fields[i] = (struct ctrace_field_desc){ f->name, (u8)f->kind, (u8)f->display, (u8)f->size };
	}
	x = xcalloc(1, sizeof(*x));
	x->tally = t;
	x->call = ctrace_id_call(type->id).phase == CTRACE_CALL_WHOLE;
	err = ctrace_agg_new(aggregate, fields, n, x->call, &x->agg, why, why_size);
	if (!err && filter)
		err = ctrace_expr_new(filter, fields, n, &x->expr, why, why_size);
	if (!err) {
		s = shape_of(x->agg);
		if (t->types && (s.row_size != t->shape.row_size || s.key_words != t->shape.key_words ||
				 s.nvalues != t->shape.nvalues || memcmp(s.values, t->shape.values, sizeof(s.values)))) {
			snprintf(why, why_size, "the events differ in the fields that the aggregate asks for");
			err = -EINVAL;
		} else {
			t->shape = s;
		}
	}
	/* also a type that was refused is freed with the tally */
	x->next = t->types;
	t->types = x;
	*out = err ? NULL : x;
	return err;
}

static uint32_t word_bit(u8 what)
{
	switch (what) {
	case CTRACE_WORD_COMM:
		return TALLY_COMM;
	case CTRACE_WORD_PID:
		return TALLY_PID;
	case CTRACE_WORD_UID:
	case CTRACE_WORD_GID:
		return TALLY_USER;
	}
	return 0;
}

static uint32_t expr_asks(const struct ctrace_expr *e)
{
	uint32_t asks = 0;

	for (u32 i = 0; e && i < e->nterms; i++)
		asks |= word_bit(e->terms[i].what);
	return asks;
}

uint32_t tally_asks(const struct tally_type *of)
{
	uint32_t asks = expr_asks(of->expr);

	for (u32 i = 0; i < of->agg->nkeys; i++)
		if (of->agg->keys[i].kind == CTRACE_TABLE_KEY_NUMBER || of->agg->keys[i].kind == CTRACE_TABLE_KEY_TEXT)
			asks |= word_bit(of->agg->keys[i].what);
	return asks | (of->agg->stack ? TALLY_STACK : 0) | (of->agg->ustack ? TALLY_USTACK : 0);
}

/* --- the table ------------------------------------------------------------------- */

static char *part_at(const struct tally *t, uint32_t cpu)
{
	return (char *)t->head + t->head->parts_off + cpu * t->head->part_stride;
}

static uint64_t whole_pages(uint64_t n)
{
	return (n + PAGE - 1) / PAGE * PAGE;
}

struct ctrace_aggregate *tally_open(struct tally *t)
{
	static const u64 all[CTRACE_TABLE_KEY_WORDS] = { CTRACE_CID_ALL | CTRACE_TABLE_OTHER };
	struct ctrace_table_shape *s = &t->shape;
	uint32_t others = t->rows / 8 > OTHERS_MIN ? t->rows / 8 : OTHERS_MIN, stacks = 0;
	const struct ctrace_agg *a;
	struct ctrace_table *h;
	uint64_t part, size;

	if (!t->types)
		return NULL;
	a = t->types->agg;
	if (a->stack || a->ustack)
		stacks = t->rows > STACKS_MIN ? t->rows : STACKS_MIN;
	part = sizeof(struct ctrace_table_part) + (uint64_t)(t->rows + others) * s->row_size +
	       (uint64_t)stacks * sizeof(struct ctrace_table_stack);
	part = whole_pages(part);
	if (part > UINT32_MAX)
		return NULL;
	s->rows_mask = t->rows - 1;
	s->others_mask = others - 1;
	s->stacks_mask = stacks ? stacks - 1 : 0;
	s->rows_off = sizeof(struct ctrace_table_part);
	s->others_off = s->rows_off + t->rows * s->row_size;
	s->stacks_off = s->others_off + others * s->row_size;
	size = whole_pages(sizeof(*h)) + t->ncpus * part;
	/* only pages that are used take memory */
	t->map = xcalloc(1, PAGE + size);
	h = t->head = (void *)(t->map + PAGE);
	*h = (struct ctrace_table){
		.magic = CTRACE_TABLE_MAGIC, .ncpus = t->ncpus, .nkeys = a->nkeys, .nvalues = a->nvalues,
		.key_words = a->key_words, .value_words = a->value_words, .row_size = s->row_size, .nrows = t->rows,
		.nothers = others, .nstacks = stacks, .parts_off = whole_pages(sizeof(*h)), .part_stride = part,
		.rows_off = s->rows_off, .others_off = s->others_off, .stacks_off = s->stacks_off, .size = size,
	};
	memcpy(h->keys, a->key_names, sizeof(h->keys));
	memcpy(h->values, a->value_names, sizeof(h->values));
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		ctrace_table_make(s, ctrace_table_rest(s, (void *)part_at(t, cpu)), 0, all, 0);
	return ctrace_aggregate_open_map(t->map, PAGE, size, PAGE, &t->a) ? NULL : t->a;
}

/* --- counting -------------------------------------------------------------------- */

/* As the module's: so the same keys share places, and the same events are in (other). */
static u32 hash_key(const u64 *key, u32 n)
{
	u64 h = key[0];

	for (u32 i = 1; i < n; i++)
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15ull;
	return (u32)(h * 0x61c8864680b583ebull >> 32);
}

static u64 stack_key(const struct tally *t, struct ctrace_table_part *part, const struct stack *k)
{
	u32 n;

	if (!k || !k->there) {
		part->stacks_lost++;
		return 0;
	}
	n = k->n < CTRACE_TABLE_FRAMES ? (u32)k->n : CTRACE_TABLE_FRAMES;
	return ctrace_table_stack(&t->shape, part, k->v, n, n ? hash_key(k->v, n) : 0);
}

static struct ctrace_expr_ctx context(const struct tally_event *e)
{
	return (struct ctrace_expr_ctx){
		.comm = e->comm, .tid = e->rec->tid, .vtid = e->rec->vtid, .pid = e->pid,
		.uid = CTRACE_EXPR_NO_ID, .gid = CTRACE_EXPR_NO_ID, .cid = e->rec->cid, .cpu = e->cpu,
	};
}

bool tally_count(struct tally_type *of, const struct tally_event *e)
{
	const void *payload = e->rec + 1;
	u32 len = e->rec->len - (u32)sizeof(*e->rec), what = ~0u;
	struct ctrace_table_part *part = (void *)part_at(of->tally, e->cpu);
	const struct ctrace_table_shape *s = &of->tally->shape;
	struct ctrace_expr_ctx x = context(e);
	const struct ctrace_agg *agg = of->agg;
	u64 key[CTRACE_TABLE_KEY_WORDS], v = 0, marks = 0;
	struct ctrace_table_row *r;
	bool has = true;
	struct ctrace_walk w;

	/*
	 * a call's string that could not be read is missing: duration, ret, marks stand before the arguments
	 */
	if (of->call && len >= 3 * sizeof(u64))
		memcpy(&marks, (const char *)payload + 2 * sizeof(u64), sizeof(marks));
	x.missing = (u32)((marks & CTRACE_CALL_M_UNREADS) << 3);
	if (of->expr && !ctrace_expr_match(of->expr, payload, len, &x))
		return false;
	ctrace_walk_begin(&w, &agg->fields, payload, len);
	key[0] = e->rec->cid;
	ctrace_agg_key(agg, &w, &x, e->rec->id, key);
	for (u32 i = 0; i < agg->nkeys; i++) {
		if (agg->keys[i].kind == CTRACE_TABLE_KEY_STACK)
			key[agg->keys[i].at] = stack_key(of->tally, part, e->stacks ? &e->stacks->kernel : NULL);
		else if (agg->keys[i].kind == CTRACE_TABLE_KEY_USTACK)
			key[agg->keys[i].at] = stack_key(of->tally, part, e->stacks ? &e->stacks->user : NULL);
	}
	asking = of->tally;
	r = ctrace_table_row(s, part, key, hash_key(key, agg->key_words), true, known);
	for (u32 i = 0; i < agg->nvalues; i++) {
		const struct ctrace_agg_column *c = &agg->values[i];

		if (c->kind != CTRACE_TABLE_COUNT && (c->what | c->part << 8) != what) {
			has = ctrace_agg_value(c, &w, &v);
			what = c->what | c->part << 8;
		}
		if (has || c->kind == CTRACE_TABLE_COUNT)
			ctrace_table_add(s, r, i, v);
	}
	return true;
}

/* --- conditions of a whole view ---------------------------------------------------- */

struct tally_filter {
	struct ctrace_expr *expr;
};

int tally_filter_new(const char *text, struct tally_filter **out, char *why, size_t why_size)
{
	struct tally_filter *f = xcalloc(1, sizeof(*f));
	int err = ctrace_expr_new(text, NULL, 0, &f->expr, why, why_size);

	*out = f;
	if (err) {
		tally_filter_free(f);
		*out = NULL;
	}
	return err;
}

void tally_filter_free(struct tally_filter *f)
{
	if (f)
		ctrace_expr_free(f->expr);
	free(f);
}

uint32_t tally_filter_asks(const struct tally_filter *f)
{
	return f ? expr_asks(f->expr) : 0;
}

bool tally_filter_match(const struct tally_filter *f, const struct tally_event *e)
{
	struct ctrace_expr_ctx x = context(e);

	return !f || ctrace_expr_match(f->expr, e->rec + 1, 0, &x);
}
