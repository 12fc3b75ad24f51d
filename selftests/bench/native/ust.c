// SPDX-License-Identifier: GPL-2.0-only
/* ust: like ring.c, but with LTTng's user-space tracer, in any session. Prints "lttng-ust NS". */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "ust_record.h"

#define BATCH	20000
#define BATCHES	201

static double mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static double v[BATCHES];

	for (int b = 0; b < BATCHES; b++) {
		double t = mono();

		for (int i = 0; i < BATCH; i++)
			lttng_ust_tracepoint(ctrace_bench, record, 1, 2, 3, 4, 5);
		v[b] = (mono() - t) / BATCH;
	}
	qsort(v, BATCHES, sizeof(*v), by_value);
	printf("lttng-ust %.1f\n", v[BATCHES / 2]);
	return 0;
}
