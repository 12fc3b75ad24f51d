// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/ctrace: open, bind to a whole session, map. Views are in view.c, read() in dev_read.c, poll() in
 * dev_poll.c.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "api/dev.h"
#include "api/may.h"
#include "session/session.h"
#include "compat/dev.h"
#include "compat/mm.h"
#include "compat/vmalloc.h"

/*
 * Opening the node can load the module only if the node exists before the module does, with a
 * number that depmod knows. So the minor is fixed, one of those for local use (devices.txt:
 * 10, 243 to 254). If it is taken, any other will do, but opening the node loads nothing then.
 */
#define CTRACE_MINOR	247
MODULE_ALIAS_MISCDEV(CTRACE_MINOR);
MODULE_ALIAS("devname:ctrace");

/* A descriptor of the device. f is bound once; f.arena is never taken away. */
struct dev_file {
	struct ctrace_file f;
	struct mutex bind_lock;		/* one BIND at a time; never held over user memory */
};

/* Who may not trace holds no descriptor, bound or not, so not the module either; they are given views. */
static int ctl_open(struct inode *inode, struct file *file)
{
	struct dev_file *d;

	if (!ctrace_may_bind())
		return -EPERM;
	d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	if (!d)
		return -ENOMEM;
	mutex_init(&d->bind_lock);
	ctrace_file_init(&d->f);
	file->private_data = &d->f;
	return nonseekable_open(inode, file);
}

static struct dev_file *dev_file(struct file *file)
{
	return container_of((struct ctrace_file *)file->private_data, struct dev_file, f);
}

/* The last user of the descriptor has gone: no call, no waiter, no mapping is left. */
static int dev_release(struct inode *inode, struct file *file)
{
	struct dev_file *d = dev_file(file);

	ctrace_file_exit(&d->f);
	if (d->f.arena)
		ctrace_arena_put(d->f.arena);
	kfree(d);
	return 0;
}

/* --- ioctls ------------------------------------------------------------------------- */

static int dev_bind(struct dev_file *d, struct ctrace_bind *b)
{
	struct ctrace_session *s = ctrace_session_find_get(b->session);
	struct ctrace_file *f = &d->f;
	int err = 0;

	if (!s)
		return -ENOENT;
	mutex_lock(&d->bind_lock);
	if (f->arena) {
		err = -EBUSY;
	} else {
		f->session = b->session;
		f->cid = CTRACE_CID_ALL;
		f->waiter = &s->arena->all;
		f->nrings = ctrace_arena_nslots(s->arena);
		f->map_size = b->map_size = s->arena->mem_size;
		ctrace_arena_get(s->arena);
		smp_store_release(&f->arena, s->arena);	/* last; partners: mmap, poll, read */
	}
	mutex_unlock(&d->bind_lock);
	ctrace_session_put(s);
	return err;
}

static long bind_ioctl(struct dev_file *d, void __user *arg)
{
	struct ctrace_bind b;
	int err;

	if (copy_from_user(&b, arg, sizeof(b)))
		return -EFAULT;
	if (b.cid != CTRACE_CID_ALL || b._reserved[0] || b._reserved[1])
		return -EINVAL;
	err = dev_bind(d, &b);
	if (err)
		return err;
	/* after -EFAULT the descriptor is bound all the same: the size is in the directory, too */
	return copy_to_user(arg, &b, sizeof(b)) ? -EFAULT : 0;
}

/* Returns the number of a new descriptor. */
static long give_view(void __user *arg)
{
	struct ctrace_view_args v;
	struct file *file;
	int fd;

	if (copy_from_user(&v, arg, sizeof(v)))
		return -EFAULT;
	if (v.flags || v._pad || v._reserved[0] || v._reserved[1])
		return -EINVAL;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = ctrace_view_open(&v);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	if (copy_to_user(arg, &v, sizeof(v))) {
		put_unused_fd(fd);
		fput(file);
		return -EFAULT;
	}
	fd_install(fd, file);
	return fd;
}

