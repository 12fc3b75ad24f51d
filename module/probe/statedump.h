/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state dump: what exists when a session begins to record, as events, so that a trace
 * explains itself.
 */
#ifndef CTRACE_STATEDUMP_H
#define CTRACE_STATEDUMP_H

struct ctrace_session;

/*
 * Writes lttng_statedump_start, each task that s wants, and lttng_statedump_end, into s alone.
 * Its probes are armed already: a task that is born after the walk has passed its number is in
 * sched_process_fork, if that is traced, and one born meanwhile may be in both. Process
 * context, ctrace_lock held. Sleeps.
 */
void ctrace_statedump(struct ctrace_session *s);

#endif
