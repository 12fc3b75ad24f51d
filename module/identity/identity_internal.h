/* SPDX-License-Identifier: GPL-2.0-only */
/* What identity.c offers to the files of this room that make containers known. */
#ifndef CTRACE_IDENTITY_INTERNAL_H
#define CTRACE_IDENTITY_INTERNAL_H

#include "identity/identity.h"
#include "identity/look.h"

extern struct ctrace_rules ctrace_rules;

/*
 * Any context, preemption off. Asks the rules, not the alias table. *whole is false if something could not
 * be recorded: asking again may then give another answer.
 */
struct ctrace_container *ctrace_identity_decide(const struct css_set *cset, const void *ns,
						u64 v2, u64 v1, bool exec, const void *mnt, bool *whole);
/*
 * The same for a task that has just been put into the place, where no lock is taken if nothing can be learned
 * from that.
 */
void ctrace_identity_learn_place(const struct css_set *cset, const void *ns, u64 v2, u64 v1, const void *mnt);
void ctrace_identity_forget_cached(void);	/* ident_lock held */
/*
 * Drops pointers to dying containers, which are about to be freed, or puts their heir
 * there; invalidates all cached pointers. Process context.
 */
void ctrace_identity_forget_dying(void);
void ctrace_identity_note_exit(const struct task_struct *p, const struct ctrace_who *who);

#endif /* CTRACE_IDENTITY_INTERNAL_H */
