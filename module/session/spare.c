// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include "session/spare.h"
#include "event/hook.h"
#include "identity/look.h"
#include "compat/calls.h"
#include "compat/kprobe.h"
#include "compat/stack.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

/*
 * Nobody is spared while this is not 0: one each because no probe is there that spares, because the switch is off, and for
 * each registration of another tracer that is under way.
 */
static atomic_t holds = ATOMIC_INIT(1);
static bool some;		/* a task may be spared */
static atomic_t giving;		/* flags are being given back */
unsigned long ctrace_spare_from;
static u32 users;		/* sources whose probes spare; ctrace_lock */
/* Flags may be given. Read under RCU: ctrace_spare_end() waits for that, before the kernel takes all flags. */
static bool active;
static bool foreign;		/* the last look found another tracer's probe */
static bool watched;		/* other tracers' registrations are seen. ctrace_lock, as the next one */
static const char *unwatched;	/* why not, or NULL */
static struct ctrace_compat_tp enter_tp, exit_tp;	/* invariant after init */

/* --- giving back ---------------------------------------------------------------- */

static void give(struct task_struct *p)
{
	if (ctrace_compat_calls_shown(p))
		return;
	ctrace_compat_calls_show(p);
	smp_mb();	/* before a walk goes on to p's children; partner: probe_fork() */
}

/* May flags have to be given back? After a full barrier, which follows the change that makes it necessary. */
static bool due(void)
{
	if (READ_ONCE(some))
		return true;
	smp_rmb();	/* partner: atomic_inc_return() in recall() */
	return atomic_read(&giving);	/* one that may have begun before the change: then each gives all */
}

/* Any context but NMI; as due(). */
static void recall(void)
{
	struct task_struct *p, *t;
	u64 began, rest;

	if (!due())
		return;
	rcu_read_lock();
	if (!READ_ONCE(active))
		goto unlock;
	began = ktime_get_ns();
	atomic_inc_return(&giving);	/* a full barrier: who sees some == false also sees this, or that it is done */
	WRITE_ONCE(some, false);
	smp_mb();	/* before the flags; partner: ctrace_spare_now() */
	ctrace_compat_for_each_process_thread(p, t)
		give(t);
	rest = usecs_to_jiffies((ktime_get_ns() - began) / 10);	/* a hundred times as long */
	WRITE_ONCE(ctrace_spare_from, jiffies + max_t(u64, rest, HZ / 10));
	atomic_dec_return(&giving);
unlock:
	rcu_read_unlock();
}

static void hold(void)
{
	atomic_inc_return(&holds);	/* a full barrier; partner: ctrace_spare_now() */
	recall();
}

static void recall_work(struct work_struct *w)
{
	smp_mb();	/* as in changed() */
	recall();
}
static DECLARE_WORK(work, recall_work);

static void pass_on(struct irq_work *w)
{
	schedule_work(&work);
}
static struct irq_work kick;

/*
 * What is known of places, or what sessions want, has changed. With interrupts off this is not the place for a look at all tasks.
 * There a probe has met a place for the first time, so that nobody in it has been spared; a place that was known before changes in
 * a hook or a command.
 */
static void changed(void)
{
	smp_mb();	/* after the change of the generation; partner: ctrace_spare_now() */
	if (due() && irqs_disabled())
		irq_work_queue(&kick);
	else
		recall();
}

const struct ctrace_container_watcher ctrace_spare_watcher = { .changed = changed };

/* --- other tracers ------------------------------------------------------------------------ */

/* At the functions that put a probe on a tracepoint: (tracepoint, probe, ...). Our own do not count. */
static bool registers(struct pt_regs *regs, bool breakpoint, void *room)
{
	const void *tp = (const void *)ctrace_compat_argument(regs, 0);

	if ((tp != enter_tp.tp && tp != exit_tp.tp) || within_module(ctrace_compat_argument(regs, 1), THIS_MODULE))
		return false;
	hold();
	return true;
}

