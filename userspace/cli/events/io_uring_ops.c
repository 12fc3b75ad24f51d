// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of io_uring beside calls: an operation goes with the call of its name. %file has those that open
 * and rename, as a user of strace expects, and !openat leaves out the operation as it leaves out the call.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "events/classes.h"
#include "events/probes.h"
#include "strace/paint.h"
#include "base/util.h"

#define OPS_MAX	256u	/* an opcode is a byte */

/* Is the operation's call in the item, which is a class, a call or a pattern? */
static bool has(const struct probe_item *it, const char *call)
{
	return probe_call_matches(call, it->text);
}

static bool left_out(const struct probe_items *items, const char *call)
{
	for (size_t i = 0; i < items->n; i++)
		if (items->v[i].not && has(&items->v[i], call))
			return true;
	return false;
}

static bool is_class(const struct probe_item *it)
{
	return *it->text == '%' && !it->not;
}

static bool alike(const struct probe_item *a, const struct probe_item *b)
{
	return a->filter && b->filter ? !strcmp(a->filter, b->filter) : a->filter == b->filter;
}

/* Is the call in one of the classes that have the condition of items->v[like]? */
static bool in_classes(const struct probe_items *items, size_t like, const char *call)
{
	for (size_t i = like; i < items->n; i++)
		if (is_class(&items->v[i]) && alike(&items->v[i], &items->v[like]) && has(&items->v[i], call))
			return true;
	return false;
}

/*
 * Appends a condition that is true for the operations in ops. Neighbours share two comparisons, as a
 * condition has 32 at most (CTRACE_EXPR_TERMS in the module): %desc needs 18.
 */
static void put_ops(struct sbuf *b, const bool *ops)
{
	const char *or = "";

	for (uint32_t from = 0, to; from < OPS_MAX; from = to + 1) {
		to = from;
		if (!ops[from])
			continue;
		while (to + 1 < OPS_MAX && ops[to + 1])
			to++;
		sbuf_printf(b, to == from ? "%sopcode == %u" : "%sopcode >= %u && opcode <= %u",
			    or, from, to);
		or = " || ";
	}
}

char *probe_ops_of_classes(const struct probe_items *items)
{
	struct sbuf b = { 0 }, call = { 0 };

	for (size_t i = 0; i < items->n; i++) {
		const struct probe_item *it = &items->v[i];
		bool ops[OPS_MAX] = { false }, any = false, again = false;

		for (size_t k = 0; k < i; k++)
			again |= is_class(&items->v[k]) && alike(&items->v[k], it);
		if (!is_class(it) || again)
			continue;
		for (uint32_t op = 0; op < OPS_MAX && io_uring_op_call(&call, op); op++)
			any |= ops[op] = in_classes(items, i, call.s) && !left_out(items, call.s);
		if (!any)
			continue;
		sbuf_puts(&b, b.len ? " || " : "");
		sbuf_puts(&b, it->filter ? "(" : "");
		put_ops(&b, ops);
		if (it->filter)
			sbuf_printf(&b, ") && (%s)", it->filter);
	}
	sbuf_free(&call);
	return b.s;
}

int probes_ops(const struct probes_opts *o, char **cond)
{
	struct probe_items items = { 0 };
	int status = CLI_OK;

	for (size_t i = 0; status == CLI_OK && i < o->nevents; i++)
		status = probe_items_parse(&items, o->events[i]);
	*cond = status == CLI_OK ? probe_ops_of_classes(&items) : NULL;
	probe_items_free(&items);
	return status;
}

char *probe_ops_left(const struct probe_items *items)
{
	struct sbuf b = { 0 }, call = { 0 };
	bool ops[OPS_MAX] = { false }, any = false;

	for (uint32_t op = 0; op < OPS_MAX && io_uring_op_call(&call, op); op++)
		any |= ops[op] = left_out(items, call.s);
	if (any) {
		sbuf_puts(&b, "!(");
		put_ops(&b, ops);
		sbuf_putc(&b, ')');
	}
	sbuf_free(&call);
	return b.s;
}
