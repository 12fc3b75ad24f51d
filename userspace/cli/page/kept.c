// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "count/threads.h"
#include "page/page.h"

/* --- parts of time --- */

uint32_t page_bin(const struct page *p, uint64_t time)
{
	uint64_t bin = time > p->began ? (time - p->began) / p->width : 0;

	return bin < PAGE_BINS ? (uint32_t)bin : PAGE_BINS - 1;
}

void page_cells_add(struct page_cells *c, uint32_t bin, uint64_t ns, bool failed)
{
	struct page_cell *at = c->n ? &c->v[c->n - 1] : NULL;

	/* events come in order of time, and spans at their ends: a part is the last, or a new one */
	if (!at || at->bin < bin) {
		if (c->n == c->cap) {
			c->cap = c->cap ? 2 * c->cap : 4;
			c->v = xrealloc(c->v, c->cap * sizeof(c->v[0]));
		}
		at = &c->v[c->n++];
		*at = (struct page_cell){ .bin = bin };
	}
	at->n++;
	at->failed += failed;
	at->ns += ns;
	at->max = ns > at->max ? ns : at->max;
}

static void add(uint64_t **list, uint32_t bin, uint64_t n)
{
	if (!*list)
		*list = xcalloc(PAGE_BINS, sizeof((*list)[0]));
	(*list)[bin] += n;
}

void page_count(struct page *p, struct page_box *b, enum page_series what, uint64_t time, uint64_t n)
{
	if (n)
		add(&b->series[what], page_bin(p, time), n);
}

void page_spend(struct page *p, uint64_t **list, uint64_t from, uint64_t to)
{
	uint32_t last = to ? page_bin(p, to - 1) : 0;

	from = from < p->began ? p->began : from;
	for (uint32_t bin = page_bin(p, from); bin <= last && from < to; bin++) {
		uint64_t end = bin == last ? to : p->began + (bin + 1) * p->width;

		add(list, bin, end - from);
		from = end;
	}
}

void page_heat(struct page *p, struct page_box *b, enum page_heat what, uint64_t time, uint64_t duration)
{
	/* level k: more than 2^(k-1) ns and up to 2^k */
	uint32_t level = duration < 2 ? 0 : 64 - (uint32_t)__builtin_clzll(duration - 1);

	if (!b->heat[what])
		b->heat[what] = xcalloc(PAGE_BINS * PAGE_LEVELS, sizeof(b->heat[what][0]));
	level = level < PAGE_LEVELS ? level : PAGE_LEVELS - 1;
	b->heat[what][page_bin(p, time) * PAGE_LEVELS + level]++;
}

/* --- calls, culprits, failures --- */

struct page_call *page_call_of(struct page *p, size_t box, const char *name)
{
	uint32_t h = 2166136261u ^ (uint32_t)box;
	uint16_t *at;

	for (const char *c = name; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619u;
	/* there are never more than PAGE_CALLS, and an (other) for each container: a free place is found */
	for (;; h++) {
		at = &p->call_places[(h ^ h >> 15) % ARRAY_SIZE(p->call_places)];
		if (!*at)
			break;
		if (p->calls[*at - 1].box == box && !strcmp(p->calls[*at - 1].name, name))
			return &p->calls[*at - 1];
	}
	if (p->ncalls >= PAGE_CALLS && strcmp(name, "(other)"))
		return page_call_of(p, box, "(other)");
	p->calls = xrealloc(p->calls, (p->ncalls + 1) * sizeof(p->calls[0]));
	p->calls[p->ncalls] = (struct page_call){ .box = box };
	snprintf(p->calls[p->ncalls].name, sizeof(p->calls[0].name), "%s", name);
	*at = (uint16_t)++p->ncalls;
	return &p->calls[p->ncalls - 1];
}

struct page_blame *page_blame_of(struct page *p, size_t victim, uint32_t kind, uint32_t cid, bool ctrace)
{
	size_t i = 0;

