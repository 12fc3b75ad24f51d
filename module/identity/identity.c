// SPDX-License-Identifier: GPL-2.0-only
/* Resolving: from a task to its container. The hooks, which learn of containers early, are in hooks.c. */
#include <linux/cgroup.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include "identity/identity.h"
#include "identity/identity_internal.h"
#include "identity/learn.h"
#include "identity/rules.h"
#include "identity/kernel.h"

DEFINE_PER_CPU_ALIGNED(struct ctrace_idcache, ctrace_idcache);
DEFINE_PER_CPU_ALIGNED(struct ctrace_idothers, ctrace_idothers);
struct ctrace_rules ctrace_rules;

/*
 * A task that has been released (its struct pid is gone) still runs until its last switch. So a memo of its
 * identity is written when its exit begins, on the CPU where that happens. The task may end on another CPU
 * while others exit on the first one: hence several memos per CPU, and a look-up searches all CPUs.
 * A memo holds no reference: before a container is freed, its memos are cleared; memos of a part get its
 * heir.
 *
 * This is not a table of session/inflight.h, which is a room above: besides, a memo has no end, and many CPUs
 * may read it at once.
 */
#define MEMOS	8
struct memo {
	struct ctrace_container *c;	/* NULL while the rest is written */
	const struct task_struct *task;
	u64 start;			/* the task's start time: its address is reused */
	s32 vtid;
};

struct memos {
	struct memo m[MEMOS];
	u32 next;
};

static DEFINE_PER_CPU(struct memos, memos);

/* --- the slow path ---------------------------------------------------------- */

/*
 * ident_lock held. A place may lead elsewhere now. If another session may want a task there, the caller calls
 * ctrace_ident_changed(), too.
 */
void ctrace_identity_forget_cached(void)
{
	struct ctrace_ident_state *st = &ctrace_ident_state;

	/* With the new cache_gen, no CPU finds what was unlinked before. Pairs with ctrace_identity_look() */
	smp_mb();
	WRITE_ONCE(st->cache_gen, st->cache_gen + 1 ?: 1);
	ctrace_identity_forget_tasks();
}

/*
 * c: q's container, or NULL. Returns it, or its part. *whole: the result is the final answer, part included.
 */
static struct ctrace_container *with_part(const struct ctrace_question *q, struct ctrace_container *c, bool change, bool *whole)
{
	struct ctrace_container *part = c ? ctrace_rules_part(&ctrace_rules, &q->p.at, c, change) : NULL;

	*whole = part;
	/*
	 * If the part cannot be made, the container is still right. But the sessions that named a
	 * cgroup around the place miss the event, or get it although they denied it.
	 */
	return part ?: c;
}

/*
 * Has a v1 hierarchy decided that is not the place's first one, which is in the key anyway? ident_lock held.
 */
static bool told_aside(const struct ctrace_place *at)
{
	u32 by = ctrace_rules.told_by;

	return by && at->cg[1] && ctrace_identity_kernel.cg_hierarchy(at->cg[1]) != by;
}

static bool is_unknown(struct ctrace_container *c)
{
	return unlikely(ctrace_container_base(c) == &ctrace_container_unknown);
}

static void ask(struct ctrace_question *q, const struct css_set *cset, const void *ns, bool exec, const void *mnt)
{
	ctrace_identity_place(cset, ns, &q->p.at);
	q->p.at.exec = exec;
	q->p.at.mnt = mnt;
	ctrace_rules_look(&ctrace_rules, q);
}

struct ctrace_container *ctrace_identity_decide(const struct css_set *cset, const void *ns,
						u64 v2, u64 v1, bool exec, const void *mnt, bool *whole)
{
	int sections = CTRACE_SECTIONS;
	struct ctrace_container *c;
	struct ctrace_question q;
	unsigned long flags;
	bool again;

	do {
		ask(&q, cset, ns, exec, mnt);
		if (!ctrace_ident_lock(&flags)) {
			c = with_part(&q, ctrace_rules_known(&ctrace_rules, &q), false, whole);
			break;
		}
		c = with_part(&q, ctrace_rules_learn(&ctrace_rules, &q), true, whole);
		again = ctrace_rules.again;
		if (told_aside(&q.p.at) && ctrace_kernel_tells(&ctrace_rules, ctrace_rules.told_by))
			ctrace_learn_forget(&ctrace_rules);
		/*
		 * The hierarchies in the key may have changed since v1 was computed, just now at the latest:
		 * then v1 lacks one.
		 */
		if (*whole && (!v1 || v1 == ctrace_identity_v1_key(cset)))
			ctrace_learn_alias(&ctrace_rules, v2, v1, ns, c);
		ctrace_ident_unlock(flags);
		if (!*whole || ctrace_lfpool_low(&ctrace_rules.nodes))
			ctrace_container_kick();
	} while (again && --sections);
	c = c ?: &ctrace_container_unknown;
	if (!*whole || is_unknown(c))
		ctrace_container_count_unknown();
	return c;
}

