// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names, fields and values are LTTng's: viewers build the tree of containers from them. The session's
 * filter and rate do not apply: a reader needs these records to understand the events.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include "probe/map.h"
#include "probe/statedump.h"
#include "probe/table.h"
#include "emit/emit.h"
#include "event/comm.h"
#include "event/fd_name.h"
#include "event/fd_table.h"
#include "identity/cgroup.h"
#include "compat/mm.h"
#include "compat/ns.h"
#include "compat/task.h"

/* values of type, mode, submode and status */
#define TYPE_USER_THREAD	0
#define TYPE_KERNEL_THREAD	1
#define MODE_UNKNOWN		0
#define SUBMODE_UNKNOWN		1
#define STATUS_UNNAMED		0
#define STATUS_WAIT_CPU		2
#define STATUS_ZOMBIE		4
#define STATUS_WAIT		5
#define STATUS_DEAD		7

#define PROCESS_FIELDS(F)							\
	F(s32, tid) F(s32, vtid) F(s32, pid) F(s32, vpid) F(s32, ppid) F(s32, vppid)	\
	F(comm, name) F(s32, type) F(s32, mode) F(s32, submode) F(s32, status)	\
	F(u32, ns_level) F(u32, ns_inum) F(u32, cpu)
CTRACE_PAYLOAD(process, PROCESS_FIELDS);

#define NAMESPACES_FIELDS(F)							\
	F(s32, tid) F(u32, cgroup_ns) F(u32, ipc_ns) F(u32, mnt_ns) F(u32, net_ns)	\
	F(u32, pid_ns) F(u32, user_ns) F(u32, uts_ns) F(path, cgroup)
CTRACE_PAYLOAD(namespaces, NAMESPACES_FIELDS);

/* pid as LTTng has it up to 2.12; later it has the table's address instead */
#define DESCRIPTOR_FIELDS(F)							\
	F(s32, pid) F(s32, fd) F(x32, flags) F(x32, fmode) F(path, filename)
CTRACE_PAYLOAD(descriptor, DESCRIPTOR_FIELDS);

/*
 * The kernel offers modules no list of disks. The command has one, and writes these records into a recording
 * itself, before the first of ours; dev is as block events have it.
 */
#define DISK_FIELDS(F)	F(u32, dev) F(path, diskname)

#define MAP_TRIES	20	/* to lock the mappings of a process, each 1 ms after the other at most */
#define MAPS_AT_ONCE	64	/* mappings that are looked at under mmap_lock; one of them is recorded */
#define MAPS_MAX	8192	/* mappings of a process that are recorded: no more are kept */

struct ctrace_statedump {
	struct ctrace_session *s;
	void (*done)(void *arg, bool whole);
	void *arg;
	size_t mnt_at;		/* see ctrace_compat_mnt_inum_at() */
	u64 bytes;		/* written since the last rest() */
	bool maps;		/* s wants process_map */
	u32 told;		/* mappings of one process */
	struct process process;
	struct namespaces ns;
	struct descriptor descriptor;
	char map[CTRACE_PAYLOAD_MAX] __aligned(8);
};

/* --- writing ---------------------------------------------------------------- */

/* preemption off */
static void emit(struct ctrace_statedump *d, u32 id, const struct ctrace_who *who, const void *from, u32 len)
{
	struct ctrace_copy c = { .from = from, .len = len };

	ctrace_emit_one(d->s->index, id, who, who->container->cid, len, ctrace_fill_copy, &c);
	d->bytes += sizeof(struct ctrace_record) + len;
}

/* Start and end belong to no task: they are the host's. */
static void mark(struct ctrace_statedump *d, u32 id)
{
	struct ctrace_who who;

	ctrace_identity_host(&who);
	preempt_disable();
	emit(d, id, &who, NULL, 0);
	preempt_enable();
}

/* --- one task; RCU read side ---------------------------------------------------- */

static s32 status_of(const struct task_struct *p)
{
	unsigned int state = ctrace_compat_task_state(p);

	if (p->exit_state & EXIT_DEAD)
		return STATUS_DEAD;
	if (p->exit_state & EXIT_ZOMBIE)
		return STATUS_ZOMBIE;
	/* The first switch shows which of the runnable tasks runs. */
	if (state == TASK_RUNNING)
		return STATUS_WAIT_CPU;
	if (state & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE))
		return STATUS_WAIT;
	return STATUS_UNNAMED;
}

