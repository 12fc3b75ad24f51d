// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include "session/session.h"
#include "session/limit.h"
#include "session/option.h"
#include "session/probe.h"
#include "session/target.h"
#include "ring/quota.h"
#include "event/define.h"
#include "identity/identity.h"
#include "compat/clock.h"
#include "compat/task.h"
#include "compat/tracepoint.h"
#include "compat/vmalloc.h"

DEFINE_MUTEX(ctrace_lock);
LIST_HEAD(ctrace_session_list);
struct ctrace_session *ctrace_sessions[CTRACE_SESSIONS_MAX];
static struct workqueue_struct *closer, *workers;
static unsigned long indices;	/* in use, also by sessions that begin or end; bit operations */
static atomic_t last_id;
struct ctrace_session_began ctrace_session_began __read_mostly;

static void count_unfollowed(u32 mask, bool task)
{
	struct ctrace_session *s;

	for (; mask; mask &= mask - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		if (s)
			atomic64_inc(task ? &s->unfollowed_tasks : &s->unfollowed);
	}
}

void ctrace_session_unfollowed(u32 mask)
{
	count_unfollowed(mask, false);
}

void ctrace_session_unfollowed_tasks(u32 mask)
{
	count_unfollowed(mask, true);
}

static void release(struct kref *ref)
{
	struct ctrace_session *s = container_of(ref, struct ctrace_session, ref);

	ctrace_arena_put(s->arena);
	ctrace_option_session_free(s);
	sock_put(s->sk);
	kfree(s);
}

void ctrace_session_put(struct ctrace_session *s)
{
	kref_put(&s->ref, release);
}

/* --- finding ----------------------------------------------------------------------- */

struct ctrace_session *ctrace_session_find(u32 id)
{
	struct ctrace_session *s;

	lockdep_assert_held(&ctrace_lock);
	list_for_each_entry(s, &ctrace_session_list, list)
		if (s->id == id)
			return s;
	return NULL;
}

/*
 * Under RCU alone: the reference of ctrace_sessions[] is given up a grace period after the pointer was
 * cleared (ctrace_session_free()). So a session that is seen here still has that one.
 */
struct ctrace_session *ctrace_session_get_at(u32 index)
{
	struct ctrace_session *s;

	rcu_read_lock();
	s = smp_load_acquire(&ctrace_sessions[index]);	/* partner: ctrace_session_new() */
	if (s)
		kref_get(&s->ref);
	rcu_read_unlock();
	return s;
}

struct ctrace_session *ctrace_session_find_get(u32 id)
{
	struct ctrace_session *s;
	u32 i;

	for (i = 0; i < CTRACE_SESSIONS_MAX; i++) {
		s = ctrace_session_get_at(i);
		if (s && s->id == id)
			return s;
		if (s)
			ctrace_session_put(s);
	}
	return NULL;
}

struct ctrace_session *ctrace_session_after_get(u32 id)
{
	struct ctrace_session *s, *found = NULL;
	u32 i;

	for (i = 0; i < CTRACE_SESSIONS_MAX; i++) {
		s = ctrace_session_get_at(i);
		if (!s)
			continue;
		if (s->id > id && (!found || s->id < found->id))
			swap(s, found);
		if (s)
			ctrace_session_put(s);
	}
	return found;
}

u32 ctrace_session_count(void)
{
	u32 i, n = 0;

	for (i = 0; i < CTRACE_SESSIONS_MAX; i++)
		n += !!READ_ONCE(ctrace_sessions[i]);
	return n;
}

/* --- making --------------------------------------------------------------------------- */

/*
 * A bit for a session: its index, or an error with a sentence in why. ring/quota.h says how many a member may
 * have.
 */
static int index_get(const struct ctrace_session_opts *o, char *why)
{
	int i, err = o->member ? ctrace_quota_session_take(o->user, why, CTRACE_WHY_MAX) : 0;

	if (err)
		return err;
	for (i = 0; i < CTRACE_SESSIONS_MAX; i++)
		if (!test_and_set_bit(i, &indices))
			return i;
	if (o->member)
		ctrace_quota_session_give(o->user);
	return ctrace_why(why, -EUSERS, "all %u sessions are in use: end one (ctrace status lists them)", CTRACE_SESSIONS_MAX);
}

/* The caller has waited for all that may still use the index. */
static void index_put(u32 i, bool member, kuid_t user)
{
	clear_bit_unlock(i, &indices);
	if (member)
		ctrace_quota_session_give(user);
}

static void do_work(struct work_struct *work)
{
	struct ctrace_session *s = container_of(work, struct ctrace_session, work);

	s->work_fn(s, s->work_data);
}

/* Makes all that no probe sees yet. ctrace_lock is not held, because an arena takes its time. */
static struct ctrace_session *prepare(const struct ctrace_session_opts *o, u32 index, char *why)
{
	struct ctrace_arena_opts ao = {
		.arena_size = o->arena_size,
		.table_size = o->table_size,
		.ring_size = o->ring_size,
		.subbuf_size = o->subbuf_size,
		.containers = o->containers,
		.wakeup_ns = o->wakeup_ns,
		.freeze_ms = o->freeze_ms,
		.features = o->features,
		.stop_full = o->flags & CTRACE_SESSION_F_STOP_FULL,
		.no_views = o->flags & CTRACE_SESSION_F_NEIGHBOURS,
		.limited = o->limited,
		.user = o->user,
		.owner = o->owner,
		.name = o->name,
	};
	struct ctrace_session *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int err, cpu;

