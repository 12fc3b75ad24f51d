/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/ctrace: a descriptor, what it was bound to, and its read() cursors.
 *
 * Lifetime: the descriptor holds a reference on its arena, its mappings hold the
 * descriptor, and both hold the module (fops.owner). So a reader's pages stay as
 * long as it maps them, and the module stays until its last reader has gone.
 */
#ifndef CTRACE_DEV_H
#define CTRACE_DEV_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include "ring/arena.h"

/*
 * Can a descriptor be bound to one container? Its slots are mapped one by one, and the layout's unit is
 * 4 KiB: a larger MMU page would show the edge of the next slot.
 */
#define CTRACE_VIEWS	(PAGE_SIZE <= CTRACE_PAGE)

struct ctrace_file_ring;

struct ctrace_file {
	struct mutex bind_lock;		/* one BIND at a time; never held over user memory */
	struct ctrace_arena *arena;	/* NULL until bound; then invariant, like the rest up to view.
					 * Written last (release), read first (acquire)
					 */
	u32 cid;
	u32 nrings;			/* slots that the descriptor sees */
	u32 *slots;			/* [nrings] which they are, 0 for an impossible CPU; NULL: all */
	void *empty;			/* mapped in place of an impossible CPU's slot */
	struct ctrace_arena_view view;	/* its own directory, if cid is one container */

	spinlock_t poll_lock;
	u64 reported;			/* sum of heads when poll() last said POLLIN; poll_lock */
	u64 told_at;			/* when that was, CLOCK_MONOTONIC ns; poll_lock */
	bool again;			/* repeat that answer once: see moved_since_told(); poll_lock */

	struct mutex read_lock;		/* held while user memory is accessed, so taken before mmap_lock */
	struct ctrace_file_ring *rings;	/* [nrings] cursors; NULL until the first read(), which
					 * stores them (release) under read_lock
					 */
	u32 *active;			/* [nrings]; read_lock */
	void *bounce;			/* read_lock */
};

/* *slot: the slot of the descriptor's ring i. False: it has none. */
static inline bool ctrace_file_slot(const struct ctrace_file *f, u32 i, u32 *slot)
{
	*slot = f->slots ? f->slots[i] : i;
	return !f->slots || *slot;
}

int ctrace_dev_init(void);
void ctrace_dev_exit(void);

/* dev_read.c */
ssize_t ctrace_file_read(struct file *file, char __user *buf, size_t count, loff_t *pos);
/* Would read() find records? Only after the first read(). */
bool ctrace_file_readable(struct ctrace_file *f, struct ctrace_file_ring *rings);
void ctrace_file_read_free(struct ctrace_file *f);

#endif
