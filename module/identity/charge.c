// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/string.h>
#include "identity/charge.h"

#define LEVELS		(2 * CTRACE_CHARGE_DEPTH - 1)
#define FULL_NS		(4096ull * NSEC_PER_SEC)	/* what a bucket holds: a cid costs some of it */
/* divided by the number of cids that are left: what one costs */
#define PRICE_NS	((1ull << 24) * NSEC_PER_SEC)
/* 2^DEAR times the price, for who has had as many as are left */
#define DEAR		10

struct account {
	u32 held;	/* containers that are in the table */
	u32 given;	/* cids, ever */
	u64 due;	/* CLOCK_MONOTONIC ns: when the bucket will be full again. In the past: it is */
};

static struct account accounts[LEVELS][CTRACE_ACCOUNTS];	/* ident_lock */
static u32 held;	/* ident_lock */
static u32 seed;	/* invariant after init */

/* Levels 0 and 1 are of a slice, 2 and 3 of an outermost container. */
static struct account *account_at(const struct ctrace_charge *c, u32 level)
{
	return &accounts[level][c->who[level / 2]];
}

static u32 levels(const struct ctrace_charge *c)
{
	return 2 * c->depth - 1;
}

/* --- chains ------------------------------------------------------------------- */

u32 ctrace_charge_account(u64 whose)
{
	return jhash_2words((u32)whose, whose >> 32, seed) % CTRACE_ACCOUNTS;
}

struct ctrace_charge ctrace_charge_outermost(u32 slice, u32 cid)
{
	return (struct ctrace_charge) { .who = { slice, ctrace_charge_account(cid) }, .depth = 1 };
}

struct ctrace_charge ctrace_charge_inside(const struct ctrace_charge *in, u32 cid)
{
	struct ctrace_charge c = *in;

	if (c.depth == CTRACE_CHARGE_DEPTH)
		return c;
	if (++c.depth < CTRACE_CHARGE_DEPTH)
		c.who[c.depth] = ctrace_charge_account(cid);
	return c;
}

u32 ctrace_charge_number(const struct ctrace_charge *c)
{
	return c->who[0] | (c->depth > 1 ? (u32)(c->who[1] + 1) << 16 : 0);
}

/* --- room --------------------------------------------------------------------- */

/*
 * The room of an account of that level if it is alone: half of the one that it is of. Rounded up, so that a
 * few fit anywhere.
 */
static u32 most(u32 all, u32 level)
{
	return ((all - 1) >> (level + 1)) + 1;
}

bool ctrace_charge_fits(const struct ctrace_charge *c, u32 all)
{
	u32 of = all, taken = held, level;

	for (level = 0; level < levels(c); level++) {
		/* less than is left beside it, so no more than that afterwards */
		if ((u64)account_at(c, level)->held + taken >= of)
			return false;
		of = most(all, level);
		taken = account_at(c, level)->held;
	}
	return true;
}

static void charge(const struct ctrace_charge *c, u32 n)
{
	u32 level;

	held += n;
	for (level = 0; level < levels(c); level++)
		account_at(c, level)->held += n;
}

void ctrace_charge_add(const struct ctrace_charge *c)
{
	charge(c, 1);
}

void ctrace_charge_del(const struct ctrace_charge *c)
{
	charge(c, -1u);
}

u32 ctrace_charge_held(void)
{
	return held;
}

/* --- cids ----------------------------------------------------------------------- */

static u64 price(const struct account *a, u32 level, u32 left, u64 base)
{
	return base << (level + ((u64)a->given << level >= left ? DEAR : 0));
}

/* Bounded, so that no price overflows. */
static u64 base_price(u32 left)
{
	return div_u64(PRICE_NS, max(left, 256u));
}

/* A full bucket pays any price, and is then full again that much later. */
static bool can_pay(const struct account *a, u64 price, u64 now)
{
	return a->due <= now || a->due + price <= now + FULL_NS;
}

bool ctrace_charge_pays(const struct ctrace_charge *c, u32 left, u64 now)
{
	u64 base = base_price(left);
	const struct account *a;
	u32 level;

	for (level = 0; level < levels(c); level++) {
		a = account_at(c, level);
		if (!can_pay(a, price(a, level, left, base), now))
			return false;
	}
	return true;
}

void ctrace_charge_pay(const struct ctrace_charge *c, u32 left, u64 now)
{
	u64 base = base_price(left);
	struct account *a;
	u32 level;

	for (level = 0; level < levels(c); level++) {
		a = account_at(c, level);
		a->due = max(a->due, now) + price(a, level, left, base);
		a->given++;
	}
}

/* --- life ------------------------------------------------------------------------- */

void ctrace_charge_init(void)
{
	held = 0;
	memset(accounts, 0, sizeof(accounts));
	get_random_bytes(&seed, sizeof(seed));
}
