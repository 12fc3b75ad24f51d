// SPDX-License-Identifier: GPL-2.0-only
/* /dev/ctrace: open, bind, map, poll. read() is in dev_read.c. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "api/dev.h"
#include "api/may.h"
#include "session/session.h"
#include "identity/container.h"
#include "compat/clock.h"
#include "compat/dev.h"
#include "compat/mm.h"
#include "compat/poll.h"
#include "compat/vmalloc.h"

/*
 * Opening the node can load the module only if the node exists before the module does, with a
 * number that depmod knows. So the minor is fixed, one of those for local use (devices.txt:
 * 10, 243 to 254). If it is taken, any other will do, but opening the node loads nothing then.
 */
#define CTRACE_MINOR	247
MODULE_ALIAS_MISCDEV(CTRACE_MINOR);
MODULE_ALIAS("devname:ctrace");

static int dev_open(struct inode *inode, struct file *file)
{
	struct ctrace_file *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);

	if (!f)
		return -ENOMEM;
	mutex_init(&f->bind_lock);
	mutex_init(&f->read_lock);
	spin_lock_init(&f->poll_lock);
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static void free_view(struct ctrace_file *f)
{
	kvfree(f->slots);
	free_page((unsigned long)f->empty);
	free_page((unsigned long)f->view.dir);
}

/* The last user of the descriptor has gone: no call, no waiter, no mapping is left. */
static int dev_release(struct inode *inode, struct file *file)
{
	struct ctrace_file *f = file->private_data;
	struct ctrace_arena *a = f->arena;

	ctrace_file_read_free(f);
	if (a && f->slots) {
		mutex_lock(&a->lock);
		list_del(&f->view.list);
		mutex_unlock(&a->lock);
		ctrace_arena_unpin(a, f->slots);
	}
	free_view(f);
	if (a)
		ctrace_arena_put(a);
	kfree(f);
	return 0;
}

/* --- bind ---------------------------------------------------------------------------- */

/* Gives the descriptor its own directory, and the container a ring on each CPU that is kept for it. */
static int bind_container(struct ctrace_file *f, struct ctrace_arena *a, u32 cid)
{
	struct ctrace_dir *dir;
	int err;

	if (!CTRACE_VIEWS)
		return -EOPNOTSUPP;
	f->slots = kvcalloc(a->ncpus, sizeof(*f->slots), GFP_KERNEL);
	f->empty = (void *)get_zeroed_page(GFP_KERNEL);
	f->view.dir = dir = (void *)get_zeroed_page(GFP_KERNEL);
	if (!f->slots || !f->empty || !dir)
		return -ENOMEM;
	err = ctrace_arena_pin(a, cid, f->slots);
	if (err)
		return err;
	*dir = *a->dir;
	dir->flags |= CTRACE_DIR_F_BOUND;
	dir->cid = cid;
	dir->slots_per_cpu = 1;
	dir->nslots = a->ncpus;
	dir->heads_off = 0;
	dir->slots_off = CTRACE_PAGE;
	dir->map_size = CTRACE_PAGE + a->ncpus * dir->slot_stride;
	mutex_lock(&a->lock);
	dir->state = a->dir->state;
	/* the view may be handed to an unprivileged process: no kernel addresses in it */
	err = a->kaddr ? -EACCES : 0;
	if (!err)
		list_add(&f->view.list, &a->views);
	mutex_unlock(&a->lock);
	if (err)
		ctrace_arena_unpin(a, f->slots);
	return err;
}

static int bind_file(struct ctrace_file *f, struct ctrace_bind *b)
{
	struct ctrace_session *s;
	struct ctrace_arena *a;
	int err = 0;

	s = ctrace_session_find_get(b->session);
	if (!s)
		return -ENOENT;
	a = s->arena;
	mutex_lock(&f->bind_lock);
	if (f->arena)
		err = -EBUSY;
	else if (b->cid != CTRACE_CID_ALL && !ctrace_container_exists(b->cid))
		err = -ENOENT;
	else if (b->cid != CTRACE_CID_ALL)
		err = bind_container(f, a, b->cid);
	if (!err) {
		f->cid = b->cid;
		f->nrings = f->slots ? a->ncpus : a->dir->nslots;
		b->map_size = f->slots ? f->view.dir->map_size : a->mem_size;
		ctrace_arena_get(a);
		smp_store_release(&f->arena, a);	/* last; partners: mmap, poll, read */
	} else if (!f->arena) {
		free_view(f);
		f->slots = NULL;
		f->empty = NULL;
		f->view.dir = NULL;
	}
	mutex_unlock(&f->bind_lock);
	ctrace_session_put(s);
	return err;
}

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ctrace_bind b;
	int err;

	if (cmd != CTRACE_IOC_BIND)
		return -ENOTTY;
	if (!ctrace_may_bind())
		return -EPERM;
	if (copy_from_user(&b, (void __user *)arg, sizeof(b)))
		return -EFAULT;
	if (b._reserved[0] || b._reserved[1])
		return -EINVAL;
	err = bind_file(file->private_data, &b);
	if (err)
		return err;
	/* after -EFAULT the descriptor is bound all the same: the size is in the directory, too */
	return copy_to_user((void __user *)arg, &b, sizeof(b)) ? -EFAULT : 0;
}

/* --- map ------------------------------------------------------------------------------ */

static struct page *file_page(const struct ctrace_file *f, u64 off)
{
	const struct ctrace_arena *a = f->arena;
	u64 stride = a->dir->slot_stride;
	u32 cpu, slot;

