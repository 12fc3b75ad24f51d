// SPDX-License-Identifier: GPL-2.0-only
/* What a vmcore's reader finds: see describe.h. */
#include <linux/bitmap.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>
#include "ring/arena.h"
#include "ring/describe.h"
#include "event/event.h"
#include "identity/container.h"
#include "compat/vmalloc.h"
#include "../uapi/ctrace_core.h"

#define ROOM	(PAGE_SIZE - sizeof(struct ctrace_core_part))
#define PLACES	(ROOM / sizeof(struct ctrace_core_container))
#define GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN | __GFP_ZERO)
#define GFP_CHARGED	(CTRACE_COMPAT_GFP_LARGE | __GFP_ZERO)

/*
 * A page that is a head. The kernel's own address of it, from __get_free_page(), so that it lies in one
 * piece.
 */
struct module_page {
	struct ctrace_core_head h;
	struct ctrace_core_module m;
};

struct arena_page {
	struct ctrace_core_head h;
	struct ctrace_core_arena a;
};

/*
 * Containers and clock: only the GC's work writes them, never two at a time. types: lock. The rest is
 * invariant after init.
 */
static struct module_page *own;
static struct ctrace_core_part *buckets[CTRACE_CORE_BUCKETS];	/* the GC's */
static DEFINE_MUTEX(describe_lock);	/* the event types; nothing but memory is asked for under it */
static struct ctrace_core_part *types;	/* the first part; describe_lock */

/* --- pages -------------------------------------------------------------------------- */

/*
 * A chain being made: parts are entered at its end. first NULL: there is none yet. Its next ones are found
 * through ->next, by phys_to_virt(): all are pages of the kernel's linear mapping.
 */
struct chain {
	struct ctrace_core_part *first, *last;
	u64 id;
	u32 kind;
	gfp_t gfp;
};

static struct ctrace_core_part *part_new(u64 id, u32 kind, u32 seq, gfp_t gfp)
{
	struct ctrace_core_part *p = (void *)__get_free_page(gfp);

	if (!p)
		return NULL;
	p->magic = CTRACE_CORE_PART_MAGIC;
	p->phys = virt_to_phys(p);
	p->id = id;
	p->kind = kind;
	p->seq = seq;
	return p;
}

/* Wiped: who gets the page next may not write all of it. */
static void part_free(struct ctrace_core_part *p)
{
	memset(p, 0, sizeof(*p));
	free_page((unsigned long)p);
}

static struct ctrace_core_part *chain_grow(struct chain *c)
{
	struct ctrace_core_part *p = part_new(c->id, c->kind, c->last ? c->last->seq + 1 : 0, c->gfp);

	if (!p)
		return NULL;
	if (c->last)
		c->last->next = p->phys;
	else
		c->first = p;
	c->last = p;
	return p;
}

static void chain_free(struct ctrace_core_part *p)
{
	struct ctrace_core_part *next;

	for (; p; p = next) {
		next = p->next ? phys_to_virt(p->next) : NULL;
		part_free(p);
		cond_resched();
	}
}

static void chain_sum(struct ctrace_core_part *p)
{
	for (; p; p = p->next ? phys_to_virt(p->next) : NULL) {
		p->sum = ctrace_core_sum(p + 1, p->bytes);
		cond_resched();
	}
}

static void head_fill(struct ctrace_core_head *h, u32 kind)
{
	h->version = CTRACE_CORE_VERSION;
	h->kind = kind;
	h->phys = virt_to_phys(h);
	get_random_bytes(&h->id, sizeof(h->id));
	h->page_size = PAGE_SIZE;
	strscpy(h->release, init_utsname()->release, sizeof(h->release));
	strscpy(h->module, CTRACE_VERSION, sizeof(h->module));
}

/*
 * All behind it is written. A panic may come at any instruction, so the magic is last: a head is whole, or
 * is none.
 */
static void head_publish(struct ctrace_core_head *h, u32 summed)
{
	h->size = summed;
	h->sum = ctrace_core_sum(h + 1, summed);
	smp_wmb();	/* no partner: who reads an image of the memory has no order of their own */
	WRITE_ONCE(h->magic[1], CTRACE_CORE_MAGIC_1);
	WRITE_ONCE(h->magic[0], CTRACE_CORE_MAGIC_0);
}

