/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For how long a CPU did not work for its tasks, in ns, as /proc/stat has it: steal, when the hypervisor had
 * the CPU; interrupts and soft interrupts. The kernel adds up steal at its timer's ticks, and interrupts, if
 * it does not measure them (IRQ_TIME_ACCOUNTING), as a whole tick for each tick that meets one.
 */
#ifndef CTRACE_COMPAT_CPUTIME_H
#define CTRACE_COMPAT_CPUTIME_H

#include <linux/kernel_stat.h>
#include "facts.h"

static __always_inline u64 ctrace_compat_cputime_ns(u64 n)
{
#ifdef CTRACE_HAVE_CPUTIME__OWN
	return (u64)cputime_to_usecs((__force cputime_t)n) * NSEC_PER_USEC;
#else
	return n;
#endif
}

/*
 * Of this CPU, both together, in the kernel's unit: if it is what it was, nothing was lost. Preemption off.
 */
static __always_inline u64 ctrace_compat_cpu_lost(void)
{
	const struct kernel_cpustat *k = kcpustat_this_cpu;

	return (__force u64)k->cpustat[CPUTIME_STEAL] + (__force u64)k->cpustat[CPUTIME_IRQ] +
	       (__force u64)k->cpustat[CPUTIME_SOFTIRQ];
}

static inline u64 ctrace_compat_cpu_steal(int cpu)
{
	return ctrace_compat_cputime_ns((__force u64)READ_ONCE(kcpustat_cpu(cpu).cpustat[CPUTIME_STEAL]));
}

static inline u64 ctrace_compat_cpu_interrupts(int cpu)
{
	return ctrace_compat_cputime_ns((__force u64)READ_ONCE(kcpustat_cpu(cpu).cpustat[CPUTIME_IRQ]) +
					(__force u64)READ_ONCE(kcpustat_cpu(cpu).cpustat[CPUTIME_SOFTIRQ]));
}

#endif
