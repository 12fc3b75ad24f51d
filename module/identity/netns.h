/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose is a network namespace? For packets that no task and no socket has.
 *
 * It belongs to the container whose process was the first to begin, of those that have executed a program in
 * it. That is the one it was made for, or, if containers share it as in a pod, the one that was there before the
 * others: the pause container. The init of a pid namespace counts for more than any other process: the first
 * program may be that of a container's helper, which prepares the namespace of an inner one, or of a container
 * with the host's pids. If the owner has died, the next one is found as the first was; those that are there
 * already are looked at when the next session begins.
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
 * its namespaces away with its other nodes, before the grace period after which it is freed
 * (ctrace_learn_unlink()); afterwards ctrace_netns_learn() gives it no more, as it is dying.
 */
#ifndef CTRACE_NETNS_H
#define CTRACE_NETNS_H

struct ctrace_who;
struct net;
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

#endif /* CTRACE_NETNS_H */
