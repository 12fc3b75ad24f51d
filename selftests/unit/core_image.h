/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The physical memory of a machine, made by hand, with what the module leaves there: as uapi/ctrace_core.h
 * describes it, and as a second witness beside module/ring/describe.c.
 */
#ifndef CTRACE_SELFTEST_CORE_IMAGE_H
#define CTRACE_SELFTEST_CORE_IMAGE_H

#include <stdlib.h>
#include <string.h>
#include "fake_ring.h"
#include "vmcore/core.h"

#define PAGE	4096u
#define PER	((PAGE - sizeof(struct ctrace_core_part)) / sizeof(uint64_t))

struct memory {
	struct core_image im;
	unsigned char *bytes;
	bool *there;
	size_t pages, used, step;
};

static inline bool memory_read(struct core_image *im, uint64_t phys, void *to, size_t len)
{
	struct memory *m = (struct memory *)im;

	if (!len || phys > m->pages * PAGE || len > m->pages * PAGE - phys)
		return false;
	for (uint64_t p = phys / PAGE; p <= (phys + len - 1) / PAGE; p++)
		if (!m->there[p])
			return false;
	memcpy(to, m->bytes + phys, len);
	return true;
}

static inline bool memory_next(struct core_image *im, uint64_t *page)
{
	struct memory *m = (struct memory *)im;

	while (*page < m->pages && !m->there[*page])
		++*page;
	return *page < m->pages;
}

static inline struct memory memory_new(size_t pages)
{
	struct memory m = {
		.im = { .read = memory_read, .next = memory_next, .page_size = PAGE }, .pages = pages,
		.bytes = calloc(pages, PAGE), .there = calloc(pages, sizeof(bool)),
	};

	for (m.step = pages / 2 | 1; pages % m.step == 0; m.step += 2)
		;
	memset(m.there, true, pages);
	return m;
}

static inline void memory_free(struct memory *m)
{
	free(m->bytes);
	free(m->there);
}

/* A page that nobody has, somewhere: neighbours of an arena are no neighbours in memory. */
static inline void *memory_page(struct memory *m)
{
	/* pages and step share no factor but perhaps 1: each page comes once */
	size_t i = (1 + m->used++ * m->step) % m->pages;

	return m->bytes + i * PAGE;
}

static inline uint64_t memory_phys(const struct memory *m, const void *p)
{
	return (uint64_t)((const unsigned char *)p - m->bytes);
}

static inline void memory_lose(struct memory *m, const void *p)
{
	m->there[memory_phys(m, p) / PAGE] = false;
}

static inline struct ctrace_core_part *memory_part(struct memory *m, uint64_t id, uint32_t kind, uint32_t seq)
{
	struct ctrace_core_part *p = memory_page(m);

	*p = (struct ctrace_core_part){
		.magic = CTRACE_CORE_PART_MAGIC, .phys = memory_phys(m, p), .id = id, .kind = kind,
		.seq = seq,
	};
	return p;
}

static inline void memory_sum(struct ctrace_core_head *h)
{
	h->sum = ctrace_core_sum(h + 1, h->size);
}

static inline void *memory_head(struct memory *m, uint32_t kind, uint64_t id, uint32_t size)
{
	struct ctrace_core_head *h = memory_page(m);

	*h = (struct ctrace_core_head){
		.magic = { CTRACE_CORE_MAGIC_0, CTRACE_CORE_MAGIC_1 }, .version = CTRACE_CORE_VERSION,
		.kind = kind,
		.phys = memory_phys(m, h), .id = id, .page_size = PAGE, .size = size, .release = "6.1.0-test",
		.module = "0.9",
	};
	return h;
}

struct made_module {
	struct ctrace_core_head h;
	struct ctrace_core_module m;
};

struct made_arena {
	struct ctrace_core_head h;
	struct ctrace_core_arena a;
};

static inline char *put_word(char *at, const char *word)
{
	return strcpy(at, word) + strlen(word) + 1;
}

