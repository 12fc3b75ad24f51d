/* SPDX-License-Identifier: GPL-2.0-only */
/* The cgroup, v1 or v2, behind a descriptor of its directory. */
#ifndef CTRACE_COMPAT_CGROUP_FD_H
#define CTRACE_COMPAT_CGROUP_FD_H

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/magic.h>
#include "compat/cgroup.h"
#include "facts.h"

#ifndef CGROUP2_SUPER_MAGIC
#define CGROUP2_SUPER_MAGIC	0x63677270	/* since 4.5 */
#endif

#ifdef CTRACE_HAVE_CGROUP_ID__INODE
/* a reference on the directory holds the cgroup */
#define cgroup_put(c)		dput((c)->dentry)
#elif !defined(CTRACE_HAVE_CGROUP_TRYGET)
#define cgroup_tryget(c)	css_tryget(&(c)->self)
#define cgroup_put(c)		css_put(&(c)->self)
#endif

/*
 * Returns the cgroup with a reference (cgroup_put()), or ERR_PTR: -EBADF no descriptor, -ENOTDIR
 * not a cgroup's directory, -ENOENT removed. Process context. cgroup_get_from_fd() would refuse v1.
 * kn->priv is cleared under RCU when the cgroup goes; before kernfs, f holds the directory.
 */
static inline struct cgroup *ctrace_compat_cgroup_from_fd(int fd)
{
	struct file *f = fget_raw(fd);
	struct cgroup *cgrp = ERR_PTR(-ENOTDIR);
	struct inode *inode;

	if (!f)
		return ERR_PTR(-EBADF);
	inode = file_inode(f);
	if (S_ISDIR(inode->i_mode) && (inode->i_sb->s_magic == CGROUP2_SUPER_MAGIC ||
				       inode->i_sb->s_magic == CGROUP_SUPER_MAGIC)) {
#ifdef CTRACE_HAVE_CGROUP_ID__INODE
		cgrp = f->f_path.dentry->d_fsdata;
		if (ctrace_compat_cgroup_online(cgrp))
			dget(cgrp->dentry);
		else
			cgrp = ERR_PTR(-ENOENT);
#else
		struct kernfs_node *kn = inode->i_private;

		rcu_read_lock();
		cgrp = rcu_dereference(*(struct cgroup __rcu __force **)&kn->priv);
		if (!cgrp || !cgroup_tryget(cgrp))
			cgrp = ERR_PTR(-ENOENT);
		rcu_read_unlock();
#endif
	}
	fput(f);
	return cgrp;
}

#endif
