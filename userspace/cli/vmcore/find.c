// SPDX-License-Identifier: GPL-2.0-only
/* Finds the heads and parts of descriptions in an image of physical memory. */
#include <stdlib.h>
#include <string.h>
#include "vmcore/core.h"

#define RING_MAX	(1ull << 30)		/* the module's limit */
#define PAGES_MAX	(1ull << 40)		/* of an arena: no product of a number of pages overflows */

/* The page as it was found. Each kind is smaller than the smallest page. */
union page {
	uint64_t magic[2];
	struct ctrace_core_head head;
	struct {
		struct ctrace_core_head head;
		struct ctrace_core_module m;
	} module;
	struct {
		struct ctrace_core_head head;
		struct ctrace_core_arena a;
	} arena;
	struct ctrace_core_part part;
	unsigned char bytes[CTRACE_PAGE];
};
_Static_assert(sizeof(union page) == CTRACE_PAGE, "a head fits into a page");

/* Room for one more in an array of n, which doubles. */
static void *grow(void *v, size_t n, size_t size)
{
	return n & (n - 1) ? v : n ? xrealloc(v, 2 * n * size) : xrealloc(v, size);
}

static bool power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

static bool ended(const char *text, size_t size)
{
	return memchr(text, 0, size);
}

/* No offset that is computed from d leaves its `bytes`, and no product overflows. */
static bool dir_ok(const struct ctrace_dir *d, uint64_t bytes)
{
	if (d->magic != CTRACE_MAGIC || d->map_size > bytes || !d->ncpus || !d->slots_per_cpu ||
	    (uint64_t)d->ncpus * d->slots_per_cpu != d->nslots)
		return false;
	if (!power_of_two(d->subbuf_size) || !power_of_two(d->ring_size) || d->subbuf_size < CTRACE_PAGE ||
	    d->ring_size > RING_MAX || d->ring_size < 2ull * d->subbuf_size ||
	    d->slot_stride != CTRACE_PAGE + d->ring_size)
		return false;
	if (d->slots_off % CTRACE_PAGE || d->slots_off < CTRACE_PAGE || d->slots_off > d->map_size ||
	    d->nslots > (d->map_size - d->slots_off) / d->slot_stride)
		return false;
	return d->heads_off >= CTRACE_PAGE && d->heads_off % 8 == 0 && d->heads_off <= d->slots_off &&
		d->heads_stride % 8 == 0 && d->heads_stride / 8 >= d->slots_per_cpu &&
		(d->slots_off - d->heads_off) / d->heads_stride >= d->ncpus;
}

static void add_other(struct core *c, const struct ctrace_core_head *h, uint32_t abi)
{
	struct core_other o = { .head = *h, .abi = abi };

	o.head.release[sizeof(o.head.release) - 1] = 0;
	o.head.module[sizeof(o.head.module) - 1] = 0;
	c->others = grow(c->others, c->nothers, sizeof(o));
	c->others[c->nothers++] = o;
}

static bool understood(uint32_t abi, uint32_t abi_compat)
{
	return abi_compat <= CTRACE_ABI && abi >= CTRACE_ABI_COMPAT;
}

static bool add_module(struct core *c, const union page *p)
{
	size_t room = c->im->page_size - sizeof(struct ctrace_core_part);
	const struct ctrace_core_module *m = &p->module.m;

	if (p->head.size != CTRACE_CORE_MODULE_SUMMED || m->buckets != CTRACE_CORE_BUCKETS || !m->places ||
	    m->places > room / sizeof(struct ctrace_core_container))
		return false;
	if (!understood(m->abi, m->abi_compat)) {
		add_other(c, &p->head, m->abi);
		return true;
	}
	c->modules = grow(c->modules, c->nmodules, sizeof(*c->modules));
	c->modules[c->nmodules++] = (struct core_module){ .head = p->head, .m = *m };
	return true;
}

static bool add_arena(struct core *c, const union page *p)
{
	const struct ctrace_core_arena *a = &p->arena.a;

	if (p->head.size != sizeof(*a) || !ended(a->name, sizeof(a->name)) || a->pages > PAGES_MAX)
		return false;
	if (!understood(a->dir.abi, a->dir.abi_compat)) {
		add_other(c, &p->head, a->dir.abi);
		return true;
	}
	if (!dir_ok(&a->dir, a->pages * c->im->page_size))
		return false;
	c->arenas = grow(c->arenas, c->narenas, sizeof(*c->arenas));
	c->arenas[c->narenas++] = (struct core_arena){ .head = p->head, .a = *a };
	return true;
}