/* Fills the fields that are the same at all levels. */
static void look_process(struct ctrace_statedump *d, struct task_struct *p)
{
	struct process *r = &d->process;

	r->tid = p->pid;
	r->pid = p->tgid;
	r->ppid = rcu_dereference(p->real_parent)->tgid;
	ctrace_put_comm(r->name, p, true);
	r->type = p->flags & PF_KTHREAD ? TYPE_KERNEL_THREAD : TYPE_USER_THREAD;
	r->mode = MODE_UNKNOWN;
	r->submode = SUBMODE_UNKNOWN;
	r->status = status_of(p);
	r->cpu = task_cpu(p);
}

/* One record for each pid namespace where the task has a number, its own namespace first. */
static void emit_levels(struct ctrace_statedump *d, struct task_struct *p, const struct pid *pid,
			const struct ctrace_who *who)
{
	struct task_struct *parent = rcu_dereference(p->real_parent);
	struct process *r = &d->process;
	int level;

	for (level = pid->level; level >= 0; level--) {
		struct pid_namespace *ns = pid->numbers[level].ns;

		r->vtid = pid->numbers[level].nr;
		r->vpid = task_tgid_nr_ns(p, ns);
		r->vppid = task_tgid_nr_ns(parent, ns);
		r->ns_level = level;
		r->ns_inum = ctrace_compat_pidns_inum(ns);
		emit(d, CTRACE_ID_STATEDUMP_PROCESS_STATE, who, r, CTRACE_SIZE(process));
	}
}

static void look_namespaces(struct ctrace_statedump *d, struct task_struct *p, const struct pid *pid)
{
	struct namespaces *r = &d->ns;
	struct ctrace_compat_ns ns;

	task_lock(p);
	if (!d->mnt_at && p->nsproxy && p->nsproxy->mnt_ns)
		d->mnt_at = ctrace_compat_mnt_inum_at(p->nsproxy->mnt_ns);
	ctrace_compat_task_ns(p, d->mnt_at, &ns);
	task_unlock(p);
	r->tid = p->pid;
	r->cgroup_ns = ns.cgroup;
	r->ipc_ns = ns.ipc;
	r->mnt_ns = ns.mnt;
	r->net_ns = ns.net;
	r->pid_ns = ctrace_compat_pidns_inum(pid->numbers[pid->level].ns);
	r->user_ns = ctrace_compat_inum(__task_cred(p)->user_ns);
	r->uts_ns = ns.uts;
	ctrace_identity_path(p, r->cgroup, sizeof(r->cgroup));
}

/* Does the session want the task? */
static bool dump_task(struct ctrace_statedump *d, struct task_struct *p)
{
	const struct pid *pid = ctrace_compat_task_pid(p);
	struct ctrace_who who;
	bool wanted;

	if (!pid)
		return false;
	/* Before the owner is resolved, which needs preemption off: this takes a lock that sleeps on RT. */
	look_namespaces(d, p, pid);
	preempt_disable();
	ctrace_identity_resolve_task(p, &who);
	wanted = ctrace_wanted(1u << d->s->index, who.container, p);
	if (wanted) {
		look_process(d, p);
		emit_levels(d, p, pid, &who);
		emit(d, CTRACE_ID_STATEDUMP_NAMESPACES, &who, &d->ns,
		     offsetof(struct namespaces, cgroup) + strlen(d->ns.cgroup) + 1);
	}
	preempt_enable();
	return wanted;
}

/* --- all of them ------------------------------------------------------------------ */

static bool half_a_ring(const struct ctrace_statedump *d)
{
	return d->bytes > d->s->arena->dir->ring_size / 2;
}

/*
 * The dump is written on one CPU or two, into their rings. Records that do not fit overwrite the first ones.
 * So pause after each half of a ring, to let a reader catch up; but do not wait for it.
 */
static void rest(struct ctrace_statedump *d)
{
	if (half_a_ring(d)) {
		d->bytes = 0;
		usleep_range(10000, 20000);
	}
	cond_resched();
}

