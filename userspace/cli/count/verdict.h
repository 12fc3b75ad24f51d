/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict of why: a rule over where the time of a container's threads went. The man page has it in words,
 * and selftests/kernel/16_views/verdicts.sh has situations with the verdict that each must get.
 */
#ifndef CTRACE_COUNT_VERDICT_H
#define CTRACE_COUNT_VERDICT_H

#include "count/threads.h"

enum cause {
	CAUSE_NONE,		/* nothing unusual */
	CAUSE_UNKNOWN,		/* too little is known */
	CAUSE_RAN,
	/* what holds it up; the first ones are waits for a CPU */
	CAUSE_NEIGHBOUR, CAUSE_HOST, CAUSE_CTRACE, CAUSE_SELF, CAUSE_HYPERVISOR, CAUSE_INTERRUPTS, CAUSE_CPU,
	CAUSE_QUOTA, CAUSE_DISK, CAUSE_KERNEL, CAUSE_LOCKS, CAUSE_NETWORK,
	CAUSE_N
};

struct verdict_in {
	uint64_t look;		/* ns: how long it was looked */
	uint64_t all;		/* ns: the sum of spent */
	uint64_t spent[SPENT_N];	/* ns */
	/* of SPENT_WAITED, by who had the CPU; waited[CAUSE_CPU] is of nobody else */
	uint64_t waited[CAUSE_N];
	uint64_t longest[CAUSE_N];	/* ns: the longest wait that ended; 0: not known */
};

struct verdict {
	enum cause first, second;	/* second CAUSE_NONE: there is none */
	uint64_t ns[CAUSE_N];		/* what each took */
	bool counts[CAUSE_N];		/* of those that hold it up: is it enough to be one? */
	uint64_t busy;			/* ns: not at rest */
	enum spent rest;		/* where most of the rest was */
};

struct verdict verdict_of(const struct verdict_in *in);
/* In JSON. */
const char *cause_word(enum cause c);
/* Where the cause's time is. */
enum spent cause_spent(enum cause c);

#endif