	if (!s)
		return ERR_PTR(-ENOMEM);
	kref_init(&s->ref);
	s->id = (u32)atomic_inc_return(&last_id) ?: (u32)atomic_inc_return(&last_id);
	ao.session = s->id;
	s->index = index;
	s->owner = o->owner;
	s->member = o->member;
	s->user = o->user;
	s->flags = o->flags;
	s->detail.data = o->data;
	s->detail.paths = o->flags & CTRACE_SESSION_F_PATHS;
	strscpy(s->name, o->name, sizeof(s->name));
	INIT_WORK(&s->work, do_work);
	INIT_LIST_HEAD(&s->probes);
	INIT_LIST_HEAD(&s->targets);
	err = ctrace_option_session(s, o->filter, o->rate, why);
	if (err)
		goto free_session;
	/* last, as it costs time and memory */
	s->arena = ctrace_arena_new(&ao, why, CTRACE_WHY_MAX);
	if (IS_ERR(s->arena)) {
		err = PTR_ERR(s->arena);
		goto free_options;
	}
	for_each_possible_cpu(cpu)
		per_cpu(ctrace_rings[index], cpu) = per_cpu_ptr(s->arena->cpu, cpu)->rings;
	/* The command came through this socket, so it is open, and has references. */
	s->sk = o->sk;
	sock_hold(s->sk);
	return s;

free_options:
	ctrace_option_session_free(s);
free_session:
	kfree(s);
	return ERR_PTR(err);
}

/* In order of id, which dumps rely on: another session may have been made while this one got its arena. */
static void list_in_order(struct ctrace_session *s)
{
	struct ctrace_session *before;

	list_for_each_entry_reverse(before, &ctrace_session_list, list)
		if (before->id < s->id)
			break;
	list_add(&s->list, &before->list);	/* the head, if there is none before */
}

struct ctrace_session *ctrace_session_new(const struct ctrace_session_opts *o, char *why)
{
	struct ctrace_session *s;
	int index = index_get(o, why), err;

	if (index < 0)
		return ERR_PTR(index);
	s = prepare(o, index, why);
	if (IS_ERR(s)) {
		index_put(index, o->member, o->user);
		return s;
	}
	err = mutex_lock_killable(&ctrace_lock);
	if (err) {
		ctrace_session_put(s);	/* nobody has seen it */
		index_put(index, o->member, o->user);
		return ERR_PTR(err);
	}
	ctrace_option_session_begin(s);
	list_in_order(s);
	/* Release: a probe that sees the pointer sees all of the session. */
	smp_store_release(&ctrace_sessions[index], s);
	return s;
}

/* --- recording ------------------------------------------------------------------------ */

void ctrace_session_work(struct ctrace_session *s, void (*fn)(struct ctrace_session *s, void *data),
			 void *data)
{
	lockdep_assert_held(&ctrace_lock);
	s->work_fn = fn;
	s->work_data = data;
	WRITE_ONCE(s->work_stop, false);
	queue_work(workers, &s->work);
}

/* It is not cancelled: fn always runs, because somebody waits for what it does at its end. */
static void work_end(struct ctrace_session *s)
{
	WRITE_ONCE(s->work_stop, true);
	flush_work(&s->work);
}

static void arm_all(struct ctrace_session *s, bool on)
{
	struct ctrace_probe *p;

	s->recording = on;
	list_for_each_entry(p, &s->probes, list)
		ctrace_probe_arm(p, on);
}

static void begun(u64 clock, u64 sched)
{
	WRITE_ONCE(ctrace_session_began.clock, clock);
	WRITE_ONCE(ctrace_session_began.sched, sched);
}

void ctrace_session_record(struct ctrace_session *s, bool on)
{
	lockdep_assert_held(&ctrace_lock);
	/*
	 * A probe function reads which sessions are armed, and then, without a barrier, whether a session
	 * has options, and these. It must see those as well, or it would record everything.
	 */
	if (on && (ctrace_options_sessions & 1u << s->index))
		ctrace_option_sync();
	if (!on)
		work_end(s);
	WRITE_ONCE(s->cut, ctrace_compat_clock());
	if (on)
		begun(U64_MAX, U64_MAX);
	smp_wmb();	/* partner: the mask, which leads to s: ctrace_sched_cut_unseen() */
	arm_all(s, on);
	if (on)
		begun(ctrace_compat_clock(), ctrace_compat_sched_clock());
	/* Once stopped, a session gets no more records: its reader may take the present records as all. */
	if (!on) {
		ctrace_option_sync();
		ctrace_arena_wake(s->arena);
	}
}

/* --- the four steps of teardown: stop, unregister, synchronise, free --------------------- */