static struct ctrace_container *dead(struct task_struct *p, s32 *vtid);

/* The keys of a living task's cgroups; *v1 is 0 before. Returns the css_set that has them. */
static __always_inline const struct css_set *keys(struct task_struct *p, u64 *v2, u64 *v1)
{
	const struct css_set *cset = ctrace_compat_task_cset(p);

	*v2 = ctrace_compat_cgroup_id(ctrace_compat_cset_dfl(cset));
	if (READ_ONCE(ctrace_ident_state.nr_v1))
		*v1 = ctrace_identity_v1_key(cset);
	return cset;
}

/*
 * Does c know all that it can learn from a task which is put into a place that leads to c: which pid
 * namespace is its own, and its runtime's mounts? Then the rules need not be asked under ident_lock.
 */
static bool settled(const struct ctrace_container *c, const void *mnt)
{
	const void *ns = smp_load_acquire(&c->ns);	/* pairs with ctrace_learn_ns() */

	if (c == &ctrace_container_host)
		return true;
	if (!READ_ONCE(c->key) || (mnt != CTRACE_MNT_UNKNOWN && READ_ONCE(c->runtime_mnt) == CTRACE_MNT_UNKNOWN))
		return false;
	return READ_ONCE(c->ns_fixed) || (ns && ns != CTRACE_NS_PAST && !ctrace_compat_pidns_closed(ns));
}

static noinline struct ctrace_container *look_again(struct ctrace_lfnode *n, const struct css_set *cset,
						    const void *ns)
{
	struct ctrace_place at;

	ctrace_identity_place(cset, ns, &at);
	return ctrace_look_alias_again(&ctrace_rules, n, &at);
}

/* *whole: the result is the final answer for the place, so it may be remembered. */
static struct ctrace_container *find(const struct css_set *cset, const void *ns, u64 v2, u64 v1,
				     bool *whole)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&ctrace_rules.aliases, v2, v1, ns);
	struct ctrace_container *c;

	*whole = true;
	if (unlikely(!n))
		return ctrace_identity_decide(cset, ns, v2, v1, false, CTRACE_MNT_UNKNOWN, whole);
	c = ctrace_look_alias(&ctrace_rules, n) ?: look_again(n, cset, ns);
	if (unlikely(!c))
		return ctrace_identity_decide(cset, ns, v2, v1, false, CTRACE_MNT_UNKNOWN, whole);
	if (is_unknown(c))
		ctrace_container_count_unknown();
	return c;
}

/*
 * What the rules say of a place without the lock. Not inlined: ctrace_identity_decide() needs as much stack.
 */
static noinline struct ctrace_container *known_there(const struct css_set *cset, const void *ns)
{
	struct ctrace_question q;

	ask(&q, cset, ns, false, CTRACE_MNT_UNKNOWN);
	return ctrace_rules_known(&ctrace_rules, &q);
}

/*
 * A stranger moves tasks and makes them as often as they like. So if nothing can be learned from that, no
 * lock is taken: the alias of the place is good, and leads to a container that is settled. It is good if it
 * was decided for a task in the same cgroups and namespace, and no boundary has come above them since. On v1
 * an alias is known by the cgroups of some hierarchies only, so there the rules are asked, too, without the
 * lock.
 */
void ctrace_identity_learn_place(const struct css_set *cset, const void *ns, u64 v2, u64 v1, const void *mnt)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&ctrace_rules.aliases, v2, v1, ns);
	struct ctrace_container *c = NULL;
	bool whole;

	if (n)
		c = ctrace_look_alias(&ctrace_rules, n) ?: look_again(n, cset, ns);
	c = c ? ctrace_container_base(c) : NULL;
	if (c && settled(c, mnt) && (!READ_ONCE(ctrace_ident_state.nr_v1) || known_there(cset, ns) == c))
		return;
	ctrace_identity_decide(cset, ns, v2, v1, false, mnt, &whole);
}

