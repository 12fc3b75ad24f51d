/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The set of followed tasks: the pure algorithm, without the module around it. The host's unit tests compile
 * this very file.
 *
 * Open addressing with a bounded window: a look-up looks at no more than WINDOW entries, and stops at the
 * first that is NULL. The set is changed under a lock, so a task is in it once. Look-ups hold none: they
 * are for any context incl. NMI.
 *
 * Look-ups read mask alone: the sessions that want the task. It is made from the entry's set of pid targets,
 * which a fork hands on.
 *
 * If a task's entry lies behind others, these are not NULL. So an entry whose task goes can become NULL only
 * if the next entry is NULL: then no search continues behind it. Otherwise it becomes GONE, and NULL later,
 * when the entry behind it does. So what is left behind by tasks that went is bounded by the tasks that stay.
 *
 *	change, under the lock			look-up
 *
 *	write mask, led				load-acquire task: is it p?
 *	store-release task, p		A	read mask
 *
 *	write task, GONE or NULL		read mask
 *	smp_wmb()			B	smp_rmb()
 *	write mask (of the next task)		read task: is it p still?
 *
 * B is for tasks that leave the set while they live, because their last target went. A task may enter it
 * again, but not while a look-up looks: its target was taken away before a grace period
 * (ctrace_tasks_sweep()).
 */
#ifndef CTRACE_FOLLOWED_H
#define CTRACE_FOLLOWED_H

#include "session/tasks.h"
#include "compat/hash.h"

#define CTRACE_FOLLOWED_BITS	14
#define CTRACE_FOLLOWED_MAX	(1u << CTRACE_FOLLOWED_BITS)
#define CTRACE_FOLLOWED_WINDOW	64u
#define CTRACE_FOLLOWED_GONE	((struct task_struct *)1)
#define CTRACE_FOLLOWED_NONE	CTRACE_FOLLOWED_MAX	/* instead of an entry's number */

struct ctrace_followed {
	struct task_struct *task;
	u32 mask;
};

struct ctrace_targets {
	unsigned long bits[BITS_TO_LONGS(CTRACE_PID_TARGETS)];
};

struct ctrace_followed_set {
	struct ctrace_followed *table;	/* [MAX] */
	struct ctrace_targets *led;	/* [i]: the targets that led to table[i].task; the lock */
	u32 sessions[CTRACE_PID_TARGETS];	/* each target's session, as a mask; 0: none; the lock */
};

static inline u32 ctrace_followed_behind(u32 i, u32 n)
{
	return (i + n) % CTRACE_FOLLOWED_MAX;
}

/* Lock or not. The task's entry, or NONE. */
static inline u32 ctrace_followed_find(const struct ctrace_followed_set *s, const struct task_struct *p)
{
	u32 home = ctrace_hash_ptr(p, CTRACE_FOLLOWED_BITS), n, i;
	const struct task_struct *t;

	for (n = 0; n < CTRACE_FOLLOWED_WINDOW; n++) {
		i = ctrace_followed_behind(home, n);
		t = smp_load_acquire(&s->table[i].task);	/* A */
		if (t == p)
			return i;
		if (!t)
			break;
	}
	return CTRACE_FOLLOWED_NONE;
}

/* No lock; preemption off. The sessions that want p. */
static inline u32 ctrace_followed_mask(const struct ctrace_followed_set *s, const struct task_struct *p)
{
	u32 i = ctrace_followed_find(s, p), mask;

	if (i == CTRACE_FOLLOWED_NONE)
		return 0;
	mask = READ_ONCE(s->table[i].mask);
	smp_rmb();	/* B */
	return READ_ONCE(s->table[i].task) == p ? mask : 0;
}

/* The rest is for the holder of the lock. */

/* Takes targets that have no session out of *by. Returns the others' sessions. */
static inline u32 ctrace_followed_sessions(const struct ctrace_followed_set *s, struct ctrace_targets *by)
{
	u32 mask = 0, n;

	for_each_set_bit(n, by->bits, CTRACE_PID_TARGETS) {
		mask |= s->sessions[n];
		if (!s->sessions[n])
			__clear_bit(n, by->bits);
	}
	return mask;
}

static inline void ctrace_followed_remove(struct ctrace_followed_set *s, u32 i)
{
	bool last = !s->table[ctrace_followed_behind(i, 1)].task;

	memset(&s->led[i], 0, sizeof(s->led[i]));
	WRITE_ONCE(s->table[i].mask, 0);
	WRITE_ONCE(s->table[i].task, last ? NULL : CTRACE_FOLLOWED_GONE);
	for (; last; last = s->table[i].task == CTRACE_FOLLOWED_GONE) {
		WRITE_ONCE(s->table[i].task, NULL);
		i = ctrace_followed_behind(i, CTRACE_FOLLOWED_MAX - 1);
	}
	smp_wmb();	/* B */
}

/*
 * Follows p for the targets among them that have a session, too. 1: for one more; 0: for none; -ENOSPC: no
 * room
 */
static inline int ctrace_followed_add(struct ctrace_followed_set *s, struct task_struct *p,
				      const struct ctrace_targets *by)
{
	u32 home = ctrace_hash_ptr(p, CTRACE_FOLLOWED_BITS), i = ctrace_followed_find(s, p), n, mask;
	bool is_new = i == CTRACE_FOLLOWED_NONE;
	struct ctrace_targets more = *by;

	mask = ctrace_followed_sessions(s, &more);
	if (!mask)
		return 0;
	for (n = 0; is_new && n < CTRACE_FOLLOWED_WINDOW; n++) {
		i = ctrace_followed_behind(home, n);
		if (!s->table[i].task || s->table[i].task == CTRACE_FOLLOWED_GONE)
			break;
	}
	if (n == CTRACE_FOLLOWED_WINDOW)
		return -ENOSPC;
	for (n = 0; n < BITS_TO_LONGS(CTRACE_PID_TARGETS); n++) {
		more.bits[n] &= ~s->led[i].bits[n];
		s->led[i].bits[n] |= more.bits[n];
	}
	WRITE_ONCE(s->table[i].mask, s->table[i].mask | mask);
	if (is_new)
		smp_store_release(&s->table[i].task, p);	/* A */
	for (n = 0; n < BITS_TO_LONGS(CTRACE_PID_TARGETS); n++)
		if (more.bits[n])
			return 1;
	return 0;
}

/* After targets lost their session: entry i follows its task for the others alone, or not at all. */
static inline void ctrace_followed_refresh(struct ctrace_followed_set *s, u32 i)
{
	u32 mask;

	if (!s->table[i].task || s->table[i].task == CTRACE_FOLLOWED_GONE)
		return;
	mask = ctrace_followed_sessions(s, &s->led[i]);
	if (mask)
		WRITE_ONCE(s->table[i].mask, mask);
	else
		ctrace_followed_remove(s, i);
}

#endif
