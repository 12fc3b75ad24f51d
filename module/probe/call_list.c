// SPDX-License-Identifier: GPL-2.0-only
/* From the name of a probe of whole calls to their event ids. */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "probe/call_list.h"
#include "event/event.h"

static void want(struct ctrace_probe *p, u32 i, u32 from, u32 n)
{
	p->ranges[i].from = from;
	p->ranges[i].n = n;
}

static int want_call(struct ctrace_probe *p, const char *call, char *why)
{
	bool known = false;
	int is32, nr;
	u32 i = 0;

	while (i < CTRACE_PROBE_RANGES && p->ranges[i].n)
		i++;
	for (is32 = 0; is32 < 2; is32++) {
		nr = ctrace_syscall_by_name(call, is32);
		if (nr < 0)
			continue;
		if (i == CTRACE_PROBE_RANGES)
			return ctrace_why(why, -E2BIG, "a probe has no room for '%.64s': name fewer calls", call);
		want(p, i++, (is32 ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + nr, 1);
		known = true;
	}
	return known ? 0 : ctrace_why(why, -ENOENT, "no system call '%.64s' in this kernel", call);
}

int ctrace_call_list(struct ctrace_probe *p, char *why)
{
	char *list, *rest, *call;
	int err = 0;

	if (!strcmp(p->name, "calls")) {
		want(p, 0, CTRACE_ID_CALL, 2 * CTRACE_NR_SYSCALLS);
		return 0;
	}
	if (strncmp(p->name, "call:", 5)) {
		return ctrace_why(why, -ENOENT,
				  "no event '%.64s': whole system calls are 'calls' or 'call:NAME,...'",
				  p->name);
	}
	list = rest = kstrdup(p->name + 5, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	while (!err && (call = strsep(&rest, ",")))
		err = want_call(p, call, why);
	kfree(list);
	return err;
}
