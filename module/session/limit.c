// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "session/limit.h"
#include "identity/container.h"
#include "compat/vmalloc.h"

#define PLACES_BITS	10
#define PLACES		(1u << PLACES_BITS)
#define PROBES		16	/* places where a cid may be */
#define SWEEP		4	/* places checked for stragglers at each death */
#define SHARES		64	/* accounts of a level are told apart this far */
#define LEVELS		3

struct place {
	u64 key;		/* its account << 32 | cid + 1; 0: free */
	atomic64_t passed;	/* second << 32 | records let through in it */
	atomic64_t dropped;
};

/*
 * Seconds are whole seconds of the clock, so up to twice the rate may pass within a second around the
 * border of two. In return one word, place.passed, is all the state, and one cmpxchg decides.
 */
struct ctrace_limit {
	u32 rate;
	/* place that was checked last; only one caller at a time of ctrace_limit_forget() */
	u32 sweep;
	atomic64_t gone;	/* dropped by containers that are no more */
	/*
	 * Places that these accounts have, one in the other: of slices, of what is nested in these slices'
	 * containers, of outermost containers, for what is nested in them
	 */
	atomic_t taken[LEVELS][SHARES];
	atomic_t all;		/* places that are taken */
	/*
	 * of containers that found no place: the outermost ones, by slice; the others, by outermost container
	 */
	struct place shared[2][SHARES];
	struct place places[PLACES];
};

struct ctrace_limit *ctrace_limit_new(u32 rate)
{
	struct ctrace_limit *l = kvzalloc(sizeof(*l), CTRACE_COMPAT_GFP_LARGE);

	if (l)
		l->rate = rate;
	return l;
}

void ctrace_limit_free(struct ctrace_limit *l)
{
	kvfree(l);
}

static struct place *look_up(struct ctrace_limit *l, u32 cid)
{
	u32 at = hash_32(cid + 1, PLACES_BITS), i;
	struct place *p;

	for (i = 0; i < PROBES; i++) {
		p = &l->places[(at + i) % PLACES];
		if ((u32)READ_ONCE(p->key) == cid + 1)
			return p;
	}
	return NULL;
}

/*
 * The number of places that this level of an account has; NULL: account has no such level. account:
 * ctrace_charge_number()
 */
static atomic_t *taken(struct ctrace_limit *l, u32 account, u32 level)
{
	u32 nested = account >> 16;

	if (level && !nested)
		return NULL;
	return &l->taken[level][(level < 2 ? account & 0xffff : nested) % SHARES];
}

/*
 * As for room (identity/charge.h): an account may have no more places than are free in the one that it is of.
 * Alone, a slice has half, what is nested in it a quarter, and what is nested in one container an eighth.
 * Other CPUs take some at the same time, so it may be a few more.
 */
static bool may_take(struct ctrace_limit *l, u32 account)
{
	u32 of = PLACES, beside = atomic_read(&l->all), level, has;
	const atomic_t *n;

	for (level = 0; level < LEVELS && (n = taken(l, account, level)); level++) {
		has = atomic_read(n);
		if (has + beside >= of)
			return false;
		of = PLACES >> (level + 1);
		beside = has;
	}
	return true;
}

static void count(struct ctrace_limit *l, u32 account, int by)
{
	u32 level;
	atomic_t *n;

	atomic_add(by, &l->all);
	for (level = 0; level < LEVELS && (n = taken(l, account, level)); level++)
		atomic_add(by, n);
}

static struct place *take(struct ctrace_limit *l, u32 cid, u32 account)
{
	u64 key = (u64)account << 32 | (cid + 1), was;
	u32 at = hash_32(cid + 1, PLACES_BITS), i;
	struct place *p;

