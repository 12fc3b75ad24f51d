/* SPDX-License-Identifier: GPL-2.0-only */
/* Giving flags back to spared tasks, and when: what the files of spare.h share. */
#ifndef CTRACE_SPARE_GIVE_H
#define CTRACE_SPARE_GIVE_H

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/types.h>

/*
 * Nobody is spared while this is not 0: one each because no probe is registered that spares, because the
 * switch is off, because hooks are blind, and for each registration of another tracer that is under way.
 */
extern atomic_t ctrace_spare_holds;
extern int ctrace_spare_some;		/* 1: a task may be spared */
extern atomic_t ctrace_spare_giving;	/* flags are being given back */
/*
 * Flags may be given. Read under RCU: ctrace_spare_end() waits for that, before the kernel takes all flags.
 */
extern bool ctrace_spare_active;

void ctrace_spare_give(struct task_struct *p);	/* to this one; any context */

/*
 * All spared tasks get their flags back, after a full barrier that follows the change which makes it
 * necessary. recall: when it returns. Process context. recall_now: at once, as far as one batch of threads
 * reaches; a work then goes through all again, without delay. Any context but NMI. recall_soon: by the work.
 * Any context.
 */
void ctrace_spare_recall(void);
void ctrace_spare_recall_now(void);
void ctrace_spare_recall_soon(void);

/* Takes a hold, and recalls as above. */
void ctrace_spare_hold(void);
void ctrace_spare_hold_now(void);

/* Process context. After stop, no flag is given. */
void ctrace_spare_give_start(void);
void ctrace_spare_give_stop(void);

/*
 * Since the last start: how often all flags were given back; for how many ns since then nobody could be
 * spared, because of that; and how long ago the start was.
 */
void ctrace_spare_share(u64 *recalls, u64 *off_ns, u64 *ns);

int ctrace_spare_give_init(void);
void ctrace_spare_give_exit(void);

#endif
