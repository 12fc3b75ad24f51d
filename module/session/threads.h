/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A walk over all threads in small batches, as a machine may have very many: within a batch no task is freed
 * (RCU), between batches others may run. A thread that exists all the time is met; one that comes or goes
 * during the walk perhaps. If the walk's place goes away between two batches, it begins anew, and meets
 * threads again.
 */
#ifndef CTRACE_THREADS_H
#define CTRACE_THREADS_H

#include <linux/sched.h>
#include <linux/types.h>

/* Well below 100 us, even if no thread is in a cache (0.3 us each). */
#define CTRACE_THREADS_BATCH	256u

struct ctrace_threads {
	/* the last thread that was met, and its process; NULL: the beginning */
	struct task_struct *p, *t;
};

/*
 * Under RCU, any context. Meets at most n threads after w. True: these were the last; else w is the new
 * place, without references.
 */
bool ctrace_threads_some(struct ctrace_threads *w, u32 n, void (*fn)(struct task_struct *t, void *arg), void *arg);

/* Process context. begin: called before the first thread, and again when the walk begins anew; or NULL. */
void ctrace_threads_all(void (*begin)(void *arg), void (*fn)(struct task_struct *t, void *arg), void *arg);

#endif