	if (!may_take(l, account))
		return NULL;
	for (i = 0; i < PROBES; i++) {
		p = &l->places[(at + i) % PLACES];
		if (READ_ONCE(p->key))
			continue;
		/* Acquire: the place's last owner has cleared it. Pairs with give_up(). */
		was = cmpxchg_acquire(&p->key, 0, key);
		if (was == key)
			return p;
		if (!was) {
			count(l, account, 1);
			return p;
		}
	}
	return NULL;
}

static struct place *shared(struct ctrace_limit *l, u32 account)
{
	u32 nested = account >> 16;

	return &l->shared[!!nested][(nested ?: account) % SHARES];
}

/* For the container's first record. Out of line: each further one would save registers for it. */
static noinline struct place *first_place(struct ctrace_limit *l, u32 cid, u32 account)
{
	return take(l, cid, account) ?: shared(l, account);
}

/*
 * Places become free in the middle of a row, so look through all of the row before taking one. (Two
 * CPUs may still take two places for one cid, if one became free in between: ctrace_limit_forget()
 * gives up both.)
 *
 * A user who has many containers leaves places to the others, and a shared one each: any further containers
 * of that account share one.
 */
static struct place *find(struct ctrace_limit *l, u32 cid, u32 account)
{
	return look_up(l, cid) ?: first_place(l, cid, account);
}

bool ctrace_limit_pass(struct ctrace_limit *l, u32 cid, u32 account, u64 now)
{
	u64 second = div_u64(now, NSEC_PER_SEC), was, new;
	struct place *p = find(l, cid, account);

	do {
		was = atomic64_read(&p->passed);
		/*
		 * now may be of the second before: another CPU was first in this one, where this counts too
		 */
		new = was >> 32 < second ? second << 32 | 1 : was + 1;
		if ((u32)new > l->rate) {
			atomic64_inc(&p->dropped);
			return false;
		}
	} while (atomic64_cmpxchg(&p->passed, was, new) != was);
	return true;
}

/*
 * Last records of the container may be on their way: they are counted for the place's next owner,
 * which starts with a fresh second. The sum is right all the same.
 */
static void give_up(struct ctrace_limit *l, struct place *p)
{
	count(l, p->key >> 32, -1);
	atomic64_add(atomic64_xchg(&p->dropped, 0), &l->gone);
	atomic64_set(&p->passed, 0);
	smp_store_release(&p->key, 0);	/* pairs with take() */
}

void ctrace_limit_forget(struct ctrace_limit *l, u32 cid)
{
	struct place *p;
	u32 i, key;

	while ((p = look_up(l, cid)))
		give_up(l, p);
	/*
	 * A straggler may take a place after its container's death was announced: find such places in
	 * passing.
	 */
	for (i = 0; i < SWEEP; i++) {
		l->sweep = (l->sweep + 1) % PLACES;
		p = &l->places[l->sweep];
		key = (u32)READ_ONCE(p->key);
		if (key && key - 1 != CTRACE_CID_UNKNOWN && !ctrace_container_exists(key - 1))
			give_up(l, p);
	}
}

static u64 shared_dropped(const struct ctrace_limit *l)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < SHARES; i++)
		sum += atomic64_read(&l->shared[0][i].dropped) + atomic64_read(&l->shared[1][i].dropped);
	return sum;
}

u64 ctrace_limit_dropped(const struct ctrace_limit *l)
{
	u64 sum = atomic64_read(&l->gone) + shared_dropped(l);
	u32 i;

	for (i = 0; i < PLACES; i++)
		sum += atomic64_read(&l->places[i].dropped);
	return sum;
}

int ctrace_limit_at(const struct ctrace_limit *l, u32 i, u32 *cid, u64 *dropped)
{
	if (i > PLACES)
		return -ENOENT;
	if (i == PLACES) {
		*cid = CTRACE_CID_ALL;
		*dropped = shared_dropped(l);
	} else {
		*cid = (u32)READ_ONCE(l->places[i].key) - 1;
		*dropped = atomic64_read(&l->places[i].dropped);
	}
	return 0;
}