static void registered(struct pt_regs *regs, void *room)
{
	atomic_dec(&holds);
}

/* A function that a kernel does not have, nobody calls. One that calls another in line is hooked itself. */
static const char *const plain[] = { "tracepoint_probe_register", NULL };
static const char *const prio[] = { "tracepoint_probe_register_prio", NULL };
static const char *const may_exist[] = { "tracepoint_probe_register_prio_may_exist", NULL };

#define HOOK(names)	{ .symbols = names, .enter = registers, .leave = registered, .maxactive = 256 }
static struct ctrace_hook hooks[] = { HOOK(plain), HOOK(prio), HOOK(may_exist) };
static bool hooked[ARRAY_SIZE(hooks)];

static void unhook(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (hooked[i]) {
			ctrace_hook_unregister(&hooks[i]);
			hooked[i] = false;
		}
}

/* NULL, or why not. */
static const char *hook_all(void)
{
	unsigned int i;
	int err;

	if (!CTRACE_COMPAT_TP_POINTERS)
		return "this kernel's tracepoints are registered by name";
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = ctrace_hook_register(&hooks[i]);
		hooked[i] = !err;
		if (err && (err != -ENOENT || !i)) {
			unhook();
			return "the kernel takes no kprobe where other tracers register";
		}
	}
	return NULL;
}

/* Registrations that the hooks may not have seen. */
static bool missed(void)
{
	u64 n = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		n += hooked[i] ? ctrace_hook_missed(&hooks[i]) : 0;
	return n;
}

/* --- sparing ---------------------------------------------------------------------- */

/*
 * A container that may yet turn out to be another one's part waits: what is learned then is learned at an exec of its own. A task
 * that only gates refuse keeps its flag: its children, or an exec of its own, may have another tid that passes.
 */
noinline void ctrace_spare_now(void)
{
	struct ctrace_container *c = __this_cpu_read(ctrace_idcache.c);
	u64 gen = __this_cpu_read(ctrace_idcache.gen);
	struct task_struct *p = current;

	if (atomic_read(&holds)) {
		WRITE_ONCE(ctrace_spare_from, jiffies + 1);
		return;
	}
	if (ctrace_wanted(~0u, c, p) || ctrace_look_unsettled(ctrace_container_base(c)))
		return;
	WRITE_ONCE(foreign, !ctrace_compat_tp_ours(&enter_tp) || !ctrace_compat_tp_ours(&exit_tp));
	if (foreign || missed()) {
		WRITE_ONCE(ctrace_spare_from, jiffies + HZ);
		return;
	}
	ctrace_compat_calls_hide(p);
	WRITE_ONCE(some, true);
	smp_mb();	/* partner: whoever changes the generation, or takes a hold, and then calls recall() */
	if (atomic_read(&holds) || gen != atomic64_read(&ctrace_identity_gen))
		ctrace_compat_calls_show(p);
}

/* --- births and moves ------------------------------------------------------------------- */

static const void *ns_of(struct task_struct *p)
{
	const struct pid *pid = ctrace_compat_task_pid(p);

	return pid ? pid->numbers[pid->level].ns : NULL;
}

/* The parent is current. Its flag is there if flags were given back since its child was made, as only itself takes it away. */
static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	ctrace_compat_probe_begin();
	smp_mb();	/* the child is on its list, then the look at the parent's flag; partner: give() */
	if (READ_ONCE(active) && (ctrace_compat_calls_shown(parent) || ns_of(parent) != ns_of(child) ||
				  ctrace_compat_task_cset(parent) != ctrace_compat_task_cset(child)))
		give(child);
	ctrace_compat_probe_end();
}

/* After identity's own hook, which changes the generation: it was registered before. group or not, the whole process gets it. */
static void CTRACE_PROBE_CGROUP_ATTACH_TASK(probe_attach)
{
	struct task_struct *t;

	ctrace_compat_probe_begin();
	if (READ_ONCE(active))
		ctrace_compat_for_each_thread(p, t)
			give(t);
	ctrace_compat_probe_end();
}