	if (kind != CTRACE_CULPRIT_NEIGHBOUR)
		cid = 0;
	while (i < p->nblames && (p->blames[i].victim != victim || p->blames[i].kind != kind ||
				  p->blames[i].cid != cid || p->blames[i].ctrace != ctrace))
		i++;
	if (i < p->nblames)
		return &p->blames[i];
	/* kind 0 is "(other)": each victim has one of these beyond the limit */
	if (p->nblames >= PAGE_BLAMES && kind)
		return page_blame_of(p, victim, 0, 0, false);
	p->blames = xrealloc(p->blames, (p->nblames + 1) * sizeof(p->blames[0]));
	p->blames[p->nblames] = (struct page_blame){
		.victim = victim, .kind = kind, .cid = cid, .ctrace = ctrace,
	};
	return &p->blames[p->nblames++];
}

void page_fail(struct page_box *b, const char *call, int err, const char *where)
{
	struct page_fail *f = b->fails;
	size_t i = 0;

	while (i < b->nfails && (f[i].err != err || strcmp(f[i].call, call) || strcmp(f[i].where, where)))
		i++;
	if (i == b->nfails) {
		/* the last place is for all that have none */
		if (i == PAGE_FAILS) {
			f[i - 1].n++;
			return;
		}
		if (i == PAGE_FAILS - 1)
			call = "(other)", where = "", err = 0;
		b->nfails++;
		f[i] = (struct page_fail){ .call = xstrdup(call), .where = xstrdup(where), .err = err };
	}
	f[i].n++;
}

bool page_is_meant(const char *call)
{
	switch (spent_of_call(call)) {
	case SPENT_REQUESTS:
	case SPENT_EVENTS:
	case SPENT_IO_URING:
	case SPENT_HANDOVER:
	case SPENT_SLEPT:
		return true;
	case SPENT_CHILDREN:
		return strncmp(call, "clone", 5);	/* it waits for nobody */
	default:
		return false;
	}
}

/* --- events --- */

static void clear(struct page_event *e)
{
	free(e->text);
	free(e->stack);
	memset(e, 0, sizeof(*e));
}

struct page_event *page_keep(struct page *p, struct page_box *b, enum page_kept what, uint64_t time,
			     uint64_t duration)
{
	struct page_event **at;

	if (!b->kept)
		b->kept = xcalloc(PAGE_BINS * PAGE_KEPT, sizeof(b->kept[0]));
	at = &b->kept[page_bin(p, time) * PAGE_KEPT + what];
	/* of slow calls there are two: the shorter one goes */
	if (what == PAGE_SLOW && *at && (!at[1] || at[1]->duration < (*at)->duration))
		at++;
	if (!*at)
		*at = xcalloc(1, sizeof(**at));
	else if ((*at)->duration >= duration)
		return NULL;
	clear(*at);
	(*at)->time = time;
	(*at)->duration = duration;
	return *at;
}

/* --- stacks --- */

/* Room for what is known of node i. */
static void reach(struct page_flame *w, size_t i)
{
	size_t cap = w->cap ? w->cap : 64;

	if (i < w->cap)
		return;
	while (i >= cap)
		cap *= 2;
	w->self = xrealloc(w->self, cap * sizeof(w->self[0]));
	memset(w->self + w->cap, 0, (cap - w->cap) * sizeof(w->self[0]));
	w->cap = cap;
}

/* The frame below at, or at itself if no more are told apart. */
static uint32_t step(struct page *p, struct page_flame *w, uint32_t at, const char *name, bool kernel)
{
	const char *plus = strstr(name, "+0x");
	size_t before = w->f.n;
	uint32_t i;

	if (p->frames >= PAGE_FRAMES || p->frame_names >= PAGE_NAMES)
		return at;
	i = flame_child(&w->f, at, name, plus && plus > name ? (size_t)(plus - name) : strlen(name));
	p->frames += w->f.n - before;
	p->frame_names += w->f.n > before ? strlen(w->f.v[i].name) : 0;
	reach(w, i);
	w->f.v[i].kernel = kernel;
	return i;
}

void page_sample(struct page *p, struct export *x, struct page_box *b, const struct ctrace_record *rec,
		 const struct stacks *k)
{
	struct page_flame *w = &b->flame;
	uint32_t at;

	if (!w->f.v)
		flame_init(&w->f);
	reach(w, 0);
	at = step(p, w, 0, rec->tid ? comms_get(x->comms, rec->tid) : "(idle)", !rec->tid);
	for (size_t i = k ? k->user.n : 0; i-- > 0;)
		at = step(p, w, at, frame_name(x->r.symbols, &k->user, i, false, rec->tid), false);
	for (size_t i = k ? k->kernel.n : 0; i-- > 0;)
		at = step(p, w, at, frame_name(x->r.symbols, &k->kernel, i, true, rec->tid), true);
	w->samples++;
	w->f.v[at].self++;
	page_cells_add(&w->self[at], page_bin(p, rec->time), 0, false);
}

/* --- the end --- */

static void free_box(struct page_box *b)
{
	for (size_t i = 0; i < PAGE_SERIES; i++)
		free(b->series[i]);
	for (size_t i = 0; i < PAGE_HEATS; i++)
		free(b->heat[i]);
	for (size_t i = 0; b->kept && i < PAGE_BINS * PAGE_KEPT; i++) {
		if (b->kept[i])
			clear(b->kept[i]);
		free(b->kept[i]);
	}
	free(b->kept);
	for (size_t i = 0; i < b->nfails; i++) {
		free(b->fails[i].call);
		free(b->fails[i].where);
	}
	for (size_t i = 0; i < b->flame.cap; i++)
		free(b->flame.self[i].v);
	free(b->flame.self);
	if (b->flame.f.v)
		flame_free(&b->flame.f);
	sbuf_free(&b->row);
	sbuf_free(&b->why);
}

void page_free(struct page *p)
{
	for (size_t i = 0; i <= PAGE_BOXES; i++)
		free_box(&p->v[i]);
	for (size_t i = 0; i < p->ncalls; i++)
		free(p->calls[i].cells.v);
	for (size_t i = 0; i < p->nblames; i++)
		free(p->blames[i].ns);
	free(p->calls);
	free(p->blames);
	sbuf_free(&p->head);
	sbuf_free(&p->diff);
	digest_free(&p->digest);
	free(p);
}
