/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state dump: the tasks that exist when a session begins to record, as events, so that a trace
 * explains itself.
 */
#ifndef CTRACE_STATEDUMP_H
#define CTRACE_STATEDUMP_H

#include <linux/types.h>

struct ctrace_session;
struct ctrace_statedump;

/* done(arg, whole) is called once, at the end, in process context. NULL: no memory. */
struct ctrace_statedump *ctrace_statedump_new(void (*done)(void *arg, bool whole), void *arg);
/*
 * Writes lttng_statedump_start, each task that s wants, with its open descriptors if s has names of
 * descriptors (CTRACE_SESSION_F_PATHS) and its executable mappings if s has process_map, and
 * lttng_statedump_end, into s alone, in a work of s (ctrace_session_work()): the dump holds no lock, and ends
 * early if s is stopped or ends; then it has no lttng_statedump_end, and whole is false. The probes of s are
 * armed already. So sched_process_fork, if s traces it, has each task that is born after the walk has passed
 * its number; a task born during the dump may be in both. Process context, ctrace_lock held. The dump frees
 * d.
 */
void ctrace_statedump_start(struct ctrace_session *s, struct ctrace_statedump *d);

#endif