/* p may be in another container by now, or gone. */
static void emit_of(struct ctrace_statedump *d, struct task_struct *p, u32 id, const void *from, u32 len)
{
	struct ctrace_who who;

	rcu_read_lock();
	if (ctrace_compat_task_pid(p)) {
		preempt_disable();
		ctrace_identity_resolve_task(p, &who);
		if (ctrace_wanted(1u << d->s->index, who.container, p))
			emit(d, id, &who, from, len);
		preempt_enable();
	}
	rcu_read_unlock();
}

/*
 * One file at a time, looked up by number: names are asked outside RCU, because that may sleep. All that are
 * open from beginning to end are met, however many they are; but not if p itself, a thread that others share
 * them with, ends.
 */
static void dump_descriptors(struct ctrace_statedump *d, struct task_struct *p)
{
	struct descriptor *r = &d->descriptor;
	struct ctrace_fd f;
	u32 from, len;

	for (from = 0; !ctrace_session_stopping(d->s) && ctrace_fd_next(p, from, &f); from = f.fd + 1) {
		r->pid = p->tgid;
		r->fd = f.fd;
		r->flags = f.flags;
		r->fmode = (__force u32)f.file->f_mode;
		len = offsetof(struct descriptor, filename);
		len += ctrace_file_name(f.file, p, &f.root, r->filename, sizeof(r->filename));
		ctrace_fd_put(&f);
		emit_of(d, p, CTRACE_ID_STATEDUMP_FILE_DESCRIPTOR, r, len);
		rest(d);
	}
}

/*
 * Has p an address space, and no thread before p in the list of its process? The threads of a process share
 * one.
 */
static bool first_with_mm(const struct task_struct *p)
{
	const struct task_struct *t;

	ctrace_compat_for_each_thread(p, t) {
		if (t == p)
			break;
		if (READ_ONCE(t->mm))
			return false;
	}
	return READ_ONCE(p->mm);
}

static bool lock_mappings(struct mm_struct *mm)
{
	int tries;

	for (tries = 0; tries < MAP_TRIES; tries++) {
		if (ctrace_compat_mmap_trylock(mm))
			return true;
		usleep_range(500, 1000);
	}
	return false;
}

/*
 * Records p's next mapping from *at on, if it is among the next few. mmap_lock is held, so the record is
 * true. False: that was all.
 */
static bool dump_map(struct ctrace_statedump *d, struct task_struct *p, struct mm_struct *mm, unsigned long *at,
		     const struct path *root)
{
	const struct vm_area_struct *vma;
	int n;

	for (n = 0; n < MAPS_AT_ONCE; n++) {
		vma = find_vma(mm, *at);
		if (!vma)
			return false;
		*at = vma->vm_end;
		if (!ctrace_map_tells(vma))
			continue;
		emit_of(d, p, CTRACE_ID_PROCESS_MAP, d->map, ctrace_map_of_vma(d->map, p, vma, root));
		return ++d->told < MAPS_MAX;
	}
	return true;
}

/*
 * One mapping, with references to p's address space and root as long as it takes. False: there is no further
 * one.
 */
static bool dump_next_map(struct ctrace_statedump *d, struct task_struct *p, unsigned long *at)
{
	struct mm_struct *mm = get_task_mm(p);
	struct path root = { };
	bool more = false;

	if (!mm)
		return false;
	task_lock(p);
	if (p->fs)
		get_fs_root(p->fs, &root);
	task_unlock(p);
	if (root.mnt && lock_mappings(mm)) {
		more = dump_map(d, p, mm, at, &root);
		ctrace_compat_mmap_unlock(mm);
	}
	path_put(&root);	/* nothing, if p has none */
	/*
	 * perhaps the last reference: then p has gone, and its memory is freed here, where nothing is locked
	 */
	mmput(mm);
	return more;
}

/*
 * The executable mappings of p's process, so that its stacks have names when it is gone. mmap_lock is held
 * for one mapping at a time, and never waited for: a process that changes its mappings all the time is left
 * to /proc. If it executes another program in between, process_map has that, too; and so all that is mapped
 * behind us.
 */