/* First of all, before what it leads to is given back. */
static void head_wipe(struct ctrace_core_head *h)
{
	WRITE_ONCE(h->magic[0], 0);
	WRITE_ONCE(h->magic[1], 0);
	smp_wmb();	/* as in head_publish() */
}

#define DYNAMIC_IDS	(CTRACE_ID_SYS_ENTER - CTRACE_ID_DYNAMIC)

/* An arena's. types: of dynamic events, made as probes are added; described: their ids. Both: ctrace_lock */
struct arena_description {
	struct arena_page *head;
	struct chain frames, types;
	DECLARE_BITMAP(described, DYNAMIC_IDS);	/* 1.5 KiB */
};

/* --- event types -------------------------------------------------------------------- */

/* A text with its NUL; NULL: it does not fit. */
static char *put_text(char *at, const char *end, const char *text)
{
	size_t n = strlen(text ?: "") + 1;

	if (n > (size_t)(end - at))
		return NULL;
	memcpy(at, text ?: "", n);
	return at + n;
}

/* Writes the type to at, if it fits before end. Returns its bytes, or 0. */
static u32 put_type(void *to, const void *end, const struct ctrace_event_type *t)
{
	struct ctrace_core_type type = { .id = t->id, .nfields = t->nfields };
	struct ctrace_core_field f;
	char *at = to;
	u32 i;

	if ((size_t)(end - to) < sizeof(type))
		return 0;
	at = put_text(at + sizeof(type), end, t->name);
	if (at)
		at = put_text(at, end, t->system);
	for (i = 0; at && i < t->nfields; i++) {
		if ((size_t)(end - (void *)at) < sizeof(f))
			return 0;
		f = (struct ctrace_core_field){
			.kind = t->fields[i].kind, .display = t->fields[i].display, .size = t->fields[i].size,
		};
		memcpy(at, &f, sizeof(f));
		at = put_text(at + sizeof(f), end, t->fields[i].name);
	}
	if (!at)
		return 0;
	type.bytes = at - (char *)to;
	memcpy(to, &type, sizeof(type));
	return type.bytes;
}

/* Room for one type while it is made; too large for the stack. */
struct type_room {
	struct ctrace_event_type t;
	struct ctrace_field_desc fields[CTRACE_EVENT_FIELDS];
	char name[CTRACE_NAME_MAX];
};

static int add_type(struct chain *c, const struct ctrace_event_type *t)
{
	struct ctrace_core_part *p = c->last;
	u32 n = p ? put_type((char *)(p + 1) + p->bytes, (char *)p + PAGE_SIZE, t) : 0;

	if (!n) {
		p = chain_grow(c);
		if (!p)
			return -ENOMEM;
		/* one that fills more than a page is left out: its records are shown as bytes */
		n = put_type(p + 1, (char *)p + PAGE_SIZE, t);
	}
	p->bytes += n;
	return 0;
}

/* All types that there are now: some 200 KiB, as long as the module stays. */
static int make_types(void)
{
	struct chain c = { .id = own->h.id, .kind = CTRACE_CORE_TYPES, .gfp = GFP };
	struct type_room *r = kmalloc(sizeof(*r), GFP_KERNEL);
	int err = r ? 0 : -ENOMEM;
	u32 id;

	for (id = 0; !err && ctrace_event_next(id, &r->t, r->fields, r->name); id = r->t.id + 1) {
		err = add_type(&c, &r->t);
		ctrace_event_put(&r->t);
		cond_resched();
	}
	kfree(r);
	if (err) {
		chain_free(c.first);
		return err;
	}
	chain_sum(c.first);
	types = c.first;
	smp_wmb();	/* as in head_publish() */
	WRITE_ONCE(own->m.types, types->phys);
	return 0;
}

/* --- containers --------------------------------------------------------------------- */

static void put_path(char *to, size_t size, const char *path)
{
	size_t n = strlen(path);

	if (n < size) {
		memcpy(to, path, n + 1);
		return;
	}
	memcpy(to, "...", 3);
	memcpy(to + 3, path + n - (size - 4), size - 3);
}

