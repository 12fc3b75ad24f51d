// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>
#include <linux/vmalloc.h>
#include "session/inflight.h"
#include "session/probe.h"

/*
 * Protects the list, and the places of the tables in it. Get and put hold ctrace_lock as well. The GC does not:
 * it must not wait for a command.
 */
static DEFINE_MUTEX(lock);
static LIST_HEAD(tables);	/* those that have places */
static u32 victim;		/* only spreads what is taken over: races do no harm */

int ctrace_inflight_get(struct ctrace_probe *p)
{
	struct ctrace_inflight *t = p->sources[0] ? p->sources[0]->table : NULL;

	if (!t)
		return 0;
	if (!t->users) {
		t->keys = vzalloc(CTRACE_INFLIGHT_PLACES * (sizeof(*t->keys) + t->stride) +
				  CTRACE_INFLIGHT_ROWS * sizeof(*t->further));
		if (!t->keys)
			return -ENOMEM;
		t->places = (void *)(t->keys + CTRACE_INFLIGHT_PLACES);
		t->further = (void *)(t->places + CTRACE_INFLIGHT_PLACES * t->stride);
		mutex_lock(&lock);
		list_add(&t->list, &tables);
		mutex_unlock(&lock);
	}
	t->users++;
	p->table = t;
	return 0;
}

static void forget_session(struct ctrace_inflight *t, u32 bit)
{
	u64 w, in_place = (u64)bit << 32;
	struct ctrace_begun *b;
	u32 i;

	for (i = 0; i < CTRACE_INFLIGHT_PLACES; i++) {
		b = ctrace_inflight_at(t, i);
		w = READ_ONCE(b->wanted);
		/* If this fails, the place has a next user, which does not want the event: it is not armed. */
		if (w & in_place && !(READ_ONCE(ctrace_event_wants[(u32)w]) & bit))
			cmpxchg64(&b->wanted, w, w & ~in_place);
	}
}

void ctrace_inflight_put(struct ctrace_probe *p)
{
	struct ctrace_inflight *t = p->table;

	if (!t)
		return;
	if (--t->users) {
		forget_session(t, 1u << p->session->index);
		return;
	}
	mutex_lock(&lock);
	list_del(&t->list);
	mutex_unlock(&lock);
	vfree(t->keys);
	t->keys = NULL;
}

/* If the cmpxchg fails, the place has a new owner; if that one is dying, ctrace_begun_by() sees it. */
static void forget_dying(void)
{
	struct ctrace_container *c;
	struct ctrace_inflight *t;
	struct ctrace_begun *b;
	u32 i;

	smp_mb();	/* pairs with ctrace_begun_by() */
	mutex_lock(&lock);
	list_for_each_entry(t, &tables, list)
		for (i = 0; i < CTRACE_INFLIGHT_PLACES; i++) {
			b = ctrace_inflight_at(t, i);
			c = READ_ONCE(b->who.container);
			if (c && READ_ONCE(c->dying))
				cmpxchg(&b->who.container, c, c->heir);
		}
	mutex_unlock(&lock);
}

const struct ctrace_container_watcher ctrace_inflight_watcher = { .forget = forget_dying };

/* --- when a row is not enough -------------------------------------------------- */

u32 ctrace_inflight_find_further(const struct ctrace_inflight *t, u32 row, const void *key)
{
	u32 i, place = CTRACE_INFLIGHT_NONE;

	for (i = 1; i < CTRACE_INFLIGHT_WINDOW && place == CTRACE_INFLIGHT_NONE; i++)
		place = ctrace_inflight_in_row(t, (row + i) % CTRACE_INFLIGHT_ROWS, key);
	return place;
}

u32 ctrace_inflight_take_further(struct ctrace_inflight *t, u32 row, const void *key)
{
	u32 home = row, i, j, place;

	for (i = 0; i < CTRACE_INFLIGHT_WINDOW; i++, row = (row + 1) % CTRACE_INFLIGHT_ROWS) {
		if (i == 1)
			atomic_inc(&t->further[home]);
		for (j = 0; j < CTRACE_INFLIGHT_ROW; j++) {
			place = row * CTRACE_INFLIGHT_ROW + j;
			/* Acquire: as in ctrace_inflight_take() */
			if (!READ_ONCE(t->keys[place]) && !cmpxchg_acquire(&t->keys[place], NULL, key))
				return place;
		}
	}
	atomic_dec(&t->further[home]);
	return CTRACE_INFLIGHT_NONE;
}

/* --- for what may not end ------------------------------------------------------ */

#define BUSY	((const void *)1ul)

/* A full barrier: its last context is done with it. Pairs with let_go(). */
static bool claim(struct ctrace_inflight *t, u32 place, const void *key)
{
	return cmpxchg(&t->keys[place], key, BUSY) == key;
}

u32 ctrace_inflight_hold(struct ctrace_inflight *t, const void *key)
{
	u32 place = ctrace_inflight_find(t, ctrace_inflight_row(key), key);

	return place != CTRACE_INFLIGHT_NONE && claim(t, place, key) ? place : CTRACE_INFLIGHT_NONE;
}

u32 ctrace_inflight_renew(struct ctrace_inflight *t, const void *key)
{
	u32 row = ctrace_inflight_row(key), none = CTRACE_INFLIGHT_NONE, place;
	const void *older;

	place = ctrace_inflight_find(t, row, key);
	if (place != none)
		return claim(t, place, key) ? place : none;
	place = ctrace_inflight_find(t, row, NULL);
	if (place != none && claim(t, place, NULL))
		return place;
	place = row * CTRACE_INFLIGHT_ROW + victim++ % CTRACE_INFLIGHT_ROW;
	older = READ_ONCE(t->keys[place]);
	return older != BUSY && claim(t, place, older) ? place : none;
}
