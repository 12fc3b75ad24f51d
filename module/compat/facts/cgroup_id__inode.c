// SPDX-License-Identifier: GPL-2.0-only
/* before 3.14: no kernfs; cgroups have a file system of their own, and inodes */
#include <linux/cgroup.h>
#include <linux/fs.h>
u64 ctrace_fact(const struct cgroup *c);
u64 ctrace_fact(const struct cgroup *c) { return c->dentry->d_inode->i_ino; }
