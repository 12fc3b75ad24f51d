// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hypervisor that takes `percent` of each CPU's time, as the kernel's accounts see it: about each tick, that
 * much steal is added, which /proc/stat shows. An emulated guest has no steal of its own.
 */
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static unsigned int percent = 50;
module_param(percent, uint, 0644);

static void take(struct work_struct *w);
static DECLARE_DELAYED_WORK(work, take);
static ktime_t last;

static void take(struct work_struct *w)
{
	ktime_t now = ktime_get();
	int cpu;

	for_each_online_cpu(cpu)
		kcpustat_cpu(cpu).cpustat[CPUTIME_STEAL] += ktime_to_ns(ktime_sub(now, last)) / 100 * READ_ONCE(percent);
	last = now;
	schedule_delayed_work(&work, 1);
}

static int __init steal_init(void)
{
	last = ktime_get();
	schedule_delayed_work(&work, 1);
	return 0;
}
module_init(steal_init);

static void __exit steal_exit(void)
{
	cancel_delayed_work_sync(&work);
}
module_exit(steal_exit);

MODULE_DESCRIPTION("ctrace's tests: a hypervisor that takes CPU time");
MODULE_LICENSE("GPL");