	if (!f->slots)
		return off < a->mem_size ? vmalloc_to_page(a->mem + off) : NULL;
	if (off < CTRACE_PAGE)
		return virt_to_page(f->view.dir);
	off -= CTRACE_PAGE;
	if (off >= a->ncpus * stride)
		return NULL;
	cpu = div64_u64(off, stride);
	if (!ctrace_file_slot(f, cpu, &slot))
		return virt_to_page(f->empty);
	return vmalloc_to_page((char *)ctrace_arena_ctl(a, slot) + (off - cpu * stride));
}

/*
 * The vma may have been moved, or inherited by a child: it still has our file, and pgoff still
 * says which page is meant. Nothing else is kept per mapping.
 *
 * A container's view maps pages without a reference, and marks the vma so that nobody can take
 * one (VM_PFNMAP). When the view is closed, its slots may go to other containers: a process that
 * had kept a page (in a pipe by vmsplice(), by io_uring, under direct I/O) would read their records.
 */
static CTRACE_COMPAT_FAULT(dev_fault)
{
	struct vm_area_struct *area = CTRACE_COMPAT_FAULT_VMA;
	struct ctrace_file *f = area->vm_file->private_data;
	struct page *page = file_page(f, (u64)vmf->pgoff << PAGE_SHIFT);

	if (!page)
		return VM_FAULT_SIGBUS;
	if (f->slots)
		return ctrace_compat_insert_pfn(area, ctrace_compat_fault_address(vmf),
						page_to_pfn(page));
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct dev_vm_ops = {
	.fault = dev_fault,
};

static int dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ctrace_file *f = file->private_data;
	struct ctrace_arena *a = smp_load_acquire(&f->arena);	/* partner: bind_file() */
	u64 off = (u64)vma->vm_pgoff << PAGE_SHIFT, size, len = vma->vm_end - vma->vm_start;

	if (!a)
		return -ENXIO;
	/* read-only for ever: without the MAY bits mprotect() and ptrace fail, too */
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	size = PAGE_ALIGN(f->slots ? f->view.dir->map_size : a->mem_size);
	if (vma->vm_pgoff > size >> PAGE_SHIFT || len > size - off)
		return -EINVAL;
	ctrace_compat_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP | (f->slots ? VM_PFNMAP : 0),
			       VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_ops = &dev_vm_ops;
	return 0;
}

/* --- poll ------------------------------------------------------------------------------ */

/*
 * Does poll() say POLLIN to a reader that maps? The kernel does not know its cursors, so the
 * question is whether any head moved since this descriptor was last told. Once told, the
 * reader must look at its rings before it polls again.
 *
 * A caller that is ready to sleep passes a queueing function: poll() before it sleeps, and epoll
 * when a descriptor is added (EPOLL_CTL_ADD). epoll drops the mask of that answer, and asks
 * again, without one, before epoll_wait() returns. So a "yes" to a queueing caller is repeated
 * once to the next caller that does not queue.
 *
 * While records stream, each look finds some: a polling reader would never sleep, and would
 * compete with what it traces. So a queueing caller that was told less than wakeup_ns ago is
 * made to sleep until then. Other callers are told the plain truth.
 *
 *	heads moved	caller		told < wakeup_ns ago	answer	then again =
 *	no		queues		any			no	false
 *	no		does not	any			again	false
 *	yes		queues		no			yes	true
 *	yes		queues		yes, not ended		later	unchanged
 *	yes		does not	any			yes	false
 *
 * "later" is "no" now, and wakes the caller when wakeup_ns has passed.
 *
 * One poller per descriptor: if there are several, only one of them is told.
 */
static bool moved_since_told(struct ctrace_file *f, struct ctrace_arena *a, bool queueing)
{
	u64 sum = 0, now = ktime_get_ns();
	bool tell, later;
	u32 i, slot;

	if (f->slots) {
		for (i = 0; i < f->nrings; i++)
			if (ctrace_file_slot(f, i, &slot))
				sum += READ_ONCE(a->heads[slot]);
		smp_rmb();					/* C: partner in ring.h */
	} else {
		sum = ctrace_arena_heads_sum(a);
	}
	spin_lock(&f->poll_lock);
	tell = sum != f->reported || (!queueing && f->again);
	later = tell && queueing && now - f->told_at < a->wakeup_ns && !ctrace_arena_ended(a);
	if (!later) {
		f->again = queueing && sum != f->reported;
		f->reported = sum;
		if (tell)
			f->told_at = now;
	}
	spin_unlock(&f->poll_lock);
	if (later)
		ctrace_arena_wake_later(a);
	return tell && !later;
}

static __poll_t dev_poll(struct file *file, poll_table *wait)
{
	struct ctrace_file *f = file->private_data;
	struct ctrace_arena *a = smp_load_acquire(&f->arena);	/* partner: bind_file() */
	struct ctrace_file_ring *rings;
	__poll_t mask = 0;
	bool in;

	if (!a)
		return EPOLLERR;
	poll_wait(file, &a->wait, wait);
	/* before looking for records: a caller that sees the end sees the last records, too */
	if (ctrace_arena_ended(a))
		mask = EPOLLHUP;
	else
		ctrace_arena_arm(a);
	rings = smp_load_acquire(&f->rings);	/* partner: set_up() in dev_read.c */
	in = rings ? ctrace_file_readable(f, rings) :
		     moved_since_told(f, a, wait && wait->_qproc);
	return in ? mask | EPOLLIN | EPOLLRDNORM : mask;
}

/* --- the device -------------------------------------------------------------------------- */

static const struct file_operations dev_fops = {
	.owner		= THIS_MODULE,
	.open		= dev_open,
	.release	= dev_release,
	.unlocked_ioctl	= dev_ioctl,
	.compat_ioctl	= ctrace_compat_ptr_ioctl,
	.mmap		= dev_mmap,
	.poll		= dev_poll,
	.read		= ctrace_file_read,
};

/* Every user may open it: unbound it shows nothing, and a bound one may be passed to any process. */
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
