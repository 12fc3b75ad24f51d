// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include "identity/identity.h"
#include "identity/identity_internal.h"
#include "identity/netns.h"
#include "compat/net.h"
#include "compat/pidns.h"
#include "compat/task.h"

CTRACE_COMPAT_NETNS_ID ctrace_netns_id __read_mostly;

/* --- learning ------------------------------------------------------------------ */

/* What a program that is executed in a network namespace says of who owns that. */
struct claim {
	struct ctrace_container *c;
	bool init;		/* by the init of a pid namespace */
	u64 since;		/* when its process began */
};

/* Does the claim count for more than what is known of n? Decides under ident_lock. */
static bool better(const struct ctrace_netns *n, const struct claim *by)
{
	const struct ctrace_container *c = READ_ONCE(n->c);

	if (!c || READ_ONCE(c->gone) || by->init != READ_ONCE(n->of_init))
		return !c || READ_ONCE(c->gone) || by->init;
	return by->since < READ_ONCE(n->since);
}

static void own(struct ctrace_netns *n, const struct claim *by)
{
	if (by->c->gone || by->c->dying || !better(n, by))
		return;
	hlist_del_init(&n->of);
	hlist_add_head(&n->of, &by->c->nets);
	WRITE_ONCE(n->of_init, by->init);
	WRITE_ONCE(n->since, by->since);
	WRITE_ONCE(n->c, by->c);
}

void ctrace_netns_learn(const struct task_struct *p, const struct ctrace_who *who)
{
	const struct claim by = {
		.c = ctrace_container_base(who->container), .init = who->vtid == 1,
		.since = ctrace_compat_task_start(p),
	};
	const struct net *net = ctrace_compat_task_net(p);
	struct ctrace_netns *n;
	unsigned long flags;

	if (!net || net == &init_net || by.c == &ctrace_container_host || by.c == &ctrace_container_unknown)
		return;
	n = net_generic(net, ctrace_netns_id);
	if (!better(n, &by) || !ctrace_ident_lock(&flags))
		return;
	own(n, &by);
	ctrace_ident_unlock(flags);
}

/* --- whose ----------------------------------------------------------------------- */

/*
 * The part of c that its init is in: what sessions named around that is named around the namespace, too.
 * Without a pid namespace of its own, c has no part for that. RCU read side: init stays, as its namespace
 * is not empty.
 */
static struct ctrace_container *part_of_init(struct ctrace_container *c)
{
	const struct pid_namespace *ns = smp_load_acquire(&c->ns);	/* pairs with ctrace_learn_ns() */
	struct task_struct *init;
	struct ctrace_who who;

	if (!ns || ns == CTRACE_NS_PAST || ctrace_compat_pidns_empty(ns))
		return c;
	init = ctrace_compat_pidns_reaper(ns);
	if (!init)
		return c;
	ctrace_identity_resolve_task(init, &who);
	return ctrace_container_same(who.container, c) ? who.container : c;
}

void ctrace_identity_resolve_net(const struct net *net, struct ctrace_who *who)
{
	struct ctrace_container *c;

	ctrace_identity_host(who);
	rcu_read_lock();
	c = ctrace_netns_owner(net);
	who->container = unlikely(READ_ONCE(ctrace_rules.nr_named)) && c != &ctrace_container_host ? part_of_init(c) : c;
	rcu_read_unlock();
}

/* --- life ------------------------------------------------------------------------ */

/* The namespace, or the module, is at its end. */
static void forget_net(struct net *net)
{
	struct ctrace_netns *n = net_generic(net, ctrace_netns_id);
	unsigned long flags;

	ctrace_ident_lock(&flags);
	hlist_del_init(&n->of);
	WRITE_ONCE(n->c, NULL);
	ctrace_ident_unlock(flags);
}

static struct pernet_operations ops = {
	.exit = forget_net, .id = &ctrace_netns_id, .size = sizeof(struct ctrace_netns),
};

int ctrace_netns_init(void)
{
	return register_pernet_subsys(&ops);
}

void ctrace_netns_exit(void)
{
	unregister_pernet_subsys(&ops);
}
