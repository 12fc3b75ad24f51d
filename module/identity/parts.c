// SPDX-License-Identifier: GPL-2.0-only
#include <linux/list.h>
#include "identity/parts.h"

static LIST_HEAD(parts);		/* all parts but those in a sweep's list. ident_lock */
static bool some_end;			/* ident_lock; READ_ONCE elsewhere */

/* --- ident_lock held --------------------------------------------------------- */

struct ctrace_container *ctrace_part_new(struct ctrace_container *base, u32 want, u32 deny)
{
	struct ctrace_container *part = ctrace_container_take();

	if (!part)
		return NULL;
	part->cid = base->cid;
	ctrace_container_get(base);	/* until the part is freed */
	part->base = base;
	part->want = want;
	part->deny = deny;
	list_add(&part->parts, &base->parts);
	list_add(&part->list, &parts);
	ctrace_container_remask(base);
	return part;
}

static void end(struct ctrace_container *part)
{
	WRITE_ONCE(part->dying, 1);
	WRITE_ONCE(some_end, true);
}

void ctrace_parts_take_back(u32 sessions)
{
	struct ctrace_container *part;

	list_for_each_entry(part, &parts, list)
		if ((part->want | part->deny) & sessions) {
			part->ended |= sessions;
			end(part);
		}
}

void ctrace_parts_unchoose(struct ctrace_container *c, u32 session)
{
	struct ctrace_container *part;

	list_for_each_entry(part, &c->parts, parts)
		if (part->dying) {
			part->want &= ~session;
			part->deny &= ~session;
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
	return READ_ONCE(some_end);
}

void ctrace_parts_gather(struct list_head *ending)
{
	struct ctrace_container *part, *next;

	WRITE_ONCE(some_end, false);
	list_for_each_entry_safe(part, next, &parts, list)
		if (part->dying)
			list_move(&part->list, ending);
}

void ctrace_parts_part_with(struct list_head *ending, struct list_head *swept)
{
	struct ctrace_container *part, *next;
	unsigned long flags;

	/* Still in base->parts until here, so that their masks followed their containers'. */
	ctrace_ident_lock(&flags);
	list_for_each_entry_safe(part, next, ending, list) {
		list_del(&part->list);
		list_del(&part->parts);
		list_add(&part->queue, swept);
	}
	ctrace_ident_unlock(flags);
}

void ctrace_parts_exit(struct list_head *swept)
{
	struct ctrace_container *c, *next;

	list_for_each_entry_safe(c, next, swept, queue)
		if (c->base)
			list_move(&c->queue, swept);
	list_for_each_entry_safe(c, next, &parts, list) {
		list_del(&c->list);
		list_add(&c->queue, swept);
	}
}
