/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: probes, targets and an arena, owned by a netlink socket.
 *
 * ctrace_lock protects the list of sessions and every field of a session that
 * says so. Probes see sessions only through ctrace_sessions[] and the masks below:
 * a session has one bit (its index) in every mask. Masks are written under
 * ctrace_lock. Probes read them with preemption off and cache what they read, so a
 * change of a mask must be followed by ctrace_identity_forget_tasks(). Taking a session
 * away clears its bit everywhere, then waits for running probes.
 *
 * Nothing that takes long is done under ctrace_lock: an arena is made before it is taken and freed
 * after it, and a state dump is a work of its own. Only a few grace periods are waited for under it, as
 * probes are taken away. Commands take it with mutex_lock_killable(). Code that only looks for a session
 * (BIND, the death of a container, INFO_GET) does not take it: see ctrace_session_get_at().
 */
#ifndef CTRACE_SESSION_H
#define CTRACE_SESSION_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include "event/call_memory.h"
#include "ring/arena.h"
#include "../uapi/ctrace.h"
#include "../uapi/ctrace_netlink.h"

#define CTRACE_SESSION_NAME	64

struct ctrace_container;
struct ctrace_expr;
struct ctrace_limit;
struct ctrace_option;
struct sock;

struct ctrace_session {
	struct kref ref;
	u32 id;				/* invariant */
	u32 index;			/* invariant: bit in the masks */
	/*
	 * invariant: the owner's socket, and a reference to it. Not its number: that may belong to another
	 * socket before we are notified that this one was closed. See netlink_event() in session.c
	 */
	struct sock *sk;
	pid_t owner;			/* invariant: owner's pid, for people */
	bool member;			/* invariant: it counts for user, see ring/quota.h */
	kuid_t user;			/* invariant */
	u32 flags;			/* invariant: CTRACE_SESSION_F_* */
	char name[CTRACE_SESSION_NAME];	/* invariant */
	struct ctrace_arena *arena;	/* invariant; a reference */
	struct ctrace_expr *filter;	/* invariant; or NULL, as are the next two */
	struct ctrace_limit *limit;	/* invariant */
	struct ctrace_detail detail;	/* invariant */
	const struct ctrace_expr *gate;	/* or NULL; ctrace_lock, probes read it; see session/option.h */
	/* [CTRACE_EVENT_IDS]: allocated once, under ctrace_lock; see session/option.h */
	struct ctrace_option **options;
	atomic64_t unfollowed;		/* CTRACE_LOSS_UNFOLLOWED */
	atomic64_t unfollowed_tasks;	/* CTRACE_LOSS_UNFOLLOWED_TASKS */
	atomic64_t unread;		/* CTRACE_LOSS_UNREAD */
	bool recording;			/* protected by ctrace_lock */
	/*
	 * Waits for a CPU that began before it are written up to cut, or, if the task's number is below
	 * cut_nr, up to cutting. ctrace_lock; probes read them: probe/sched_cut.c
	 */
	u64 cut, cutting;
	int cut_nr;
	u32 nprobes, ntargets;		/* protected by ctrace_lock */
	u64 missed;			/* missed hits of kprobes removed since; ctrace_lock */
	struct work_struct work;	/* see ctrace_session_work() */
	void (*work_fn)(struct ctrace_session *s, void *data);
	void *work_data;
	bool work_stop;			/* asks the work to end */
	struct list_head list;		/* ctrace_session_list; ctrace_lock */
	struct list_head probes;	/* struct ctrace_probe; ctrace_lock */
	struct list_head targets;	/* struct ctrace_target; ctrace_lock */
};

struct ctrace_session_opts {
	u64 table_size;
	u64 arena_size, ring_size, wakeup_ns, features;
	u32 subbuf_size, containers, flags;
	u32 freeze_ms;		/* 0: the default */
	struct sock *sk;	/* the owner's socket; the caller keeps it open */
	pid_t owner;
	u32 rate;		/* 0: none */
	u32 data;		/* see struct ctrace_detail */
	bool member;		/* it counts for user, see ring/quota.h */
	bool limited;		/* its memory does */
	kuid_t user;
	const char *filter;	/* or NULL; the caller keeps it */
	char name[CTRACE_SESSION_NAME];
};

extern struct mutex ctrace_lock;
extern struct list_head ctrace_session_list;			/* protected by ctrace_lock */
extern struct ctrace_session *ctrace_sessions[CTRACE_SESSIONS_MAX];	/* RCU, by index */

/*
 * Since when all sessions that record have done so, by our clock and by the scheduler's. U64_MAX: one begins
 * just now. They have seen all that began later.
 */
struct ctrace_session_began {
	u64 clock, sched;
};
extern struct ctrace_session_began ctrace_session_began;	/* written under ctrace_lock */

/*
 * Counts a call or a task that could not be followed, for each session in mask. Any context; preemption off.
 */
void ctrace_session_unfollowed(u32 mask);
void ctrace_session_unfollowed_tasks(u32 mask);

int ctrace_session_init(void);
void ctrace_session_exit(void);

/*
 * Process context, ctrace_lock not held: this allocates an arena. On success the caller holds ctrace_lock,
 * and unlocks it. Then it should call ctrace_identity_scan(): the session wants to know containers whose
 * tasks nobody has looked at yet. On error an ERR_PTR, with a sentence in why; -EINTR: the caller is being
 * killed.
 */
struct ctrace_session *ctrace_session_new(const struct ctrace_session_opts *o, char *why);

/*
 * The end of a session, in two calls. end: ctrace_lock held; it stops, and unregisters its probes. Nobody
 * finds the session any more, and it belongs to the caller alone, who then calls free without the
 * lock: it synchronises, and frees.
 */
void ctrace_session_end(struct ctrace_session *s);
void ctrace_session_free(struct ctrace_session *s);

/* --- process context; the caller holds ctrace_lock ---------------------------- */

/* Starts or stops. Stopping ends the session's work first, and waits for it. */
void ctrace_session_record(struct ctrace_session *s, bool on);
/*
 * Runs fn in a work of s, which has none, and records. fn may rest as it likes; it holds no lock, and must
 * not take ctrace_lock, because stopping s waits for it with ctrace_lock held. So it looks at
 * ctrace_session_stopping() after each rest. It needs no reference: s does not end before it does.
 */
void ctrace_session_work(struct ctrace_session *s, void (*fn)(struct ctrace_session *s, void *data),
			 void *data);
struct ctrace_session *ctrace_session_find(u32 id);

static inline bool ctrace_session_stopping(const struct ctrace_session *s)
{
	return READ_ONCE(s->work_stop);
}

/* --- any context that may sleep; no lock ------------------------------------------ */

/*
 * The session with this index, with a reference, or NULL. It may be about to end, so its arena may be ended.
 */
struct ctrace_session *ctrace_session_get_at(u32 index);
struct ctrace_session *ctrace_session_find_get(u32 id);	/* NULL, or a reference */
void ctrace_session_put(struct ctrace_session *s);
/* With a reference: the session that comes after id, in the order of ids; NULL: none. */
struct ctrace_session *ctrace_session_after_get(u32 id);
u32 ctrace_session_count(void);

extern const struct ctrace_container_watcher ctrace_session_watcher;

#endif
