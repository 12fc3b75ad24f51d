// SPDX-License-Identifier: GPL-2.0-only
#include "probe/sleep_stack.h"
#include "session/option.h"
#include "../uapi/ctrace.h"

struct sleep_stack {
	struct ctrace_begun begun;	/* no session's */
	struct ctrace_stack_waited stack;
	struct ctrace_stack_frames user;
};

/*
 * Sessions that ask for no stack share the functions with those that do: the functions run on when the table
 * has gone, and a task that sleeps may still be known to have a place in it.
 */
static bool there __read_mostly;

static int made(void)
{
	smp_store_release(&there, true);	/* it has places. Pairs with place_of() */
	return 0;
}

static void goes(void)
{
	WRITE_ONCE(there, false);
	ctrace_option_sync();	/* no function looks for a place any more */
}

/* 2.1 MiB. */
struct ctrace_inflight ctrace_sleep_stacks __read_mostly = {
	.stride = sizeof(struct sleep_stack), .bits = 11, .with = made, .without = goes,
};

static u32 place_of(const struct task_struct *p)
{
	if (!smp_load_acquire(&there))	/* pairs with made() */
		return CTRACE_INFLIGHT_NONE;
	return ctrace_inflight_find(&ctrace_sleep_stacks, ctrace_inflight_row(&ctrace_sleep_stacks, p), p);
}

bool ctrace_sleep_stack_keep(const struct task_struct *p, u32 which)
{
	struct sleep_stack *s;
	u32 place;

	if (!smp_load_acquire(&there))	/* as above */
		return false;
	place = ctrace_inflight_take(&ctrace_sleep_stacks, ctrace_inflight_row(&ctrace_sleep_stacks, p), p);
	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	s = ctrace_inflight_at(&ctrace_sleep_stacks, place);
	s->stack.of = CTRACE_ID_SCHED_BLOCK;
	s->stack.n = which & CTRACE_PROBE_F_STACK ? ctrace_stack_kernel(s->stack.callstack, NULL) : 0;
	s->user.n = which & CTRACE_PROBE_F_USER_STACK ? ctrace_stack_user(s->user.callstack) : 0;
	s->stack.user = &s->user;
	return true;
}

const struct ctrace_stack_waited *ctrace_sleep_stack_of(const struct task_struct *p)
{
	u32 place = place_of(p);
	const struct sleep_stack *s;

	if (place == CTRACE_INFLIGHT_NONE)
		return NULL;
	s = ctrace_inflight_at(&ctrace_sleep_stacks, place);
	return &s->stack;
}

void ctrace_sleep_stack_give(const struct task_struct *p)
{
	struct ctrace_inflight *t = &ctrace_sleep_stacks;
	u32 place = place_of(p);

	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_give(t, ctrace_inflight_row(t, p), place);
}