static void look_at_head(struct core *c, const union page *p, uint64_t phys)
{
	const struct ctrace_core_head *h = &p->head;
	bool ok;

	if (h->phys != phys) {
		c->copies++;
		return;
	}
	if (h->version != CTRACE_CORE_VERSION) {
		add_other(c, h, 0);
		return;
	}
	ok = h->page_size == c->im->page_size && h->size <= sizeof(*p) - sizeof(*h) &&
		h->sum == ctrace_core_sum(h + 1, h->size) && ended(h->release, sizeof(h->release)) &&
		ended(h->module, sizeof(h->module));
	if (ok && h->kind == CTRACE_CORE_MODULE)
		ok = add_module(c, p);
	else if (ok && h->kind == CTRACE_CORE_ARENA)
		ok = add_arena(c, p);
	else
		ok = false;
	c->damaged += !ok;
}

static void look_at_part(struct core *c, const struct ctrace_core_part *p, uint64_t phys)
{
	if (p->phys != phys)
		return;
	c->parts = grow(c->parts, c->nparts, sizeof(*c->parts));
	c->parts[c->nparts++] = (struct core_part){
		.id = p->id, .phys = phys, .kind = p->kind, .seq = p->seq,
	};
}

/* Of two that say the same of themselves, the first is taken, wherever sorting puts them. */
static int by_place(const void *x, const void *y)
{
	const struct core_part *a = x, *b = y;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->phys < b->phys ? -1 : a->phys > b->phys;
}

static void join(struct core *c)
{
	size_t n = 0;

	if (c->nparts)
		qsort(c->parts, c->nparts, sizeof(*c->parts), by_place);
	for (size_t i = 0; i < c->nparts; i++)
		if (!n || c->parts[n - 1].id != c->parts[i].id || c->parts[n - 1].kind != c->parts[i].kind ||
		    c->parts[n - 1].seq != c->parts[i].seq)
			c->parts[n++] = c->parts[i];
	c->nparts = n;
	for (size_t i = 0; i < c->narenas; i++)
		for (size_t k = 0; k < c->nmodules; k++)
			if (c->modules[k].head.phys == c->arenas[i].a.module &&
			    c->modules[k].head.id == c->arenas[i].a.module_id)
				c->arenas[i].module = &c->modules[k];
}

void core_find(struct core *c, struct core_image *im)
{
	union page p;
	uint64_t phys;

	*c = (struct core){ .im = im, .page = xcalloc(1, im->page_size) };
	for (uint64_t page = 0; im->next(im, &page); page++) {
		c->pages++;
		phys = page * im->page_size;
		if (!im->read(im, phys, p.magic, sizeof(p.magic)))
			continue;
		if (p.magic[0] == CTRACE_CORE_MAGIC_0 && p.magic[1] == CTRACE_CORE_MAGIC_1) {
			if (im->read(im, phys, &p, sizeof(p)))
				look_at_head(c, &p, phys);
		} else if (p.magic[0] == CTRACE_CORE_PART_MAGIC) {
			if (im->read(im, phys, &p.part, sizeof(p.part)))
				look_at_part(c, &p.part, phys);
		}
	}
	join(c);
}

void core_free(struct core *c)
{
	free(c->modules);
	free(c->arenas);
	free(c->others);
	free(c->parts);
	free(c->page);
	memset(c, 0, sizeof(*c));
}

/* Is part p behind (id, kind)'s beginning? */
static bool reached(const struct core_part *p, uint64_t id, uint32_t kind)
{
	return p->id > id || (p->id == id && p->kind >= kind);
}

const struct core_part *core_parts(const struct core *c, uint64_t id, uint32_t kind, size_t *n)
{
	size_t lo = 0, hi = c->nparts, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (reached(&c->parts[mid], id, kind))
			hi = mid;
		else
			lo = mid + 1;
	}
	for (*n = 0; lo + *n < c->nparts; ++*n)
		if (c->parts[lo + *n].id != id || c->parts[lo + *n].kind != kind)
			break;
	return *n ? &c->parts[lo] : NULL;
}

const void *core_part_read(struct core *c, const struct core_part *p, uint32_t *len)
{
	const struct ctrace_core_part *head = (const void *)c->page;

	if (!c->im->read(c->im, p->phys, c->page, c->im->page_size))
		return NULL;
	if (head->bytes > c->im->page_size - sizeof(*head) ||
	    (p->kind != CTRACE_CORE_CONTAINERS && head->sum != ctrace_core_sum(head + 1, head->bytes)))
		return NULL;
	*len = head->bytes;
	return head + 1;
}