void ctrace_session_end(struct ctrace_session *s)
{
	lockdep_assert_held(&ctrace_lock);

	work_end(s);
	arm_all(s, false);

	ctrace_probe_unregister_all(s);
	ctrace_target_del_all(s);
	list_del(&s->list);
	ctrace_option_session_end(s);
	WRITE_ONCE(ctrace_sessions[s->index], NULL);
}

void ctrace_session_free(struct ctrace_session *s)
{
	/*
	 * Probes, this session's and others', may have read ctrace_sessions[] before it was
	 * cleared. So may have those who look under RCU alone.
	 */
	ctrace_compat_tracepoint_sync();
	ctrace_compat_synchronize();

	/* No probe has the session's bit any more: another session may have it. */
	index_put(s->index, s->member, s->user);
	/* Readers that still map the arena keep it; no probe writes to it any more. */
	ctrace_arena_end(s->arena);
	ctrace_session_put(s);
}

/*
 * Of a container that has gone: its rings may be reused, and its place in a limit. ctrace_lock is not taken,
 * so births and deaths are announced while a command holds it. Only reap calls this, so one container is
 * announced at a time.
 */
static void told(struct ctrace_container *c, bool born)
{
	struct ctrace_session *s;
	u32 i;

	for (i = 0; !born && i < CTRACE_SESSIONS_MAX; i++) {
		s = ctrace_session_get_at(i);
		if (!s)
			continue;
		ctrace_arena_mark_dead(s->arena, c->cid, c->gone, ctrace_container_exists);
		if (s->limit)
			ctrace_limit_forget(s->limit, c->cid);
		ctrace_session_put(s);
	}
}

const struct ctrace_container_watcher ctrace_session_watcher = { .told = told };

/* --- sessions and definitions go with their socket --------------------------------------- */

/*
 * Has the socket been closed? The kernel marks it (sock_orphan()) before it notifies us, on all kernels, and
 * takes the mark never back. A command runs in a task that sends on the socket, so its socket is open.
 */
static bool socket_gone(const struct ctrace_session *s)
{
	return sock_flag(s->sk, SOCK_DEAD);
}

static struct ctrace_session *first_gone(void)
{
	struct ctrace_session *s;

	list_for_each_entry(s, &ctrace_session_list, list)
		if (socket_gone(s))
			return s;
	return NULL;
}

static struct ctrace_session *first_session(void)
{
	return list_first_entry_or_null(&ctrace_session_list, struct ctrace_session, list);
}

/* Ends sessions one by one, until which() finds none; it is called with ctrace_lock held. */
static void end_all(struct ctrace_session *(*which)(void))
{
	struct ctrace_session *s;

	do {
		mutex_lock(&ctrace_lock);
		s = which();
		if (s)
			ctrace_session_end(s);
		mutex_unlock(&ctrace_lock);
		if (s)
			ctrace_session_free(s);
	} while (s);
}

/* A socket that goes during this queues this work again, after it has marked its definitions. */
static void close_work(struct work_struct *work)
{
	mutex_lock(&ctrace_lock);
	ctrace_define_sweep();
	mutex_unlock(&ctrace_lock);
	end_all(first_gone);
}

static DECLARE_WORK(closing, close_work);

/*
 * The notifier chain is atomic on old kernels, so a work item ends the sessions, on a
 * queue that module exit drains.
 *
 * We get the number of a socket that was closed. The kernel has given that number up before it notifies us: a
 * new socket may have it by now, and a session. So the number says nothing. We look at the sockets
 * themselves, which our references keep: of those that were closed, the sessions end.
 */
static int netlink_event(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;
	struct ctrace_session *s;
	bool gone;
	u32 i;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC ||
	    !net_eq(n->net, &init_net))
		return NOTIFY_DONE;
	gone = ctrace_define_sockets_gone();
	rcu_read_lock();
	for (i = 0; !gone && i < CTRACE_SESSIONS_MAX; i++) {
		s = smp_load_acquire(&ctrace_sessions[i]);	/* partner: ctrace_session_new() */
		gone = s && socket_gone(s);
	}
	rcu_read_unlock();
	if (gone)
		queue_work(closer, &closing);
	return NOTIFY_DONE;
}

static struct notifier_block netlink_nb = { .notifier_call = netlink_event };

int ctrace_session_init(void)
{
	int err = -ENOMEM;

	closer = alloc_ordered_workqueue("ctrace_close", 0);
	if (!closer)
		return err;
	/* Each session has one work at most, and none waits for another's. */
	workers = alloc_workqueue("ctrace_work", WQ_UNBOUND, CTRACE_SESSIONS_MAX);
	if (!workers)
		goto no_workers;
	err = netlink_register_notifier(&netlink_nb);
	if (!err)
		return 0;
	destroy_workqueue(workers);
no_workers:
	destroy_workqueue(closer);
	return err;
}

/* The netlink family has gone already, so no new session can be made. */
void ctrace_session_exit(void)
{
	netlink_unregister_notifier(&netlink_nb);
	destroy_workqueue(closer);
	end_all(first_session);
	/* A work that ctrace_session_end() waited for may still be on its way out of our code. */
	destroy_workqueue(workers);
}
