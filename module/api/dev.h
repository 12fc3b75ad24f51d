/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Descriptors that show records. There are two kinds. One of /dev/ctrace is bound to a whole session
 * (dev.c). A view shows one container, is a file of its own, may be handed to any process, and can be
 * revoked (view.c). read() and poll() are the same for both (dev_read.c, dev_poll.c).
 *
 * Lifetime of a descriptor of /dev/ctrace: it holds a reference on its arena, its mappings hold the
 * descriptor, and both hold the module (fops.owner). So a reader's pages stay as long as it maps them.
 * Lifetime of a view: see view.c.
 *
 * The module stays until the last descriptor of either kind is closed, also of a view that was revoked: an
 * open file's operations are the module's text, and the kernel may call them at any moment, having looked at
 * file->f_op long before. So exchanging f_op does not free the text, on any kernel; what could (a proxy in
 * the kernel itself, as debugfs has) is not to be had from a module. module/README.md says how an
 * administrator finds the holders.
 */
#ifndef CTRACE_DEV_H
#define CTRACE_DEV_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include "ring/arena.h"
#include "compat/poll.h"

/*
 * Are there views? Their slots are mapped one by one, and the layout's unit is 4 KiB: a larger MMU page
 * would show the edge of the next slot.
 */
#define CTRACE_VIEWS	(PAGE_SIZE <= CTRACE_PAGE)

struct ctrace_file_ring;

/* What a descriptor of either kind shows. */
struct ctrace_file {
	/*
	 * NULL until a descriptor of /dev/ctrace is bound, and when a view was revoked. Written last
	 * (release), read first (acquire); whatever is in the arena is looked at in ctrace_file_enter()
	 */
	struct ctrace_arena *arena;
	bool is_view;			/* invariant */
	/* invariant once arena was set; arena may be NULL again */
	struct ctrace_waiter *waiter;	/* the arena's, or the view's own */
	u32 session;
	u32 cid;
	u64 map_size;			/* bytes */
	u32 nrings;			/* slots that the descriptor sees */
	u32 *slots;			/* [nrings] which they are, 0 for an impossible CPU; NULL: all */

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

void ctrace_file_init(struct ctrace_file *f);
void ctrace_file_exit(struct ctrace_file *f);	/* its release() */

/*
 * Begins a look at the arena, which stays until ctrace_file_leave(): who takes it away (view.c) waits for
 * that. NULL: there is none, and nothing to leave. The caller must not sleep in between, so
 * it cannot touch user memory, which its owner could keep it waiting for.
 */
static inline struct ctrace_arena *ctrace_file_enter(const struct ctrace_file *f)
{
	struct ctrace_arena *a;

	rcu_read_lock();
	a = smp_load_acquire(&f->arena);	/* partner: dev_bind() and ctrace_view_open() */
	if (!a)
		rcu_read_unlock();
	return a;
}

static inline void ctrace_file_leave(void)
{
	rcu_read_unlock();
}

/* *slot: the slot of the descriptor's ring i. False: it has none. */
static inline bool ctrace_file_slot(const struct ctrace_file *f, u32 i, u32 *slot)
{
	*slot = f->slots ? f->slots[i] : i;
	return !f->slots || *slot;
}

int ctrace_dev_init(void);
void ctrace_dev_exit(void);
/* CTRACE_IOC_INFO, the same for both kinds. */
long ctrace_file_info(const struct ctrace_file *f, void __user *arg);
/* What ->mmap() of both kinds begins with: checks, and the vma's flags. */
int ctrace_file_mmap(const struct ctrace_file *f, struct vm_area_struct *vma, unsigned long flags);

/* dev_read.c, dev_poll.c: operations of files whose private_data is a struct ctrace_file */
ssize_t ctrace_file_read(struct file *file, char __user *buf, size_t count, loff_t *pos);
__poll_t ctrace_file_poll(struct file *file, poll_table *wait);
/* Would read() find records? Only after the first read(), and in ctrace_file_enter(). */
bool ctrace_file_readable(struct ctrace_file *f, struct ctrace_arena *a, struct ctrace_file_ring *rings);

/* view.c: the file of a new view; sets args->map_size. The caller gives it a number. ERR_PTR on error. */
struct file *ctrace_view_open(struct ctrace_view_args *args);

#endif
