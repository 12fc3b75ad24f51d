// SPDX-License-Identifier: LGPL-2.1-only
/* What the buckets of a histogram say: see CTRACE_TABLE_BUCKETS. */
#include "aggregate.h"

uint64_t ctrace_hist_count(const uint64_t *h)
{
	uint64_t n = 0;
	uint32_t b;

	for (b = 0; b < CTRACE_TABLE_BUCKETS; b++)
		n += h[b];
	return n;
}

uint64_t ctrace_hist_bottom(uint32_t b)
{
	return b ? ctrace_table_bucket_top(b - 1) + 1 : 0;
}

uint64_t ctrace_hist_min(const uint64_t *h)
{
	uint32_t b;

	for (b = 0; b < CTRACE_TABLE_BUCKETS; b++)
		if (h[b])
			return ctrace_hist_bottom(b);
	return 0;
}

uint64_t ctrace_hist_max(const uint64_t *h)
{
	uint32_t b;

	for (b = CTRACE_TABLE_BUCKETS; b-- > 0;)
		if (h[b])
			return ctrace_table_bucket_top(b);
	return 0;
}

uint64_t ctrace_hist_percentile(const uint64_t *h, double p)
{
	double want, below = 0, share;
	uint64_t bottom, top;
	uint32_t b;

	if (!(p > 0))
		return ctrace_hist_min(h);
	want = (p < 1 ? p : 1) * (double)ctrace_hist_count(h);
	for (b = 0; b < CTRACE_TABLE_BUCKETS; b++) {
		if (!h[b])
			continue;
		if (below + (double)h[b] < want) {
			below += (double)h[b];
			continue;
		}
		/* the values of a bucket are taken to lie evenly in it, the last one at its top */
		bottom = ctrace_hist_bottom(b);
		top = ctrace_table_bucket_top(b);
		share = (want - below) / (double)h[b];
		/* the top bucket of all has none to speak of */
		if (b == CTRACE_TABLE_BUCKETS - 1 || share >= 1)
			return b == CTRACE_TABLE_BUCKETS - 1 ? bottom : top;
		return bottom + (uint64_t)(share * (double)(top - bottom));
	}
	/* rounding of large counts */
	return ctrace_hist_max(h);
}
