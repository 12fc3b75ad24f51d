// SPDX-License-Identifier: GPL-2.0-only
/*
 * Views: one container's records for a process that may be hostile.
 *
 * A view is a file of its own, with a directory page, a wait queue and rings that are kept for its container
 * on every CPU. It can be taken back (revoked), and then nothing of the arena can be reached through
 * it: it reads as ended, and its mappings show the directory and empty pages.
 *
 *	when				what happens
 *	the session ends		the directory says ENDED; after CTRACE_VIEW_DRAIN_MS it is revoked
 *	the container dies		after CTRACE_VIEW_DRAIN_MS it is revoked: others want its rings
 *	CTRACE_IOC_REVOKE		it is revoked at once
 *	the last descriptor is closed	the same
 *
 * Revoking it, in this order: file.arena is NULL, so no look, no fault and no wait begins any more; the
 * directory says REVOKED; the arena forgets it; its mappings are emptied; looks that had begun end
 * (RCU); its rings are unpinned; its reference on the arena is dropped.
 *
 * Lifetime: the view lives until its file's release(). Each vma of it and each call holds the file, and the
 * arena refers to it only while it is in the arena's list. `expire` and `waiter.settle` are work items of its
 * own: revoke() and release() wait for them.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "api/dev.h"
#include "api/may.h"
#include "identity/container.h"
#include "session/session.h"
#include "compat/dev.h"
#include "compat/mm.h"
#include "compat/vmalloc.h"

struct view_file {
	struct ctrace_file f;
	struct ctrace_arena_view v;
	u64 stride;			/* invariant: of its slots in the mapping */
	/* a page of zeros: in place of an impossible CPU's slot, and of all when revoked */
	void *empty;
	/*
	 * The file's own f_mapping: it knows the vmas of this file alone, so revoke() can empty them. It is
	 * part of the view, and may be: a vma is taken out of it before it drops its reference on the file.
	 */
	struct address_space mapping;
	struct mutex map_lock;		/* a page of the arena is inserted only while f.arena is not NULL */
	struct mutex revoke_lock;	/* who finds the view revoked finds it done */
};

/* --- the end ------------------------------------------------------------------------- */

static void revoke(struct view_file *vf)
{
	struct ctrace_file *f = &vf->f;
	struct ctrace_arena *a;

	mutex_lock(&vf->revoke_lock);
	a = f->arena;
	if (!a) {
		mutex_unlock(&vf->revoke_lock);
		return;
	}
	mutex_lock(&vf->map_lock);
	WRITE_ONCE(f->arena, NULL);
	mutex_unlock(&vf->map_lock);
	/* says REVOKED first: a reader that finds an empty page finds out why */
	ctrace_arena_view_del(a, &vf->v, CTRACE_DIR_REVOKED);
	/* all but the directory. Faults insert nothing of the arena any more, so nothing comes back */
	unmap_mapping_range(&vf->mapping, PAGE_SIZE, 0, 1);
	/* read() and poll() that had looked at f->arena; so nobody arms the waiter, either */
	synchronize_rcu();
	ctrace_waiter_exit(&vf->v.waiter);
	ctrace_arena_unpin(a, f->slots);
	ctrace_arena_put(a);
	mutex_unlock(&vf->revoke_lock);
	wake_up_interruptible_all(&vf->v.waiter.wait);
}

static void expire(struct work_struct *work)
{
	revoke(container_of(to_delayed_work(work), struct view_file, v.expire));
}

static void free_view(struct view_file *vf)
{
	ctrace_file_exit(&vf->f);
	kvfree(vf->f.slots);
	free_page((unsigned long)vf->empty);
	free_page((unsigned long)vf->v.dir);
	kfree(vf);
}

/* The last user of the file has gone: no call, no waiter, no mapping is left. */
static int view_release(struct inode *inode, struct file *file)
{
	struct view_file *vf = container_of((struct ctrace_file *)file->private_data, struct view_file, f);

	revoke(vf);
	cancel_delayed_work_sync(&vf->v.expire);	/* nobody begins it any more */
	free_view(vf);
	return 0;
}

/* --- map ------------------------------------------------------------------------------ */

/* The page at offset off, which is below f.map_size. map_lock held. */
static struct page *view_page(const struct view_file *vf, u64 off)
{
	const struct ctrace_arena *a = vf->f.arena;
	u32 cpu, slot;

	if (off < CTRACE_PAGE)
		return virt_to_page(vf->v.dir);
	off -= CTRACE_PAGE;
	cpu = div64_u64(off, vf->stride);
	if (!a || !ctrace_file_slot(&vf->f, cpu, &slot))
		return virt_to_page(vf->empty);
	return vmalloc_to_page((char *)ctrace_arena_ctl(a, slot) + (off - cpu * vf->stride));
}

/*
 * Pages are mapped without a reference, and so that nobody can take one (ctrace_compat_insert_mixed()). When
 * the view is revoked, its slots may go to other containers: a process that had kept a page (in a pipe
 * by vmsplice(), by io_uring, under direct I/O) would read their records.
 *
 * Holding map_lock: a page of the arena is inserted before revoke() empties the mappings, or not at all.
 */
static CTRACE_COMPAT_FAULT(view_fault)
{
	struct vm_area_struct *area = CTRACE_COMPAT_FAULT_VMA;
	struct view_file *vf = container_of((struct ctrace_file *)area->vm_file->private_data,
					    struct view_file, f);
	u64 off = (u64)vmf->pgoff << PAGE_SHIFT;
	int ret;

	if (off >= vf->f.map_size)
		return VM_FAULT_SIGBUS;
	mutex_lock(&vf->map_lock);
	ret = ctrace_compat_insert_mixed(area, ctrace_compat_fault_address(vmf),
					 page_to_pfn(view_page(vf, off)));
	mutex_unlock(&vf->map_lock);
	return ret;
}

