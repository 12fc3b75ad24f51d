// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers, and the functions of high-resolution timers as spans (probe/handler_span.h). They expire in
 * interrupts, so their events belong to the host; only an interval timer's belong to its process. The
 * addresses of a timer and of its function are kernel addresses, and left out.
 */
#include <linux/hrtimer.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include "probe/handler_span.h"
#include "probe/table.h"
#include "compat/pidns.h"
#include "compat/tracepoint.h"

/* both in jiffies */
#define TIMER_FIELDS(F)		F(u64, now) F(u64, baseclk)
CTRACE_PAYLOAD(timer_payload, TIMER_FIELDS);

static __always_inline void fill_timer(void *payload, const void *arg)
{
	*(struct timer_payload *)payload = *(const struct timer_payload *)arg;
}

static void CTRACE_PROBE_TIMER_EXPIRE(probe_timer)
{
	struct timer_payload a = { .now = jiffies, .baseclk = CTRACE_PROBE_TIMER_BASECLK };

	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_TIMER_EXPIRE_ENTRY, CTRACE_SIZE(timer_payload), fill_timer, &a);
	ctrace_compat_probe_end();
}

#define HRTIMER_FIELDS(F)	F(s64, now)
CTRACE_PAYLOAD(hrtimer_payload, HRTIMER_FIELDS);

static __always_inline void fill_hrtimer(void *payload, const void *arg)
{
	*(struct hrtimer_payload *)payload = *(const struct hrtimer_payload *)arg;
}

static void CTRACE_PROBE_HRTIMER_EXPIRE(probe_hrtimer)
{
	struct hrtimer_payload a = { .now = CTRACE_PROBE_HRTIMER_NOW };

	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_TIMER_HRTIMER_EXPIRE_ENTRY, CTRACE_SIZE(hrtimer_payload),
			    fill_hrtimer, &a);
	ctrace_handler_enters(CTRACE_ID_HRTIMER, timer, a.now);	/* last: our own work does not count */
	ctrace_compat_probe_end();
}

/* ns, by the timer's own clock */
#define START_FIELDS(F)		F(s64, expires) F(s64, softexpires)
CTRACE_PAYLOAD(start_payload, START_FIELDS);

static __always_inline void fill_start(void *payload, const void *arg)
{
	const struct hrtimer *timer = arg;
	struct start_payload *r = payload;

	r->expires = ktime_to_ns(hrtimer_get_expires(timer));
	r->softexpires = ktime_to_ns(hrtimer_get_softexpires(timer));
}

static void CTRACE_PROBE_HRTIMER_START(probe_hrtimer_start)
{
	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_TIMER_HRTIMER_START, CTRACE_SIZE(start_payload), fill_start, timer);
	ctrace_compat_probe_end();
}

static __always_inline void fill_nothing(void *payload, const void *arg)
{
}

static void probe_hrtimer_cancel(void *data, struct hrtimer *timer)
{
	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_TIMER_HRTIMER_CANCEL, 0, fill_nothing, NULL);
	ctrace_compat_probe_end();
}

static void probe_hrtimer_expire_exit(void *data, struct hrtimer *timer)
{
	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_TIMER_HRTIMER_EXPIRE_EXIT, 0, fill_nothing, NULL);
	ctrace_compat_probe_end();
}

#define SPAN_FIELDS(F)	F(u64, duration) F(s64, now) F(s32, tid)
CTRACE_PAYLOAD(span_payload, SPAN_FIELDS);

static __always_inline void fill_span(void *payload, const void *arg)
{
	memcpy(payload, arg, CTRACE_SIZE(span_payload));	/* not the padding behind */
}

static __always_inline void on_hrtimer_exit(const struct hrtimer *timer)
{
	struct span_payload a = { .tid = current->pid };
	u32 mask = ctrace_handler_leaves(CTRACE_ID_HRTIMER, timer, &a.duration, &a.now);

	if (mask)
		ctrace_handler_emit(mask, CTRACE_ID_HRTIMER, CTRACE_SIZE(span_payload), fill_span, &a);
}

/* timer is a key and no more: its function may have freed it. */
static void probe_hrtimer_exit(void *data, struct hrtimer *timer)
{
	ctrace_compat_probe_begin();
	on_hrtimer_exit(timer);
	ctrace_compat_probe_end();
}

#define ITIMER_FIELDS(F)	F(s32, which) F(s32, pid) F(u64, now)
CTRACE_PAYLOAD(itimer_payload, ITIMER_FIELDS);

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
		ctrace_curated_task(CTRACE_ID_TIMER_ITIMER_EXPIRE, p, CTRACE_SIZE(itimer_payload),
				    fill_itimer, &a);
	else
		ctrace_curated_host(CTRACE_ID_TIMER_ITIMER_EXPIRE, CTRACE_SIZE(itimer_payload),
				    fill_itimer, &a);
	rcu_read_unlock();
}

static void CTRACE_PROBE_ITIMER_EXPIRE(probe_itimer)
{
	ctrace_compat_probe_begin();
	on_itimer(which, pid, CTRACE_PROBE_ITIMER_NOW);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_timer[] = { CTRACE_FIELDS(TIMER_FIELDS) };
static const struct ctrace_field_desc f_hrtimer[] = { CTRACE_FIELDS(HRTIMER_FIELDS) };
static const struct ctrace_field_desc f_start[] = { CTRACE_FIELDS(START_FIELDS) };
static const struct ctrace_field_desc f_span[] = { CTRACE_FIELDS(SPAN_FIELDS) };
static const struct ctrace_field_desc f_itimer[] = { CTRACE_FIELDS(ITIMER_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(TIMER_EXPIRE_ENTRY, "timer", "timer_expire_entry", "timer_expire_entry", f_timer),
	CTRACE_TYPE(TIMER_HRTIMER_EXPIRE_ENTRY, "timer", "timer_hrtimer_expire_entry",
		    "hrtimer_expire_entry", f_hrtimer),
	CTRACE_TYPE(HRTIMER, "timer", "hrtimer", "hrtimer_expire_exit", f_span),
	CTRACE_TYPE(TIMER_HRTIMER_START, "timer", "timer_hrtimer_start", "hrtimer_start", f_start),
	{ .id = CTRACE_ID_TIMER_HRTIMER_CANCEL, .system = "timer", .name = "timer_hrtimer_cancel", .source = "hrtimer_cancel" },
	{ .id = CTRACE_ID_TIMER_HRTIMER_EXPIRE_EXIT, .system = "timer", .name = "timer_hrtimer_expire_exit",
	  .source = "timer_hrtimer_expire_exit" },
	CTRACE_TYPE(TIMER_ITIMER_EXPIRE, "timer", "timer_itimer_expire", "itimer_expire", f_itimer),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "timer_expire_entry", .fn = probe_timer },
	{ .tracepoint = "hrtimer_expire_entry", .fn = probe_hrtimer },
	{ .tracepoint = "hrtimer_expire_exit", .fn = probe_hrtimer_exit, .with = { "hrtimer_expire_entry" },
	  .table = &ctrace_handlers },
	{ .tracepoint = "hrtimer_start", .fn = probe_hrtimer_start },
	{ .tracepoint = "hrtimer_cancel", .fn = probe_hrtimer_cancel },
	/* apart from the span, which needs a table and the entry */
	{ .tracepoint = "timer_hrtimer_expire_exit", .at = "hrtimer_expire_exit", .fn = probe_hrtimer_expire_exit },
	{ .tracepoint = "itimer_expire", .fn = probe_itimer },
	{ }
};

const struct ctrace_family ctrace_family_timer = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
