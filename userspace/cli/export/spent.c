// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "export/spent.h"

#define WIDTH	(1u << 20)	/* ns: of a part at first, about a millisecond */
#define CHUNK	64u		/* parts that are allocated at once: short-lived containers need few */
#define CHUNKS	(SPENT_PARTS / CHUNK)

struct box {
	uint32_t cid;
	uint64_t *chunk[SPENT_KINDS][CHUNKS];	/* NULL: all 0 */
};

struct spent_in {
	uint64_t began, width;
	bool any;
	size_t parts;
	struct box **v;		/* in order of arrival */
	size_t n, cap;
	uint32_t *by_cid;	/* place in v + 1, open addressing, size a power of two */
	size_t size;
};

struct spent_in *spent_new(void)
{
	struct spent_in *s = xcalloc(1, sizeof(*s));

	s->width = WIDTH;
	s->size = 64;
	s->by_cid = xcalloc(s->size, sizeof(s->by_cid[0]));
	return s;
}

static void free_chunks(uint64_t *chunk[CHUNKS])
{
	for (size_t i = 0; i < CHUNKS; i++)
		free(chunk[i]);
}

void spent_free(struct spent_in *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		for (int k = 0; k < SPENT_KINDS; k++)
			free_chunks(s->v[i]->chunk[k]);
		free(s->v[i]);
	}
	free(s->v);
	free(s->by_cid);
	free(s);
}

static uint32_t *place(const struct spent_in *s, uint32_t cid)
{
	size_t i = (cid * 0x9e3779b1u) & (s->size - 1);

	while (s->by_cid[i] && s->v[s->by_cid[i] - 1]->cid != cid)
		i = (i + 1) & (s->size - 1);
	return &s->by_cid[i];
}

static const struct box *find(const struct spent_in *s, uint32_t cid)
{
	uint32_t i = *place(s, cid);

	return i ? s->v[i - 1] : NULL;
}

static struct box *get(struct spent_in *s, uint32_t cid)
{
	uint32_t *at = place(s, cid);

	if (*at)
		return s->v[*at - 1];
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		s->v = xrealloc(s->v, s->cap * sizeof(s->v[0]));
	}
	s->v[s->n] = xcalloc(1, sizeof(*s->v[0]));
	s->v[s->n++]->cid = cid;
	*at = (uint32_t)s->n;
	if (2 * s->n > s->size) {
		free(s->by_cid);
		s->size *= 2;
		s->by_cid = xcalloc(s->size, sizeof(s->by_cid[0]));
		for (size_t i = 0; i < s->n; i++)
			*place(s, s->v[i]->cid) = (uint32_t)i + 1;
	}
	return s->v[s->n - 1];
}

static uint64_t value(uint64_t *const chunk[CHUNKS], size_t part)
{
	return chunk[part / CHUNK] ? chunk[part / CHUNK][part % CHUNK] : 0;
}

static void add(uint64_t *chunk[CHUNKS], size_t part, uint64_t n)
{
	uint64_t **c = &chunk[part / CHUNK];

	if (!n)
		return;
	if (!*c)
		*c = xcalloc(CHUNK, sizeof((*c)[0]));
	(*c)[part % CHUNK] += n;
}

/* Each part has two of the old ones. */
static void halve(struct spent_in *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (int k = 0; k < SPENT_KINDS; k++) {
			uint64_t *old[CHUNKS];

			memcpy(old, s->v[i]->chunk[k], sizeof(old));
			memset(s->v[i]->chunk[k], 0, sizeof(old));
			for (size_t p = 0; p < SPENT_PARTS; p++)
				add(s->v[i]->chunk[k], p / 2, value(old, p));
			free_chunks(old);
		}
	}
	s->width *= 2;
	s->parts = (s->parts + 1) / 2;
}

void spent_begin(struct spent_in *s, uint64_t time)
{
	if (s->any)
		return;
	s->any = true;
	s->began = time;
}

/* The part that the time is in; there is room for it then. */
static size_t part_of(struct spent_in *s, uint64_t time)
{
	size_t part;

	spent_begin(s, time);
	while (time >= s->began && (time - s->began) / s->width >= SPENT_PARTS)
		halve(s);
	part = time > s->began ? (size_t)((time - s->began) / s->width) : 0;
	s->parts = part + 1 > s->parts ? part + 1 : s->parts;
	return part;
}

void spent_count(struct spent_in *s, uint32_t cid, enum spent_on what, uint64_t time, uint64_t n)
{
	size_t part = part_of(s, time);

	add(get(s, cid)->chunk[what], part, n);
}

void spent_add(struct spent_in *s, uint32_t cid, enum spent_on what, uint64_t from, uint64_t to)
{
	struct box *b;
	size_t last;

	spent_begin(s, from);
	if (from < s->began)
		from = s->began;
	if (to <= from)
		return;
	last = part_of(s, to - 1);
	b = get(s, cid);
	for (size_t part = (size_t)((from - s->began) / s->width); part <= last; part++) {
		uint64_t begin = s->began + part * s->width, end = begin + s->width;

		add(b->chunk[what], part, (to < end ? to : end) - (from > begin ? from : begin));
	}
}

uint64_t spent_began(const struct spent_in *s)
{
	return s->began;
}

uint64_t spent_width(const struct spent_in *s)
{
	return s->any ? s->width : 0;
}

size_t spent_parts(const struct spent_in *s)
{
	return s->parts;
}

bool spent_container(const struct spent_in *s, size_t i, uint32_t *cid)
{
	if (i >= s->n)
		return false;
	*cid = s->v[i]->cid;
	return true;
}

bool spent_has(const struct spent_in *s, uint32_t cid, enum spent_on what)
{
	const struct box *b = find(s, cid);

	for (size_t i = 0; b && i < CHUNKS; i++)
		if (b->chunk[what][i])
			return true;
	return false;
}

uint64_t spent_at(const struct spent_in *s, uint32_t cid, enum spent_on what, size_t part)
{
	const struct box *b = find(s, cid);

	return b && part < SPENT_PARTS ? value(b->chunk[what], part) : 0;
}
