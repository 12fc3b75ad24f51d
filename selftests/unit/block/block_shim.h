/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What module/probe/block_owner.c needs, on a host. Every header of this directory includes this one alone. The table of
 * module/session/inflight.h is the module's own, with the atomic operations of the kernel's stand-in (../kernel).
 */
#ifndef CTRACE_SELFTEST_BLOCK_SHIM_H
#define CTRACE_SELFTEST_BLOCK_SHIM_H

#include "unit_kernel.h"

#define CTRACE_COMM_LEN		16
#define PF_KTHREAD		1
#define PF_WQ_WORKER		2
#define smp_processor_id()	0
#define in_task()		shim_in_task
#define current			(&shim_task)
#define ctrace_compat_clock()	shim_now

struct cgroup { int unused; };
struct css_set { struct cgroup *io; };
struct task_struct {
	int pid;
	unsigned int flags;
	char comm[16];
	struct css_set *cset;
};
struct ctrace_container {
	bool dying;
	void *base;
	u32 wanted;
};
struct ctrace_container_watcher { int unused; };
struct ctrace_who {
	struct ctrace_container *container;
	const struct task_struct *task;
	s32 tid, vtid;
};
union ctrace_ids {
	struct { s32 tid, vtid; };
	u64 both;
};

extern bool shim_in_task;
extern u64 shim_now;
extern struct task_struct shim_task;
extern struct ctrace_container shim_container;
extern atomic64_t ctrace_identity_gen;
extern struct {
	struct ctrace_container *c;
	union ctrace_ids ids;
	u64 unwanted;
} ctrace_idcache;
extern u32 ctrace_pid_sessions, ctrace_options_sessions;

static inline bool ctrace_identity_known(void) { return true; }
static inline u32 ctrace_container_wanted(const struct ctrace_container *c) { return c->wanted; }

static inline void ctrace_identity_host(struct ctrace_who *who)
{
	*who = (struct ctrace_who) { .container = &shim_container };
}

static inline void ctrace_identity_resolve_current(struct ctrace_who *who)
{
	*who = (struct ctrace_who) { .container = &shim_container, .task = current, .tid = current->pid };
}

static inline void ctrace_identity_resolve_cgroup(const struct cgroup *cgrp, struct ctrace_who *who)
{
	(void)cgrp;
	ctrace_identity_host(who);
}

static inline u32 ctrace_wants(u32 id) { return id; }
static inline u64 ctrace_compat_passed(u64 then, u64 now) { return now > then ? now - then : 0; }
static inline u64 ctrace_compat_task_start(const struct task_struct *p) { return p->pid; }
static inline struct css_set *ctrace_compat_task_cset(const struct task_struct *p) { return p->cset; }
static inline struct cgroup *ctrace_compat_cset_io(const struct css_set *s) { return s->io; }

/* --- bios and requests: each access to a bio is one that the kernel's own headers would make ------- */

struct request_queue { int unused; };
struct bio {
	const struct request_queue *q;
	struct cgroup *cgrp;
	void *bi_private;
	u64 sector;
};
struct request {
	const struct request_queue *q;
	struct bio *bio;
	u64 pos;
	bool passthrough;
};

#define bio_sectors(bio)	((void)(bio)->q, 8u)
#define blk_rq_pos(rq)		((rq)->pos)

static inline const struct request_queue *ctrace_compat_bio_q(const struct bio *bio) { return bio->q; }
static inline u32 ctrace_compat_bio_disk(const struct bio *bio) { return bio->q ? 8 << 20 : 0; }
static inline u32 ctrace_compat_bio_flags(const struct bio *bio) { (void)bio->q; return 0; }
static inline u64 ctrace_compat_bio_sector(const struct bio *bio) { return bio->sector; }
static inline struct cgroup *ctrace_compat_bio_cgroup(struct bio *bio) { return bio ? bio->cgrp : NULL; }
static inline bool ctrace_compat_rq_passthrough(struct request *rq) { return rq->passthrough; }
static inline u64 ctrace_compat_rq_start(const struct request *rq) { (void)rq; return 900; }

#endif
