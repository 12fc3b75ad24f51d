// SPDX-License-Identifier: GPL-2.0-only
/* From a frame to its caller's, by the rules in .eh_frame: DWARF 5, 6.4, and 2.5 for expressions. */
#include <string.h>
#include "symbols/unwind_table.h"

#define DEPTH	8	/* rows that are remembered */
#define VALUES	32	/* on the stack of an expression */

/* --- the machine --------------------------------------------------------------------- */

static bool arm64(const struct unwind_frame *f)
{
	return f->n == UNWIND_REGISTERS;
}

static unsigned int sp_of(const struct unwind_frame *f)
{
	return arm64(f) ? 31 : 7;
}

/* What a function leaves as it found it, where the rules are silent: rbx, rbp, r12 to r15; x19 to x30. */
static uint64_t preserved(const struct unwind_frame *f)
{
	return arm64(f) ? 0x7ff80000 : 1 << 3 | 1 << 6 | 0xf000;
}

/* --- values -------------------------------------------------------------------------- */

struct step {
	const struct unwind_frame *f;
	struct unwind_stack *s;
	bool no_stack, bad;
};

static uint64_t get(struct step *x, uint64_t reg)
{
	if (reg < x->f->n && x->f->known >> reg & 1)
		return x->f->v[reg];
	x->bad = true;
	return 0;
}

static uint64_t load(struct step *x, uint64_t addr)
{
	struct unwind_stack *s = x->s;
	uint64_t v = 0;

	/* below sp, the distance wraps */
	if (s->len < sizeof(v) || addr - s->sp > s->len - sizeof(v)) {
		x->no_stack = true;
		s->beyond = addr >= s->sp;
		return 0;
	}
	for (unsigned int i = 0; i < sizeof(v); i++)
		v |= (uint64_t)s->bytes[addr - s->sp + i] << 8 * i;
	return v;
}

struct values {
	uint64_t v[VALUES];
	unsigned int n;
};

static void push(struct step *x, struct values *k, uint64_t v)
{
	if (k->n == VALUES)
		x->bad = true;
	else
		k->v[k->n++] = v;
}

static uint64_t pop(struct step *x, struct values *k)
{
	if (k->n)
		return k->v[--k->n];
	x->bad = true;
	return 0;
}

/* The operations on two values that compilers and C libraries use in such rules. */
static uint64_t both(struct step *x, uint64_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case 0x1a:
		return a & b;
	case 0x1c:
		return a - b;
	case 0x1e:
		return a * b;
	case 0x21:
		return a | b;
	case 0x22:
		return a + b;
	case 0x24:
		return b < 64 ? a << b : 0;
	case 0x25:
		return b < 64 ? a >> b : 0;
	case 0x27:
		return a ^ b;
	case 0x29:
		return a == b;
	case 0x2a:
		return (int64_t)a >= (int64_t)b;
	case 0x2b:
		return (int64_t)a > (int64_t)b;
	case 0x2c:
		return (int64_t)a <= (int64_t)b;
	case 0x2d:
		return (int64_t)a < (int64_t)b;
	case 0x2e:
		return a != b;
	}
	x->bad = true;
	return 0;
}

/* Adds the constant of op to the values. False: op has none. */
static bool constant(struct step *x, struct values *k, uint64_t op, struct cfi_at *a)
{
	if (op >= 0x30 && op < 0x50)
		push(x, k, op - 0x30);
	else if (op >= 0x08 && op < 0x10)
		push(x, k, op & 1 ? (uint64_t)cfi_signed(a, 1u << (op - 8) / 2) : cfi_bytes(a, 1u << (op - 8) / 2));
	else if (op == 0x10)
		push(x, k, cfi_uleb(a));
	else if (op == 0x11)
		push(x, k, (uint64_t)cfi_sleb(a));
	else if (op >= 0x70 && op < 0x90)
		push(x, k, get(x, op - 0x70) + (uint64_t)cfi_sleb(a));
	else
		return false;
	return true;
}

/* No operation goes back, so it ends with its bytes. */
static uint64_t expression(struct step *x, struct cfi_at a, const uint64_t *first)
{
	struct values k = { .n = 0 };
	uint64_t op, v;

	if (first)
		push(x, &k, *first);
	while (a.p < a.end && !x->bad && !a.bad) {
		op = cfi_bytes(&a, 1);
		if (constant(x, &k, op, &a))
			continue;
		v = pop(x, &k);
		if (op == 0x06)
			push(x, &k, load(x, v));
		else if (op == 0x12)
			(push(x, &k, v), push(x, &k, v));
		else if (op == 0x23)
			push(x, &k, v + cfi_uleb(&a));
		else if (op != 0x13)
			push(x, &k, both(x, op, pop(x, &k), v));
	}
	x->bad |= a.bad;
	return pop(x, &k);
}

