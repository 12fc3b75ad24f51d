// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing expressions: comparisons, and the operators that join them. Operators that wait for their right
 * side are kept on a stack of bounded size; there is no recursion. Comparisons and joints become nodes,
 * children before parents. A walk over these from the root then sets for each comparison where to continue.
 */
#include "lang/expr_parse.h"

/* --- joints -------------------------------------------------------------------- */

static u8 new_node(struct ctrace_expr_parse *p, u8 kind, u8 left, u8 right, u8 first)
{
	p->nodes[p->nnodes] = (struct ctrace_expr_node){
		.kind = kind, .left = left, .right = right, .first = first };
	return p->nnodes++;
}

/* Takes those operators off the stack that bind at least as closely as kind, and joins their sides. */
static void reduce(struct ctrace_expr_parse *p, u8 kind)
{
	u8 left, right;

	while (p->nops && p->ops[p->nops - 1].kind >= kind) {
		right = p->open[--p->nopen];
		left = p->open[p->nopen - 1];
		p->open[p->nopen - 1] = new_node(p, p->ops[--p->nops].kind, left, right,
						 p->nodes[left].first);
	}
}

/* The last operand is complete: applies a ! that waits for it. */
static void negate(struct ctrace_expr_parse *p)
{
	struct ctrace_expr_node *n = &p->nodes[p->open[p->nopen - 1]];

	for (; p->nops && p->ops[p->nops - 1].kind == CTRACE_T_NOT; p->nops--)
		n->negated = !n->negated;
}

static void push(struct ctrace_expr_parse *p, u8 kind)
{
	p->ops[p->nops].kind = kind;
	p->ops[p->nops++].at = p->t.at;
}

/* Reads a !, a ( or a comparison. *more: an operand must still follow. */
static int operand(struct ctrace_expr_parse *p, bool *more)
{
	int err;

	*more = true;
	if (p->t.kind == CTRACE_T_NOT) {
		/* two ! cancel each other */
		if (p->nops && p->ops[p->nops - 1].kind == CTRACE_T_NOT)
			p->nops--;
		else
			push(p, CTRACE_T_NOT);
		return ctrace_expr_next(p);
	}
	if (p->t.kind == CTRACE_T_OPEN) {
		if (p->depth++ == CTRACE_EXPR_DEPTH)
			return ctrace_expr_bad(p, p->t.at, "'(' is nested too deep: at most %u levels are allowed",
					       CTRACE_EXPR_DEPTH);
		push(p, CTRACE_T_OPEN);
		return ctrace_expr_next(p);
	}
	*more = false;
	err = ctrace_expr_comparison(p);
	if (err)
		return err;
	p->open[p->nopen++] = new_node(p, CTRACE_T_END, 0, 0, p->e->nterms++);
	negate(p);
	return 0;
}

/* Reads what may follow an operand: && || or ). *more: an operand must follow. */
static int joint(struct ctrace_expr_parse *p, bool *more)
{
	*more = p->t.kind == CTRACE_T_AND || p->t.kind == CTRACE_T_OR;
	if (*more) {
		reduce(p, p->t.kind);
		push(p, p->t.kind);
		return ctrace_expr_next(p);
	}
	if (p->t.kind != CTRACE_T_CLOSE)
		return ctrace_expr_expect(p, p->depth ? "'&&', '||' or ')'" : "'&&' or '||'");
	reduce(p, CTRACE_T_OR);
	if (!p->nops)
		return ctrace_expr_bad(p, p->t.at, "')' has no matching '('");
	p->nops--;
	p->depth--;
	negate(p);
	return ctrace_expr_next(p);
}

/* From the last node, the root, to the first: a parent has its yes and no before its children get theirs. */
static void thread(struct ctrace_expr_parse *p)
{
	struct ctrace_expr_node *n, *left, *right;
	u8 yes;
	u32 i;

	n = &p->nodes[p->nnodes - 1];
	n->yes = CTRACE_EXPR_PASS;
	n->no = CTRACE_EXPR_FAIL;
	for (i = p->nnodes; i--;) {
		n = &p->nodes[i];
		if (n->negated) {
			yes = n->yes;
			n->yes = n->no;
			n->no = yes;
		}
		if (n->kind == CTRACE_T_END) {
			p->e->terms[n->first].yes = n->yes;
			p->e->terms[n->first].no = n->no;
			continue;
		}
		left = &p->nodes[n->left];
		right = &p->nodes[n->right];
		left->yes = n->kind == CTRACE_T_AND ? right->first : n->yes;
		left->no = n->kind == CTRACE_T_AND ? n->no : right->first;
		right->yes = n->yes;
		right->no = n->no;
	}
}

static int parse(struct ctrace_expr_parse *p)
{
	bool more = true;
	int err = ctrace_expr_next(p);

	while (!err && (more || p->t.kind != CTRACE_T_END))
		err = more ? operand(p, &more) : joint(p, &more);
	if (err)
		return err;
	reduce(p, CTRACE_T_OR);
	if (p->nops)
		return ctrace_expr_bad(p, p->ops[p->nops - 1].at, "'(' has no matching ')'");
	thread(p);
	return 0;
}

/* --- life -------------------------------------------------------------------- */

int ctrace_expr_layout(struct ctrace_expr_parse *p, struct ctrace_field_places *to)
{
	const struct ctrace_field_desc *f;

	if (p->nfields > CTRACE_EXPR_FIELDS)
		return ctrace_expr_bad(p, 0, "the event has %u fields, but at most %u are handled",
				       p->nfields, CTRACE_EXPR_FIELDS);
	f = ctrace_field_layout(to, p->fields, p->nfields);
	return !f ? 0 : ctrace_expr_bad(p, 0, "field '%.32s' is of a kind that is not known", f->name);
}

/* With room for the longest strings and globs, and the most sets, that the text can hold. */
static struct ctrace_expr *alloc(const char *text)
{
	size_t n = strlen(text), sets = 0, i;
	struct ctrace_expr *e;

	for (i = 0; i < n; i++)
		sets += text[i] == '[';
	if (sets > n / 3)	/* the shortest set is [a] */
		sets = n / 3;
	e = ctrace_zalloc(sizeof(*e) + sets * sizeof(*e->sets) + n * (sizeof(*e->globs) + 1));
	if (!e)
		return NULL;
	e->globs = (u16 *)(e + 1);
	e->sets = (void *)(e->globs + n);
	e->bytes = (char *)(e->sets + sets);
	return e;
}

int ctrace_expr_new(const char *text, const struct ctrace_field_desc *fields, u32 nfields,
		    struct ctrace_expr **out, char *why, size_t why_size)
{
	struct ctrace_expr_parse *p;
	int err = -ENOMEM;

	if (strnlen(text, CTRACE_TEXT_MAX) == CTRACE_TEXT_MAX) {
		snprintf(why, why_size, "filter: longer than %u bytes", CTRACE_TEXT_MAX - 1);
		return -EINVAL;
	}
	p = ctrace_zalloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->subject = "filter";
	p->text = text;
	p->fields = fields;
	p->nfields = nfields;
	p->why = why;
	p->why_size = why_size;
	p->e = alloc(text);
	if (p->e)
		err = ctrace_expr_layout(p, &p->e->fields) ?: parse(p);
	if (!err)
		*out = p->e;
	else
		ctrace_expr_free(p->e);
	ctrace_free(p);
	return err;
}