long ctrace_file_info(const struct ctrace_file *f, void __user *arg)
{
	struct ctrace_shown shown = {
		.session = f->session,
		.cid = f->cid,
		.map_size = f->map_size,
	};

	return copy_to_user(arg, &shown, sizeof(shown)) ? -EFAULT : 0;
}

static long ctl_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct dev_file *d = dev_file(file);

	switch (cmd) {
	case CTRACE_IOC_INFO:
		if (!smp_load_acquire(&d->f.arena))	/* partner: dev_bind() */
			return -ENXIO;
		return ctrace_file_info(&d->f, (void __user *)arg);
	case CTRACE_IOC_BIND:
	case CTRACE_IOC_VIEW:
		/* the descriptor may have been passed on */
		if (!ctrace_may_bind())
			return -EPERM;
		return cmd == CTRACE_IOC_VIEW ? give_view((void __user *)arg) :
						bind_ioctl(d, (void __user *)arg);
	}
	return -ENOTTY;
}

/* --- map ------------------------------------------------------------------------------ */

/*
 * The vma may have been moved, or inherited by a child: it still has our file, and pgoff still
 * says which page is meant. Nothing else is kept per mapping. The pages are ordinary ones, with a
 * reference: who keeps one keeps records of a session that the descriptor shows anyway.
 */
static CTRACE_COMPAT_FAULT(dev_fault)
{
	struct ctrace_file *f = CTRACE_COMPAT_FAULT_VMA->vm_file->private_data;
	u64 off = (u64)vmf->pgoff << PAGE_SHIFT;

	if (off >= f->map_size)
		return VM_FAULT_SIGBUS;
	vmf->page = vmalloc_to_page(f->arena->mem + off);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct dev_vm_ops = {
	.fault = dev_fault,
};

static int dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ctrace_file *f = file->private_data;
	int err;

	if (!smp_load_acquire(&f->arena))	/* partner: dev_bind() */
		return -ENXIO;
	err = ctrace_file_mmap(f, vma, 0);
	if (!err)
		vma->vm_ops = &dev_vm_ops;
	return err;
}

int ctrace_file_mmap(const struct ctrace_file *f, struct vm_area_struct *vma, unsigned long flags)
{
	u64 size = PAGE_ALIGN(f->map_size), off = (u64)vma->vm_pgoff << PAGE_SHIFT;

	/* read-only for ever: without the MAY bits mprotect() and ptrace fail, too */
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	if (vma->vm_pgoff > size >> PAGE_SHIFT || vma->vm_end - vma->vm_start > size - off)
		return -EINVAL;
	ctrace_compat_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP | flags, VM_MAYWRITE | VM_MAYEXEC);
	return 0;
}

/* --- the device -------------------------------------------------------------------------- */

static const struct file_operations dev_fops = {
	.owner		= THIS_MODULE,
	.open		= ctl_open,
	.release	= dev_release,
	.unlocked_ioctl	= ctl_ioctl,
	.compat_ioctl	= ctrace_compat_ptr_ioctl,
	.mmap		= dev_mmap,
	.poll		= ctrace_file_poll,
	.read		= ctrace_file_read,
};

/*
 * ctl_open() decides who may open it, and not the mode: with 0600, a process with CAP_PERFMON or
 * CAP_SYS_ADMIN that is not root could make a session by netlink, but not read it.
 */
static struct miscdevice dev_misc = {
	.minor	= CTRACE_MINOR,
	.name	= "ctrace",
	.fops	= &dev_fops,
	.mode	= 0666,
};

int ctrace_dev_init(void)
{
	int err = misc_register(&dev_misc);

	if (err == -EBUSY) {
		dev_misc.minor = MISC_DYNAMIC_MINOR;
		err = misc_register(&dev_misc);
	}
	return err;
}

/* Called from module exit, which open descriptors hold off: none is left. */
void ctrace_dev_exit(void)
{
	misc_deregister(&dev_misc);
}