/* The place of cid in its bucket; or one that is free; or that of who died first; or NULL: all live. */
static struct ctrace_core_container *find_place(struct ctrace_core_part *bucket, u32 cid)
{
	struct ctrace_core_container *c = (void *)(bucket + 1), *found = NULL;
	u32 i;

	for (i = 0; i < PLACES; i++, c++) {
		if (c->cid == cid)
			return c;
		if (found && !found->cid)
			continue;
		if (!c->cid || (c->gone && (!found || c->gone < found->gone)))
			found = c;
	}
	return found;
}

/* The bucket of cid, made if there is none. Neighbours share one, so that few containers take few pages. */
static struct ctrace_core_part *bucket_of(u32 cid)
{
	u32 i = cid / PLACES % CTRACE_CORE_BUCKETS;

	if (!buckets[i]) {
		buckets[i] = part_new(own->h.id, CTRACE_CORE_CONTAINERS, i, GFP);
		if (!buckets[i])
			return NULL;
		buckets[i]->bytes = PLACES * sizeof(struct ctrace_core_container);
		smp_wmb();	/* as in head_publish() */
		WRITE_ONCE(own->m.containers[i], buckets[i]->phys);
	}
	return buckets[i];
}

static void set_clock(void)
{
	u64 now = ktime_to_ns(ktime_get());

	WRITE_ONCE(own->m.clock_offset, (s64)(ktime_to_ns(ktime_get_real()) - now));
	WRITE_ONCE(own->m.beat, now);
}

/*
 * Context: the GC's work, for this and set_clock(). A place that is being written in a panic has a wrong
 * sum.
 */
static void told(struct ctrace_container *c, bool born)
{
	/* static, as it is large, and only the GC is here */
	static struct ctrace_container_info i;
	struct ctrace_core_part *bucket = bucket_of(c->cid);
	struct ctrace_core_container *to = bucket ? find_place(bucket, c->cid) : NULL;

	/* it ended before this: a place that it gave up is not taken again */
	if (!to || (!born && to->cid != c->cid)) {
		own->m.unnamed += born && !to;
		return;
	}
	ctrace_container_info(c, &i);
	to->sum = 0;
	barrier();
	to->cid = i.cid;
	to->parent = i.parent;
	to->hierarchy = i.hierarchy;
	to->flags = i.flags;
	to->init_pid = i.init_pid;
	to->pidns = i.ns_inum;
	to->cgroup_id = i.cgroup_id;
	to->first_seen = i.first_seen;
	to->gone = i.gone;
	strscpy(to->runtime, i.runtime ?: "", sizeof(to->runtime));
	strscpy(to->runtime_id, i.runtime_id, sizeof(to->runtime_id));
	put_path(to->path, sizeof(to->path), i.path);
	barrier();
	to->sum = ctrace_core_sum(&to->cid, sizeof(*to) - sizeof(to->sum));
}

const struct ctrace_container_watcher ctrace_describe_watcher = {
	.told = told,
	.beat = set_clock,
};

/* --- dynamic types ------------------------------------------------------------------ */

/*
 * Ids are a session's as long as it lives, so each is described once: these parts are bounded by the number
 * of ids. A part that is being written in a panic has a wrong sum, and records of its types are shown as
 * bytes.
 */
void ctrace_describe_dynamic(struct ctrace_arena *a, u32 id)
{
	struct arena_description *d = a->description;
	struct type_room *r;

	if (id < CTRACE_ID_DYNAMIC || id >= CTRACE_ID_SYS_ENTER || !d ||
	    test_bit(id - CTRACE_ID_DYNAMIC, d->described))
		return;
	r = kmalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return;
	if (ctrace_event_next(id, &r->t, r->fields, r->name)) {
		if (r->t.id == id && !add_type(&d->types, &r->t)) {
			d->types.last->sum = ctrace_core_sum(d->types.last + 1, d->types.last->bytes);
			__set_bit(id - CTRACE_ID_DYNAMIC, d->described);
		}
		ctrace_event_put(&r->t);
	}
	kfree(r);
}

/* --- an arena ----------------------------------------------------------------------- */

