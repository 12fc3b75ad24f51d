// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/vmalloc.h>
#include "session/inflight.h"
#include "session/option.h"
#include "session/probe.h"
#include "compat/clock.h"

/*
 * Protects the list, and the places of the tables in it. Get and put hold ctrace_lock as well. The GC does
 * not: it must not wait for a command.
 */
static DEFINE_MUTEX(lock);
static LIST_HEAD(tables);	/* those that have places */

/* The table has no places yet, so nobody reads bits. */
static void grow(struct ctrace_inflight *t)
{
	u32 bits = t->cpu_bits ? t->cpu_bits + order_base_2(nr_cpu_ids) : 0;

	t->bits = clamp_t(u32, bits, t->bits, 16);
}

static int get(struct ctrace_inflight *t)
{
	size_t n, rows;
	int err;

	if (!t->users) {
		grow(t);
		n = 1ul << t->bits;
		rows = ctrace_inflight_rows(t);
		/*
		 * charged to no session: others may use it longer than the one that asked first. There are
		 * few
		 */
		t->keys = vzalloc(n * (sizeof(*t->keys) + t->stride) +
				  rows * (sizeof(*t->lost) + sizeof(*t->further)));
		if (!t->keys)
			return -ENOMEM;
		t->places = (void *)(t->keys + n);
		t->lost = (void *)(t->places + n * t->stride);
		t->further = (void *)(t->lost + rows);
		err = t->with ? t->with() : 0;
		if (err) {
			vfree(t->keys);
			t->keys = NULL;
			return err;
		}
		mutex_lock(&lock);
		list_add(&t->list, &tables);
		mutex_unlock(&lock);
		/*
		 * a table that was freed may be remembered (emit/short_call.h): before a probe runs that uses
		 * this one
		 */
		ctrace_identity_forget_tasks();
	}
	t->users++;
	return 0;
}

static int use(struct ctrace_probe *p, u32 i, struct ctrace_inflight *t)
{
	int err = t ? get(t) : 0;

	if (!err)
		p->tables[i] = t;
	return err;
}

int ctrace_inflight_get(struct ctrace_probe *p)
{
	int i, err;

	BUILD_BUG_ON(offsetof(struct ctrace_owned, wanted) != offsetof(struct ctrace_begun, wanted) ||
		     offsetof(struct ctrace_owned, time) != offsetof(struct ctrace_begun, time));
	for (i = 0; i < CTRACE_PROBE_SOURCES && p->sources[i]; i++) {
		err = use(p, i, p->sources[i]->table);
		if (err)
			return err;
	}
	return 0;
}

int ctrace_inflight_get_stacks(struct ctrace_probe *p)
{
	struct ctrace_inflight *t = NULL;
	u32 i, asks = 0;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		asks |= p->options[i] ? ctrace_option_stacks(p->options[i]) : 0;
	for (i = 0; i < CTRACE_PROBE_SOURCES && p->sources[i]; i++)
		t = p->sources[i]->stacks ?: t;
	return asks ? use(p, CTRACE_PROBE_SOURCES, t) : 0;
}

static void forget_session(struct ctrace_inflight *t, u32 bit)
{
	u64 w, in_place = (u64)bit << 32;
	struct ctrace_begun *b;
	u32 i;

	for (i = 0; i < 1u << t->bits; i++) {
		b = ctrace_inflight_at(t, i);
		/* If this fails, the place has a next user, which does not want the event, or a flag more. */
		do {
			w = READ_ONCE(b->wanted);
		} while (w & in_place && !(READ_ONCE(ctrace_event_wants[(u16)w]) & bit) &&
			 cmpxchg64(&b->wanted, w, w & ~in_place) != w);
	}
}

static void put(struct ctrace_inflight *t, u32 bit)
{
	if (--t->users) {
		forget_session(t, bit);
		return;
	}
	if (t->without)
		t->without();
	mutex_lock(&lock);
	list_del(&t->list);
	mutex_unlock(&lock);
	vfree(t->keys);
	t->keys = NULL;
}

void ctrace_inflight_put(struct ctrace_probe *p)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(p->tables); i++)
		if (p->tables[i])
			put(p->tables[i], 1u << p->session->index);
}

/* If the cmpxchg fails, the place has a new owner; if that one is dying, ctrace_begun_by() sees it. */
static void forget_dying(void)
{
	struct ctrace_container *c;
	struct ctrace_inflight *t;
	struct ctrace_owned *b;
	u32 i;

	smp_mb();	/* pairs with ctrace_begun_by() */
	mutex_lock(&lock);
	list_for_each_entry(t, &tables, list)
		for (i = 0; t->owned && i < 1u << t->bits; i++) {
			b = ctrace_inflight_at(t, i);
			c = READ_ONCE(b->who.container);
			if (c && READ_ONCE(c->dying))
				cmpxchg(&b->who.container, c, c->heir);
		}
	mutex_unlock(&lock);
}

