/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What current's descriptors are, for probes at the boundary of its system calls: the task holds no spinlock
 * there, interrupts are on, and preemption is off. So we may take a spinlock that no interrupt handler takes:
 * current does not have it already, and the task that has it runs on. But we may not sleep.
 *
 * With PREEMPT_RT a spinlock sleeps, and a reader who meets a writer of a seqlock takes its lock. There we
 * ask for no path.
 *
 * d_path() since 3.12 takes no reference: it reads the root under RCU and fs->seq, and goes up under
 * rename_lock and mount_lock, first as a reader; if something changed in between, it takes these two
 * spinlocks, once. It calls nothing of a file system but d_dname().
 *
 * Before 3.12, and in RHEL 7, it takes fs->lock, rename_lock and this CPU's vfsmount_lock, which are
 * spinlocks, and then puts a reference to the root. That sleeps if it is the last one: another thread has
 * left this root by chroot() in between, and no other task has it. So there we ask for paths only if no other
 * thread has the same fs. The remaining risk is an administrator of our mount namespace who, between two
 * instructions of ours, moves our root by pivot_root() and unmounts it. The header lost get_fs_root_and_pwd()
 * with the same change: this is how these kernels are told apart.
 */
#ifndef CTRACE_COMPAT_FD_H
#define CTRACE_COMPAT_FD_H

#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/path.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "facts.h"

#ifndef ANON_INODE_FS_MAGIC
#define ANON_INODE_FS_MAGIC	0x09041934
#endif
#ifndef NSFS_MAGIC
#define NSFS_MAGIC		0x6e736673
#endif
#ifndef SECRETMEM_MAGIC
#define SECRETMEM_MAGIC		0x5345434d
#endif
#ifndef PID_FS_MAGIC
#define PID_FS_MAGIC		0x50494446
#endif

/* Do spinlocks sleep? The second name is that of the patches for older kernels. */
#if defined(CONFIG_PREEMPT_RT) || defined(CONFIG_PREEMPT_RT_FULL)
#define CTRACE_COMPAT_SPINLOCKS_SLEEP	1
#else
#define CTRACE_COMPAT_SPINLOCKS_SLEEP	0
#endif

/* May current ask for paths? current->fs is not NULL. */
static inline bool ctrace_compat_may_path(void)
{
#ifdef CTRACE_HAVE_FS_ROOT__HELD
	/* only current adds users, by clone() */
	if (READ_ONCE(current->fs->users) != 1)
		return false;
#endif
	return !CTRACE_COMPAT_SPINLOCKS_SLEEP;
}

/*
 * May d_path() be called of something in this file system that names itself? The d_dname() of these print a
 * number or a constant name. Not dma-buf, which takes a mutex in 5.3 to 5.8; and not what we do not know.
 */
static inline bool ctrace_compat_may_dname(const struct super_block *sb)
{
	switch (sb->s_magic) {
	case ANON_INODE_FS_MAGIC:
	case HUGETLBFS_MAGIC:
	case NSFS_MAGIC:
	case PID_FS_MAGIC:
	case PIPEFS_MAGIC:
	case PROC_SUPER_MAGIC:	/* namespaces, before 3.19 */
	case RAMFS_MAGIC:
	case SECRETMEM_MAGIC:
	case SOCKFS_MAGIC:
	case TMPFS_MAGIC:
		return true;
	}
	return false;
}

/*
 * The process that a pidfd is for; NULL: it is no pidfd. The file has a reference to it until its release.
 * Since 6.9 pidfds are files of a file system of their own; its root is no pidfd. Before, and without that
 * file system, they are anonymous inodes. The kernel names no other anonymous inode "[pidfd]".
 */
static inline struct pid *ctrace_compat_pidfd(const struct file *file)
{
	if (file->f_mode & FMODE_PATH)	/* it was not opened, and has no process */
		return NULL;
	switch (file->f_inode->i_sb->s_magic) {
	case PID_FS_MAGIC:
		return file->f_inode->i_private;
	case ANON_INODE_FS_MAGIC:
		if (!strcmp((const char *)file->f_path.dentry->d_name.name, "[pidfd]"))
			return file->private_data;
	}
	return NULL;
}

