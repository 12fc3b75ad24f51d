// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_map: which files a process runs code of, and where it has them, so that the addresses in its stacks
 * can be named when it is gone. There is a record for each mapping that is executable and of a file, or the
 * vdso's; and for each task that is forked, which has what its process, or the one it was forked from, has.
 *
 * A stack is taken where a mapping may not be looked up: with interrupts off, in an NMI. And a reader who
 * looks into /proc when they meet the stack comes too late for a process that lives for milliseconds. So this
 * is written when the mapping is made, where the kernel reports it to perf: in perf_event_mmap(), for exec,
 * mmap() and mprotect(). The caller has mmap_lock for writing, so the mapping and its file stay. The state
 * dump has what was mapped before.
 */
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include "probe/map.h"
#include "probe/table.h"
#include "emit/scratch.h"
#include "emit/sides.h"
#include "event/build_id.h"
#include "event/fd_name.h"
#include "event/hook.h"
#include "compat/kprobe.h"
#include "compat/mm.h"

/*
 * first: of an address space: what the process had before, it has no more. parent: the process that the task
 * was forked from, 0 if it is another container's; then all behind it is 0 or empty. Else it is 0. dev, ino:
 * of the file itself; with overlayfs that is the layer's. The vdso has no file: they are 0, and build_id is
 * empty.
 */
#define MAP_FIELDS(F)								\
	F(s32, pid) F(s32, parent) F(u32, first) F(u32, dev) F(x64, start) F(x64, end)	\
	F(x64, offset) F(u64, ino) F(path, build_id) F(string, filename)
CTRACE_PAYLOAD(map_payload, MAP_FIELDS);

#define VDSO	"[vdso]"

/* The kernel's own file, which is in each process. */
static bool is_vdso(const struct vm_area_struct *vma)
{
	const char *name = vma->vm_file ? NULL : ctrace_compat_vma_name(vma);

	return name && !strcmp(name, VDSO);
}

/* Fills room[CTRACE_PAYLOAD_MAX]; returns the payload's length. root: as ctrace_mapped_name() has it. */
static u32 fill_map(char *room, s32 pid, bool first, const struct vm_area_struct *vma, const struct path *root)
{
	const struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;
	struct map_payload *r = (void *)room;
	char build_id[CTRACE_BUILD_ID_TEXT] = "";
	u32 len;

	BUILD_BUG_ON(CTRACE_SIZE(map_payload) + CTRACE_STR_MAX > CTRACE_PAYLOAD_MAX);
	/* the room holds the file's head first */
	if (inode)
		ctrace_build_id(room, ctrace_file_head(vma->vm_file, room, CTRACE_PAYLOAD_MAX), build_id);
	r->pid = pid;
	r->parent = 0;
	r->first = first;
	r->dev = inode ? MAJOR(inode->i_sb->s_dev) << 20 | MINOR(inode->i_sb->s_dev) : 0;
	r->start = vma->vm_start;
	r->end = vma->vm_end;
	r->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	r->ino = inode ? inode->i_ino : 0;
	len = strlen(build_id) + 1;
	memcpy(r->build_id, build_id, len);
	len += offsetof(struct map_payload, build_id);
	if (!inode) {
		memcpy(room + len, VDSO, sizeof(VDSO));
		return len + sizeof(VDSO);
	}
	return len + ctrace_mapped_name(vma->vm_file, root, room + len, CTRACE_STR_MAX);
}

static void emit_map(u32 mask, const struct ctrace_who *who, const struct vm_area_struct *vma)
{
	char *room = ctrace_scratch_take();
	struct ctrace_copy c = { .from = room };

	if (unlikely(!room)) {
		ctrace_emit_lost(mask, CTRACE_ID_PROCESS_MAP, who->container->cid);
		return;
	}
	/*
	 * the kernel adds this mapping to the sum after it has reported it; mprotect(), which does so before,
	 * is never first
	 */
	c.len = fill_map(room, current->tgid, !READ_ONCE(vma->vm_mm->exec_vm), vma, NULL);
	ctrace_emit(mask, CTRACE_ID_PROCESS_MAP, who, c.len, ctrace_fill_copy, &c);
	ctrace_scratch_give();
}

bool ctrace_map_tells(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC && (vma->vm_file || is_vdso(vma));
}

u32 ctrace_map_of_vma(char *room, const struct task_struct *p, const struct vm_area_struct *vma, const struct path *root)
{
	return fill_map(room, p->tgid, false, vma, root);
}

/* perf_event_mmap(vma) */
static bool enter(struct pt_regs *regs, bool breakpoint, void *room)
{
	const struct vm_area_struct *vma = (void *)ctrace_compat_argument(regs, 0);
	u32 mask = ctrace_wants(CTRACE_ID_PROCESS_MAP);
	struct ctrace_who who;

	if (!mask || !ctrace_map_tells(vma) || vma->vm_mm != current->mm)
		return false;
	ctrace_identity_resolve_trap(&who, breakpoint, regs);
	mask = who.task ? ctrace_wanted(mask, who.container, who.task) : 0;
	if (mask)
		emit_map(mask, &who, vma);
	return false;
}

static __always_inline void fill_fork(void *payload, const void *arg)
{
	struct map_payload *r = payload;
	const struct map_payload *a = arg;

	memcpy(r, a, offsetof(struct map_payload, build_id));
	r->build_id[0] = 0;
	r->build_id[1] = 0;	/* filename */
}

void ctrace_map_fork(struct task_struct *parent, struct task_struct *child)
{
	u32 wants = ctrace_wants(CTRACE_ID_PROCESS_MAP), mask;
	struct map_payload a = { .pid = child->tgid };
	struct ctrace_who who, from;

	if (!wants)
		return;
	ctrace_identity_resolve_task(child, &who);
	ctrace_identity_resolve_task(parent, &from);
	mask = ctrace_wanted(wants, who.container, child);
	if (ctrace_container_same(who.container, from.container)) {
		a.parent = parent->tgid;
		/* a target that follows the parent may not have the child yet */
		mask |= ctrace_wanted(wants, from.container, parent);
	}
	if (mask)
		ctrace_emit(mask, CTRACE_ID_PROCESS_MAP, &who, offsetof(struct map_payload, build_id) + 2, fill_fork, &a);
}

u32 ctrace_map_of_thread(char *room, const struct task_struct *p)
{
	const struct map_payload a = { .pid = p->tgid, .parent = p->tgid };

	fill_fork(room, &a);
	return offsetof(struct map_payload, build_id) + 2;
}

static const char *const symbols[] = { "perf_event_mmap", NULL };

static struct ctrace_hook hook = { .symbols = symbols, .enter = enter };

static const struct ctrace_field_desc f_map[] = { CTRACE_FIELDS(MAP_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(PROCESS_MAP, "sched", "process_map", "perf_event_mmap", f_map),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "perf_event_mmap", .hook = &hook, .with = { "sched_process_fork" } },
	{ }
};

const struct ctrace_family ctrace_family_map = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
