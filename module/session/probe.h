/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes: what a session listens to. Sessions share a tracepoint: it is registered with the kernel
 * while any session has a probe on it, and ctrace_event_wants[] says which sessions get which of its
 * event types. A probe of a kind (a kprobe, say) belongs to one session.
 *
 * To add an event on a tracepoint, write its type, its function and a line of sources[], all in one
 * probe/<family>.c (types that Kbuild may leave without a probe: probe/optional.c). A new family also goes
 * into probe/table.c.
 */
#ifndef CTRACE_PROBE_H
#define CTRACE_PROBE_H

#include <linux/list.h>
#include "session/session.h"
#include "event/define.h"
#include "event/event.h"

struct ctrace_probe;
struct ctrace_option;

#define CTRACE_PROBE_RANGES	128	/* 64 calls, each with its 32-bit one */
#define CTRACE_PROBE_SOURCES	7
#define CTRACE_PROBES_MAX	4096	/* of a session, 2 KiB each; a kernel has fewer events */

/*
 * A kind of probe that belongs to one session, recognised by the prefix of its name. All callbacks:
 * process context, ctrace_lock held.
 */
struct ctrace_probe_kind {
	const char *const *prefixes;	/* NULL-terminated */
	bool (*takes)(const char *text);	/* of those that begin so, it has these; NULL: all */
	/*
	 * Makes the probe that text describes, which is p->name or the definition of that name: sets ranges,
	 * may set sources (p->kaddr: it is to record kernel stacks; p->by_kprobe, by_ftrace), and may set
	 * priv, which the kind then owns. 0, or -errno with a sentence in why and nothing left behind.
	 */
	int (*add)(struct ctrace_probe *p, const char *text, char *why);
	/*
	 * Tries on the kernel what text defines, and takes it back. Its event type, or ERR_PTR with a
	 * sentence in why. NULL: a kind without definitions.
	 */
	const struct ctrace_event_type *(*define)(const char *text, char *why);
	bool any;	/* takes SYSTEM:NAME where no curated event has that name */
	void (*del)(struct ctrace_probe *p);	/* returns when no handler runs any more; or NULL */
	/* Stops all of s's probes of this kind at once, before del of each: for slow waits. Or NULL. */
	void (*stop_all)(struct ctrace_session *s);
	u64 (*missed)(const struct ctrace_probe *p);	/* hits that made no record; or NULL */
};

struct ctrace_probe {
	struct list_head list;		/* in session->probes; ctrace_lock */
	struct ctrace_session *session;
	u32 id;
	struct { u32 from, n; } ranges[CTRACE_PROBE_RANGES];	/* of event ids; n 0: none */
	struct ctrace_option *options[CTRACE_PROBE_RANGES];	/* options for each range, or NULL */
	struct ctrace_source *sources[CTRACE_PROBE_SOURCES];
	/* tables of its sources that it is a user of; the last one is for stacks */
	struct ctrace_inflight *tables[CTRACE_PROBE_SOURCES + 1];
	u64 missed_before;		/* by the hooks of its sources, before it existed */
	bool by_kprobe, by_ftrace;	/* invariant: it depends on kprobes; on such as ftrace carries */
	u64 blind_before;		/* as ctrace_probe_blind() would be without it, when it was added */
	bool kaddr;			/* invariant: its records hold kernel addresses */
	/* events are counted there and not recorded; or NULL; owned by this */
	struct ctrace_aggregate *table;
	const struct ctrace_probe_kind *kind;	/* or NULL: only shared tracepoints */
	void *priv;			/* owned by the kind */
	char *name;			/* owned by this */
	char *aggregate;		/* the text, or NULL; the same */
};

/* What PROBE_ADD asks for. The caller owns the texts. */
struct ctrace_probe_opts {
	const char *name;
	const char *filter;		/* or NULL, as is aggregate */
	const char *aggregate;
	u32 one_of, flags, rows, copy;
	u32 freezes;			/* id of a session; 0: its own */
};

/* Before anything else here. kinds: NULL-terminated, static; it has one with `any`. */
void ctrace_probe_init(const struct ctrace_probe_kind *const *kinds);

/* Process context, ctrace_lock held. */
struct ctrace_probe *ctrace_probe_add(struct ctrace_session *s, const struct ctrace_probe_opts *o,
				      char *why);
void ctrace_probe_del(struct ctrace_probe *p);
/* The caller synchronises (ctrace_compat_tracepoint_sync()) before the session goes. */
void ctrace_probe_unregister_all(struct ctrace_session *s);
struct ctrace_probe *ctrace_probe_find(struct ctrace_session *s, u32 id);
void ctrace_probe_arm(struct ctrace_probe *p, bool on);
/*
 * Tries what text defines on the kernel, and keeps the definition by its name (event/define.h).
 * Its event type, or ERR_PTR with a sentence in why.
 */
const struct ctrace_event_type *ctrace_probe_define(const char *text, const struct ctrace_definer *by,
						    char *why);
u64 ctrace_probe_missed(const struct ctrace_probe *p);
/*
 * For how many ns, since it was added, nothing could reach it, because the kernel's kprobes were switched
 * off.
 */
u64 ctrace_probe_blind(const struct ctrace_probe *p);
/* The id of the one event that p writes; 0: it writes several. */
u32 ctrace_probe_event(const struct ctrace_probe *p);

#endif
