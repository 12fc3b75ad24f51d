// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include "session/session.h"
#include "session/limit.h"
#include "session/option.h"
#include "session/probe.h"
#include "session/target.h"
#include "event/define.h"
#include "identity/identity.h"
#include "identity/scan.h"
#include "compat/tracepoint.h"

DEFINE_MUTEX(ctrace_lock);
LIST_HEAD(ctrace_session_list);
struct ctrace_session *ctrace_sessions[CTRACE_SESSIONS_MAX];
static void close_work(struct work_struct *work);
static u32 next_id;		/* protected by ctrace_lock */

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
	kfree(s);
}

void ctrace_session_put(struct ctrace_session *s)
{
	kref_put(&s->ref, release);
}

struct ctrace_session *ctrace_session_find(u32 id)
{
	struct ctrace_session *s;

	lockdep_assert_held(&ctrace_lock);
	list_for_each_entry(s, &ctrace_session_list, list)
		if (s->id == id)
			return s;
	return NULL;
}

struct ctrace_session *ctrace_session_find_get(u32 id)
{
	struct ctrace_session *s;

	mutex_lock(&ctrace_lock);
	s = ctrace_session_find(id);
	if (s)
		kref_get(&s->ref);
	mutex_unlock(&ctrace_lock);
	return s;
}

struct ctrace_session *ctrace_session_new(const struct ctrace_session_opts *o, char *why)
{
	struct ctrace_arena_opts ao = {
		.arena_size = o->arena_size,
		.ring_size = o->ring_size,
		.subbuf_size = o->subbuf_size,
		.containers = o->containers,
		.wakeup_ns = o->wakeup_ns,
		.features = o->features,
		.stop_full = o->flags & CTRACE_SESSION_F_STOP_FULL,
	};
	struct ctrace_session *s;
	int err, cpu;
	u32 i;

	lockdep_assert_held(&ctrace_lock);
	for (i = 0; i < CTRACE_SESSIONS_MAX && ctrace_sessions[i]; i++)
		;
	if (i == CTRACE_SESSIONS_MAX) {
		return ERR_PTR(ctrace_why(why, -EUSERS,
					  "all %u sessions are in use: end one (ctrace status lists them)",
					  CTRACE_SESSIONS_MAX));
	}
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return ERR_PTR(-ENOMEM);
	ao.session = ++next_id ?: ++next_id;
	kref_init(&s->ref);
	s->id = ao.session;
	s->index = i;
	s->portid = o->portid;
	s->owner = o->owner;
	s->flags = o->flags;
	strscpy(s->name, o->name, sizeof(s->name));
	INIT_WORK(&s->close, close_work);
	INIT_LIST_HEAD(&s->probes);
	INIT_LIST_HEAD(&s->targets);
	err = ctrace_option_session(s, o->filter, o->rate, why);
	if (err)
		goto free_session;
	/* last, as it costs time and memory */
	s->arena = ctrace_arena_new(&ao, why, CTRACE_WHY_MAX);
	if (IS_ERR(s->arena)) {
		err = PTR_ERR(s->arena);
		goto free_select;
	}
	for_each_possible_cpu(cpu)
		per_cpu(ctrace_rings[i], cpu) = per_cpu_ptr(s->arena->cpu, cpu)->rings;
	list_add_tail(&s->list, &ctrace_session_list);
	/* Release: a probe that sees the pointer sees all of the session. */
	smp_store_release(&ctrace_sessions[i], s);
	ctrace_identity_scan();
	return s;

free_select:
	ctrace_option_session_end(s);
	ctrace_option_session_free(s);
free_session:
	kfree(s);
	return ERR_PTR(err);
}

static void arm(struct ctrace_session *s, bool on)
{
	struct ctrace_probe *p;

	s->recording = on;
	list_for_each_entry(p, &s->probes, list)
		ctrace_probe_arm(p, on);
}