static const struct probe {
	const char *name;
	void *fn;
} probes[] = {
	{ "sched_process_fork", probe_fork }, { "cgroup_attach_task", probe_attach }, { "cgroup_transfer_tasks", probe_attach },
};

static void probes_end(unsigned int n)
{
	while (n--)
		ctrace_compat_tracepoint_unregister(probes[n].name, probes[n].fn, NULL);
	ctrace_compat_tracepoint_sync();
}

static int probes_begin(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = ctrace_compat_tracepoint_register(probes[i].name, probes[i].fn, NULL);
		/* some kernels have but one of the two that tell of moves; with none, no task is known to stay */
		if (err && (err != -ENOENT || !i)) {
			probes_end(i);
			return err;
		}
	}
	return 0;
}

/* --- life ----------------------------------------------------------------------------------- */

/*
 * Probes and hooks stay once they are there. A registration that began before the hooks is over by the time anybody is spared:
 * it waits for a mutex that our own ones take after that, in the order of a queue, and then a tenth of a second passes.
 */
static bool watch(void)
{
	if (watched || unwatched)
		return watched;
	unwatched = hook_all();
	if (!unwatched && probes_begin()) {
		unhook();
		unwatched = "there is no memory for it";
	}
	watched = !unwatched;
	return watched;
}

/* A fork that is told just now has a parent that is not spared, and cannot be before it has been told. */
void ctrace_spare_begin(void)
{
	lockdep_assert_held(&ctrace_lock);
	if (users++ || !watch())
		return;
	WRITE_ONCE(ctrace_spare_from, jiffies + HZ / 10);
	WRITE_ONCE(active, true);
	atomic_dec(&holds);
}

/* Other sources may stay, which want every task's flag. */
void ctrace_spare_end(void)
{
	lockdep_assert_held(&ctrace_lock);
	if (--users || unwatched)
		return;
	hold();
	WRITE_ONCE(active, false);
	ctrace_compat_synchronize();
}

/* --- the switch, and what it does ------------------------------------------------------------ */

static bool spare = true;

static int set_spare(const char *text, const struct kernel_param *kp)
{
	bool was = spare;
	int err = param_set_bool(text, kp);

	if (was && !spare)
		hold();
	else if (!was && spare)
		atomic_dec(&holds);
	return err;
}

static const struct kernel_param_ops spare_ops = { .set = set_spare, .get = param_get_bool };
module_param_cb(spare, &spare_ops, &spare, 0644);
MODULE_PARM_DESC(spare, "system calls of tasks that no session wants do not come to the tracepoints (default: Y)");

void ctrace_spare_info(struct ctrace_spare_info *info)
{
	struct task_struct *p, *t;

	*info = (struct ctrace_spare_info){ };
	if (!READ_ONCE(users))
		return;
	info->why = !READ_ONCE(spare) ? "the module's parameter spare is N" :
		    READ_ONCE(unwatched) ?: READ_ONCE(foreign) ? "another tracer records system calls, too" : NULL;
	rcu_read_lock();
	ctrace_compat_for_each_process_thread(p, t) {
		if (t->flags & PF_KTHREAD)
			continue;
		info->tasks++;
		info->spared += !ctrace_compat_calls_shown(t);
	}
	rcu_read_unlock();
}

int ctrace_spare_init(void)
{
	int err = ctrace_compat_tp_get("sys_enter", &enter_tp) ?: ctrace_compat_tp_get("sys_exit", &exit_tp);

	if (!err)
		init_irq_work(&kick, pass_on);
	return err;
}

/* No session is left. */
void ctrace_spare_exit(void)
{
	if (watched) {
		probes_end(ARRAY_SIZE(probes));
		unhook();
	}
	irq_work_sync(&kick);
	cancel_work_sync(&work);
}
