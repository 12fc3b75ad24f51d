// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table of descriptors belongs to the tasks that share it. task_lock() keeps p's table and its fs,
 * file_lock what is in the table: whoever takes a file out holds it, so a file that we see has a reference of
 * the table. The kernel takes the two locks in this order or one alone. Neither is taken in interrupts.
 */
#include <linux/bitops.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include "event/fd_table.h"
#include "compat/task.h"

#define AT_ONCE	65536u	/* numbers looked at under the locks; a table may have 2^30 */

/* Takes the first file from number *fd up, or moves *fd on. False: there are no further numbers. */
static bool look(struct files_struct *files, u32 *fd, struct ctrace_fd *f)
{
	const struct fdtable *fdt;
	struct file *file;
	u32 end;

	spin_lock(&files->file_lock);
	fdt = files_fdtable(files);
	end = min_t(u32, fdt->max_fds, *fd + AT_ONCE);
	for (; (*fd = find_next_bit(fdt->open_fds, end, *fd)) < end; ++*fd) {
		file = rcu_dereference_check_fdtable(files, fdt->fd[*fd]);
		if (!file)	/* its number is given, but it is not open yet */
			continue;
		get_file(file);
		f->fd = *fd;
		f->flags = file->f_flags & ~O_CLOEXEC;
		if (test_bit(*fd, fdt->close_on_exec))
			f->flags |= O_CLOEXEC;
		f->file = file;
		break;
	}
	end = fdt->max_fds;
	spin_unlock(&files->file_lock);
	return *fd < end;
}

bool ctrace_fd_next(struct task_struct *p, u32 from, struct ctrace_fd *f)
{
	bool more;

	f->file = NULL;
	do {
		task_lock(p);
		more = p->files && p->fs && look(p->files, &from, f);
		if (f->file)
			get_fs_root(p->fs, &f->root);
		task_unlock(p);
		cond_resched();
	} while (more && !f->file);
	return f->file;
}

void ctrace_fd_put(struct ctrace_fd *f)
{
	fput(f->file);
	path_put(&f->root);
}

bool ctrace_fd_table_first(const struct task_struct *p)
{
	const struct files_struct *files = READ_ONCE(p->files);
	const struct task_struct *t;

	ctrace_compat_for_each_thread(p, t) {
		if (t == p)
			break;
		if (READ_ONCE(t->files) == files)
			return false;
	}
	return files;
}
