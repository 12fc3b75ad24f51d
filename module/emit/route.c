// SPDX-License-Identifier: GPL-2.0-only
/* Routes are made here; ctrace_options_note() adds what it learns at the first call. */
#include "emit/route.h"

DEFINE_PER_CPU_ALIGNED(struct ctrace_route, ctrace_route);

notrace noinline bool ctrace_route_learn(void)
{
	struct ctrace_route *r = this_cpu_ptr(&ctrace_route);
	struct ctrace_container *c;
	u64 gen;

	if (!ctrace_identity_known() && unlikely(!ctrace_identity_learn()))
		return false;
	/*
	 * The generation was read before the container was looked up, and so before what sessions want of it.
	 */
	gen = __this_cpu_read(ctrace_idcache.gen);
	c = __this_cpu_read(ctrace_idcache.c);
	r->task = current;
	r->start = __this_cpu_read(ctrace_idcache.start);
	r->wanted = r->way = ctrace_container_wanted(c);
	r->cid = c->cid;
	r->ids.both = __this_cpu_read(ctrace_idcache.ids.both);
	r->calm = CTRACE_CALM_UNKNOWN;
	if (r->gen == gen && r->c == c) {
		/* The last task was in this container: its short ways hold, but for what gates decided. */
		r->only &= ~r->asked;
		if (r->pair & r->asked)
			r->pair = 0;
		if (r->sampled && r->asks == (u64)r->wanted << 32)
			r->way = CTRACE_WAY_SAMPLED;
	} else {
		r->gen = gen;
		r->c = c;
		r->begins = 0;
		r->only = 0;
		r->pair = 0;
		r->asks = CTRACE_ASKS_NONE;
		r->sampled = NULL;
	}
	r->asked = 0;
	r->noted = 0;
	return true;
}
