// SPDX-License-Identifier: GPL-2.0-only
/*
 * clone() in strace's form. Its arguments have names, and stand in one order, whatever the processor's order
 * is. Its flags decide which of them are used.
 */
#include <sched.h>
#include <string.h>
#include "strace/paint.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD	0x1000	/* since glibc 2.31 */
#endif

enum { FLAGS, STACK, PARENT_TID, CHILD_TID, TLS, CLONE_ARGS };

/* Finds the arguments by the kernel's names. False: one is missing. */
static bool find(const struct call_values *c, uint64_t v[CLONE_ARGS])
{
	static const char *const names[] = { "clone_flags", "newsp", "parent_tidptr", "child_tidptr", "tls" };
	int found = 0;

	for (int i = (int)c->p->first; i < c->n; i++)
		for (int k = 0; k < CLONE_ARGS; k++)
			if (c->p->fields[i].number && !strcmp(c->v[i].field->name, names[k])) {
				v[k] = c->v[i].u;
				found |= 1 << k;
			}
	return found == (1 << CLONE_ARGS) - 1;
}

static void put_address(struct sbuf *b, const char *name, uint64_t v)
{
	sbuf_printf(b, v ? "%s=%#llx" : "%s=NULL", name, (unsigned long long)v);
}

bool clone_put_args(struct sbuf *b, const struct call_values *c, const struct call_values *r, const struct part *flags)
{
	uint64_t v[CLONE_ARGS];
	int64_t ret = r && r->p->ret >= 0 && r->p->ret < r->n ? r->v[r->p->ret].i : -1;

	if (!find(c, v))
		return false;
	put_address(b, "child_stack", v[STACK]);
	sbuf_puts(b, ", flags=");
	number_put(b, flags, v[FLAGS]);
	/* the kernel has written the result, the new task's number, there, too */
	if (v[FLAGS] & CLONE_PARENT_SETTID && ret > 0)
		sbuf_printf(b, ", parent_tid=[%lld]", (long long)ret);
	else if (v[FLAGS] & (CLONE_PARENT_SETTID | CLONE_PIDFD))
		put_address(b, ", parent_tid", v[PARENT_TID]);
	if (v[FLAGS] & CLONE_SETTLS)
		put_address(b, ", tls", v[TLS]);
	if (v[FLAGS] & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		put_address(b, ", child_tidptr", v[CHILD_TID]);
	return true;
}
