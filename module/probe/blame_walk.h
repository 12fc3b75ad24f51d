/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a wait for a CPU to the parts of it, each with the task that had the CPU. Nothing but arithmetic: the
 * caller has the lock of the run queue, so nothing changes.
 *
 *	slots:    until 10  until 30  until 35  .  now, 40
 *	            A         B         C         D, running
 *	a wait:          20 ------------------- 40		D 35-40, C 30-35, B 20-30
 *
 * The parts go from the wait's end back to its beginning, without a gap. So their durations add up to the
 * wait.
 */
#ifndef CTRACE_BLAME_WALK_H
#define CTRACE_BLAME_WALK_H

#include <linux/types.h>
#include "../uapi/ctrace.h"

/*
 * A power of two: at 10,000 switches a second, a wait of 50 ms. A ring has 24 KiB; alloc_percpu() gives 32.
 */
#define CTRACE_BLAME_SLOTS	512u
#define CTRACE_BLAME_WINDOWS	16u	/* times without quota that a walk looks at */

/* A task that had the CPU. tid 0: the CPU was idle. */
struct ctrace_blame_seen {
	u64 until;
	u32 cid;
	s32 tid;
	char comm[CTRACE_COMM_LEN];
	u32 wanted;	/* the sessions that want it: of a part, those that named its cgroup */
	union {
		struct { u32 steal, interrupts; };	/* ns that it had the CPU, and did not get */
		u64 lost;				/* 0: both are */
	};
};

/* Of a CPU: the tasks that left it last, the n-th one since the ring was made in slot[n % SLOTS]. */
struct ctrace_blame_ring {
	u64 n;
	struct task_struct *running;	/* since the last one left; NULL: none has left */
	/* of what the kernel has added up of lost time (compat/cputime.h): what slots have */
	u64 lost, steal, interrupts;
	struct ctrace_blame_seen slot[CTRACE_BLAME_SLOTS];
};

/*
 * A task had the CPU for `had` ns, in which the kernel added that to the lost time. Not more than it had is
 * put down to its time. The kernel adds in ticks, so there may be more: the rest is the next one's.
 */
static inline void ctrace_blame_lose(struct ctrace_blame_seen *s, u64 had, u64 steal, u64 interrupts)
{
	had = had < U32_MAX ? had : U32_MAX;
	s->steal = steal < had ? steal : had;
	had -= s->steal;
	s->interrupts = interrupts < had ? interrupts : had;
}

/*
 * The waiting task's group had no quota: from < t <= to. They may overlap. Earlier times than `known` are not
 * known.
 */
struct ctrace_blame_throttled {
	u64 known;
	u32 n;
	struct { u64 from, to; } window[CTRACE_BLAME_WINDOWS];
};

#define CTRACE_BLAME_QUOTA_WINDOWS	8u	/* of a queue are kept; a power of two */

/* When a group's queue had no quota: the last ones, the n-th in at[n % CTRACE_BLAME_QUOTA_WINDOWS]. */
struct ctrace_blame_windows {
	u64 n;
	struct { u64 from, to; } at[CTRACE_BLAME_QUOTA_WINDOWS];
};

/*
 * The kernel gives the queue quota, now. Since Linux 6.18 it may find that the running tasks have used that
 * up, too; then nothing changes, and it comes again without another throttle: the last window ends later than
 * it seemed. from: when the queue was throttled; 0: not since the last window, or, if nothing is known of the
 * queue yet, before all waits.
 */
static inline void ctrace_blame_window_ends(struct ctrace_blame_windows *w, u64 from, u64 now, bool unknown)
{
	if (from || unknown)
		w->at[w->n++ % CTRACE_BLAME_QUOTA_WINDOWS].from = from;
	if (w->n)
		w->at[(w->n - 1) % CTRACE_BLAME_QUOTA_WINDOWS].to = now;
}

struct ctrace_blame_part {
	u64 duration;
	const struct ctrace_blame_seen *who;	/* NULL: culprit says why it is nobody */
	/* CTRACE_CULPRIT_THROTTLED, _EARLIER, _HYPERVISOR, _INTERRUPTS, or 0: who's kind */
	u32 culprit;
};

typedef void (*ctrace_blame_part_fn)(void *arg, const struct ctrace_blame_part *part);

/* Of `lost` ns in `had`, what is in a part of d, if they are spread evenly; at most d. */
static inline u64 ctrace_blame_share(u64 d, u32 lost, u64 had)
{
	u64 part = d, whole = had;

	for (; whole >> 32; whole >>= 1)
		part >>= 1;
	part = whole ? part * lost / whole : 0;
	return part < d ? part : d;
}

