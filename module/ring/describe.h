/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arenas describe themselves, for who reads them in a vmcore: uapi/ctrace_core.h has the format. Nothing
 * here is looked at while records are written, and no user space maps it.
 *
 * Lifetime: the module's description is made when the module begins, and wiped and freed at its end. It
 * grows by the event types, when the first session begins, and by a page for every seven containers that
 * were ever seen, up to CTRACE_CORE_BUCKETS pages. An arena's description is made and charged with it, and
 * wiped before the arena's pages are given back: so no head leads to memory that is another's.
 */
#ifndef CTRACE_DESCRIBE_H
#define CTRACE_DESCRIBE_H

#include <linux/types.h>

struct ctrace_arena;
struct ctrace_arena_opts;
struct ctrace_container_watcher;

/*
 * Process context. 0 or -ENOMEM. init: before the first container; exit: when no watcher is called any
 * more.
 */
int ctrace_describe_init(void);
void ctrace_describe_exit(void);
/* Keeps the description's containers and clock up to date. */
extern const struct ctrace_container_watcher ctrace_describe_watcher;

/*
 * Process context, no lock held. begin: the arena has its memory and its directory. 0 or -ENOMEM. end: the
 * arena's memory is still there. Does nothing if there is no description.
 */
int ctrace_describe_begin(struct ctrace_arena *a, const struct ctrace_arena_opts *o);
void ctrace_describe_end(struct ctrace_arena *a);
/*
 * Process context, ctrace_lock held. The session has a probe whose event is of this type: it is described
 * with the arena, if it is a dynamic one and there is memory for that; else its records are shown as bytes.
 */
void ctrace_describe_dynamic(struct ctrace_arena *a, u32 id);

#endif
