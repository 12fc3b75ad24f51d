// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include "probe/sched_span_short.h"
#include "probe/under_way.h"
#include "session/inflight.h"

static bool read_place(const struct ctrace_inflight *t, const struct task_struct *p, struct ctrace_under_way *u)
{
	const struct ctrace_begun *b;
	u64 wanted;
	u32 place;

	if (!t->keys)
		return false;
	place = ctrace_inflight_find(t, ctrace_inflight_row(t, p), p);
	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	b = ctrace_inflight_at(t, place);
	wanted = READ_ONCE(b->wanted);
	smp_rmb();	/* no partner: the owner does not wait for us; see under_way.h */
	u->time = READ_ONCE(b->time);
	smp_rmb();	/* the same */
	if (!(wanted >> 32) || READ_ONCE(t->keys[place]) != p || READ_ONCE(b->wanted) != wanted)
		return false;
	u->id = (u16)wanted;
	return true;
}

bool ctrace_under_way(const struct ctrace_inflight *t, const struct task_struct *p, struct ctrace_under_way *u)
{
	struct ctrace_under_way first;

	if (!read_place(t, p, &first))
		return false;
	udelay(1);	/* the owner writes the event, then the time: see under_way.h */
	return read_place(t, p, u) && u->id == first.id && u->time == first.time;
}

bool ctrace_sched_span_under_way(const struct task_struct *p, struct ctrace_under_way *u)
{
	if (!ctrace_under_way(&ctrace_sched_spans, p, u))
		return false;
	u->ns = ctrace_compat_passed(u->time, ctrace_compat_clock());
	return true;
}
