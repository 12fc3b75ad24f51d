/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for a CPU that have not ended. sched_blame is written when a wait ends; the worst one, of a task that
 * never gets a CPU, would be in no record. So such waits are cut: their parts up to now are written, and they go
 * on.
 */
#ifndef CTRACE_SCHED_CUT_H
#define CTRACE_SCHED_CUT_H

struct ctrace_session;

/* Of a session that records; process context, ctrace_lock held. Nothing, if it has no probe of sched_blame. */
void ctrace_sched_cut(struct ctrace_session *s);

#endif
