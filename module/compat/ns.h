/* SPDX-License-Identifier: GPL-2.0-only */
/* A task's namespaces as numbers, and all tasks in the order of their numbers. */
#ifndef CTRACE_COMPAT_NS_H
#define CTRACE_COMPAT_NS_H

#include <linux/cgroup.h>
#include <linux/idr.h>
#include <linux/ipc_namespace.h>
#include <linux/kallsyms.h>
#include <linux/nsproxy.h>
#include <linux/pid_namespace.h>
#include <linux/proc_ns.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>
#include <net/net_namespace.h>
#include "compat/kprobe.h"
#include "compat/pidns.h"
#include "facts.h"

#ifdef CTRACE_HAVE_NS_INUM__COMMON
/*
 * struct mnt_namespace is private to the kernel's fs/. Its number lies in a struct ns_common
 * somewhere near its start: look for the one whose operations are named "mnt". Returns the
 * number's offset, 0 if it was not found. Any context.
 */
static inline size_t ctrace_compat_mnt_inum_at(const struct mnt_namespace *ns)
{
	const struct proc_ns_operations *ops;
	const char *name;
	char text[4];
	size_t at;

	for (at = 0; at < 64; at += sizeof(long)) {
		const struct ns_common *c = (const void *)ns + at;

		if (!ctrace_compat_read_kernel(&ops, (uintptr_t)&c->ops, sizeof(ops)) &&
		    !ctrace_compat_read_kernel(&name, (uintptr_t)&ops->name, sizeof(name)) &&
		    !ctrace_compat_read_kernel(text, (uintptr_t)name, sizeof(text)) &&
		    !memcmp(text, "mnt", sizeof(text)))
			return at + offsetof(struct ns_common, inum);
	}
	return 0;
}
#else
/* The same before 3.19: asks the kernel for the number, then searches for its value. May sleep. */
static inline size_t ctrace_compat_mnt_inum_at(const struct mnt_namespace *ns)
{
	const struct proc_ns_operations *ops = (void *)kallsyms_lookup_name("mntns_operations");
	unsigned int inum, there;
	size_t at;

	if (!ops)
		return 0;
	inum = ops->inum((void *)ns);
	for (at = sizeof(int); at < 64; at += sizeof(int))
		if (!ctrace_compat_read_kernel(&there, (uintptr_t)ns + at, sizeof(there)) &&
		    there == inum)
			return at;
	return 0;
}
#endif

struct ctrace_compat_ns {
	u32 cgroup, ipc, mnt, net, uts;
};

/* The namespaces of p, whose task_lock is held; all 0 if p is dying. mnt_at: ctrace_compat_mnt_inum_at(). */
static inline void ctrace_compat_task_ns(const struct task_struct *p, size_t mnt_at,
					 struct ctrace_compat_ns *n)
{
	const struct nsproxy *x = p->nsproxy;

	memset(n, 0, sizeof(*n));
	if (!x)
		return;
#ifndef CTRACE_HAVE_CGROUP_NS__NONE
	n->cgroup = x->cgroup_ns->ns.inum;
#endif
	n->ipc = x->ipc_ns ? ctrace_compat_inum(x->ipc_ns) : 0;
	n->mnt = mnt_at && x->mnt_ns ? *(const unsigned int *)((const void *)x->mnt_ns + mnt_at) : 0;
	n->net = ctrace_compat_inum(x->net_ns);
	n->uts = ctrace_compat_inum(x->uts_ns);
}

/*
 * Finds the next pid number in use, from *nr up, in the initial pid namespace. *nr becomes that
 * number, *p its task, or NULL: it has no task yet, or any more. False: there is no further number.
 * RCU read side.
 */
static inline bool ctrace_compat_next_task(int *nr, struct task_struct **p)
{
#ifdef CTRACE_HAVE_PIDNS_NUMBERS__IDR
	struct pid *pid = idr_get_next(&init_pid_ns.idr, nr);

	if (!pid)
		return false;
	*p = pid_task(pid, PIDTYPE_PID);
	return true;
#else
	const unsigned int bits = BITS_PER_BYTE * PAGE_SIZE;
	unsigned int i = *nr / bits, at = *nr % bits;

	for (; i < PIDMAP_ENTRIES; i++, at = 0) {
		const void *page = READ_ONCE(init_pid_ns.pidmap[i].page);

		at = page ? find_next_bit(page, bits, at) : bits;
		if (at == bits)
			continue;
		*nr = i * bits + at;
		*p = pid_task(find_pid_ns(*nr, &init_pid_ns), PIDTYPE_PID);
		return true;
	}
	return false;
#endif
}

#endif