static const struct vm_operations_struct view_vm_ops = {
	.fault = view_fault,
};

static int view_mmap(struct file *file, struct vm_area_struct *vma)
{
	int err = ctrace_file_mmap(file->private_data, vma, VM_MIXEDMAP);

	if (!err)
		vma->vm_ops = &view_vm_ops;
	return err;
}

/* --- ioctls ------------------------------------------------------------------------- */

static long view_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ctrace_file *f = file->private_data;

	switch (cmd) {
	case CTRACE_IOC_INFO:
		return ctrace_file_info(f, (void __user *)arg);
	case CTRACE_IOC_REVOKE:
		if (!ctrace_may_bind())
			return -EPERM;
		revoke(container_of(f, struct view_file, f));
		return 0;
	}
	return -ENOTTY;
}

static const struct file_operations view_fops = {
	.owner		= THIS_MODULE,
	.release	= view_release,
	.unlocked_ioctl	= view_ioctl,
	.compat_ioctl	= ctrace_compat_ptr_ioctl,
	.mmap		= view_mmap,
	.poll		= ctrace_file_poll,
	.read		= ctrace_file_read,
};

/* --- the beginning -------------------------------------------------------------------- */

static void fill_dir(struct view_file *vf, const struct ctrace_arena *a)
{
	struct ctrace_dir *dir = vf->v.dir;

	*dir = *a->dir;
	dir->flags |= CTRACE_DIR_F_BOUND;
	dir->state = CTRACE_DIR_RUNNING;
	dir->frozen = 0;	/* others' affair */
	dir->cid = vf->f.cid;
	dir->slots_per_cpu = 1;
	dir->nslots = a->ncpus;
	dir->heads_off = 0;
	dir->heads_stride = 0;
	dir->slots_off = CTRACE_PAGE;
	dir->map_size = vf->f.map_size;
	dir->tables_off = 0;	/* the session's tables are of all containers */
	dir->tables_size = 0;
}

static struct view_file *new_view(struct ctrace_arena *a, u32 session, u32 cid)
{
	struct view_file *vf = kzalloc(sizeof(*vf), GFP_KERNEL_ACCOUNT);

	if (!vf)
		return NULL;
	ctrace_file_init(&vf->f);
	mutex_init(&vf->map_lock);
	mutex_init(&vf->revoke_lock);
	vf->f.is_view = true;
	vf->f.session = session;
	vf->f.cid = vf->v.cid = cid;
	vf->f.nrings = a->ncpus;
	vf->f.waiter = &vf->v.waiter;
	vf->stride = a->stride;
	vf->f.map_size = CTRACE_PAGE + a->ncpus * a->stride;
	vf->f.slots = kvcalloc(a->ncpus, sizeof(*vf->f.slots), GFP_KERNEL_ACCOUNT);
	vf->empty = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	vf->v.dir = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!vf->f.slots || !vf->empty || !vf->v.dir) {
		free_view(vf);
		return NULL;
	}
	fill_dir(vf, a);
	INIT_DELAYED_WORK(&vf->v.expire, expire);
	ctrace_waiter_init(&vf->v.waiter, a, vf->f.slots);
	return vf;
}

/*
 * Gives the view its rings, and enters it in the arena. On success the view holds a reference on the arena.
 */
static int begin(struct view_file *vf, struct ctrace_arena *a)
{
	int err = ctrace_arena_pin(a, vf->f.cid, vf->f.slots);

	if (err)
		return err;
	ctrace_arena_get(a);
	/* before the arena knows the view and may let it expire; partner: ctrace_file_enter() */
	smp_store_release(&vf->f.arena, a);
	err = ctrace_arena_view_add(a, &vf->v);
	if (err) {
		WRITE_ONCE(vf->f.arena, NULL);	/* nobody else has the file yet */
		ctrace_arena_unpin(a, vf->f.slots);
		ctrace_arena_put(a);
		return err;
	}
	/* it may have died before the arena knew of the view: then nobody reports the death to the view */
	if (!ctrace_container_exists(vf->f.cid))
		ctrace_arena_view_expire(&vf->v);
	return 0;
}

static struct file *open_in(struct ctrace_arena *a, struct ctrace_view_args *args)
{
	struct view_file *vf = new_view(a, args->session, args->cid);
	struct file *file;
	int err;

	if (!vf)
		return ERR_PTR(-ENOMEM);
	/* the file first: once it exists, its release() undoes everything */
	file = anon_inode_getfile("[ctrace]", &view_fops, &vf->f, O_RDONLY);
	if (IS_ERR(file)) {
		free_view(vf);
		return file;
	}
	nonseekable_open(file_inode(file), file);
	ctrace_compat_own_mapping(&vf->mapping, file);
	err = begin(vf, a);
	if (err) {
		fput(file);
		return ERR_PTR(err);
	}
	args->map_size = vf->f.map_size;
	return file;
}

struct file *ctrace_view_open(struct ctrace_view_args *args)
{
	struct ctrace_session *s;
	struct file *file;

	if (!CTRACE_VIEWS)
		return ERR_PTR(-EOPNOTSUPP);
	s = ctrace_session_find_get(args->session);
	if (!s)
		return ERR_PTR(-ENOENT);
	if (ctrace_container_exists(args->cid))
		file = open_in(s->arena, args);
	else
		file = ERR_PTR(-ENOENT);
	ctrace_session_put(s);
	return file;
}