/* The frames of the arena's pages: eight bytes for each, 0.2 % of them. */
static int make_frames(struct chain *c, const struct ctrace_arena *a, u64 pages)
{
	struct ctrace_core_part *p = NULL;
	u64 i, *to;

	for (i = 0; i < pages; i++) {
		if (!p || p->bytes + sizeof(*to) > ROOM) {
			p = chain_grow(c);
			if (!p)
				return -ENOMEM;
			cond_resched();
		}
		to = (void *)(p + 1) + p->bytes;
		*to = vmalloc_to_pfn(a->mem + i * PAGE_SIZE);
		p->bytes += sizeof(*to);
	}
	chain_sum(c->first);
	return 0;
}

static int make_head(struct ctrace_arena *a, const struct ctrace_arena_opts *o, struct arena_description *d)
{
	u64 pages = DIV_ROUND_UP_ULL(a->mem_size, PAGE_SIZE), now = ktime_to_ns(ktime_get());
	struct arena_page *p = (void *)__get_free_page(GFP_CHARGED);
	int err;

	BUILD_BUG_ON(sizeof(*p) > PAGE_SIZE || sizeof(*own) > PAGE_SIZE);
	if (!p)
		return -ENOMEM;
	d->head = p;
	head_fill(&p->h, CTRACE_CORE_ARENA);
	d->types = (struct chain){ .id = p->h.id, .kind = CTRACE_CORE_TYPES, .gfp = GFP_CHARGED };
	d->frames = (struct chain){ .id = p->h.id, .kind = CTRACE_CORE_FRAMES, .gfp = GFP_CHARGED };
	err = make_frames(&d->frames, a, pages);
	if (err)
		return err;
	p->a = (struct ctrace_core_arena) {
		.dir = *a->dir,
		.module = own->h.phys,
		.module_id = own->h.id,
		.frames = d->frames.first->phys,
		.pages = pages,
		.began = now,
		.clock_offset = ktime_to_ns(ktime_get_real()) - now,
		.owner = o->owner,
	};
	strscpy(p->a.name, o->name ?: "", sizeof(p->a.name));
	head_publish(&p->h, sizeof(p->a));
	return 0;
}

int ctrace_describe_begin(struct ctrace_arena *a, const struct ctrace_arena_opts *o)
{
	int err;

	mutex_lock(&describe_lock);
	err = types ? 0 : make_types();
	mutex_unlock(&describe_lock);
	if (err)
		return err;
	a->description = kzalloc(sizeof(struct arena_description), GFP_KERNEL_ACCOUNT);
	/* what it has by then goes with the arena: ctrace_describe_end() */
	return a->description ? make_head(a, o, a->description) : -ENOMEM;
}

void ctrace_describe_end(struct ctrace_arena *a)
{
	struct arena_description *d = a->description;

	if (!d)
		return;
	if (d->head) {
		head_wipe(&d->head->h);
		free_page((unsigned long)d->head);
	}
	chain_free(d->frames.first);
	chain_free(d->types.first);
	kfree(d);
	a->description = NULL;
}

/* --- the module ---------------------------------------------------------------------- */

int ctrace_describe_init(void)
{
	BUILD_BUG_ON(sizeof(struct ctrace_core_container) != 512 || sizeof(struct ctrace_core_part) != 64);
	BUILD_BUG_ON(offsetof(struct ctrace_core_module, clock_offset) != CTRACE_CORE_MODULE_SUMMED);
	own = (void *)__get_free_page(GFP);
	if (!own)
		return -ENOMEM;
	head_fill(&own->h, CTRACE_CORE_MODULE);
	own->m.abi = CTRACE_ABI;
	own->m.abi_compat = CTRACE_ABI_COMPAT;
	own->m.buckets = CTRACE_CORE_BUCKETS;
	own->m.places = PLACES;
	set_clock();
	head_publish(&own->h, CTRACE_CORE_MODULE_SUMMED);
	return 0;
}

void ctrace_describe_exit(void)
{
	u32 i;

	head_wipe(&own->h);
	for (i = 0; i < CTRACE_CORE_BUCKETS; i++)
		if (buckets[i])
			part_free(buckets[i]);
	chain_free(types);
	free_page((unsigned long)own);
}
