// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hypervisor that takes `percent` of each CPU's time, as the kernel's accounts see it: about each tick, that
 * much steal is added, which /proc/stat shows. An emulated guest has no steal of its own.
 */
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static unsigned int percent = 50;
module_param(percent, uint, 0644);

static void take(struct work_struct *w);
static DECLARE_DELAYED_WORK(work, take);
static ktime_t last;
static u64 owed;	/* ns that are less than a unit of the accounts */

/* Before 4.11 the accounts are in ticks. */
#ifdef usecs_to_cputime
#define UNIT	TICK_NSEC
#else
#define UNIT	1
#endif

static void take(struct work_struct *w)
{
	ktime_t now = ktime_get();
	u64 units;
	int cpu;

	owed += ktime_to_ns(ktime_sub(now, last)) / 100 * percent;
	units = div_u64(owed, UNIT);
	owed -= units * UNIT;
	for_each_online_cpu(cpu)
		kcpustat_cpu(cpu).cpustat[CPUTIME_STEAL] += units;
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
