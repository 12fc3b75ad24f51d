/* SPDX-License-Identifier: GPL-2.0-only */
/* proc_counts.h: what /proc counts of interrupts and of a task's sleeps. */
#ifndef PROC_COUNTS_H
#define PROC_COUNTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* IRQ works of all CPUs; -1: this kernel does not count them. */
static inline long proc_irq_works(void)
{
	FILE *f = fopen("/proc/interrupts", "re");
	char line[8192], *at, *end;
	long sum = -1, n;

	while (f && fgets(line, sizeof(line), f)) {
		at = strchr(line, ':');
		if (!at || !strstr(line, "IRQ work interrupts"))
			continue;
		for (sum = 0, at++;; at = end) {
			n = strtol(at, &end, 10);
			if (end == at)
				break;
			sum += n;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* How often the process has slept; -1: it is not there. */
static inline long proc_sleeps(pid_t pid)
{
	char path[64], line[256];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

#endif
