/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU hotplug: holding it off, and callbacks when a CPU comes or goes. */
#ifndef CTRACE_COMPAT_CPU_H
#define CTRACE_COMPAT_CPU_H

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include "facts.h"

#ifndef CTRACE_HAVE_CPUS_READ_LOCK
#define cpus_read_lock()	get_online_cpus()
#define cpus_read_unlock()	put_online_cpus()
#endif

/*
 * For each node that was added, online() is called for each CPU that is online or comes online, and
 * offline() for each CPU that goes, and for all when the node is deleted. A CPU gets one call at a
 * time. The caller calls get before the first add and put after the last delete, and serializes all
 * four. They may sleep.
 */
struct ctrace_compat_cpus {
	const char *name;
	int (*online)(unsigned int cpu, struct hlist_node *node);
	int (*offline)(unsigned int cpu, struct hlist_node *node);
#ifdef CTRACE_HAVE_CPU_HOTPLUG__MULTI
	enum cpuhp_state state;
#else
	struct notifier_block nb;
	struct hlist_head nodes;	/* written under cpus_read_lock(), read by the notifier */
#endif
};

#ifdef CTRACE_HAVE_CPU_HOTPLUG__MULTI

static inline int ctrace_compat_cpus_get(struct ctrace_compat_cpus *c)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, c->name, c->online, c->offline);

	if (state < 0)
		return state;
	c->state = state;
	return 0;
}

static inline void ctrace_compat_cpus_put(struct ctrace_compat_cpus *c)
{
	cpuhp_remove_multi_state(c->state);
}

static inline int ctrace_compat_cpus_add(struct ctrace_compat_cpus *c, struct hlist_node *node)
{
	return cpuhp_state_add_instance(c->state, node);
}

static inline void ctrace_compat_cpus_del(struct ctrace_compat_cpus *c, struct hlist_node *node)
{
	cpuhp_state_remove_instance(c->state, node);
}

#else

/* If online() fails, the CPU comes online without that node: older kernels cannot refuse it this late. */
static inline int ctrace_compat_cpus_told(struct notifier_block *nb, unsigned long action, void *hcpu)
{
	struct ctrace_compat_cpus *c = container_of(nb, struct ctrace_compat_cpus, nb);
	unsigned int cpu = (unsigned long)hcpu;
	struct hlist_node *node;

	for (node = c->nodes.first; node; node = node->next)
		switch (action & ~CPU_TASKS_FROZEN) {
		case CPU_ONLINE:
		case CPU_DOWN_FAILED:
			c->online(cpu, node);
			break;
		case CPU_DOWN_PREPARE:
			c->offline(cpu, node);
			break;
		}
	return NOTIFY_OK;
}

static inline int ctrace_compat_cpus_get(struct ctrace_compat_cpus *c)
{
	INIT_HLIST_HEAD(&c->nodes);
	c->nb.notifier_call = ctrace_compat_cpus_told;
	return register_cpu_notifier(&c->nb);
}

static inline void ctrace_compat_cpus_put(struct ctrace_compat_cpus *c)
{
	unregister_cpu_notifier(&c->nb);
}

static inline int ctrace_compat_cpus_add(struct ctrace_compat_cpus *c, struct hlist_node *node)
{
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = c->online(cpu, node);
		if (err)
			break;
	}
	if (err)
		for_each_online_cpu(cpu)
			c->offline(cpu, node);	/* also for CPUs that online() did not reach: harmless */
	else
		hlist_add_head(node, &c->nodes);
	cpus_read_unlock();
	return err;
}

static inline void ctrace_compat_cpus_del(struct ctrace_compat_cpus *c, struct hlist_node *node)
{
	unsigned int cpu;

	cpus_read_lock();
	hlist_del(node);
	for_each_online_cpu(cpu)
		c->offline(cpu, node);
	cpus_read_unlock();
}

#endif

#endif
