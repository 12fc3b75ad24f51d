// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "identity/cids.h"
#include "identity/container.h"

#define BITS	8
#define PLACES	(1u << BITS)
#define TOP	3		/* the level of the top array; at level 0 the places hold containers */

struct array {
	void *place[PLACES];	/* ident_lock to change, RCU to read */
	u32 used;		/* places that are not NULL. ident_lock */
	struct array *next;	/* taken out. The GC only */
};

static struct array top;
static struct array *out;	/* taken out, to be freed after a grace period. The GC only */

static u32 at(u32 cid, int level)
{
	return cid >> level * BITS & (PLACES - 1);
}

/* Pairs with place_set(): what was entered is seen complete. */
static void *place_get(const struct array *a, u32 i)
{
	return smp_load_acquire(&a->place[i]);	/* pairs with place_set() */
}

static void place_set(struct array *a, u32 i, void *what)
{
	a->used += !!what - !!a->place[i];
	smp_store_release(&a->place[i], what);	/* pairs with place_get() */
}

/* The array at level 0 for cid, or NULL, and then the deepest one there is; *level: the level of that. */
static struct array *deepest(u32 cid, int *level)
{
	struct array *a = &top, *below;

	for (*level = TOP; *level; --*level) {
		below = place_get(a, at(cid, *level));
		if (!below)
			break;
		a = below;
	}
	return a;
}

static int prepare_one(u32 cid)
{
	struct array *a, *new = NULL;
	unsigned long flags;
	int level;

	for (;;) {
		ctrace_ident_lock(&flags);	/* never fails in process context */
		a = deepest(cid, &level);
		if (level && new) {
			place_set(a, at(cid, level), new);
			new = NULL;
			level--;
		}
		ctrace_ident_unlock(flags);
		if (!level)
			return 0;
		new = kzalloc(sizeof(*new), GFP_KERNEL);
		if (!new)
			return -ENOMEM;
	}
}

int ctrace_cids_prepare(u32 first, u32 last)
{
	u32 n = last / PLACES - first / PLACES + 1;
	int err = 0;

	for (; n && !err; n--, first += PLACES)
		err = prepare_one(first);
	return err;
}

bool ctrace_cids_ready(u32 cid)
{
	int level;

	deepest(cid, &level);
	return !level;
}

void ctrace_cids_add(struct ctrace_container *c)
{
	int level;
	struct array *a = deepest(c->cid, &level);

	place_set(a, at(c->cid, 0), c);
}

void ctrace_cids_del(struct ctrace_container *c, u32 given)
{
	struct array *path[TOP + 1] = { [TOP] = &top };
	int level;

	for (level = TOP; level; level--)
		path[level - 1] = path[level]->place[at(c->cid, level)];
	place_set(path[0], at(c->cid, 0), NULL);
	/* An array at level n holds cids that are the same but for the lowest (n + 1) * BITS bits. */
	for (level = 0; level < TOP; level++) {
		if (path[level]->used || (c->cid | ((1ull << (level + 1) * BITS) - 1)) > given)
			return;
		place_set(path[level + 1], at(c->cid, level + 1), NULL);
		path[level]->next = out;
		out = path[level];
	}
}

void ctrace_cids_free(void)
{
	struct array *a;

	while ((a = out)) {
		out = a->next;
		kfree(a);
	}
}

static void free_below(struct array *a, int level)
{
	u32 i;

	for (i = 0; i < PLACES; i++) {
		if (level > 1 && a->place[i])
			free_below(a->place[i], level - 1);
		kfree(a->place[i]);
		a->place[i] = NULL;
	}
	a->used = 0;
}

void ctrace_cids_exit(void)
{
	ctrace_cids_free();
	free_below(&top, TOP);
}

struct ctrace_container *ctrace_cids_find(u32 cid)
{
	int level;
	const struct array *a = deepest(cid, &level);

	return level ? NULL : place_get(a, at(cid, 0));
}

static struct ctrace_container *from(const struct array *a, int level, u32 cid)
{
	struct ctrace_container *c;
	void *below;
	u32 i;

	/* Right of the first place, all that is below lies after cid. */
	for (i = at(cid, level); i < PLACES; i++, cid = 0) {
		below = place_get(a, i);
		if (!below)
			continue;
		c = level ? from(below, level - 1, cid) : below;
		if (c)
			return c;
	}
	return NULL;
}

struct ctrace_container *ctrace_cids_from(u32 cid)
{
	return from(&top, TOP, cid);
}
