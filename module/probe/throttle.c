// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpu_throttled: a group of tasks has used its quota of CPU time up, and waits for the next period. Each CPU
 * has a queue of the group's tasks; there is one span for each of these queues.
 *
 *	throttle_cfs_rq(queue)		whose is the group? wanted? take the queue's place; note sessions,
 *					time there
 *	unthrottle_cfs_rq(queue)	find the place; whose? still wanted? emit; free the place
 *
 * The kernel has no tracepoint of it. The first function may find that there is quota again, and return
 * without having throttled; then it is called anew before the second can be, and begins the span anew. Both
 * run under the lock of the CPU's run queue. A group that goes leaves its places behind, perhaps.
 *
 * Since 6.18 the tasks of a throttled queue run until they return to user mode; the span begins before that.
 * And the second function may find that they have used the new quota up, too, and return without having done
 * anything; it is called again later, without the first in between. So the place stays, and each call ends a
 * part of the wait: the parts add up to it.
 *
 * Whose is a queue? It points to its group, whose first member is the state that the CPU controller has of a
 * cgroup. Where that pointer is in a queue is learnt from the first queue that comes.
 */
#include "probe/blame.h"
#include "probe/table.h"
#include "emit/simple.h"
#include "event/hook.h"
#include "identity/cgroup.h"
#include "session/inflight.h"
#include "compat/cgroup.h"
#include "compat/clock.h"
#include "compat/throttle.h"

static struct ctrace_inflight queues __read_mostly = {
	.stride = sizeof(struct ctrace_begun), .bits = 12, .cpu_bits = 7,
};

/* of a queue are looked at: it is smaller than that, or has its group there */
#define QUEUE_WORDS	128u

/* the word of a queue that points to its group; 0: not known yet. All learn the same */
static u32 group_word;

static const struct cgroup *group_at(u64 queue, u32 word)
{
	unsigned long group;

	if (ctrace_compat_read_kernel(&group, queue + word * sizeof(group), sizeof(group)))
		return NULL;
	return ctrace_compat_cpu_cgroup(group);
}

/* The cgroup of a queue's group, which stays while the lock of the run queue is held; or NULL. */
static const struct cgroup *group_of(u64 queue)
{
	u32 word = READ_ONCE(group_word);
	const struct cgroup *cgrp = NULL;

	if (word)
		return group_at(queue, word);
	for (word = 1; word < QUEUE_WORDS && !cgrp; word++) {
		cgrp = group_at(queue, word);
		if (cgrp)
			WRITE_ONCE(group_word, word);
	}
	return cgrp;
}

/* --- the span ---------------------------------------------------------------------- */

#define THROTTLED_FIELDS(F)	F(u64, duration) F(u64, cgroup_id)
CTRACE_PAYLOAD(throttled_payload, THROTTLED_FIELDS);

static __always_inline void fill_throttled(void *payload, const void *arg)
{
	*(struct throttled_payload *)payload = *(const struct throttled_payload *)arg;
}

/* cgrp's container. False: the group is not known. */
static bool whose(const struct cgroup *cgrp, u32 wants, struct ctrace_who *who)
{
	if (!cgrp) {
		ctrace_session_unfollowed(wants);
		return false;
	}
	ctrace_identity_host(who);
	ctrace_identity_resolve_cgroup(cgrp, who);
	return true;
}

/* The queue begins no span: what is kept of an earlier one must not be its beginning. */
static void forget(const void *queue)
{
	u32 place = CTRACE_COMPAT_UNTHROTTLE_FAILS ? ctrace_inflight_hold(&queues, queue) :
		CTRACE_INFLIGHT_NONE;

	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_let_go(&queues, place, NULL);
}

static bool throttle(struct pt_regs *regs, bool breakpoint, void *room)
{
	const void *queue = (void *)ctrace_compat_argument(regs, 0);
	u32 mask = ctrace_wants(CTRACE_ID_CPU_THROTTLED), place;
	struct ctrace_begun *b;
	struct ctrace_who who;

	ctrace_blame_throttle(queue);
	if (mask && whose(group_of((u64)(uintptr_t)queue), mask, &who))
		mask = ctrace_wanted(mask, who.container, NULL);
	else
		mask = 0;
	if (!mask) {
		forget(queue);
		return false;
	}
	place = ctrace_inflight_renew(&queues, queue);
	if (place == CTRACE_INFLIGHT_NONE) {
		ctrace_session_unfollowed(mask);
		return false;
	}
	b = ctrace_inflight_at(&queues, place);
	WRITE_ONCE(b->wanted, (u64)mask << 32 | CTRACE_ID_CPU_THROTTLED);
	b->time = ctrace_compat_clock();
	ctrace_inflight_let_go(&queues, place, queue);
	return false;
}

static bool unthrottle(struct pt_regs *regs, bool breakpoint, void *room)
{
	const void *queue = (void *)ctrace_compat_argument(regs, 0);
	u32 place = ctrace_inflight_hold(&queues, queue), mask;
	struct throttled_payload to;
	const struct cgroup *cgrp;
	struct ctrace_begun *b;
	struct ctrace_who who;
	u64 now;

	ctrace_blame_unthrottle(queue);
	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	b = ctrace_inflight_at(&queues, place);
	mask = READ_ONCE(b->wanted) >> 32 & ctrace_wants(CTRACE_ID_CPU_THROTTLED);
	now = ctrace_compat_clock();
	to.duration = ctrace_compat_passed(b->time, now);
	b->time = now;
	ctrace_inflight_let_go(&queues, place, CTRACE_COMPAT_UNTHROTTLE_FAILS ? queue : NULL);
	cgrp = mask ? group_of((u64)(uintptr_t)queue) : NULL;
	if (!mask || !whose(cgrp, mask, &who))
		return false;
	to.cgroup_id = ctrace_compat_cgroup_id(cgrp);
	ctrace_curated_emit(mask, CTRACE_ID_CPU_THROTTLED, &who, CTRACE_SIZE(throttled_payload), fill_throttled, &to);
	return false;
}

/* --- what user space gets ------------------------------------------------------------ */

static const struct ctrace_field_desc f_throttled[] = { CTRACE_FIELDS(THROTTLED_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(CPU_THROTTLED, "sched", "cpu_throttled", "unthrottle_cfs_rq", f_throttled),
};

static const char *const ends[] = { "unthrottle_cfs_rq", NULL };
/* compilers name copies of a static function so */
static const char *const begins[] = {
	"throttle_cfs_rq", "throttle_cfs_rq.isra.0", "throttle_cfs_rq.constprop.0", NULL
};
static struct ctrace_hook end_hook = { .symbols = ends, .enter = unthrottle };
static struct ctrace_hook begin_hook = { .symbols = begins, .enter = throttle };

static struct ctrace_source sources[] = {
	{ .tracepoint = "unthrottle_cfs_rq", .hook = &end_hook, .with = { "throttle_cfs_rq" }, .table = &queues },
	{ .tracepoint = "throttle_cfs_rq", .hook = &begin_hook },
	{ }
};

const struct ctrace_family ctrace_family_throttle = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources, .lacks = CTRACE_COMPAT_THROTTLE_LACKS,
};
