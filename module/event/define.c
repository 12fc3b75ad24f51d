// SPDX-License-Identifier: GPL-2.0-only
/* Definitions of events by name. */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "event/define.h"

struct definition {
	struct list_head list;
	const struct ctrace_event_type *type;
};

static LIST_HEAD(definitions);	/* protected by the caller's ctrace_lock */
static u32 ndefinitions;	/* protected by the caller's ctrace_lock */

/* NAME or GRP:NAME */
static bool called(const struct ctrace_event_type *t, const char *name)
{
	size_t n = strlen(t->system);

	return !strcmp(name, t->name) ||
	       (!strncmp(name, t->system, n) && name[n] == ':' && !strcmp(name + n + 1, t->name));
}

static struct definition *find(const char *name)
{
	struct definition *d;

	list_for_each_entry(d, &definitions, list)
		if (called(d->type, name))
			return d;
	return NULL;
}

const struct ctrace_event_type *ctrace_defined(const char *name)
{
	const struct definition *d = find(name);

	return d ? d->type : NULL;
}

bool ctrace_is_defined(const struct ctrace_event_type *t)
{
	const struct ctrace_event_type *d = ctrace_defined(t->name);

	return d && d->id == t->id;	/* t may be a copy */
}

const struct ctrace_event_type *ctrace_define(const char *text,
					      const struct ctrace_event_type *(*test)(const char *text,
										      char *why),
					      char *why)
{
	const struct ctrace_event_type *t;
	struct definition *d;

	if (ndefinitions == CTRACE_DEFINITIONS_MAX)
		return ERR_PTR(ctrace_why(why, -ENOSPC, "there are already %u definitions: delete one first",
					  ndefinitions));
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return ERR_PTR(-ENOMEM);
	t = test(text, why);
	if (!IS_ERR(t)) {
		d->type = t;
		list_add_tail(&d->list, &definitions);
		ndefinitions++;
		return t;
	}
	kfree(d);
	return t;
}

int ctrace_undefine(const char *name, char *why)
{
	struct definition *d = find(name);

	if (!d)
		return ctrace_why(why, -ENOENT, "no definition '%.64s' (ctrace probe list shows them)", name);
	list_del(&d->list);
	ndefinitions--;
	kfree(d);
	return 0;
}

/* After ctrace_netlink_exit(): no command runs any more, so no lock is needed. */
void ctrace_define_exit(void)
{
	struct definition *d, *n;

	list_for_each_entry_safe(d, n, &definitions, list)
		kfree(d);
}
