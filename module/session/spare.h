/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task that is not traced pays nothing.
 *
 * The kernel has one flag in each task that takes its system calls to the tracepoints, and sets it in all
 * tasks as soon as a tracer registers there. Its slow path costs a call some 80 instructions, before any
 * probe is asked (bench/cost). So a task whose calls no session wants gives its own flag away, in the probe
 * of its next call: it is spared. Only a task itself does that, and only on the answer that its CPU remembers
 * (identity.h), which is right while the generation is the current one.
 *
 * The flag comes back to every spared task as soon as that answer may be another:
 *
 *	what sessions want changes, or		the generation changes; then all tasks get the flag back
 *	what is known of places
 *	a task is moved to another cgroup	its process gets it back, after the generation has changed
 *	a task is forked			it has its parent's flag, and its own if it begins elsewhere
 *	another tracer registers		all tasks get it back, before its registration begins
 *	at these tracepoints
 *
 * A task that gives its flag away looks at the generation and the holds once more after that. Both are
 * changed, with a full barrier, before flags are given back. So either the task sees the change, or the other
 * side sees that the flag is gone.
 *
 * No other tracer may miss a call. While somebody else's probe is on one of the two tracepoints, nobody is
 * spared, and registrations are seen by kretprobes on the functions that all tracers call. If the kernel
 * takes none of these, or no longer calls them (compat/heartbeat.h), nobody is spared. A registration that
 * they missed is seen at the next spared task, and within a second. A child that is being made has its
 * parent's flag as that was under the lock of tasks; the parent cannot give its own away until the fork has
 * been reported.
 *
 * Giving flags back takes a look at every task (spare_give.h). It is done at most every tenth of a second,
 * and takes at most a hundredth of the time: tasks keep their flags until then. The birth or death of a
 * container is no reason for it, unless a container takes another's place and is wanted by more sessions.
 */
#ifndef CTRACE_SPARE_H
#define CTRACE_SPARE_H

#include <linux/jiffies.h>
#include "identity/identity.h"
#include "session/target.h"

/*
 * Probes that call ctrace_spare_current() come and go: begin comes after a source of them is registered, end
 * before it is unregistered. Process context, ctrace_lock held.
 */
void ctrace_spare_begin(void);
void ctrace_spare_end(void);

struct ctrace_spare_info {
	u32 spared, tasks;
	const char *why;	/* why none can be spared, or NULL */
	u64 recalls, off_ns, ns;	/* as in ctrace_spare_share() */
};

/* Counts tasks; nothing is spared if no session records calls. Process context. */
void ctrace_spare_info(struct ctrace_spare_info *info);

extern unsigned long ctrace_spare_from;		/* jiffies: nobody is spared before */
void ctrace_spare_now(void);

/*
 * In a probe of sys_enter: current is known, and no session wants its calls, or each that does has a gate
 * that rejects it.
 */
static __always_inline void ctrace_spare_current(void)
{
	if (!time_before(jiffies, READ_ONCE(ctrace_spare_from)))
		ctrace_spare_now();
}

/* The same, after ctrace_wanted() gave no session that wants this call. */
static inline void ctrace_spare_unwanted(const struct ctrace_who *who)
{
	if (ctrace_identity_known() && !ctrace_wanted(~0u, who->container, current))
		ctrace_spare_current();
}

int ctrace_spare_init(void);
void ctrace_spare_exit(void);

extern const struct ctrace_container_watcher ctrace_spare_watcher;

#endif
