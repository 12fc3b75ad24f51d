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
 */
#ifndef CTRACE_SESSION_H
#define CTRACE_SESSION_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include "ring/arena.h"
#include "../uapi/ctrace.h"
#include "../uapi/ctrace_netlink.h"

#define CTRACE_SESSION_NAME	64

struct ctrace_container;
struct ctrace_expr;
struct ctrace_limit;
struct ctrace_option;

struct ctrace_session {
	struct kref ref;
	u32 id;				/* invariant */
	u32 index;			/* invariant: bit in the masks */
	u32 portid;			/* invariant: owner's socket */
	pid_t owner;			/* invariant: owner's pid, for people */
	u32 flags;			/* invariant: CTRACE_SESSION_F_* */
	char name[CTRACE_SESSION_NAME];	/* invariant */
	struct ctrace_arena *arena;	/* invariant; a reference */
	struct ctrace_expr *filter;	/* invariant; or NULL, as are the next two */
	struct ctrace_limit *limit;	/* invariant */
	struct ctrace_option **selects;	/* [CTRACE_EVENT_IDS]: allocated once, under ctrace_lock; see session/option.h */
	atomic64_t unfollowed;		/* CTRACE_LOSS_UNFOLLOWED */
	atomic64_t unfollowed_tasks;	/* CTRACE_LOSS_UNFOLLOWED_TASKS */
	bool recording;			/* protected by ctrace_lock */
	u32 nprobes;			/* protected by ctrace_lock */
	u64 missed;			/* missed hits of kprobes removed since; ctrace_lock */
	struct work_struct close;	/* ends the session when its socket has gone */
	struct list_head list;		/* ctrace_session_list; ctrace_lock */
	struct list_head probes;	/* struct ctrace_probe; ctrace_lock */
	struct list_head targets;	/* struct ctrace_target; ctrace_lock */
};

struct ctrace_session_opts {
	u64 arena_size, ring_size, wakeup_ns, features;
	u32 subbuf_size, containers, flags;
	u32 portid;
	pid_t owner;
	u32 rate;		/* 0: none */
	const char *filter;	/* or NULL; the caller keeps it */
	char name[CTRACE_SESSION_NAME];
};

extern struct mutex ctrace_lock;
extern struct list_head ctrace_session_list;			/* protected by ctrace_lock */
extern struct ctrace_session *ctrace_sessions[CTRACE_SESSIONS_MAX];	/* RCU, by index */

/* Counts a call or a task that could not be followed, for each session in mask. Any context; preemption off. */
void ctrace_session_unfollowed(u32 mask);
void ctrace_session_unfollowed_tasks(u32 mask);

int ctrace_session_init(void);
void ctrace_session_exit(void);

/* Process context; the caller holds ctrace_lock. why gets a sentence on error. */
struct ctrace_session *ctrace_session_new(const struct ctrace_session_opts *o, char *why);
void ctrace_session_end(struct ctrace_session *s);
/* Starts or stops. True if it began: then a state dump may be due, with the probes armed. */
bool ctrace_session_record(struct ctrace_session *s, bool on);
struct ctrace_session *ctrace_session_find(u32 id);

/* Process context; take ctrace_lock themselves. */
struct ctrace_session *ctrace_session_find_get(u32 id);	/* NULL, or a reference */
void ctrace_session_put(struct ctrace_session *s);

extern const struct ctrace_container_watcher ctrace_session_watcher;

#endif