const struct task_struct *ctrace_begun_task(const struct ctrace_who *who, u64 start)
{
	const struct task_struct *p;

	if (!who->task)
		return NULL;
	rcu_read_lock();
	p = pid_task(find_pid_ns(who->tid, &init_pid_ns), PIDTYPE_PID);
	if (p && (p != who->task || ctrace_compat_task_start(p) != start))
		p = NULL;
	rcu_read_unlock();
	return p;
}

/*
 * A user of a place with "renew, hold, let_go" makes the key BUSY (full barrier), writes, and lets go
 * (release). If the copy has a word that was written later than we read the key first, the second look at
 * the key sees BUSY, or that the user has let go; and then the third pass sees all that it wrote. That
 * differs from the copy, in the time if in nothing else, unless all of the copy is of that user.
 */
const void *ctrace_inflight_peek(const struct ctrace_inflight *t, u32 place, void *to)
{
	const u64 *from = ctrace_inflight_at(t, place);
	const void *key = READ_ONCE(t->keys[place]);
	u32 i, n = t->stride / sizeof(*from);
	u64 *copy = to;

	if (!key || key == CTRACE_INFLIGHT_BUSY)
		return NULL;
	smp_rmb();	/* pairs with ctrace_inflight_let_go() */
	for (i = 0; i < n; i++)
		copy[i] = READ_ONCE(from[i]);
	smp_rmb();	/* pairs with ctrace_inflight_claim() */
	if (READ_ONCE(t->keys[place]) != key)
		return NULL;
	smp_rmb();	/* pairs with ctrace_inflight_let_go() */
	for (i = 0; i < n; i++)
		if (copy[i] != READ_ONCE(from[i]))
			return NULL;
	return key;
}

const struct ctrace_container_watcher ctrace_inflight_watcher = { .forget = forget_dying };

/* --- when a row is not enough -------------------------------------------------- */

u32 ctrace_inflight_find_further(const struct ctrace_inflight *t, u32 row, const void *key)
{
	u32 i, place = CTRACE_INFLIGHT_NONE;

	for (i = 1; i < CTRACE_INFLIGHT_WINDOW && place == CTRACE_INFLIGHT_NONE; i++)
		place = ctrace_inflight_in_row(t, (row + i) & (ctrace_inflight_rows(t) - 1), key);
	return place;
}

u32 ctrace_inflight_take_further(struct ctrace_inflight *t, u32 row, const void *key)
{
	u32 last = ctrace_inflight_rows(t) - 1, home = row, i, j, place;

	for (i = 0; i < CTRACE_INFLIGHT_WINDOW; i++, row = (row + 1) & last) {
		if (i == 1)
			atomic_inc(&t->further[home]);
		for (j = 0; j < CTRACE_INFLIGHT_ROW; j++) {
			place = row * CTRACE_INFLIGHT_ROW + j;
			/* Acquire: as in ctrace_inflight_take() */
			if (!READ_ONCE(t->keys[place]) && !cmpxchg_acquire(&t->keys[place], NULL, key))
				return place;
		}
	}
	atomic_dec(&t->further[home]);
	return CTRACE_INFLIGHT_NONE;
}

/* --- for what may not end ------------------------------------------------------ */

/*
 * The place that was taken first, of all that no context has. Others may change them at the same time: no
 * harm.
 */
static u32 oldest(const struct ctrace_inflight *t, u32 row)
{
	u32 place = row * CTRACE_INFLIGHT_ROW, end = place + CTRACE_INFLIGHT_ROW, found = place;
	const struct ctrace_begun *b;
	u64 first = U64_MAX, time;

	for (; place < end; place++) {
		b = ctrace_inflight_at(t, place);
		time = READ_ONCE(b->time);
		if (time < first && READ_ONCE(t->keys[place]) != CTRACE_INFLIGHT_BUSY) {
			first = time;
			found = place;
		}
	}
	return found;
}

u32 ctrace_inflight_renew_any(struct ctrace_inflight *t, u32 row)
{
	u32 none = CTRACE_INFLIGHT_NONE, place;
	const void *older;

	place = ctrace_inflight_find(t, row, NULL);
	if (place != none && ctrace_inflight_claim(t, place, NULL))
		return place;
	place = oldest(t, row);
	older = READ_ONCE(t->keys[place]);
	WRITE_ONCE(t->lost[row], ctrace_compat_clock());	/* this key, if not that one */
	return older != CTRACE_INFLIGHT_BUSY && ctrace_inflight_claim(t, place, older) ? place : none;
}
