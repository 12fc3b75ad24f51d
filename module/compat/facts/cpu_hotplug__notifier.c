// SPDX-License-Identifier: GPL-2.0-only
/* before 4.9 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/notifier.h>
int ctrace_fact(struct notifier_block *nb);
int ctrace_fact(struct notifier_block *nb)
{
	return register_cpu_notifier(nb) + CPU_ONLINE + CPU_DOWN_FAILED + CPU_DOWN_PREPARE;
}
int cpuhp_setup_state_multi;
