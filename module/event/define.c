// SPDX-License-Identifier: GPL-2.0-only
/* Definitions of events by name. */
#include <linux/err.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "event/define.h"

struct definition {
	struct list_head list;
	struct rcu_head rcu;
	const struct ctrace_event_type *type;
	struct ctrace_definer by;
	bool gone;	/* its socket was closed: the name is free, and the next definition sweeps it. Set under RCU */
};

static LIST_HEAD(definitions);	/* ctrace_lock to change, RCU to walk */
static u32 ndefinitions;	/* protected by the caller's ctrace_lock */

/* NAME or SYSTEM:NAME */
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
		if (!READ_ONCE(d->gone) && called(d->type, name))
			return d;
	return NULL;
}

const struct ctrace_event_type *ctrace_defined(const char *name)
{
	const struct definition *d = find(name);

	return d ? d->type : NULL;
}

bool ctrace_is_defined(const struct ctrace_event_type *t, struct ctrace_definer *by)
{
	const struct definition *d = find(t->name);

	if (!d || d->type->id != t->id)	/* t may be a copy */
		return false;
	*by = d->by;
	return true;
}

static void drop(struct definition *d)
{
	list_del_rcu(&d->list);
	ndefinitions--;
	ctrace_event_define(d->type, false);
	kfree_rcu(d, rcu);
}

/* Under RCU alone, because the chain of notifiers may be atomic: it marks, and ctrace_define() sweeps. */
void ctrace_define_socket_gone(u32 portid)
{
	struct definition *d;

	rcu_read_lock();
	list_for_each_entry_rcu(d, &definitions, list)
		if (d->by.portid == portid && !(d->by.flags & CTRACE_EVENT_F_KEEP))
			WRITE_ONCE(d->gone, true);
	rcu_read_unlock();
}

static void sweep(void)
{
	struct definition *d, *n;

	list_for_each_entry_safe(d, n, &definitions, list)
		if (READ_ONCE(d->gone))
			drop(d);
}

const struct ctrace_event_type *ctrace_define(const char *text, const struct ctrace_definer *by,
					      const struct ctrace_event_type *(*test)(const char *text,
										      char *why),
					      char *why)
{
	const struct ctrace_event_type *t;
	struct definition *d;

	sweep();
	if (ndefinitions == CTRACE_DEFINITIONS_MAX)
		return ERR_PTR(ctrace_why(why, -ENOSPC, "there are already %u definitions: delete one first",
					  ndefinitions));
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return ERR_PTR(-ENOMEM);
	t = test(text, why);
	if (!IS_ERR(t)) {
		d->type = t;
		ctrace_event_define(t, true);
		d->by = *by;
		list_add_tail_rcu(&d->list, &definitions);
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
	drop(d);
	return 0;
}

/* After ctrace_netlink_exit() and ctrace_session_exit(): no command and no notifier runs any more. */
void ctrace_define_exit(void)
{
	struct definition *d, *n;

	list_for_each_entry_safe(d, n, &definitions, list)
		kfree(d);
}
