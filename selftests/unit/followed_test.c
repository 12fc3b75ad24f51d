// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/session/followed.h: the set of followed tasks. Tasks are made up, and so is the place where the search for each
 * begins.
 */
#include <errno.h>
#include <stdlib.h>
#define CTRACE_HOSTED_STEP()	step()
static void step(void);
#include "ring_shim.h"
#include "ktap.h"

#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_load_acquire(p)	({ __typeof__(*(p)) shim_v = __atomic_load_n(p, __ATOMIC_ACQUIRE); CTRACE_HOSTED_STEP(); shim_v; })
#define LONG_BITS		(8 * sizeof(long))
#define BITS_TO_LONGS(n)	(((n) + LONG_BITS - 1) / LONG_BITS)
#define has_bit(n, to)		((to)[(n) / LONG_BITS] >> (n) % LONG_BITS & 1)
#define __clear_bit(n, to)	((void)((to)[(n) / LONG_BITS] &= ~(1ul << (n) % LONG_BITS)))
#define for_each_set_bit(n, of, max) \
	for (n = 0; n < (max); n++)	\
		if (has_bit(n, of))

struct task_struct {
	u32 home;
};

#define CTRACE_HASH_H	/* instead of compat/hash.h */
static u32 ctrace_hash_ptr(const struct task_struct *p, unsigned int bits)
{
	return p->home & ((1u << bits) - 1);
}

#include "session/followed.h"

#define MAX	CTRACE_FOLLOWED_MAX
#define WINDOW	CTRACE_FOLLOWED_WINDOW
#define NONE	CTRACE_FOLLOWED_NONE
#define GONE	CTRACE_FOLLOWED_GONE
#define TASKS	300

static struct ctrace_followed table[MAX];
static struct ctrace_targets led[MAX];
static struct ctrace_followed_set set = { .table = table, .led = led };
static struct task_struct tasks[TASKS];

static void (*at_step)(void);

static void step(void)
{
	void (*fn)(void) = at_step;

	at_step = NULL;
	if (fn)
		fn();
}

static struct ctrace_targets target(u32 n)
{
	struct ctrace_targets t = { { 0 } };

	t.bits[n / LONG_BITS] = 1ul << n % LONG_BITS;
	return t;
}

static int add(u32 task, u32 t)
{
	struct ctrace_targets by = target(t);

	return ctrace_followed_add(&set, &tasks[task], &by);
}

static u32 mask_of(u32 task)
{
	return ctrace_followed_mask(&set, &tasks[task]);
}

static void take_out(u32 task)
{
	u32 i = ctrace_followed_find(&set, &tasks[task]);

	if (check(i != NONE))
		ctrace_followed_remove(&set, i);
}

/* Entries that hold this; task NULL: that are not NULL. */
static u32 entries(const struct task_struct *task)
{
	u32 n = 0;

	for (u32 i = 0; i < MAX; i++)
		n += task ? table[i].task == task : !!table[i].task;
	return n;
}

static void begin(u32 home)
{
	memset(table, 0, sizeof(table));
	memset(led, 0, sizeof(led));
	memset(set.sessions, 0, sizeof(set.sessions));
	set.sessions[1] = 1u << 1;
	set.sessions[2] = 1u << 2;
	set.sessions[200] = 1u << 1;
	for (u32 i = 0; i < TASKS; i++)
		tasks[i].home = home;
}

static void sweep(void)
{
	for (u32 i = 0; i < MAX; i++)
		ctrace_followed_refresh(&set, i);
}

static void followed_for_each_target(void)
{
	begin(7);
	check_eq(mask_of(0), 0);
	check_eq(add(0, 1), 1);
	check_eq(mask_of(0), 1u << 1);
	check_eq(add(0, 1), 0);
	check_eq(add(0, 2), 1);
	check_eq(add(0, 200), 1);
	check_eq(mask_of(0), 1u << 1 | 1u << 2);
	check_eq(entries(&tasks[0]), 1);
	check_eq(mask_of(1), 0);
	/* the session has another target yet */
	set.sessions[1] = 0;
	sweep();
	check_eq(mask_of(0), 1u << 1 | 1u << 2);
	set.sessions[200] = 0;
	sweep();
	check_eq(mask_of(0), 1u << 2);
}

