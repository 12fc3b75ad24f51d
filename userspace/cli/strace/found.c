// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results of calls that wait: poll(), select() and similar calls write them over the sets that they were
 * given.
 */
#include "strace/paint.h"

bool found_in(const struct paint *p, const struct layout *l)
{
	return l->kind == MEMORY_POLLFD || l->kind == MEMORY_FDSET || (p->timeout && l->kind == MEMORY_STRUCT);
}

/* Does the record of the return have the argument's memory as it is at the return? */
static bool known_after(const struct call_values *c, const struct call_values *r, uint32_t arg)
{
	return r == c ? call_tells_was(c, arg) : r->p->about[arg][ABOUT_DATA] >= 0;
}

static const char *comma(bool after)
{
	return after ? ", " : " (";
}

void found_put(struct sbuf *b, const struct call_form *form, const struct call_values *c, const struct call_values *r,
	       int64_t ret)
{
	/* the arguments of select() */
	static const char *const sets[] = { [1] = "in [", [2] = "out [", [3] = "except [" };
	int64_t ready = ret;
	bool any = false;
	struct memory m;
	char before[16];

	for (uint32_t i = 0; ret > 0 && form && i < form->nargs; i++) {
		if (!call_memory(&m, form, i, c, r) || !m.data.n || !found_in(r->p, m.layout))
			continue;
		if (m.layout->kind == MEMORY_POLLFD) {
			sbuf_puts(b, comma(any));
			memory_put_polled(b, &m);
			any = true;
		} else if (!known_after(c, r, i)) {
			continue;
		} else if (m.layout->kind == MEMORY_STRUCT) {
			size_t len = b->len;

			sbuf_printf(b, "%sleft ", comma(any));
			if (memory_put_text(b, form->args[i], &m)) {
				any = true;
			} else {
				b->len = len;
				b->s[len] = '\0';
			}
		} else if (i < 4 && sets[i]) {
			uint32_t n;

			snprintf(before, sizeof(before), "%s%s", comma(any), sets[i]);
			n = memory_put_ready(b, before, &m, ready);
			ready -= n;
			any |= n > 0;
		}
	}
	sbuf_puts(b, any ? ")" : "");
}
