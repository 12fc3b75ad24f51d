// SPDX-License-Identifier: GPL-2.0-only
/* since 4.9: a hotplug state has instances */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
int ctrace_fact(int (*p)(unsigned int cpu, struct hlist_node *node));
int ctrace_fact(int (*p)(unsigned int cpu, struct hlist_node *node))
{
	return cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "", p, p);
}
