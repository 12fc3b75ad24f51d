/* SPDX-License-Identifier: GPL-2.0-only */
/* The open descriptors of a task, one after the other. */
#ifndef CTRACE_FD_TABLE_H
#define CTRACE_FD_TABLE_H

#include <linux/path.h>
#include <linux/types.h>

struct file;
struct task_struct;

struct ctrace_fd {
	u32 fd;
	/* as /proc/PID/fdinfo/FD has them: the file's, and O_CLOEXEC of the descriptor */
	u32 flags;
	struct file *file;	/* with a reference */
	struct path root;	/* the task's; with a reference */
};

/*
 * The first open descriptor of p from number `from` up. False: there is none, or p is dying. Else give it
 * back by ctrace_fd_put(), soon: until then its file is not closed, and p's root not unmounted. The last
 * reference to a file may be ours; then a work item of the kernel closes it, some milliseconds later. A
 * reader of /proc/PID/fd takes the same references. The caller has a reference to p. Process context.
 */
bool ctrace_fd_next(struct task_struct *p, u32 from, struct ctrace_fd *f);
void ctrace_fd_put(struct ctrace_fd *f);

/*
 * Has no thread before p, in the list of its process, the same descriptors? Asked of all threads, it is true
 * for one of those that share. RCU read side.
 */
bool ctrace_fd_table_first(const struct task_struct *p);

#endif
