// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include "session/spare_tracers.h"
#include "session/spare_give.h"
#include "event/hook.h"
#include "compat/kprobe.h"
#include "compat/stack.h"
#include "compat/tracepoint.h"

#define OTHER	"another tracer records system calls, too"
#define MISSED	"another tracer may have begun to record system calls, and have been missed"

static struct ctrace_compat_tp enter_tp, exit_tp;	/* invariant after init */
static atomic64_t missed_seen;	/* misses of the hooks that have been acted upon */
/* jiffies: what was missed is over, and its probe is found by a look */
static unsigned long missed_until;

/* At the functions that put a probe on a tracepoint: (tracepoint, probe, ...). Our own do not count. */
static bool registers(struct pt_regs *regs, bool breakpoint, void *room)
{
	const void *tp = (const void *)ctrace_compat_argument(regs, 0);

	if ((tp != enter_tp.tp && tp != exit_tp.tp) || within_module(ctrace_compat_argument(regs, 1), THIS_MODULE))
		return false;
	ctrace_spare_hold_now();
	return true;
}

static void registered(struct pt_regs *regs, void *room)
{
	atomic_dec(&ctrace_spare_holds);
}

/* A function that a kernel does not have, nobody calls. One that calls another in line is hooked itself. */
static const char *const plain[] = { "tracepoint_probe_register", NULL };
static const char *const prio[] = { "tracepoint_probe_register_prio", NULL };
static const char *const may_exist[] = { "tracepoint_probe_register_prio_may_exist", NULL };

#define HOOK(names)	{ .symbols = names, .enter = registers, .leave = registered, .maxactive = 256 }
static struct ctrace_hook hooks[] = { HOOK(plain), HOOK(prio), HOOK(may_exist) };
static bool hooked[ARRAY_SIZE(hooks)];

void ctrace_tracers_unhook(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (hooked[i]) {
			ctrace_hook_unregister(&hooks[i]);
			hooked[i] = false;
		}
}

const char *ctrace_tracers_hook(void)
{
	unsigned int i;
	int err;

	if (!CTRACE_COMPAT_TP_POINTERS)
		return "this kernel's tracepoints are registered by name";
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = ctrace_hook_register(&hooks[i]);
		hooked[i] = !err;
		if (err && (err != -ENOENT || !i)) {
			ctrace_tracers_unhook();
			return "the kernel takes no kprobe where other tracers register";
		}
	}
	return NULL;
}

/*
 * Has a call come by that the hooks may not have seen? It may have been a registration, which may yet be
 * under way.
 */
static bool missed(void)
{
	u64 n = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		n += hooked[i] ? ctrace_hook_missed(&hooks[i]) : 0;
	if (n != atomic64_read(&missed_seen)) {
		WRITE_ONCE(missed_until, jiffies + 10 * HZ);
		atomic64_set(&missed_seen, n);
	}
	return time_before(jiffies, READ_ONCE(missed_until));
}

const char *ctrace_tracers_why(void)
{
	bool other = !ctrace_compat_tp_ours(&enter_tp) || !ctrace_compat_tp_ours(&exit_tp);

	return other ? OTHER : missed() ? MISSED : NULL;
}

/* Both lists are freed after a grace period of RCU at the earliest, whatever else the kernel waits for. */
const char *ctrace_tracers_look(void)
{
	const char *why;

	rcu_read_lock();
	preempt_disable();
	why = ctrace_tracers_why();
	preempt_enable();
	rcu_read_unlock();
	return why;
}

int ctrace_tracers_init(void)
{
	missed_until = jiffies;
	return ctrace_compat_tp_get("sys_enter", &enter_tp) ?: ctrace_compat_tp_get("sys_exit", &exit_tp);
}