/*
 * Where the program found a file that it has mapped. Overlayfs maps the file of a layer in its place: since
 * 6.7 that one's f_path is the layer's, before it is the program's.
 */
static inline const struct path *ctrace_compat_user_path(const struct file *file)
{
#ifdef CTRACE_HAVE_FILE_USER_PATH
	/* 6.7 and later: its argument became const only after years, and by stable updates */
	return file_user_path((struct file *)file);
#else
	return &file->f_path;
#endif
}

/*
 * d_path() of current's working directory; ctrace_compat_may_path(). As getcwd() does it: when fs->seq says
 * that *pwd is whole, fs had its reference, so the directory, its parents and its mount are freed after our
 * RCU section at the earliest. fs->lock, under which another thread changes directories, would order it
 * before rename_lock and mount_lock; no other code takes them in that order. The older d_path() is not made
 * for this; there we take a reference. No other task has our fs, so putting it is not the last put.
 */
static inline char *ctrace_compat_cwd_path(char *buf, int len)
{
	struct fs_struct *fs = current->fs;
	struct path pwd;
	char *path;
#ifdef CTRACE_HAVE_FS_ROOT__HELD

	get_fs_pwd(fs, &pwd);
	path = d_path(&pwd, buf, len);
	path_put(&pwd);
#else
	unsigned int seq;

	rcu_read_lock();
#ifdef CTRACE_HAVE_FS_SEQ__COUNT
	do {
		seq = read_seqcount_begin(&fs->seq);
		pwd = fs->pwd;
	} while (read_seqcount_retry(&fs->seq, seq));
#else
	do {
		seq = read_seqbegin(&fs->seq);
		pwd = fs->pwd;
	} while (read_seqretry(&fs->seq, seq));
#endif
	/* newer kernels let a task have none */
	path = pwd.dentry && pwd.mnt ? d_path(&pwd, buf, len) : ERR_PTR(-ENOENT);
	rcu_read_unlock();
#endif
	return path;
}

/*
 * The file that current's program is in, with a reference; NULL: none. RCU keeps the file's memory: since 4.1
 * the kernel says so. Before, it is read under mmap_sem, but files are freed after a grace period there, too.
 * So we need no lock.
 */
static inline struct file *ctrace_compat_exe_get(void)
{
	struct mm_struct *mm = current->mm;
	struct file *file;

	if (!mm)
		return NULL;
	rcu_read_lock();
#ifdef CTRACE_HAVE_GET_FILE_RCU__SLOT
	file = get_file_rcu(&mm->exe_file);
#else
	file = READ_ONCE(*(struct file * __force *)&mm->exe_file);
	if (file && !atomic_long_inc_not_zero(&file->f_count))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

/*
 * The port of a netlink socket; 0: it has none, or we may not ask. Newer kernels' getname() takes
 * nl_table_lock for reading, which spins, and wakes who waits for the table. It asks nothing of the other
 * end.
 */
static inline u32 ctrace_compat_netlink_port(struct socket *sock)
{
	union {
		struct sockaddr_storage all;
		struct sockaddr_nl nl;
	} a = { .nl.nl_pid = 0 };
	int err;
#ifdef CTRACE_HAVE_GETSOCKNAME__LEN
	int len;
#endif

	if (CTRACE_COMPAT_SPINLOCKS_SLEEP)
		return 0;
#ifdef CTRACE_HAVE_GETSOCKNAME__LEN
	err = kernel_getsockname(sock, (struct sockaddr *)&a, &len);
#else
	err = kernel_getsockname(sock, (struct sockaddr *)&a);
#endif
	return err < 0 ? 0 : a.nl.nl_pid;
}

#endif /* CTRACE_COMPAT_FD_H */
