/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes: what a session listens to. A tracepoint is shared: it is registered
 * with the kernel while any session has a probe on it, and ctrace_event_wants[] says which
 * sessions get which of its event types. What a kind makes (a kprobe, say) is one session's own.
 *
 * To add an event on a tracepoint: its type, its function and a line in the sources, all in one
 * probe_<family>.c; a new family also goes into families[] in event.c.
 */
#ifndef CTRACE_PROBE_H
#define CTRACE_PROBE_H

#include <linux/list.h>
#include "event/event.h"
#include "session/session.h"

struct ctrace_compat_tp;

/* A tracepoint and the function that handles it. */
struct ctrace_source {
	const char *tracepoint;
	void *fn;
	void *data;			/* fn's first argument */
	struct ctrace_compat_tp *tp;	/* the one, for as long as this lives; NULL: built in, by name */
	const char *with[2];	/* tracepoints whose functions tell this one something; or NULL */
	u32 users;		/* protected by ctrace_lock */
};

/* Event types and the tracepoints they come from. */
struct ctrace_family {
	const struct ctrace_event_type *types;
	u32 ntypes;
	struct ctrace_source *sources;	/* ends with a NULL tracepoint; or NULL */
};

extern const struct ctrace_family ctrace_family_syscall, ctrace_family_sched, ctrace_family_process,
	ctrace_family_cgroup, ctrace_family_irq, ctrace_family_timer, ctrace_family_signal,
	ctrace_family_mm, ctrace_family_module, ctrace_family_block, ctrace_family_net,
	ctrace_family_sample, ctrace_family_statedump;

/* The one with this tracepoint in any family, or NULL. */
struct ctrace_source *ctrace_source_by_name(const char *tracepoint);

struct ctrace_probe;
struct ctrace_select;

#define CTRACE_PROBE_RANGES	4
#define CTRACE_PROBE_SOURCES	3

/*
 * Probes of a session's own, told by how their name begins. All of these in process context,
 * ctrace_lock held.
 */
struct ctrace_probe_kind {
	const char *const *prefixes;	/* NULL-terminated */
	/*
	 * Makes what p->name names: sets ranges and may set sources and priv, which is
	 * then its own. 0, or -errno with a sentence in why and nothing left.
	 */
	int (*add)(struct ctrace_probe *p, char *why);
	void (*del)(struct ctrace_probe *p);	/* waits until no handler runs; or NULL */
	/* All of the session's at once, before del of each: where waiting takes long. Or NULL. */
	void (*stop_all)(struct ctrace_session *s);
	u64 (*missed)(const struct ctrace_probe *p);	/* hits that made no record; or NULL */
};

extern const struct ctrace_probe_kind ctrace_kind_kprobe, ctrace_kind_calls, ctrace_kind_raw,
	ctrace_kind_sample;

/* Registers what the text defines, once, and takes it back. Its type, or ERR_PTR with a sentence in why. */
const struct ctrace_event_type *ctrace_kprobe_try(const char *text, char *why);
void ctrace_kprobe_exit(void);	/* after the last session */

struct ctrace_probe {
	struct list_head list;		/* session's; ctrace_lock */
	struct ctrace_session *session;
	u32 id;
	struct { u32 from, n; } ranges[CTRACE_PROBE_RANGES];	/* of event ids; n 0: none */
	struct ctrace_select *selects[CTRACE_PROBE_RANGES];	/* options for each range, or NULL */
	struct ctrace_source *sources[CTRACE_PROBE_SOURCES];
	bool kaddr;			/* invariant: its records hold kernel addresses */
	const struct ctrace_probe_kind *kind;	/* or NULL: only tracepoints */
	void *priv;			/* the kind's */
	char *name;			/* ours */
};

/* What PROBE_ADD says; texts are the caller's. */
struct ctrace_probe_opts {
	const char *name;
	const char *filter;		/* or NULL */
	u32 one_of, flags;
};

/* Process context, ctrace_lock held. */
struct ctrace_probe *ctrace_probe_add(struct ctrace_session *s, const struct ctrace_probe_opts *o,
				      char *why);
void ctrace_probe_del(struct ctrace_probe *p);
/* The caller synchronises (ctrace_compat_tracepoint_sync()) before the session goes. */
void ctrace_probe_unregister_all(struct ctrace_session *s);
struct ctrace_probe *ctrace_probe_find(struct ctrace_session *s, u32 id);
void ctrace_probe_arm(struct ctrace_probe *p, bool on);
u64 ctrace_probe_missed(const struct ctrace_probe *p);
/* The event id it writes, 0 if several. */
u32 ctrace_probe_event(const struct ctrace_probe *p);

#endif
