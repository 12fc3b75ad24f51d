// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "session/threads.h"
#include "compat/task.h"

/* After so many new beginnings it gives the CPU away no more, so that its place has less time to go away. */
#define PATIENCE	64

/* RCU. The thread after t of p's process, or its first one; NULL: there is none. */
static struct task_struct *thread_after(struct task_struct *p, struct task_struct *t)
{
	struct list_head *head = &p->signal->thread_head;
	struct list_head *next = rcu_dereference(list_next_rcu(t ? &t->thread_node : head));

	return next == head ? NULL : list_entry(next, struct task_struct, thread_node);
}

bool ctrace_threads_some(struct ctrace_threads *w, u32 n, void (*fn)(struct task_struct *t, void *arg), void *arg)
{
	struct task_struct *p = w->p ?: &init_task, *t = w->t;

	while (n--) {
		/* init_task is before the first process and after the last, and is itself none */
		t = p == &init_task ? NULL : thread_after(p, t);
		if (t) {
			fn(t, arg);
			continue;
		}
		p = next_task(p);
		if (p == &init_task)
			return true;
	}
	w->p = p;
	w->t = t;
	return false;
}

/*
 * RCU. Both are still in their lists: what they point to is then freed a grace period later at the earliest.
 */
static bool stays(const struct ctrace_threads *w)
{
	return pid_alive(w->p) && (!w->t || pid_alive(w->t));
}

static void get_tasks(const struct ctrace_threads *w)
{
	if (w->p)
		get_task_struct(w->p);
	if (w->t)
		get_task_struct(w->t);
}

static void put_tasks(const struct ctrace_threads *w)
{
	if (w->p)
		put_task_struct(w->p);
	if (w->t)
		put_task_struct(w->t);
}

void ctrace_threads_all(void (*begin)(void *arg), void (*fn)(struct task_struct *t, void *arg), void *arg)
{
	struct ctrace_threads w = { }, was = { };
	u32 begun = 0;
	bool done;

	do {
		rcu_read_lock();
		if (!w.p || !stays(&w)) {
			w = (struct ctrace_threads){ };
			begun++;
			if (begin)
				begin(arg);
		}
		done = ctrace_threads_some(&w, CTRACE_THREADS_BATCH, fn, arg);
		if (!done)
			get_tasks(&w);	/* under RCU: none of them has been freed */
		rcu_read_unlock();
		put_tasks(&was);
		was = w;
		if (begun < PATIENCE)
			cond_resched();
	} while (!done);
}