/* A fork hands on what the parent's targets are now, not what they were. */
static void nothing_of_a_target_that_went(void)
{
	struct ctrace_targets both;

	begin(7);
	add(0, 1);
	add(0, 2);
	both = led[ctrace_followed_find(&set, &tasks[0])];
	set.sessions[1] = 0;
	check_eq(ctrace_followed_add(&set, &tasks[1], &both), 1);
	check_eq(mask_of(1), 1u << 2);
	sweep();
	/* its number is given again */
	set.sessions[1] = 1u << 5;
	check_eq(mask_of(0), 1u << 2);
	check_eq(mask_of(1), 1u << 2);
	sweep();
	check_eq(mask_of(1), 1u << 2);
	set.sessions[2] = 0;
	check_eq(ctrace_followed_add(&set, &tasks[2], &both), 1);	/* by target 1, as it is now */
	set.sessions[1] = 0;
	check_eq(ctrace_followed_add(&set, &tasks[3], &both), 0);
	check_eq(entries(&tasks[3]), 0);
}

/* One entry, wherever the free ones are: here before the task's own, and GONE. */
static void once(void)
{
	begin(MAX - 1);
	add(0, 1);
	add(1, 1);
	add(2, 1);
	take_out(0);
	check(table[MAX - 1].task == GONE);
	check_eq(add(1, 1), 0);
	check_eq(add(2, 2), 1);
	check_eq(entries(&tasks[1]), 1);
	check_eq(entries(&tasks[2]), 1);
	take_out(1);
	check_eq(mask_of(1), 0);
	check_eq(mask_of(2), 1u << 1 | 1u << 2);
	/* a stranger gets the address */
	check_eq(entries(&tasks[1]), 0);
}

static void full(void)
{
	begin(100);
	for (u32 i = 0; i < WINDOW; i++)
		check_eq(add(i, 1), 1);
	check_eq(add(WINDOW, 1), -ENOSPC);
	check_eq(add(WINDOW - 1, 2), 1);	/* it has its place */
	check_eq(mask_of(WINDOW), 0);
	take_out(5);
	check_eq(add(WINDOW, 1), 1);
	check(table[105].task == &tasks[WINDOW]);
	check_eq(mask_of(WINDOW - 1), 1u << 1 | 1u << 2);
}

/*
 * Tasks come and go, at most 40 at a time. Whatever order they go in, the others are found. Returns the most entries
 * that were not NULL. At the end nothing is left.
 */
static u32 come_and_go(u32 homes)
{
	u32 in[TASKS] = { 0 }, n = 0, worst = 0, used, bad = 0;

	srand(1);
	begin(0);
	for (u32 i = 0; i < TASKS; i++)
		tasks[i].home = MAX - 8 + rand() % homes;
	for (u32 k = 0; k < 100000; k++) {
		u32 i = rand() % TASKS;

		if (in[i]) {
			take_out(i);
			in[i] = 0;
			n--;
		} else if (n < 40 && add(i, 1) == 1) {
			in[i] = 1;
			n++;
		}
		if (k % 64)
			continue;
		for (i = 0; i < TASKS; i++)
			bad += mask_of(i) != (in[i] ? 1u << 1 : 0);
		used = entries(NULL);
		worst = used > worst ? used : worst;
	}
	check_eq(bad, 0);
	set.sessions[1] = 0;
	sweep();
	check_eq(entries(NULL), 0);
	return worst;
}

static void it_empties(void)
{
	check(come_and_go(32) <= 32 + WINDOW);	/* far more than it takes to get in each other's way */
	check(come_and_go(MAX) <= 44);		/* hardly ever in each other's way: as many as there are */
}

static void first_goes_second_comes(void)
{
	take_out(0);
	add(1, 2);
}

/* A look-up that found a task's entry never returns the mask of the next one there. */
static void looked_up_meanwhile(void)
{
	u32 i;

	begin(3);
	add(0, 1);
	i = ctrace_followed_find(&set, &tasks[0]);
	at_step = first_goes_second_comes;	/* after the first load, of task */
	check_eq(mask_of(0), 0);
	check_eq(ctrace_followed_find(&set, &tasks[1]), i);
	check_eq(mask_of(1), 1u << 2);
}

static const struct ktap_case cases[] = {
	{ "followed_for_each_target", followed_for_each_target },
	{ "nothing_of_a_target_that_went", nothing_of_a_target_that_went },
	{ "once", once },
	{ "full", full },
	{ "it_empties", it_empties },
	{ "looked_up_meanwhile", looked_up_meanwhile },
};
KTAP_MAIN(cases)