/*
 * A part in which who had the CPU, for which they had it for `had` ns; less what others took of their time.
 */
static inline void ctrace_blame_had(const struct ctrace_blame_seen *who, u64 duration, u64 had,
				    ctrace_blame_part_fn fn, void *arg)
{
	struct ctrace_blame_part part = { .culprit = CTRACE_CULPRIT_HYPERVISOR };
	u64 left = duration;

	if (unlikely(who->lost)) {
		part.duration = ctrace_blame_share(duration, who->steal, had);
		left -= part.duration;
		if (part.duration)
			fn(arg, &part);
		part.culprit = CTRACE_CULPRIT_INTERRUPTS;
		part.duration = ctrace_blame_share(duration, who->interrupts, had);
		/* of the first task of all, it is not known for how long it had the CPU */
		part.duration = part.duration < left ? part.duration : left;
		left -= part.duration;
		if (part.duration)
			fn(arg, &part);
	}
	part.culprit = 0;
	part.who = who;
	part.duration = left;
	if (left)
		fn(arg, &part);
}

/*
 * Who had the CPU from start to end, start < end, of the `had` ns that they had it; less what the group had
 * no quota.
 */
static inline void ctrace_blame_interval(const struct ctrace_blame_throttled *t, const struct ctrace_blame_seen *who,
					 u64 start, u64 end, u64 had, ctrace_blame_part_fn fn, void *arg)
{
	struct ctrace_blame_part part;
	u64 from;
	u32 i;

	for (; start < end; end = from) {
		part.who = who;
		part.culprit = who ? 0 : CTRACE_CULPRIT_EARLIER;
		from = start;
		for (i = 0; i < t->n; i++) {
			if (t->window[i].from < end && t->window[i].to >= end) {
				part.who = NULL;
				part.culprit = CTRACE_CULPRIT_THROTTLED;
				from = t->window[i].from > start ? t->window[i].from : start;
				break;
			}
			/* the next one below */
			if (t->window[i].to < end && t->window[i].to > from && t->window[i].from < t->window[i].to)
				from = t->window[i].to;
		}
		part.duration = end - from;
		if (part.who)
			ctrace_blame_had(part.who, part.duration, had, fn, arg);
		else
			fn(arg, &part);
	}
}

/* running: its until is not looked at; NULL: not known. */
static inline void ctrace_blame_walk(const struct ctrace_blame_ring *r, const struct ctrace_blame_seen *running,
				     const struct ctrace_blame_throttled *t, u64 from, u64 to,
				     ctrace_blame_part_fn fn, void *arg)
{
	u64 known = t->known > from ? (t->known < to ? t->known : to) : from, start, end = to, i = r->n;
	u64 oldest = i > CTRACE_BLAME_SLOTS ? i - CTRACE_BLAME_SLOTS : 0, came, left = to;
	const struct ctrace_blame_seen *who = running;
	struct ctrace_blame_part earlier = { .culprit = CTRACE_CULPRIT_EARLIER };

	for (; end > known; i--) {
		/* when the oldest one came is not known, unless it was the first of all */
		if (i == oldest && oldest)
			break;
		came = i ? r->slot[(i - 1) % CTRACE_BLAME_SLOTS].until : known;
		start = came > known ? came : known;
		if (start < end) {
			ctrace_blame_interval(t, who, start, end, left - came, fn, arg);
			end = start;
		}
		who = i ? &r->slot[(i - 1) % CTRACE_BLAME_SLOTS] : NULL;
		left = came;
	}
	/* who had the CPU is not known, but quotas are */
	if (end > known) {
		ctrace_blame_interval(t, NULL, known, end, 0, fn, arg);
		end = known;
	}
	earlier.duration = end - from;
	if (end > from)
		fn(arg, &earlier);
}

/*
 * The same of a wait that ends at `to`, when the last one left, which is its only part, if nothing is known
 * of quotas: who had the CPU. NULL: there are more parts, or none, or others took of their time.
 */
static __always_inline const struct ctrace_blame_seen *ctrace_blame_only(const struct ctrace_blame_ring *r, u64 from, u64 to)
{
	const struct ctrace_blame_seen *s = &r->slot[(r->n - 1) % CTRACE_BLAME_SLOTS];

	/* when the one before left, the last one came; 0: that was never */
	return from < to && r->slot[(r->n - 2) % CTRACE_BLAME_SLOTS].until <= from && !s->lost ? s : NULL;
}

#endif