static void dump_maps(struct ctrace_statedump *d, struct task_struct *p)
{
	unsigned long at = 0;

	d->told = 0;
	while (!ctrace_session_stopping(d->s) && dump_next_map(d, p, &at))
		rest(d);
}

/*
 * Walks by number, so that it may rest anywhere; on a list, the next task might be gone by then. A task
 * that exists from beginning to end is met once. A task in the deepest pid namespace writes 4 KiB, so the
 * ring is looked at after each. False: the session was stopped.
 */
static bool walk(struct ctrace_statedump *d)
{
	bool more, files = false, maps = false;
	struct task_struct *p, *kept;
	int nr = 1, batch;

	do {
		kept = NULL;
		rcu_read_lock();
		for (batch = 0; batch < 32 && !kept && !half_a_ring(d); batch++, nr++) {
			more = ctrace_compat_next_task(&nr, &p);
			if (!more)
				break;
			if (!p || !dump_task(d, p))
				continue;
			files = d->s->detail.paths && ctrace_fd_table_first(p);
			maps = d->maps && first_with_mm(p);
			if (d->maps && !maps && READ_ONCE(p->mm))
				emit_of(d, p, CTRACE_ID_PROCESS_MAP, d->map, ctrace_map_of_thread(d->map, p));
			if (files || maps) {
				get_task_struct(p);
				kept = p;
			}
		}
		rcu_read_unlock();
		if (kept) {
			if (maps)
				dump_maps(d, kept);
			if (files)
				dump_descriptors(d, kept);
			put_task_struct(kept);
		}
		rest(d);
	} while (more && !ctrace_session_stopping(d->s));
	return !more;
}

static void dump(struct ctrace_session *s, void *data)
{
	struct ctrace_statedump *d = data;
	bool whole;

	d->s = s;
	d->maps = ctrace_wants(CTRACE_ID_PROCESS_MAP) & 1u << s->index;
	mark(d, CTRACE_ID_STATEDUMP_START);
	whole = walk(d);
	if (whole)
		mark(d, CTRACE_ID_STATEDUMP_END);
	d->done(d->arg, whole);
	kfree(d);
}

struct ctrace_statedump *ctrace_statedump_new(void (*done)(void *arg, bool whole), void *arg)
{
	struct ctrace_statedump *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (d) {
		d->done = done;
		d->arg = arg;
	}
	return d;
}

void ctrace_statedump_start(struct ctrace_session *s, struct ctrace_statedump *d)
{
	ctrace_session_work(s, dump, d);
}

/* --- what user space gets --------------------------------------------------- */

static const struct ctrace_field_desc f_process[] = { CTRACE_FIELDS(PROCESS_FIELDS) };
static const struct ctrace_field_desc f_namespaces[] = { CTRACE_FIELDS(NAMESPACES_FIELDS) };
static const struct ctrace_field_desc f_descriptor[] = { CTRACE_FIELDS(DESCRIPTOR_FIELDS) };

static const struct ctrace_field_desc f_disk[] = { CTRACE_FIELDS(DISK_FIELDS) };

static const struct ctrace_event_type types[] = {
	{ .id = CTRACE_ID_STATEDUMP_START, .system = "ctrace", .name = "lttng_statedump_start" },
	CTRACE_TYPE(STATEDUMP_PROCESS_STATE, "ctrace", "lttng_statedump_process_state", NULL,
		    f_process),
	CTRACE_TYPE(STATEDUMP_NAMESPACES, "ctrace", "ctrace_statedump_namespaces", NULL,
		    f_namespaces),
	CTRACE_TYPE(STATEDUMP_FILE_DESCRIPTOR, "ctrace", "lttng_statedump_file_descriptor", NULL,
		    f_descriptor),
	CTRACE_TYPE(STATEDUMP_BLOCK_DEVICE, "ctrace", "lttng_statedump_block_device", NULL, f_disk),
	{ .id = CTRACE_ID_STATEDUMP_END, .system = "ctrace", .name = "lttng_statedump_end" },
};

const struct ctrace_family ctrace_family_statedump = {
	.types = types, .ntypes = ARRAY_SIZE(types),
};
