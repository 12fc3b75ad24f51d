// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers. They expire in interrupts, so their events belong to the host; only an interval timer's belong
 * to its process. The addresses of a timer and of its function are kernel addresses, and left out.
 */
#include <linux/hrtimer.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include "probe/table.h"
#include "emit/simple.h"
#include "compat/pidns.h"
#include "compat/tracepoint.h"

struct timer_payload {
	u64 now, baseclk;	/* jiffies */
};

static __always_inline void fill_timer(void *payload, const void *arg)
{
	*(struct timer_payload *)payload = *(const struct timer_payload *)arg;
}

static void CTRACE_PROBE_TIMER_EXPIRE(probe_timer)
{
	struct timer_payload a = { .now = jiffies, .baseclk = CTRACE_PROBE_TIMER_BASECLK };

	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_TIMER_EXPIRE_ENTRY, sizeof(a), fill_timer, &a);
	ctrace_compat_probe_end();
}

static __always_inline void fill_now(void *payload, const void *arg)
{
	*(s64 *)payload = *(const s64 *)arg;
}

static void CTRACE_PROBE_HRTIMER_EXPIRE(probe_hrtimer)
{
	s64 at = CTRACE_PROBE_HRTIMER_NOW;

	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_TIMER_HRTIMER_EXPIRE_ENTRY, sizeof(at), fill_now, &at);
	ctrace_compat_probe_end();
}

struct itimer_payload {
	s32 which, pid;
	u64 now;
};

static __always_inline void fill_itimer(void *payload, const void *arg)
{
	*(struct itimer_payload *)payload = *(const struct itimer_payload *)arg;
}

static __always_inline void on_itimer(int which, struct pid *pid, u64 now)
{
	struct itimer_payload a = { .which = which, .pid = pid_nr(pid), .now = now };
	struct task_struct *p;

	rcu_read_lock();
	p = ctrace_compat_pid_leader(pid);
	if (p)
		ctrace_curated_task(CTRACE_ID_TIMER_ITIMER_EXPIRE, p, sizeof(a), fill_itimer, &a);
	else
		ctrace_curated_host(CTRACE_ID_TIMER_ITIMER_EXPIRE, sizeof(a), fill_itimer, &a);
	rcu_read_unlock();
}

static void CTRACE_PROBE_ITIMER_EXPIRE(probe_itimer)
{
	ctrace_compat_probe_begin();
	on_itimer(which, pid, CTRACE_PROBE_ITIMER_NOW);
	ctrace_compat_probe_end();
}

/* --- what user space is told ------------------------------------------------ */

#define F	CTRACE_FIELD

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_timer[] = { F(UINT, "now", 8), F(UINT, "baseclk", 8) };
static const struct ctrace_field_desc f_hrtimer[] = { F(INT, "now", 8) };
static const struct ctrace_field_desc f_itimer[] = {
	F(INT, "which", 4), F(INT, "pid", 4), F(UINT, "now", 8),
};

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(TIMER_EXPIRE_ENTRY, "timer", "timer_expire_entry", "timer_expire_entry", f_timer),
	CTRACE_TYPE(TIMER_HRTIMER_EXPIRE_ENTRY, "timer", "timer_hrtimer_expire_entry",
		    "hrtimer_expire_entry", f_hrtimer),
	CTRACE_TYPE(TIMER_ITIMER_EXPIRE, "timer", "timer_itimer_expire", "itimer_expire", f_itimer),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "timer_expire_entry", .fn = probe_timer },
	{ .tracepoint = "hrtimer_expire_entry", .fn = probe_hrtimer },
	{ .tracepoint = "itimer_expire", .fn = probe_itimer },
	{ }
};

const struct ctrace_family ctrace_family_timer = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
