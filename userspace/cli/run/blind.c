// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "run/run.h"

static int one_blind(const struct ctrace_probe_info *p, void *arg)
{
	struct sbuf *b = arg;

	if (p->blind_ns)
		sbuf_printf(b, "%s%s", b->len ? ", " : "", p->name);
	return 0;
}

void blind_names(struct run *r, struct sbuf *b)
{
	if (ctrace_probe_each(r->ct, ctrace_session_id(r->session), one_blind, b) || !b->len)
		sbuf_puts(b, "some events");
}

void blind_print(uint64_t ns, const char *names, struct sbuf *b)
{
	if (!ns)
		return;
	sbuf_printf(b, ", hooks were blind for %.1f s: ", (double)ns / 1e9);
	sbuf_clean(b, names);	/* a stranger may have written the recording that has them */
	sbuf_puts(b, strchr(names, ',') || !strcmp(names, "some events") ? " were not seen then" : " was not seen then");
}
