/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for a CPU that have not ended. sched_blame is written when a wait ends, and the worst wait, of a task
 * that never gets a CPU, would be in no record. So such waits are cut: their parts up to now are written.
 *
 * And waits that a session has not seen begin, because they began before it.
 */
#ifndef CTRACE_SCHED_CUT_H
#define CTRACE_SCHED_CUT_H

#include <linux/types.h>

struct ctrace_session;
struct ctrace_span;
struct ctrace_who;
struct task_struct;

/* Of a session that records and has a probe of sched_blame, or nothing. Process context, ctrace_lock held. */
void ctrace_sched_cut(struct ctrace_session *s);

/* p waits since then by the kernel's account, if that knows; else U64_MAX. Context: as below. */
u64 ctrace_sched_cut_since(const struct task_struct *p);

/*
 * Task p waited up to now in the queue of that CPU, as ctrace_blame_wait() has it. The sessions in mask want
 * the wait, but have not seen it begin: p's place, s, does not have them, or there is none, NULL. since: up
 * to when all sessions have got the wait, if it has a place; else when it began, or 0: that is not known, but
 * it was before these sessions. Each gets what came since then, its own beginning and its last cut.
 */
void ctrace_sched_cut_unseen(u32 mask, struct task_struct *p, int cpu, const struct ctrace_who *who,
			     const struct ctrace_span *s, u64 since, u64 now, bool open);

#endif