/* Caches `now` for current. Task context. Only this CPU reads the cache, so barrier() is order enough. */
static void remember(const struct ctrace_idcache *now)
{
	struct ctrace_idcache *cache = this_cpu_ptr(&ctrace_idcache);

	WRITE_ONCE(cache->gen, 0);
	WRITE_ONCE(cache->unwanted, 0);
	WRITE_ONCE(cache->place_gen, 0);
	barrier();
	WRITE_ONCE(cache->task, now->task);
	WRITE_ONCE(cache->start, now->start);
	WRITE_ONCE(cache->c, now->c);
	WRITE_ONCE(cache->ids.both, now->ids.both);
	WRITE_ONCE(cache->v2, now->v2);
	WRITE_ONCE(cache->v1, now->v1);
	WRITE_ONCE(cache->ns, now->ns);
	barrier();
	WRITE_ONCE(cache->place_gen, now->place_gen);
	WRITE_ONCE(cache->unwanted, now->unwanted);
	WRITE_ONCE(cache->gen, now->gen);
}

notrace void ctrace_identity_look(struct ctrace_who *who)
{
	const struct ctrace_idcache *cache = this_cpu_ptr(&ctrace_idcache);
	struct ctrace_idcache now = { .task = current };
	struct task_struct *p = current;
	const struct css_set *cset;
	const struct upid *upid;
	const struct pid *pid;
	bool whole = true;

	now.gen = atomic64_read(&ctrace_identity_gen);
	now.place_gen = READ_ONCE(ctrace_ident_state.cache_gen);
	/*
	 * Both generations are read before what they cover. Pairs with the barriers in
	 * ctrace_identity_forget_tasks() and _forget_cached(): if we read a new generation, we do not
	 * find what it invalidated.
	 */
	smp_rmb();
	pid = ctrace_compat_task_pid(p);
	who->task = p;
	who->tid = p->pid;
	if (unlikely(!pid || ctrace_compat_cset_taken(p))) {
		who->container = dead(p, &who->vtid);
		return;
	}
	upid = &pid->numbers[pid->level];
	now.ns = upid->ns;
	cset = keys(p, &now.v2, &now.v1);
	if (READ_ONCE(cache->place_gen) == now.place_gen && READ_ONCE(cache->v2) == now.v2 &&
	    READ_ONCE(cache->v1) == now.v1 && READ_ONCE(cache->ns) == now.ns)
		now.c = READ_ONCE(cache->c);
	else
		now.c = find(cset, now.ns, now.v2, now.v1, &whole);
	who->container = now.c;
	who->vtid = upid->nr;
	/* The unknown container is not cached, so that each of its events is counted. */
	if (!in_task() || !whole || is_unknown(now.c))
		return;
	now.start = ctrace_compat_task_start(p);
	now.ids.tid = p->pid;
	now.ids.vtid = upid->nr;
	if (!ctrace_ident_state.moves_told)
		now.gen = 0;
	now.unwanted = ctrace_container_wanted(now.c) ? 0 : now.gen;
	remember(&now);
}

notrace bool ctrace_identity_learn(void)
{
	struct ctrace_who who;

	ctrace_identity_look(&who);
	return ctrace_identity_known();
}

/* Context: any, so another writer of the CPU may be interrupted: then nothing is written. */
static void remember_other(struct task_struct *p, const struct ctrace_who *who, u64 gen)
{
	struct ctrace_idothers *others = this_cpu_ptr(&ctrace_idothers);
	struct ctrace_idother *e = &others->e[ctrace_hash_ptr(p, CTRACE_IDOTHERS_BITS)];
	union ctrace_ids ids = { .tid = who->tid, .vtid = who->vtid };

	if (READ_ONCE(others->writes) & 1)
		return;
	/* one instruction: a writer that interrupts this one comes before or after it, and ends in between */
	this_cpu_inc(ctrace_idothers.writes);
	barrier();
	WRITE_ONCE(e->unwanted, 0);
	barrier();
	WRITE_ONCE(e->task, p);
	WRITE_ONCE(e->start, ctrace_compat_task_start(p));
	WRITE_ONCE(e->gen, gen);
	WRITE_ONCE(e->c, who->container);
	WRITE_ONCE(e->ids.both, ids.both);
	barrier();
	WRITE_ONCE(e->unwanted, ctrace_container_wanted(who->container) ? 0 : gen);
	barrier();
	this_cpu_inc(ctrace_idothers.writes);
}