bool ctrace_session_record(struct ctrace_session *s, bool on)
{
	bool began = on && !s->recording;

	lockdep_assert_held(&ctrace_lock);
	/*
	 * A probe function reads which sessions are armed, and then, without a barrier, whether a session
	 * is special and its options. It must see those as well, or it would record everything.
	 */
	if (on && (ctrace_special_sessions & 1u << s->index))
		ctrace_option_sync();
	arm(s, on);
	/* Once stopped, a session gets no more records: its reader may take what is there as all there is. */
	if (!on) {
		ctrace_option_sync();
		ctrace_arena_wake(s->arena);
	}
	return began;
}

/* The four steps of teardown: stop, unregister, synchronise, free. */
void ctrace_session_end(struct ctrace_session *s)
{
	lockdep_assert_held(&ctrace_lock);

	arm(s, false);

	ctrace_probe_unregister_all(s);
	ctrace_target_del_all(s);
	list_del(&s->list);
	ctrace_option_session_end(s);
	WRITE_ONCE(ctrace_sessions[s->index], NULL);

	/*
	 * Probes, this session's and others', may have read ctrace_sessions[] before we cleared
	 * it. So may netlink_event(), under RCU alone.
	 */
	ctrace_compat_tracepoint_sync();
	ctrace_compat_synchronize();

	/* Readers that still map the arena keep it; no probe writes to it any more. */
	ctrace_arena_end(s->arena);
	ctrace_session_put(s);
}

/* Of a container that has gone: its rings may be reused, and its place in a limit. */
static void told(struct ctrace_container *c, bool born)
{
	struct ctrace_session *s;

	if (born)
		return;
	mutex_lock(&ctrace_lock);
	list_for_each_entry(s, &ctrace_session_list, list) {
		ctrace_arena_mark_dead(s->arena, c->cid, c->gone, ctrace_container_exists);
		if (s->limit)
			ctrace_limit_forget(s->limit, c->cid);
	}
	mutex_unlock(&ctrace_lock);
}

const struct ctrace_container_watcher ctrace_session_watcher = { .told = told };

/* --- sessions and definitions go with their socket --------------------------------------- */

static struct workqueue_struct *closer;

static void close_work(struct work_struct *work)
{
	struct ctrace_session *s = container_of(work, struct ctrace_session, close);

	mutex_lock(&ctrace_lock);
	if (ctrace_session_find(s->id) == s)
		ctrace_session_end(s);
	mutex_unlock(&ctrace_lock);
	ctrace_session_put(s);
}

/*
 * The notifier chain is atomic on old kernels, so a work item ends the session, on a
 * queue that module exit drains. ctrace_session_end() waits a grace period before it
 * drops the list's reference, so a session that is seen here under RCU still has one.
 */
static int netlink_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct netlink_notify *n = data;
	struct ctrace_session *s;
	u32 i;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC ||
	    !net_eq(n->net, &init_net))
		return NOTIFY_DONE;
	ctrace_define_socket_gone(n->portid);
	rcu_read_lock();
	for (i = 0; i < CTRACE_SESSIONS_MAX; i++) {
		s = READ_ONCE(ctrace_sessions[i]);
		if (!s || s->portid != n->portid)
			continue;
		kref_get(&s->ref);
		if (!queue_work(closer, &s->close))
			ctrace_session_put(s);
	}
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block netlink_nb = { .notifier_call = netlink_event };

int ctrace_session_init(void)
{
	int err;

	closer = alloc_ordered_workqueue("ctrace_close", 0);
	if (!closer)
		return -ENOMEM;
	err = netlink_register_notifier(&netlink_nb);
	if (err)
		destroy_workqueue(closer);
	return err;
}

/* The netlink family has gone already, so no new session can be made. */
void ctrace_session_exit(void)
{
	struct ctrace_session *s, *n;

	netlink_unregister_notifier(&netlink_nb);
	destroy_workqueue(closer);
	mutex_lock(&ctrace_lock);
	list_for_each_entry_safe(s, n, &ctrace_session_list, list)
		ctrace_session_end(s);
	mutex_unlock(&ctrace_lock);
}
