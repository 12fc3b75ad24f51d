// SPDX-License-Identifier: GPL-2.0-only
#include "count/verdict.h"

/* The numbers of the rule, chosen on the situations of selftests/kernel/16_views/verdicts.sh. */
#define COUNTS_LOOK	20u	/* a cause counts from this part of the look on, of one thread's time, ... */
#define COUNTS_ONCE	(NSEC_PER_SEC / 10)	/* ... or if one wait took this time, ... */
#define COUNTS_BUSY	20u	/* ... and it is this part of the time that is not rest */
#define BEFORE_RAN	5u	/* it comes before running, from this part of the time that is not rest on */
#define RAN_LOOK	10u	/* running is a cause from this part of the look on */
#define NEAR		2u	/* the second is named from this part of the first on, ... */
#define NEAR_RAN	10u	/* ... or, after running, from this part of the time that is not rest on */

static const struct {
	const char *word;
	enum spent spent;
} causes[] = {
	[CAUSE_NONE] = { "none", SPENT_SLEPT }, [CAUSE_UNKNOWN] = { "unknown", SPENT_UNKNOWN },
	[CAUSE_RAN] = { "ran", SPENT_RAN }, [CAUSE_NEIGHBOUR] = { "neighbour", SPENT_WAITED },
	[CAUSE_HOST] = { "host", SPENT_WAITED }, [CAUSE_CTRACE] = { "ctrace", SPENT_WAITED },
	[CAUSE_SELF] = { "self", SPENT_WAITED }, [CAUSE_HYPERVISOR] = { "hypervisor", SPENT_WAITED },
	[CAUSE_INTERRUPTS] = { "interrupts", SPENT_WAITED }, [CAUSE_CPU] = { "cpu", SPENT_WAITED },
	[CAUSE_QUOTA] = { "quota", SPENT_THROTTLED }, [CAUSE_DISK] = { "disk", SPENT_DISK },
	[CAUSE_KERNEL] = { "kernel", SPENT_KERNEL }, [CAUSE_LOCKS] = { "locks", SPENT_LOCKS },
	[CAUSE_NETWORK] = { "network", SPENT_NETWORK },
};

const char *cause_word(enum cause c)
{
	return causes[c].word;
}

enum spent cause_spent(enum cause c)
{
	return causes[c].spent;
}

static bool counts(const struct verdict_in *in, const struct verdict *v, enum cause c)
{
	bool enough = v->ns[c] >= in->look / COUNTS_LOOK || in->longest[c] >= COUNTS_ONCE;

	return enough && v->ns[c] && v->ns[c] >= v->busy / COUNTS_BUSY;
}

/* The largest that holds it up and counts, but for one; CAUSE_NONE: there is none. */
static enum cause largest(const struct verdict *v, enum cause but)
{
	enum cause most = CAUSE_NONE;

	for (enum cause c = CAUSE_NEIGHBOUR; c < CAUSE_N; c++)
		if (c != but && v->counts[c] && (most == CAUSE_NONE || v->ns[c] > v->ns[most]))
			most = c;
	return most;
}

struct verdict verdict_of(const struct verdict_in *in)
{
	struct verdict v = { .rest = SPENT_SLEPT };
	enum cause held;

	v.ns[CAUSE_RAN] = in->spent[SPENT_RAN];
	for (enum cause c = CAUSE_NEIGHBOUR; c < CAUSE_N; c++)
		v.ns[c] = c <= CAUSE_CPU ? in->waited[c] : in->spent[cause_spent(c)];
	for (enum spent s = SPENT_RAN; s < SPENT_REQUESTS; s++)
		v.busy += in->spent[s];
	for (enum spent s = SPENT_REQUESTS; s < SPENT_UNKNOWN; s++)
		v.rest = in->spent[s] > in->spent[v.rest] ? s : v.rest;
	for (enum cause c = CAUSE_NEIGHBOUR; c < CAUSE_N; c++)
		v.counts[c] = counts(in, &v, c);
	held = largest(&v, CAUSE_NONE);
	if (held != CAUSE_NONE && v.ns[held] >= v.busy / BEFORE_RAN) {
		v.first = held;
		v.second = largest(&v, held);
		if (v.ns[CAUSE_RAN] > v.ns[v.second] && v.ns[CAUSE_RAN] >= in->look / RAN_LOOK)
			v.second = CAUSE_RAN;
		if (v.second != CAUSE_NONE && v.ns[v.second] < v.ns[held] / NEAR)
			v.second = CAUSE_NONE;
	} else if (v.ns[CAUSE_RAN] >= in->look / RAN_LOOK) {
		v.first = CAUSE_RAN;
		v.second = held != CAUSE_NONE && v.ns[held] >= v.busy / NEAR_RAN ? held : CAUSE_NONE;
	} else if (held != CAUSE_NONE) {
		v.first = held;
	} else if (in->spent[SPENT_UNKNOWN] > in->all / 2) {
		v.first = CAUSE_UNKNOWN;
	}
	return v;
}
