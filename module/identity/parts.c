// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/list.h>
#include "identity/parts.h"

static LIST_HEAD(parts);		/* those that do not end. ident_lock */
static LIST_HEAD(ending);		/* those that end, until the GC gathers them. ident_lock */

/*
 * A session may have chosen a part of very many containers. So taking a target back does not look at parts:
 * it notes the turn in which it was done, and a part made in an earlier turn is over. Each becomes dying when
 * ctrace_parts_unchoose() comes to its container. ident_lock; READ_ONCE elsewhere
 */
static u32 turn;
static u32 taken_back[32];		/* by session: the turn in which it last took a target back */

/* --- ident_lock held --------------------------------------------------------- */

struct ctrace_container *ctrace_part_new(struct ctrace_container *base, u32 want, u32 deny)
{
	struct ctrace_container *part = ctrace_container_take();

	if (!part)
		return NULL;
	part->cid = base->cid;
	ctrace_container_get(base);	/* until the part is freed */
	part->base = base;
	part->account = base->account;
	part->want = want;
	part->deny = deny;
	part->turn = turn;
	list_add(&part->parts, &base->parts);
	list_add(&part->list, &parts);
	ctrace_container_remask(base);
	return part;
}

static void end(struct ctrace_container *part)
{
	if (part->dying)
		return;
	WRITE_ONCE(part->dying, 1);
	list_move_tail(&part->list, &ending);
	ctrace_container_kick();
}

void ctrace_parts_take_back(u32 sessions)
{
	turn++;
	for (; sessions; sessions &= sessions - 1)
		WRITE_ONCE(taken_back[__ffs(sessions)], turn);
}

/* The sessions that ended the part by taking a target back. Any context */
static u32 over(const struct ctrace_container *part)
{
	u32 chosen = READ_ONCE(part->want) | READ_ONCE(part->deny), sessions = 0;

	for (; chosen; chosen &= chosen - 1)
		if (part->turn < READ_ONCE(taken_back[__ffs(chosen)]))
			sessions |= chosen & -chosen;
	return sessions;
}

bool ctrace_part_ends(const struct ctrace_container *part)
{
	return READ_ONCE(part->dying) || over(part);
}

void ctrace_parts_unchoose(struct ctrace_container *c, u32 session)
{
	struct ctrace_container *part;
	u32 sessions;

	list_for_each_entry(part, &c->parts, parts) {
		sessions = over(part);
		if (sessions) {
			part->ended |= sessions;
			end(part);
		}
		if (part->dying) {	/* set before the masks change: pairs with ctrace_part_ends() */
			WRITE_ONCE(part->want, part->want & ~session);
			WRITE_ONCE(part->deny, part->deny & ~session);
		}
	}
	ctrace_container_remask(c);
}

void ctrace_parts_end_of(struct ctrace_container *c)
{
	struct ctrace_container *part;

	list_for_each_entry(part, &c->parts, parts)
		end(part);
}

/* --- the GC ------------------------------------------------------------------- */

bool ctrace_parts_end(void)
{
	return !list_empty(&ending);
}

void ctrace_parts_gather(struct list_head *to)
{
	list_splice_tail_init(&ending, to);
}

void ctrace_part_swept(struct ctrace_container *part, struct list_head *swept)
{
	list_del(&part->list);
	list_del(&part->parts);
	list_add(&part->queue, swept);
}

void ctrace_parts_exit(struct list_head *swept)
{
	struct ctrace_container *c, *next;

	list_for_each_entry_safe(c, next, swept, queue)
		if (c->base)
			list_move(&c->queue, swept);
	list_splice_init(&ending, &parts);
	list_for_each_entry_safe(c, next, &parts, list) {
		list_del(&c->list);
		list_add(&c->queue, swept);
	}
}