notrace noinline void ctrace_identity_look_task(struct task_struct *p, struct ctrace_who *who)
{
	u64 gen = atomic64_read(&ctrace_identity_gen), v2, v1 = 0;
	const struct css_set *cset;
	const struct upid *upid;
	const struct pid *pid;
	bool whole;

	smp_rmb();	/* as in ctrace_identity_look() */
	pid = ctrace_compat_task_pid(p);
	who->task = p;
	who->tid = p->pid;
	if (unlikely(!pid || ctrace_compat_cset_taken(p))) {
		who->container = dead(p, &who->vtid);
		return;
	}
	upid = &pid->numbers[pid->level];
	who->vtid = upid->nr;
	cset = keys(p, &v2, &v1);
	who->container = find(cset, upid->ns, v2, v1, &whole);
	if (whole && !is_unknown(who->container) && ctrace_ident_state.moves_told)
		remember_other(p, who, gen);
}

/* --- the dead --------------------------------------------------------------- */

/* p == current, about to exit; preemption off */
void ctrace_identity_note_exit(const struct task_struct *p, const struct ctrace_who *who)
{
	struct memos *here = this_cpu_ptr(&memos);
	struct memo *m = &here->m[here->next++ % MEMOS];

	WRITE_ONCE(m->c, NULL);
	smp_wmb();	/* pairs with find_memo(), which reads c before and after the rest */
	WRITE_ONCE(m->task, p);
	WRITE_ONCE(m->start, ctrace_compat_task_start(p));
	WRITE_ONCE(m->vtid, who->vtid);
	smp_store_release(&m->c, who->container);	/* pairs with find_memo() */
}

static struct ctrace_container *find_memo(const struct memos *on, const struct task_struct *p,
					  s32 *vtid)
{
	int i;

	for (i = 0; i < MEMOS; i++) {
		const struct memo *m = &on->m[i];
		/* reads c, the rest, c again: the writer clears c, writes the rest, then c */
		struct ctrace_container *c = smp_load_acquire(&m->c), *again;

		if (!c || READ_ONCE(m->task) != p || READ_ONCE(m->start) != ctrace_compat_task_start(p))
			continue;
		*vtid = READ_ONCE(m->vtid);
		smp_rmb();	/* pairs with the smp_wmb() in ctrace_identity_note_exit() */
		again = READ_ONCE(m->c);
		if (again && ctrace_container_same(again, c))	/* c, or its heir */
			return again;
	}
	return NULL;
}

/* Any context; preemption off */
static struct ctrace_container *dead(struct task_struct *p, s32 *vtid)
{
	struct ctrace_container *c = find_memo(this_cpu_ptr(&memos), p, vtid);
	const struct pid *pid = ctrace_compat_task_pid(p);
	struct ctrace_question q;
	bool whole;
	int cpu;

	if (c)
		return c;
	for_each_possible_cpu(cpu) {
		c = find_memo(per_cpu_ptr(&memos, cpu), p, vtid);
		if (c)
			return c;
	}
	/*
	 * No memo. The cgroup can still be read as long as the task's memory exists. If the kernel has moved
	 * the task to the roots, only its pid namespace leads to it, if that is still known.
	 */
	*vtid = pid ? pid->numbers[pid->level].nr : 0;
	ask(&q, ctrace_compat_task_cset(p), pid ? pid->numbers[pid->level].ns : &init_pid_ns, false, CTRACE_MNT_UNKNOWN);
	return with_part(&q, ctrace_rules_known(&ctrace_rules, &q), false, &whole) ?: &ctrace_container_host;
}

void ctrace_identity_relearn(void)
{
	unsigned long flags;

	ctrace_ident_lock(&flags);
	ctrace_learn_forget(&ctrace_rules);
	ctrace_ident_unlock(flags);
}

void ctrace_identity_forget_dying(void)
{
	unsigned long flags;
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < MEMOS; i++) {
			struct memo *m = &per_cpu_ptr(&memos, cpu)->m[i];
			struct ctrace_container *c = READ_ONCE(m->c);

			if (c && c->dying)
				cmpxchg(&m->c, c, c->heir);
		}
	/*
	 * Not ctrace_ident_changed(): no task is in a dying container. A part that ends may have tasks, and
	 * its heir be wanted by more sessions: but it ended because a session took a target back, which ends
	 * in ctrace_container_rewanted().
	 */
	ctrace_ident_lock(&flags);
	ctrace_identity_forget_cached();
	ctrace_ident_unlock(flags);
}
