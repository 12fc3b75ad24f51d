/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by identity.c (resolving) and scan.c (hooks, scans, cgroups that targets name). */
#ifndef CTRACE_SCAN_H
#define CTRACE_SCAN_H

#include "identity/identity.h"
#include "identity/rules.h"

extern struct ctrace_rules ctrace_rules;
extern const struct ctrace_view ctrace_identity_view;

/* Any context, preemption off. Fills in the place of a task that has this css_set and the pid namespace ns. */
void ctrace_identity_place(const struct css_set *cset, const void *ns, struct ctrace_place *at);
/*
 * Any context, preemption off. A key of those v1 cgroups that ctrace_identity_place() finds; 0: there are none,
 * as all of them are roots.
 */
u64 ctrace_identity_v1_key(const struct css_set *cset);
/*
 * Any context, preemption off. Asks the rules, not the alias table. *whole is false if something could not
 * be recorded: asking again may then give another answer.
 */
struct ctrace_container *ctrace_identity_decide(const struct css_set *cset, const void *ns,
						u64 v2, u64 v1, bool exec, bool *whole);
void ctrace_identity_forget_cached(void);	/* ident_lock held */
void ctrace_identity_note_exit(const struct task_struct *p, const struct ctrace_who *who);

#endif
