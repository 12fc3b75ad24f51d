/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose is a network namespace? For packets that no task and no socket has.
 *
 * It belongs to the container whose process was the first to begin, of those that have executed a program in
 * it. That is the one it was made for, or, if containers share it as in a pod, the one that is older than the
 * others: the pause container. The init of a pid namespace counts for more than any other process: the first
 * program may be that of a container's helper, which prepares the namespace of an inner one, or of a
 * container with the host's pids. If the owner has died, the next one is found as the first was; existing
 * processes are looked at when the next session begins.
 *
 * When a process began is a fact that stays. So it does not matter in which order the programs were seen: a
 * module that is loaded while a pod runs may see a program that its app executes before it sees the pause
 * container, which executes none any more.
 *
 * The namespace that the machine booted with is the host's always, and so is one in which only programs
 * of the host were executed. The host never takes one: its `nsenter` and `ip netns exec` change nothing.
 *
 * Why no namespace is taken for another one: what is known of it is not in a table of ours, but the
 * kernel keeps it with the namespace (pernet_operations), so it begins empty with each. It ends with it:
 * the kernel calls forget_net() when the namespace is at its end, and frees it after that. A reader asks
 * first, in an RCU read-side section, whether the namespace is still in use (check_net()). If it is, the
 * kernel has yet to wait for a grace period before it calls forget_net().
 *
 * Why no container is used after its end: it holds no reference here, and is held by none. The GC takes
 * its namespaces away with its nodes, before the grace period after which it is freed
 * (unlink_all() in gc.c); afterwards ctrace_netns_learn() gives it no more, as it is dying.
 */
#ifndef CTRACE_NETNS_H
#define CTRACE_NETNS_H

#include <linux/list.h>
#include "identity/container.h"
#include "compat/net.h"

struct ctrace_who;
struct task_struct;

/*
 * Process context. init: before the hooks. exit: no code resolves or learns any more, and no container is
 * freed yet.
 */
int ctrace_netns_init(void);
void ctrace_netns_exit(void);

/* p has executed a program, as who. p is current, or its task_lock is held; RCU read side, preemption off. */
void ctrace_netns_learn(const struct task_struct *p, const struct ctrace_who *who);

/*
 * For an event that is the network namespace's: the container that owns it, or its part, else the host.
 * Any context incl. NMI; preemption off.
 */
void ctrace_identity_resolve_net(const struct net *net, struct ctrace_who *who);

extern CTRACE_COMPAT_NETNS_ID ctrace_netns_id;

/* The container that owns net, or the host. RCU read side. */
static __always_inline struct ctrace_container *ctrace_netns_owner(const struct net *net)
{
	struct ctrace_container *c = NULL;

	if (net != &init_net && ctrace_compat_net_alive(net))
		c = READ_ONCE(((const struct ctrace_netns *)net_generic(net, ctrace_netns_id))->c);
	return c ?: &ctrace_container_host;
}

/*
 * Is it certain that no session in mask wants what is net's? Of a container without parts: in those that have
 * some, init's may be wanted alone. (A target that names a cgroup around init has its part made before it is
 * in force.) Context: the same.
 */
static __always_inline bool ctrace_identity_net_unwanted(const struct net *net, u32 mask)
{
	const struct ctrace_container *c = ctrace_netns_owner(net);

	return !(mask & READ_ONCE(c->wanted)) && list_empty(&c->parts);
}

#endif /* CTRACE_NETNS_H */
