// SPDX-License-Identifier: GPL-2.0-only
/* Definitions of kprobes by name. */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "event/define.h"
#include "session/probe.h"
#include "session/session.h"

struct definition {
	struct list_head list;
	const struct ctrace_event_type *type;
};

static LIST_HEAD(definitions);	/* protected by ctrace_lock */
static u32 ndefinitions;	/* likewise */

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

	lockdep_assert_held(&ctrace_lock);
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

const struct ctrace_event_type *ctrace_define(const char *text, char *why)
{
	const struct ctrace_event_type *t;
	struct definition *d;

	lockdep_assert_held(&ctrace_lock);
	if (ndefinitions == CTRACE_DEFINITIONS_MAX) {
		snprintf(why, CTRACE_WHY_MAX, "there are %u definitions already: delete some",
			 ndefinitions);
		return ERR_PTR(-ENOSPC);
	}
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return ERR_PTR(-ENOMEM);
	t = ctrace_kprobe_try(text, why);
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

	if (!d) {
		snprintf(why, CTRACE_WHY_MAX, "no definition '%.64s'", name);
		return -ENOENT;
	}
	list_del(&d->list);
	ndefinitions--;
	kfree(d);
	return 0;
}

/* Nobody sends commands any more. */
void ctrace_define_exit(void)
{
	struct definition *d, *n;

	list_for_each_entry_safe(d, n, &definitions, list)
		kfree(d);
}
