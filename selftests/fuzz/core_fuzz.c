// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the memory of a machine that panicked, changes it, and reads the arenas in it. The input: a byte of
 * switches (1: sums are made right again, so that what is behind them is reached; 2: two CPUs; 4: rings
 * that were overwritten), then changes of eight bytes each: a page (two bytes; the highest bit: it is not
 * there), an offset in it in words of eight bytes (two bytes), what is done (a byte: 0 it is set, 1 added
 * to, 2 a bit is turned over, 3 all of it is replaced by a page), and a number of three bytes, whose lowest
 * two bits say which number of four is meant.
 *
 * Beyond what the sanitizers see, it checks that each record that is handed out lies in its bounds, and
 * that no more come than the memory has room for.
 *
 * sources: cli/vmcore/facts.c cli/vmcore/find.c cli/vmcore/last.c cli/vmcore/rings.c cli/names/ctable.c
 * sources: cli/names/ctable_json.c cli/names/ctable_parts.c cli/names/cgroupfs.c cli/names/labels.c
 * sources: cli/names/names.c cli/names/names_index.c cli/names/names_manager.c cli/names/names_docker.c
 * sources: cli/names/names_runtime.c cli/names/names_machines.c cli/names/names_given.c
 * sources: cli/names/names_logs.c cli/names/names_inside.c cli/names/names_far.c cli/names/patterns.c
 * sources: cli/names/record.c cli/names/trust.c cli/base/json.c cli/base/json_read.c cli/base/sbuf.c
 * sources: cli/base/util.c cli/base/far.c cli/base/foreign.c lib/containers.c lib/ctl.c lib/errtext.c
 * sources: lib/schema.c lib/sizes.c
 * libraries: libnl-3.0 libnl-genl-3.0 json-c
 * packages: libnl-genl-3-dev libjson-c-dev
 */
#include "../unit/core_image.h"
#include "vmcore/last.h"

#define require(x)	do { if (!(x)) __builtin_trap(); } while (0)
#define PAGES		61u

static uint64_t records;
static struct last last;

static void see(const struct ctrace_record *rec, uint32_t slot, uint64_t pos, void *arg)
{
	unsigned char copy[CTRACE_RECORD_MAX];

	(void)arg;
	require(rec->len >= sizeof(*rec) && rec->len <= sizeof(copy) && rec->len % 8 == 0 && rec->time);
	memcpy(copy, rec, rec->len);
	records++;
	last_offer(&last, rec, slot, pos, 16);
}

static uint64_t number(const uint8_t *s)
{
	static const uint64_t kinds[] = { 1, 1ull << 12, 1ull << 32, 0x0100000000000001ull };

	return (s[0] | s[1] << 8 | (uint64_t)s[2] << 16) * kinds[s[0] & 3];
}

static void change(struct memory *m, const uint8_t *s)
{
	size_t page = (s[0] | (s[1] & 0x7f) << 8) % m->pages, word = (s[2] | s[3] << 8) % (PAGE / 8);
	uint64_t *at = (uint64_t *)(m->bytes + page * PAGE) + word, n = number(s + 5);

	if (s[1] & 0x80)
		m->there[page] = false;
	switch (s[4] % 4) {
	case 0:
		*at = n;
		break;
	case 1:
		*at += n;
		break;
	case 2:
		*at ^= 1ull << n % 64;
		break;
	default:
		memcpy(m->bytes + page * PAGE, m->bytes + n % m->pages * PAGE, PAGE);
	}
}

static void make_right(struct memory *m)
{
	for (size_t i = 0; i < m->pages; i++) {
		struct ctrace_core_head *h = (void *)(m->bytes + i * PAGE);
		struct ctrace_core_part *p = (void *)h;
		struct ctrace_core_container *c = (void *)(p + 1);

		if (h->magic[0] == CTRACE_CORE_MAGIC_0 && h->size <= PAGE - sizeof(*h))
			memory_sum(h);
		if (p->magic != CTRACE_CORE_PART_MAGIC)
			continue;
		if (p->bytes <= PAGE - sizeof(*p))
			p->sum = ctrace_core_sum(p + 1, p->bytes);
		for (int k = 0; p->kind == CTRACE_CORE_CONTAINERS && k < 7; k++, c++)
			c->sum = c->cid ? ctrace_core_sum(&c->cid, sizeof(*c) - sizeof(c->sum)) : 0;
	}
}

static void look(struct memory *m)
{
	struct core_facts facts = { 0 };
	struct core_rings rings;
	struct core c;

	core_find(&c, &m->im);
	for (size_t i = 0; i < c.narenas; i++) {
		struct ctrace_schema *schema = ctrace_schema_new();
		struct ctable *t = ctable_new(NULL);

		records = 0;
		core_rings(&c, &c.arenas[i], see, NULL, &rings);
		require(records == rings.records);
		last_sort(&last);
		for (size_t k = 1; k < last.n; k++)
			require(last.v[k - 1].time <= last.v[k].time);
		last_free(&last);
		if (c.arenas[i].module) {
			core_types(&c, c.arenas[i].module, schema, &facts);
			core_containers(&c, c.arenas[i].module, t, &facts);
		}
		ctable_free(t);
		ctrace_schema_free(schema);
	}
	core_free(&c);
}

/* The memory before it is changed: one for each way to make it. */
static struct memory made(unsigned int what)
{
	static struct memory kept[8];
	struct memory *m = &kept[what], copy;
	struct made_module *module;
	struct fake f;

	if (!m->pages) {
		f = fake_new(what & 2 ? 2 : 1, 3);
		for (unsigned int i = 0; i < (what & 4 ? 1500u : 90u); i++)
			fake_put(&f, i % f.dir->nslots, 1000 + i, i);
		*m = memory_new(PAGES);
		module = memory_module(m, 11);
		memory_arena(m, &f, module, 22, "flight");
		memory_container(m, module, 1, "5f3c1a", "/docker/5f3c1a");
		fake_free(&f);
	}
	copy = memory_new(PAGES);
	memcpy(copy.bytes, m->bytes, (size_t)PAGES * PAGE);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *s, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *s, size_t n)
{
	struct memory m = made(n ? s[0] % 8 : 0);

	for (size_t at = 1; at + 8 <= n; at += 8)
		change(&m, s + at);
	if (n && s[0] & 1)
		make_right(&m);
	look(&m);
	memory_free(&m);
	return 0;
}
