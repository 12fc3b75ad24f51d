// SPDX-License-Identifier: GPL-2.0-only
/* Definitions of events by name. */
#include <linux/err.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include "event/define.h"

struct definition {
	struct list_head list;
	struct list_head dropped_at;	/* in dropped, once it has left definitions */
	const struct ctrace_event_type *type;
	struct ctrace_definer by;	/* by.sk: a reference, or NULL: to be kept */
	/* its socket was closed: the name is free, and a sweep takes it away. Set under RCU */
	bool gone;
};

static LIST_HEAD(definitions);	/* ctrace_lock to change, RCU to walk */
static u32 ndefinitions;	/* protected by the caller's ctrace_lock */

static DEFINE_SPINLOCK(dropped_lock);
static LIST_HEAD(dropped);	/* protected by dropped_lock */

/* NAME or SYSTEM:NAME */
static bool called(const struct ctrace_event_type *t, const char *name)
{
	size_t n = strlen(t->system);

	return !strcmp(name, t->name) ||
	       (!strncmp(name, t->system, n) && name[n] == ':' && !strcmp(name + n + 1, t->name));
}

/* What it returns is good as long as the caller holds ctrace_lock, or is an RCU reader. */
static struct definition *find(const char *name)
{
	struct definition *d, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(d, &definitions, list)
		if (!READ_ONCE(d->gone) && called(d->type, name)) {
			found = d;
			break;
		}
	rcu_read_unlock();
	return found;
}

const struct ctrace_event_type *ctrace_defined(const char *name)
{
	const struct definition *d = find(name);

	return d ? d->type : NULL;
}

bool ctrace_is_defined(const struct ctrace_event_type *t, struct ctrace_definer *by)
{
	const struct definition *d;
	bool is;

	rcu_read_lock();
	d = find(t->name);
	is = d && d->type->id == t->id;	/* t may be a copy */
	if (is)
		*by = (struct ctrace_definer){ .flags = d->by.flags, .owner = d->by.owner };
	rcu_read_unlock();
	return is;
}

static void free_definition(struct definition *d)
{
	if (d->by.sk)
		sock_put(d->by.sk);
	kfree(d);
}

/* In a work, because it waits, and because the last reference to a socket is best put by a task. */
static void free_dropped(struct work_struct *work)
{
	struct definition *d, *n;
	LIST_HEAD(list);

	spin_lock(&dropped_lock);
	list_splice_init(&dropped, &list);
	spin_unlock(&dropped_lock);
	synchronize_rcu();
	list_for_each_entry_safe(d, n, &list, dropped_at)
		free_definition(d);
}

static DECLARE_WORK(freeing, free_dropped);

static void drop(struct definition *d)
{
	list_del_rcu(&d->list);
	ndefinitions--;
	ctrace_event_define(d->type, false);
	spin_lock(&dropped_lock);
	list_add(&d->dropped_at, &dropped);
	spin_unlock(&dropped_lock);
	schedule_work(&freeing);
}

/*
 * Under RCU alone, because the chain of notifiers may be atomic: it marks, and ctrace_define_sweep() takes
 * away.
 */
bool ctrace_define_sockets_gone(void)
{
	struct definition *d;
	bool some = false;

	rcu_read_lock();
	list_for_each_entry_rcu(d, &definitions, list)
		if (d->by.sk && sock_flag(d->by.sk, SOCK_DEAD)) {
			WRITE_ONCE(d->gone, true);
			some = true;
		}
	rcu_read_unlock();
	return some;
}

void ctrace_define_sweep(void)
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

	ctrace_define_sweep();
	if (ndefinitions == CTRACE_DEFINITIONS_MAX)
		return ERR_PTR(ctrace_why(why, -ENOSPC, "there are already %u definitions: delete one first",
					  ndefinitions));
	d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	if (!d)
		return ERR_PTR(-ENOMEM);
	t = test(text, why);
	if (!IS_ERR(t)) {
		d->type = t;
		ctrace_event_define(t, true);
		d->by = *by;
		if (by->flags & CTRACE_EVENT_F_KEEP)
			d->by.sk = NULL;
		else
			sock_hold(d->by.sk);	/* the command came through it, so it is open */
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

	flush_work(&freeing);
	list_for_each_entry_safe(d, n, &definitions, list)
		free_definition(d);
}
