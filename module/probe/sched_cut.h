/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for a CPU that have not ended. sched_blame is written when a wait ends, and the worst wait, of a task
 * that never gets a CPU, would be in no record. So such waits are cut: their parts up to now are written.
 */
#ifndef CTRACE_SCHED_CUT_H
#define CTRACE_SCHED_CUT_H

struct ctrace_session;

/* Of a session that records and has a probe of sched_blame, or nothing. Process context, ctrace_lock held. */
void ctrace_sched_cut(struct ctrace_session *s);

#endif
