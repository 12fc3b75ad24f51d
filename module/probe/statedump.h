/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state dump: the tasks that exist when a session begins to record, as events, so that a trace
 * explains itself.
 */
#ifndef CTRACE_STATEDUMP_H
#define CTRACE_STATEDUMP_H

struct ctrace_session;

/*
 * Writes lttng_statedump_start, each task that s wants, and lttng_statedump_end, into s alone. The probes
 * of s are armed already. So sched_process_fork, if s traces it, tells of each task that is born after
 * the walk has passed its number; a task born during the dump may be in both. Process context,
 * ctrace_lock held. Sleeps.
 */
void ctrace_statedump(struct ctrace_session *s);

#endif
