// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is found in the memory of a machine that panicked: whole, torn, of another version, with two arenas,
 * with holes, with copies of heads. The arenas are made by fake_ring.h, the memory by core_image.h.
 */
#include "ktap.h"
#include "core_image.h"
#include "vmcore/last.h"

#define SLOTS	3u

/* What core_rings() handed out. */
struct seen {
	uint64_t n, by_slot[256], last[256];
	bool wrong;		/* not what was written, or out of order */
};

static void see(const struct ctrace_record *rec, uint32_t slot, uint64_t pos, void *arg)
{
	const struct fake_record *r = (const void *)rec;
	struct seen *s = arg;

	(void)pos;
	s->wrong |= rec->id != 100 || rec->len != REC || r->check != ~r->serial || rec->cid != slot ||
		(s->by_slot[slot] && r->serial <= s->last[slot]);
	s->n++;
	s->by_slot[slot]++;
	s->last[slot] = r->serial;
}

struct scene {
	struct fake f;
	struct memory m;
	struct made_module *module;
	struct made_arena *arena;
	struct core c;
	struct seen seen;
	struct core_rings rings;
};

/* n records in slots 0 and 1; slot 2 is never used. */
static void set(struct scene *s, uint64_t n)
{
	*s = (struct scene){ .f = fake_new(1, SLOTS), .m = memory_new(1009) };
	fake_ctl(&s->f, 2)->gen = 0;
	for (uint64_t i = 0; i < n; i++)
		fake_put(&s->f, i % 2, 1000 + i, i + 1);
	s->module = memory_module(&s->m, 11);
	s->arena = memory_arena(&s->m, &s->f, s->module, 22, "flight");
	memory_container(&s->m, s->module, 1, "5f3c1a", "/docker/5f3c1a");
}

static void look(struct scene *s)
{
	core_find(&s->c, &s->m.im);
	s->seen = (struct seen){ 0 };
	if (s->c.narenas)
		core_rings(&s->c, &s->c.arenas[0], see, &s->seen, &s->rings);
}

static void end(struct scene *s)
{
	core_free(&s->c);
	memory_free(&s->m);
	fake_free(&s->f);
}

static void *data_page(const struct scene *s, uint32_t slot, uint64_t pos)
{
	const struct ctrace_dir *d = s->f.dir;

	return memory_at(&s->m, s->arena, d->slots_off + slot * d->slot_stride + PAGE + pos % RING);
}

static void *ring_page(const struct scene *s, uint32_t slot)
{
	return memory_at(&s->m, s->arena, s->f.dir->slots_off + slot * s->f.dir->slot_stride);
}

static uint64_t lacks(const struct core_rings *r)
{
	return r->rings_torn + r->subbufs_torn + r->missing + r->frames_torn + r->pages_absent;
}

static void whole(void)
{
	struct core_facts facts = { 0 };
	struct ctrace_schema *schema = ctrace_schema_new();
	struct ctable *t = ctable_new(NULL);
	const struct ctrace_event_type *type;
	struct scene s;

	set(&s, 200);
	look(&s);
	check_eq(s.c.narenas, 1);
	check_eq(s.c.nmodules, 1);
	check_eq(s.c.pages, 1009);
	check_eq(s.c.damaged + s.c.copies + s.c.nothers, 0);
	check_str(s.c.arenas[0].a.name, "flight");
	check(s.c.arenas[0].module == &s.c.modules[0]);
	check_eq(s.seen.n, 200);
	check(!s.seen.wrong);
	check_eq(s.rings.records, 200);
	check_eq(s.rings.rings, 2);
	check_eq(s.rings.newest, 1199);
	check_eq(lacks(&s.rings), 0);
	core_types(&s.c, s.c.arenas[0].module, schema, &facts);
	core_containers(&s.c, s.c.arenas[0].module, t, &facts);
	check_eq(facts.types, 1);
	check_eq(facts.containers, 1);
	check_eq(facts.parts_torn + facts.places_torn, 0);
	type = ctrace_schema_by_id(schema, 100);
	if (check(type)) {
		check_str(type->name, "serial_event");
		check_str(type->fields[1].name, "check");
	}
	check_str(ctable_get(t, 1)->c.path, "/docker/5f3c1a");
	check_eq(ctable_get(t, 1)->c.init_pid, 1001);
	check_str(ctable_shown(t, 1), "5f3c1a");
	ctable_free(t);
	ctrace_schema_free(schema);
	end(&s);
}