/* --- rules --------------------------------------------------------------------------- */

enum rule_is { SILENT, SAME, UNDEFINED, AT, IS, REGISTER, AT_EXPRESSION, IS_EXPRESSION };

struct rule {
	enum rule_is is;
	uint64_t reg;
	int64_t n;
	struct cfi_at expression;
};

/* The rules for one address. cfa: IS is register and offset. */
struct row {
	struct rule cfa, v[UNWIND_REGISTERS];
};

struct program {
	const struct cfi_cie *cie;
	struct row row, *first, kept[DEPTH];	/* first: what the CIE says; NULL: it is being read */
	unsigned int nkept;
	struct cfi_at a;
};

static void set(struct program *p, uint64_t reg, enum rule_is is, uint64_t from, int64_t n)
{
	if (reg < UNWIND_REGISTERS)
		p->row.v[reg] = (struct rule){ .is = is, .reg = from, .n = n };
}

static void set_expression(struct program *p, uint64_t reg, enum rule_is is)
{
	struct cfi_at block = cfi_block(&p->a, cfi_uleb(&p->a));

	if (reg < UNWIND_REGISTERS)
		p->row.v[reg] = (struct rule){ .is = is, .expression = block };
}

static int64_t scaled(const struct program *p, int64_t n)
{
	return (int64_t)((uint64_t)n * (uint64_t)p->cie->data);
}

static void restore(struct program *p, uint64_t reg)
{
	if (!p->first)
		p->a.bad = true;
	else if (reg < UNWIND_REGISTERS)
		p->row.v[reg] = p->first->v[reg];
}

/* Carries out one instruction about the CFA. False: op is none. */
static bool cfa_instruction(struct program *p, uint64_t op)
{
	struct rule *cfa = &p->row.cfa;

	if (op == 0x0c || op == 0x12) {
		*cfa = (struct rule){ .is = IS, .reg = cfi_uleb(&p->a) };
		cfa->n = op == 0x0c ? (int64_t)cfi_uleb(&p->a) : scaled(p, cfi_sleb(&p->a));
	} else if (op == 0x0d) {
		cfa->reg = cfi_uleb(&p->a);
	} else if (op == 0x0e || op == 0x13) {
		cfa->n = op == 0x0e ? (int64_t)cfi_uleb(&p->a) : scaled(p, cfi_sleb(&p->a));
	} else if (op == 0x0f) {
		*cfa = (struct rule){ .is = IS_EXPRESSION };
		cfa->expression = cfi_block(&p->a, cfi_uleb(&p->a));
	} else {
		return false;
	}
	return true;
}

static void instruction(struct program *p, uint64_t op)
{
	struct cfi_at *a = &p->a;
	uint64_t reg;

	/* nothing; arm64: from here return addresses are signed, or not */
	if (cfa_instruction(p, op) || op == 0x00 || op == 0x2d)
		return;
	if (op == 0x2e) {
		cfi_uleb(a);
	} else if (op == 0x0a && p->nkept < DEPTH) {
		p->kept[p->nkept++] = p->row;
	} else if (op == 0x0b && p->nkept) {
		p->row = p->kept[--p->nkept];
	} else {
		reg = cfi_uleb(a);
		if (op == 0x05)
			set(p, reg, AT, 0, scaled(p, (int64_t)cfi_uleb(a)));
		else if (op == 0x06)
			restore(p, reg);
		else if (op == 0x07)
			set(p, reg, UNDEFINED, 0, 0);
		else if (op == 0x08)
			set(p, reg, SAME, 0, 0);
		else if (op == 0x09)
			set(p, reg, REGISTER, cfi_uleb(a), 0);
		else if (op == 0x10)
			set_expression(p, reg, AT_EXPRESSION);
		else if (op == 0x11)
			set(p, reg, AT, 0, scaled(p, cfi_sleb(a)));
		else if (op == 0x14)
			set(p, reg, IS, 0, scaled(p, (int64_t)cfi_uleb(a)));
		else if (op == 0x15)
			set(p, reg, IS, 0, scaled(p, cfi_sleb(a)));
		else if (op == 0x16)
			set_expression(p, reg, IS_EXPRESSION);
		else
			a->bad = true;
	}
}

