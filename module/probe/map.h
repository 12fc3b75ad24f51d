/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_MAP_H
#define CTRACE_MAP_H

#include <linux/types.h>

struct path;
struct task_struct;
struct vm_area_struct;

/* At sched_process_fork: the child has the parent's mappings, or shares them. Preemption off. */
void ctrace_map_fork(struct task_struct *parent, struct task_struct *child);

/* Is the mapping recorded? The caller has mmap_lock. */
bool ctrace_map_tells(const struct vm_area_struct *vma);
/*
 * For the state dump: these fill the payload of a record, in a room of CTRACE_PAYLOAD_MAX bytes, aligned to
 * 8, and return its length. Of a mapping of p, whose root is *root: the caller has mmap_lock and a reference
 * to the root. Of a thread p that has what others of its process have. Process context.
 */
u32 ctrace_map_of_vma(char *room, const struct task_struct *p, const struct vm_area_struct *vma, const struct path *root);
u32 ctrace_map_of_thread(char *room, const struct task_struct *p);

#endif
