// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "export/heat.h"

#define WIDTH	(1u << 20)	/* ns, of a part at first */

struct heat *heat_new(uint64_t began)
{
	struct heat *h = xcalloc(1, sizeof(*h));

	h->began = began;
	h->width = WIDTH;
	return h;
}

/* Each part has two of the old ones. */
static void halve(struct heat *h)
{
	for (unsigned int i = 0; i < HEAT_PARTS; i++) {
		for (unsigned int k = 0; k < HEAT_LEVELS; k++) {
			uint32_t n = h->cells[i][k];

			h->cells[i][k] = 0;
			h->cells[i / 2][k] += n;
		}
	}
	h->width *= 2;
}

void heat_add(struct heat *h, uint64_t time, uint64_t duration)
{
	unsigned int level = duration < 2 ? 0 : 64 - (unsigned int)__builtin_clzll(duration - 1);
	uint64_t since = time > h->began ? time - h->began : 0;

	while (since / h->width >= HEAT_PARTS)
		halve(h);
	h->cells[since / h->width][level < HEAT_LEVELS ? level : HEAT_LEVELS - 1]++;
}

bool heat_levels(const struct heat *h, unsigned int *first, unsigned int *last)
{
	*first = HEAT_LEVELS;
	*last = 0;
	for (unsigned int i = 0; i < HEAT_PARTS; i++) {
		for (unsigned int k = 0; k < HEAT_LEVELS; k++) {
			if (!h->cells[i][k])
				continue;
			*first = k < *first ? k : *first;
			*last = k > *last ? k : *last;
		}
	}
	return *first < HEAT_LEVELS;
}

unsigned int heat_parts(const struct heat *h)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < HEAT_PARTS; i++)
		for (unsigned int k = 0; k < HEAT_LEVELS; k++)
			if (h->cells[i][k])
				n = i + 1;
	return n;
}

uint32_t heat_most(const struct heat *h)
{
	uint32_t most = 0;

	for (unsigned int i = 0; i < HEAT_PARTS; i++)
		for (unsigned int k = 0; k < HEAT_LEVELS; k++)
			most = h->cells[i][k] > most ? h->cells[i][k] : most;
	return most;
}
