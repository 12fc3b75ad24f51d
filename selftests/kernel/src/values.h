/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorted measurements of time: for medians and the like. */
#ifndef CTRACE_SELFTEST_VALUES_H
#define CTRACE_SELFTEST_VALUES_H

#include <stdint.h>
#include <stdlib.h>

static inline int values_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static inline void values_sort(uint64_t *v, size_t n)
{
	qsort(v, n, sizeof(*v), values_compare);
}

#endif