/* Carries out the instructions for the code up to `to`, bytes from the function's start. */
static bool run(struct program *p, struct cfi_at a, uint64_t to)
{
	uint64_t at = 0, op;

	p->a = a;
	p->nkept = 0;
	while (p->a.p < p->a.end && at <= to && !p->a.bad) {
		op = cfi_bytes(&p->a, 1);
		if (op >> 6 == 1)
			at += (op & 0x3f) * p->cie->code;
		else if (op >> 6 == 2)
			set(p, op & 0x3f, AT, 0, scaled(p, (int64_t)cfi_uleb(&p->a)));
		else if (op >> 6 == 3)
			restore(p, op & 0x3f);
		else if (op >= 0x02 && op <= 0x04)
			at += cfi_bytes(&p->a, 1u << (op - 2)) * p->cie->code;
		else
			instruction(p, op);
	}
	return !p->a.bad;
}

/* --- the step ------------------------------------------------------------------------ */

/* The caller's register i. False: it is not known. */
static bool value(struct step *x, const struct row *row, unsigned int i, uint64_t cfa, bool silent, uint64_t *to)
{
	const struct rule *r = &row->v[i];

	if (r->is == UNDEFINED || (r->is == SILENT && !silent))
		return false;
	if ((r->is == SILENT || r->is == SAME) && !(x->f->known >> i & 1))
		return false;
	if (r->is == SILENT || r->is == SAME)
		*to = x->f->v[i];
	else if (r->is == AT)
		*to = load(x, cfa + (uint64_t)r->n);
	else if (r->is == IS)
		*to = cfa + (uint64_t)r->n;
	else if (r->is == REGISTER)
		*to = get(x, r->reg);
	else
		*to = expression(x, r->expression, &cfa);
	if (r->is == AT_EXPRESSION)
		*to = load(x, *to);
	return true;
}

static enum unwind_end apply(struct unwind_frame *f, struct unwind_stack *s, const struct cfi_cie *cie, const struct row *row)
{
	struct step x = { .f = f, .s = s };
	struct unwind_frame to = { .n = f->n, .exact = cie->signal };
	unsigned int sp = sp_of(f), ip = f->n - 1, ret = (unsigned int)cie->ret;
	uint64_t cfa;

	if (row->cfa.is == IS)
		cfa = get(&x, row->cfa.reg) + (uint64_t)row->cfa.n;
	else
		cfa = expression(&x, row->cfa.expression, NULL);
	if (row->v[ret].is == UNDEFINED)
		return UNWIND_DONE;
	/*
	 * a caller's frame lies above; only a function that has none yet, or a signal's, may begin elsewhere
	 */
	if (cfa <= f->v[sp] && !f->exact && !cie->signal)
		x.bad = true;
	for (unsigned int i = 0; i < f->n && !x.bad && !x.no_stack; i++) {
		bool silent = preserved(f) >> i & 1;

		if (i == ip && ip != ret)
			continue;
		if (i == sp && row->v[i].is == SILENT)
			to.v[i] = cfa;
		else if (!value(&x, row, i, cfa, silent, &to.v[i]))
			continue;
		to.known |= 1ull << i;
	}
	if (x.no_stack)
		return UNWIND_NO_STACK;
	if (x.bad || !(to.known >> ret & 1) || !(to.known >> sp & 1))
		return UNWIND_BAD;
	/* arm64 signs return addresses in the bits that no address has */
	to.v[ip] = arm64(f) ? to.v[ret] & ((1ull << 48) - 1) : to.v[ret];
	to.known |= 1ull << ip;
	*f = to;
	return to.v[ip] ? UNWIND_ON : UNWIND_DONE;
}

enum unwind_end unwind_step(const struct unwind_table *t, uint64_t at, struct unwind_frame *f, struct unwind_stack *s)
{
	const struct cfi_place *place = cfi_find(t, at);
	struct program p = { .cie = NULL };
	struct row first;
	struct cfi_fde e;

	if (!place)
		return UNWIND_NO_TABLE;
	if (!cfi_fde(t, place->offset, &e) || e.cie.ret >= f->n)
		return UNWIND_BAD;
	p.cie = &e.cie;
	if (!run(&p, e.cie.rules, UINT64_MAX))
		return UNWIND_BAD;
	first = p.row;
	p.first = &first;
	if (!run(&p, e.rules, at - place->at))
		return UNWIND_BAD;
	return p.row.cfa.is == IS || p.row.cfa.is == IS_EXPRESSION ? apply(f, s, &e.cie, &p.row) : UNWIND_BAD;
}