/* The type of fake_put()'s records: id 100, serial and check. */
static inline void memory_types(struct memory *m, struct made_module *h)
{
	struct ctrace_core_part *p = memory_part(m, h->h.id, CTRACE_CORE_TYPES, 0);
	struct ctrace_core_type t = { .id = 100, .nfields = 2 };
	struct ctrace_core_field f = { .kind = CTRACE_FK_UINT, .size = 8 };
	char *at = (char *)(p + 1) + sizeof(t);

	at = put_word(put_word(at, "serial_event"), "test");
	for (int i = 0; i < 2; i++) {
		memcpy(at, &f, sizeof(f));
		at = put_word(at + sizeof(f), i ? "check" : "serial");
	}
	t.bytes = (uint16_t)(at - (char *)(p + 1));
	memcpy(p + 1, &t, sizeof(t));
	p->bytes = t.bytes;
	p->sum = ctrace_core_sum(p + 1, p->bytes);
	h->m.types = p->phys;
}

static inline struct ctrace_core_container *
memory_container(struct memory *m, struct made_module *h, uint32_t cid, const char *id, const char *path)
{
	uint32_t bucket = cid / h->m.places % CTRACE_CORE_BUCKETS;
	struct ctrace_core_container *c;
	struct ctrace_core_part *p;

	if (!h->m.containers[bucket]) {
		p = memory_part(m, h->h.id, CTRACE_CORE_CONTAINERS, bucket);
		p->bytes = h->m.places * sizeof(*c);
		h->m.containers[bucket] = p->phys;
	}
	c = (void *)(m->bytes + h->m.containers[bucket] + sizeof(*p));
	c += cid % h->m.places;
	*c = (struct ctrace_core_container){
		.cid = cid, .init_pid = 1000 + (int32_t)cid, .runtime = "docker",
	};
	strcpy(c->runtime_id, id);
	strcpy(c->path, path);
	c->sum = ctrace_core_sum(&c->cid, sizeof(*c) - sizeof(c->sum));
	return c;
}

static inline struct made_module *memory_module(struct memory *m, uint64_t id)
{
	struct made_module *h = memory_head(m, CTRACE_CORE_MODULE, id, CTRACE_CORE_MODULE_SUMMED);

	h->m = (struct ctrace_core_module){
		.abi = CTRACE_ABI, .abi_compat = CTRACE_ABI_COMPAT, .buckets = CTRACE_CORE_BUCKETS,
		.places = 7,
		.clock_offset = 1000000000000000000,
	};
	memory_sum(&h->h);
	memory_types(m, h);
	return h;
}

/* Copies the arena's pages into memory, and describes it. */
static inline struct made_arena *
memory_arena(struct memory *m, const struct fake *f, const struct made_module *module, uint64_t id,
	     const char *name)
{
	struct made_arena *h = memory_head(m, CTRACE_CORE_ARENA, id, sizeof(h->a));
	uint64_t pages = f->len / PAGE;
	struct ctrace_core_part *p = NULL, *next;
	void *page;

	h->a = (struct ctrace_core_arena){
		.dir = *f->dir, .module = memory_phys(m, module), .module_id = module->h.id, .pages = pages,
		.owner = 77,
	};
	strcpy(h->a.name, name);
	for (uint64_t i = 0; i < pages; i++) {
		page = memory_page(m);
		memcpy(page, (char *)f->dir + i * PAGE, PAGE);
		if (i % PER == 0) {
			next = memory_part(m, id, CTRACE_CORE_FRAMES, (uint32_t)(i / PER));
			if (p)
				p->next = next->phys;
			else
				h->a.frames = next->phys;
			p = next;
		}
		((uint64_t *)(p + 1))[i % PER] = memory_phys(m, page) / PAGE;
		p->bytes += sizeof(uint64_t);
		p->sum = ctrace_core_sum(p + 1, p->bytes);
	}
	memory_sum(&h->h);
	return h;
}

/* The page of the arena at an offset. */
static inline void *memory_at(const struct memory *m, const struct made_arena *h, uint64_t off)
{
	uint64_t phys = h->a.frames, i = off / PAGE;
	const struct ctrace_core_part *p = (void *)(m->bytes + phys);

	for (; i >= PER; i -= PER)
		p = (void *)(m->bytes + p->next);
	return m->bytes + ((const uint64_t *)(p + 1))[i] * PAGE + off % PAGE;
}

#endif
