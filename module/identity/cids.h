/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of containers by cid: a tree of arrays, four levels of 256 places. Finding a container, or the
 * next one after a cid, takes four steps, however many there are.
 *
 * A probe that makes a container cannot allocate. So the arrays for the next cids are made ahead, by the work
 * that fills the pool of containers (ctrace_cids_prepare()). As cids only grow, an array whose cids have all
 * been given and that is empty again is never needed any more: it goes with its last container.
 */
#ifndef CTRACE_CIDS_H
#define CTRACE_CIDS_H

#include <linux/types.h>

struct ctrace_container;

/*
 * Makes the arrays for cids from `first` to `last`, which have not been given. Process context; callers
 * exclude each other. 0, -ENOMEM
 */
int ctrace_cids_prepare(u32 first, u32 last);
/* ident_lock held, or RCU read side. Has the array been made that cid needs? */
bool ctrace_cids_ready(u32 cid);
/* ident_lock held. Enters c, for whose cid the table is ready. */
void ctrace_cids_add(struct ctrace_container *c);
/* ident_lock held; the GC only. Takes c out. given: the last cid that was given. */
void ctrace_cids_del(struct ctrace_container *c, u32 given);
/* The GC, a grace period after ctrace_cids_del(): frees the arrays that it took out. */
void ctrace_cids_free(void);
/* For the end: every container has been taken out, and no reader is left. */
void ctrace_cids_exit(void);

/* RCU read side; any context. The container with that cid, or the first from that cid on. NULL: none */
struct ctrace_container *ctrace_cids_find(u32 cid);
struct ctrace_container *ctrace_cids_from(u32 cid);

#endif
