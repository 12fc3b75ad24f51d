/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounts are charged with a container: with its room while it is in the table by cid, and with its cid,
 * which never comes back. A user who may make cgroups or pid namespaces makes containers, of 1 KiB each, as
 * fast as they can clone; so each has a bounded part of both.
 *
 * Accounts lie in each other. A container is charged to all that it lies in, from the outside in:
 *  0  a slice: the upper two levels of the cgroup that an outermost container is in, which separates users
 *     (user.slice/user-1000.slice). The same path in another hierarchy is the same slice
 *  1  of that, the containers that lie in other containers
 *  2  of that, the containers in one outermost container
 *  3  of that, the containers which lie deeper than the outermost container's own
 *  4  of that, the containers in one of the outermost container's own; deeper ones are charged here, too
 * So a container in no other one is charged to account 0 alone, one in such a container to 0 to 2, any other
 * to all. Neither more outer containers nor more levels get a user more. What a tenant nests takes little of
 * what the slice's other containers need, and the slice takes little of what other slices need.
 *
 * Accounts of a level are told apart by a hash with a random seed. Two with the same number share what one
 * may have.
 *
 * Room: an account may have no more containers than there is room left beside it, in the account that it is
 * of. (Slices are of the whole room, max_containers.) Alone, that is half: for a slice half of the whole
 * room, for what is nested in it a quarter, for one outermost container an eighth. Of N slices that take what
 * they can, none leaves the others less than it has itself, and a newcomer always finds room: no number of
 * users takes all.
 *
 * Cids: each account has a bucket of time, and a cid costs time. The fewer cids are left, the more; and twice
 * as much for each level further in:
 *
 *	left of 2^32		a slice			what is nested		one outermost container
 *	all			256/s, 2^20 at once	128/s, 2^19		64/s, 2^18
 *	half			128/s, 2^19		64/s, 2^18		32/s, 2^17
 *
 * An account that has been given as many cids as are left (what is nested: half as many; an outermost
 * container: a quarter) pays 1,024 times the price. So in ten years the worst user gets 51 % of the cids,
 * half of them in the first 134 days, and the worst tenant 21 %. A host that makes 100 containers a second in
 * one slice, day and night, meets that price on the 249th day; without accounts, it would have no cid on the
 * 498th. Of several users at once, the one who has had most pays that price first. Cids become dear then, but
 * do not run out: fifty who do their worst for ten years leave 0.8 %.
 *
 * A refused container's events belong to the unknown container (container.h), and the refusal is counted. It
 * may ask again when a container has been swept, and after some seconds, as time fills the buckets (gc.c).
 *
 * Lifetime: a chain is numbers, and points to nothing. A container keeps its chain, so that what was charged
 * is discharged, whatever became of the containers that it lay in.
 *
 * All functions: ident_lock held.
 */
#ifndef CTRACE_CHARGE_H
#define CTRACE_CHARGE_H

#include <linux/types.h>

#define CTRACE_ACCOUNTS		1024u	/* of each level */
#define CTRACE_CHARGE_DEPTH	3u

struct ctrace_charge {
	/*
	 * The slice, the outermost container, the one in that: numbers below CTRACE_ACCOUNTS. The first
	 * `depth` of them are charged with the container. The next, if there is one, will be charged with
	 * what lies in it.
	 */
	u16 who[CTRACE_CHARGE_DEPTH];
	u16 depth;
};

/* The number of an account. whose: any number that tells accounts apart */
u32 ctrace_charge_account(u64 whose);
/*
 * The chains of a container with that cid: in no other one, in the slice with that number; or in the one with
 * chain `in`.
 */
struct ctrace_charge ctrace_charge_outermost(u32 slice, u32 cid);
struct ctrace_charge ctrace_charge_inside(const struct ctrace_charge *in, u32 cid);
/*
 * The chain in one number, as session/limit.h takes it: the slice; and above 16 bits 0, or 1 + the outermost
 * container.
 */
u32 ctrace_charge_number(const struct ctrace_charge *c);

/* Is there room for one more container, of `all`, which may be in the table at one time? */
bool ctrace_charge_fits(const struct ctrace_charge *c, u32 all);
void ctrace_charge_add(const struct ctrace_charge *c);
void ctrace_charge_del(const struct ctrace_charge *c);
/* All containers that are charged. */
u32 ctrace_charge_held(void);

/* May the accounts have one more cid of the `left` that there are (not 0)? now: CLOCK_MONOTONIC, ns */
bool ctrace_charge_pays(const struct ctrace_charge *c, u32 left, u64 now);
/* They get it. */
void ctrace_charge_pay(const struct ctrace_charge *c, u32 left, u64 now);

/* Before the first container is made. Nothing is charged. */
void ctrace_charge_init(void);

#endif /* CTRACE_CHARGE_H */