static void overwritten(void)
{
	const uint64_t each = (SUBBUF - sizeof(struct ctrace_subbuf)) / REC;
	struct scene s;

	set(&s, 2000);
	look(&s);
	check(!s.seen.wrong);
	check_eq(lacks(&s.rings), 0);
	/* the newest sub-buffer, and three whole ones before it */
	check_eq(s.seen.by_slot[0], 1000 - (1000 / each - 3) * each);
	check_eq(s.seen.last[0], 1999);
	end(&s);
}

static void hole(void)
{
	const uint64_t each = (SUBBUF - sizeof(struct ctrace_subbuf)) / REC;
	struct scene s;

	set(&s, 600);
	memory_lose(&s.m, data_page(&s, 0, SUBBUF));
	look(&s);
	check(!s.seen.wrong);
	check_eq(s.seen.by_slot[1], 300);
	check_eq(s.seen.by_slot[0], 300 - each);
	check_eq(s.rings.subbufs_torn, 1);
	check_eq(s.rings.pages_absent, 1);
	check_eq(s.rings.missing, each);
	end(&s);
}

/* Pages of zeros are left out of a core, and nothing is missing. */
static void zeros(void)
{
	struct scene s;

	set(&s, 200);
	for (size_t p = 0; p < s.m.pages; p++) {
		bool zero = true;

		for (size_t i = 0; i < PAGE && zero; i++)
			zero = !s.m.bytes[p * PAGE + i];
		s.m.there[p] = !zero;
	}
	look(&s);
	check_eq(s.seen.n, 200);
	check(!s.seen.wrong);
	check_eq(lacks(&s.rings), 0);
	end(&s);
}

static void ring_lost(void)
{
	struct scene s;

	set(&s, 200);
	memory_lose(&s.m, ring_page(&s, 1));
	memory_lose(&s.m, ring_page(&s, 2));	/* which was never used */
	look(&s);
	check_eq(s.seen.n, 100);
	check_eq(s.rings.rings_torn, 1);
	end(&s);
}

static void torn(void)
{
	struct ctrace_record *r;
	struct scene s;

	set(&s, 200);
	/* in the middle of a sub-buffer: what comes before it is whole */
	r = (void *)((char *)data_page(&s, 0, 0) + sizeof(struct ctrace_subbuf) + 10 * REC);
	r->len = 4;
	/* a header that is another's */
	((struct ctrace_subbuf *)data_page(&s, 1, 0))->pos = 64;
	look(&s);
	check(!s.seen.wrong);
	check_eq(s.rings.subbufs_torn, 2);
	check_eq(s.seen.by_slot[0], 10);
	check_eq(s.seen.by_slot[1], 0);
	end(&s);

	set(&s, 200);
	((struct ctrace_ring *)ring_page(&s, 0))->entered = 12345;
	((struct ctrace_ring *)ring_page(&s, 1))->head = UINT64_MAX - 7;
	look(&s);
	check_eq(s.rings.rings_torn, 2);
	check_eq(s.seen.n, 0);
	end(&s);
}

static void another_version(void)
{
	struct scene s;

	set(&s, 20);
	s.arena->h.version = CTRACE_CORE_VERSION + 1;
	look(&s);
	check_eq(s.c.narenas, 0);
	if (check_eq(s.c.nothers, 1)) {
		check_eq(s.c.others[0].abi, 0);
		check_str(s.c.others[0].head.module, "0.9");
	}
	end(&s);

	set(&s, 20);
	s.arena->a.dir.abi = s.arena->a.dir.abi_compat = CTRACE_ABI + 1;
	memory_sum(&s.arena->h);
	look(&s);
	check_eq(s.c.narenas, 0);
	if (check_eq(s.c.nothers, 1))
		check_eq(s.c.others[0].abi, CTRACE_ABI + 1);
	end(&s);
}

static void two_and_copies(void)
{
	struct made_arena *other;
	struct scene s;
	void *copy;

	set(&s, 200);
	other = memory_arena(&s.m, &s.f, s.module, 33, "other");
	copy = memory_page(&s.m);
	memcpy(copy, s.arena, PAGE);	/* such as a page of a file that somebody reads */
	copy = memory_page(&s.m);
	memcpy(copy, s.m.bytes + s.arena->a.frames, PAGE);
	look(&s);
	check_eq(s.c.narenas, 2);
	check_eq(s.c.copies, 1);
	for (size_t i = 0; i < s.c.narenas; i++) {
		s.seen = (struct seen){ 0 };
		core_rings(&s.c, &s.c.arenas[i], see, &s.seen, &s.rings);
		check_eq(s.seen.n, 200);
		check_eq(lacks(&s.rings), 0);
	}
	core_free(&s.c);
	/* one was freed: its magic is wiped, and what it leads to may be anything */
	memset(other->h.magic, 0, sizeof(other->h.magic));
	look(&s);
	check_eq(s.c.narenas, 1);
	check_str(s.c.arenas[0].a.name, "flight");
	end(&s);
}

