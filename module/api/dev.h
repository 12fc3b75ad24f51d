/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/ctrace: a descriptor, what it was bound to, and its read() cursors.
 *
 * Lifetime: the descriptor holds a reference of its arena, its mappings hold the
 * descriptor, and both hold the module (fops.owner). So whatever a reader
 * does, what it maps is there; and the module stays until it has gone.
 */
#ifndef CTRACE_DEV_H
#define CTRACE_DEV_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include "ring/arena.h"

struct ctrace_file_ring;

struct ctrace_file {
	struct mutex bind_lock;		/* one BIND at a time; never held over user memory */
	struct ctrace_arena *arena;	/* NULL until bound; then invariant, as the rest up to view:
					 * written last (release), read first (acquire)
					 */
	u32 cid;
	u32 nrings;			/* slots that it sees */
	u32 *slots;			/* which they are; NULL: all. 0: a CPU that cannot be */
	void *empty;			/* a page for those */
	struct ctrace_arena_view view;	/* its own directory, if cid is one container */

	spinlock_t poll_lock;
	u64 reported;			/* heads when poll() last told; poll_lock */
	u64 told_at;			/* when, CLOCK_MONOTONIC ns; poll_lock */
	bool again;			/* ... to one that may be epoll's look at adding; poll_lock */

	struct mutex read_lock;		/* held over user memory: below mmap_lock's users */
	struct ctrace_file_ring *rings;	/* [nrings] cursors; NULL until the first read(), which
					 * stores them (release) under read_lock
					 */
	u32 *active;			/* [nrings]; read_lock */
	void *bounce;			/* read_lock */
};

/* Slot of ring i of the descriptor; false: none there. */
static inline bool ctrace_file_slot(const struct ctrace_file *f, u32 i, u32 *slot)
{
	*slot = f->slots ? f->slots[i] : i;
	return !f->slots || *slot;
}

int ctrace_dev_init(void);
void ctrace_dev_exit(void);

/* dev_read.c */
ssize_t ctrace_file_read(struct file *file, char __user *buf, size_t count, loff_t *pos);
/* Has what read() would give? Only after the first read(). */
bool ctrace_file_readable(struct ctrace_file *f, struct ctrace_file_ring *rings);
void ctrace_file_read_free(struct ctrace_file *f);

#endif
