/* SPDX-License-Identifier: GPL-2.0-only */
/* Between identity.c (resolving) and scan.c (hooks, scans, what targets name). */
#ifndef CTRACE_SCAN_H
#define CTRACE_SCAN_H

#include "identity/identity.h"
#include "identity/rules.h"

extern struct ctrace_rules ctrace_rules;
extern const struct ctrace_view ctrace_identity_view;

/* Any context, preemption off. Where a task with that css_set, in ns, is. */
void ctrace_identity_place(const struct css_set *cset, const void *ns, struct ctrace_place *at);
/* Any context, preemption off. What stands for the task's v1 cgroups; 0: at the root of all. */
u64 ctrace_identity_v1_key(const struct css_set *cset);
/*
 * Any context, preemption off. By the rules, passing by what was remembered. whole: all is known, or it
 * has become known; else the same may be told otherwise when asked once more.
 */
struct ctrace_container *ctrace_identity_decide(const struct css_set *cset, const void *ns,
						u64 v2, u64 v1, bool exec, bool *whole);
void ctrace_identity_forget_cached(void);	/* Lock held */
void ctrace_identity_note_exit(const struct task_struct *p, const struct ctrace_who *who);

#endif