static void damaged(void)
{
	struct scene s;

	set(&s, 20);
	s.arena->a.dir.ring_size *= 2;
	look(&s);
	check_eq(s.c.narenas, 0);
	check_eq(s.c.damaged, 1);
	core_free(&s.c);
	/* a right sum does not make it true */
	memory_sum(&s.arena->h);
	look(&s);
	check_eq(s.c.narenas, 0);
	check_eq(s.c.damaged, 1);
	end(&s);

	set(&s, 20);
	s.arena->a.pages = UINT64_MAX;
	memory_sum(&s.arena->h);
	look(&s);
	check_eq(s.c.narenas, 0);
	end(&s);
}

/* An arena with two parts of frames: either may be lost. */
static void frames_lost(void)
{
	const uint32_t slots = 110;
	struct ctrace_core_part *p;
	struct scene s;

	for (int which = 0; which < 2; which++) {
		s = (struct scene){ .f = fake_new(1, slots), .m = memory_new(1009) };
		for (uint64_t i = 0; i < 20 * slots; i++)
			fake_put(&s.f, i % slots, 1000 + i, i + 1);
		s.module = memory_module(&s.m, 11);
		s.arena = memory_arena(&s.m, &s.f, s.module, 22, "");
		look(&s);
		check_eq(s.seen.n, 20 * slots);
		check_eq(lacks(&s.rings), 0);
		core_free(&s.c);
		p = (void *)(s.m.bytes + s.arena->a.frames);
		if (which)
			p = (void *)(s.m.bytes + p->next);
		/* once it is torn, once it is not there */
		((uint64_t *)(p + 1))[3] ^= 1;
		look(&s);
		check(!s.seen.wrong);
		check_eq(s.rings.frames_torn, 1);
		check(s.seen.n > 0 && s.seen.n < 20 * slots);
		core_free(&s.c);
		memory_lose(&s.m, p);
		look(&s);
		check_eq(s.rings.frames_torn, 1);
		check(s.seen.n > 0 && s.seen.n < 20 * slots);
		end(&s);
	}
}

static void facts_torn(void)
{
	struct core_facts facts = { 0 };
	struct ctrace_schema *schema = ctrace_schema_new();
	struct ctable *t = ctable_new(NULL);
	struct ctrace_core_container *c;
	struct ctrace_core_type *type;
	struct scene s;

	set(&s, 20);
	c = memory_container(&s.m, s.module, 2, "aaaa", "/b");
	c->init_pid++;		/* it was being written */
	memory_container(&s.m, s.module, 700, "cccc", "/d");
	memory_lose(&s.m, s.m.bytes + s.module->m.containers[100]);
	type = (void *)(s.m.bytes + s.module->m.types + sizeof(struct ctrace_core_part));
	type->bytes = 4;
	look(&s);
	core_types(&s.c, s.c.arenas[0].module, schema, &facts);
	check_eq(facts.types, 0);
	check_eq(facts.parts_torn, 2);	/* and so the end is not known */
	facts = (struct core_facts){ 0 };
	core_containers(&s.c, s.c.arenas[0].module, t, &facts);
	check_eq(facts.places_torn, 1);
	check_eq(facts.parts_torn, 1);
	check_eq(facts.containers, 1);
	check(!ctable_get(t, 2)->known);
	ctable_free(t);
	ctrace_schema_free(schema);
	end(&s);
}

static void newest(void)
{
	struct fake_record r = { .r = { .id = 100, .len = REC } };
	struct last l = { 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		r.r.time = i * 7919 % 1000;
		last_offer(&l, &r.r, 0, i, 10);
	}
	last_sort(&l);
	check_eq(l.offered, 1000);
	check_eq(l.n, 10);
	for (uint64_t i = 0; i < l.n; i++)
		check_eq(l.v[i].time, 990 + i);
	last_free(&l);
}

static const struct ktap_case cases[] = {
	{ "whole", whole },
	{ "overwritten", overwritten },
	{ "hole", hole },
	{ "zeros", zeros },
	{ "ring_lost", ring_lost },
	{ "torn", torn },
	{ "another_version", another_version },
	{ "two_and_copies", two_and_copies },
	{ "damaged", damaged },
	{ "frames_lost", frames_lost },
	{ "facts_torn", facts_torn },
	{ "newest", newest },
};

KTAP_MAIN(cases)
