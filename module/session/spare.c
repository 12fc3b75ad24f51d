// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include "session/spare.h"
#include "session/session.h"
#include "session/spare_give.h"
#include "session/spare_tracers.h"
#include "session/threads.h"
#include "identity/look.h"
#include "compat/calls.h"
#include "compat/heartbeat.h"
#include "compat/rcu.h"
#include "compat/stack.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

static u32 users;		/* sources whose probes spare; ctrace_lock */
static bool watched;		/* the probes and hooks below are registered. ctrace_lock, as the next one */
static const char *unwatched;	/* why not, or NULL */
static int ready;		/* 1 after init */
/* there is a hold because hooks are blind. ctrace_spare_init(), then only beat() */
static bool blind;

/*
 * Aliases were invalidated, or the sessions' wishes have changed. With interrupts off this is not the place
 * for a look at tasks. There a probe has met a place for the first time, so that nobody in it has been
 * spared; a place that was known before changes in a hook or a command.
 */
static void changed(bool may_wait)
{
	smp_mb();	/* after the change of the generation; partner: ctrace_spare_now() */
	if (may_wait)
		ctrace_spare_recall();
	else if (irqs_disabled())
		ctrace_spare_recall_soon();
	else
		ctrace_spare_recall_now();
}

/* --- sparing ---------------------------------------------------------------------- */

/*
 * A container that may yet turn out to be another one's part waits: what is learned then is learned at an
 * exec of its own. A task that only gates refuse keeps its flag: its children, or an exec of its own, may
 * have another tid that passes.
 */
noinline void ctrace_spare_now(void)
{
	struct task_struct *p = current;
	struct ctrace_container *c;
	u64 gen;

	if (atomic_read(&ctrace_spare_holds)) {
		WRITE_ONCE(ctrace_spare_from, jiffies + 1);
		return;
	}
	if (!ctrace_identity_known() && !ctrace_identity_learn())
		return;
	c = __this_cpu_read(ctrace_idcache.c);
	gen = __this_cpu_read(ctrace_idcache.gen);
	if (ctrace_wanted(~0u, c, p) || ctrace_look_unsettled(ctrace_container_base(c)))
		return;
	if (ctrace_tracers_why()) {
		WRITE_ONCE(ctrace_spare_from, jiffies + HZ);
		ctrace_spare_recall_soon();	/* others have been spared before */
		return;
	}
	ctrace_compat_calls_hide(p);
	/*
	 * release: who clears `some` and then looks at flags must not find this one still there; partner:
	 * begin()
	 */
	smp_store_release(&ctrace_spare_some, 1);
	/* partner: whoever changes the generation, or takes a hold, and then calls recall() */
	smp_mb();
	if (atomic_read(&ctrace_spare_holds) || gen != atomic64_read(&ctrace_identity_gen))
		ctrace_compat_calls_show(p);
}

/* --- births and moves ------------------------------------------------------------------- */

static const void *ns_of(struct task_struct *p)
{
	const struct pid *pid = ctrace_compat_task_pid(p);

	return pid ? pid->numbers[pid->level].ns : NULL;
}

/*
 * The parent is current. It has its flag if flags were given back since its child was made, because only the
 * parent itself takes it away. And a walk that is under way may have passed by the child's place.
 */
static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	bool walk;

	ctrace_compat_probe_begin();
	/* the child is on its list: a walk that begins after this finds it; partner: begin() */
	smp_mb();
	walk = atomic_read(&ctrace_spare_giving);
	smp_rmb();	/* if it is over, the parent has its flag; partner: end() */
	if (READ_ONCE(ctrace_spare_active) &&
	    (walk || ctrace_compat_calls_shown(parent) || ns_of(parent) != ns_of(child) ||
	     ctrace_compat_task_cset(parent) != ctrace_compat_task_cset(child)))
		ctrace_spare_give(child);
	ctrace_compat_probe_end();
}

/*
 * After identity's own hook, which changes the generation: it was registered before. group or not, the whole
 * process gets it.
 */
static void CTRACE_PROBE_CGROUP_ATTACH_TASK(probe_attach)
{
	struct task_struct *t;

	ctrace_compat_probe_begin();
	if (READ_ONCE(ctrace_spare_active))
		ctrace_compat_for_each_thread(p, t)
			ctrace_spare_give(t);
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
		/*
		 * some kernels have only one of the two that report moves; with none, no task is known to
		 * stay
		 */
		if (err && (err != -ENOENT || !i)) {
			probes_end(i);
			return err;
		}
	}
	return 0;
}

/* --- life ----------------------------------------------------------------------------------- */

/*
 * Probes and hooks stay once they are registered. A registration that began before the hooks is over by the
 * time anybody is spared: it waits for a mutex that our own ones take after that, in the order of a queue,
 * and then a tenth of a second passes.
 */
static bool watch(void)
{
	if (watched)
		return true;
	unwatched = ctrace_compat_heartbeat_works() ? ctrace_tracers_hook() :
						      "the kernel takes no kprobes of ctrace's own functions";
	if (!unwatched && probes_begin()) {
		ctrace_tracers_unhook();
		unwatched = "there is no memory for it";
	}
	watched = !unwatched;
	return watched;
}

/* A fork that is being reported has a parent that is not spared, and cannot be before the report is over. */
static void start(void)
{
	if (ctrace_spare_active || !watch())
		return;
	ctrace_spare_give_start();
	atomic_dec(&ctrace_spare_holds);
}

void ctrace_spare_begin(void)
{
	lockdep_assert_held(&ctrace_lock);
	if (!users++)
		start();
}

/* Other sources may stay, which want every task's flag. */
void ctrace_spare_end(void)
{
	lockdep_assert_held(&ctrace_lock);
	if (--users || !ctrace_spare_active)
		return;
	ctrace_spare_hold();
	ctrace_spare_give_stop();
}

/*
 * Once a second. Memory that was refused may be available later. This does not wait for a command that has
 * ctrace_lock.
 */
static void beat(void)
{
	static unsigned long retry;	/* jiffies */
	bool was = blind;

	if (!smp_load_acquire(&ready))	/* partner: ctrace_spare_init() */
		return;
	ctrace_compat_heartbeat();
	blind = ctrace_compat_blind();
	if (blind && !was)
		ctrace_spare_hold();
	else if (!blind && was)
		atomic_dec(&ctrace_spare_holds);
	if (READ_ONCE(ctrace_spare_active) && ctrace_tracers_look()) {
		WRITE_ONCE(ctrace_spare_from, jiffies + 2 * HZ);
		smp_mb();	/* as in changed() */
		ctrace_spare_recall();
	}
	if (READ_ONCE(users) && READ_ONCE(unwatched) && time_after_eq(jiffies, retry) && mutex_trylock(&ctrace_lock)) {
		if (users)
			start();
		mutex_unlock(&ctrace_lock);
		retry = jiffies + 10 * HZ;
	}
}

const struct ctrace_container_watcher ctrace_spare_watcher = { .changed = changed, .beat = beat };

/* --- the switch, and what it does ------------------------------------------------------------ */

static bool spare = true;

static int set_spare(const char *text, const struct kernel_param *kp)
{
	bool was = spare;
	int err = param_set_bool(text, kp);

	if (was && !spare)
		ctrace_spare_hold();
	else if (!was && spare)
		atomic_dec(&ctrace_spare_holds);
	return err;
}

static const struct kernel_param_ops spare_ops = { .set = set_spare, .get = param_get_bool };
module_param_cb(spare, &spare_ops, &spare, 0644);
MODULE_PARM_DESC(spare, "system calls of tasks that no session wants do not come to the tracepoints (default: Y)");

static void count_none(void *arg)
{
	struct ctrace_spare_info *info = arg;

	info->tasks = 0;
	info->spared = 0;
}

static void count_spared(struct task_struct *t, void *arg)
{
	struct ctrace_spare_info *info = arg;

	if (t->flags & PF_KTHREAD)
		return;
	info->tasks++;
	info->spared += !ctrace_compat_calls_shown(t);
}

void ctrace_spare_info(struct ctrace_spare_info *info)
{
	*info = (struct ctrace_spare_info){ };
	if (!READ_ONCE(users))
		return;
	info->why = !READ_ONCE(spare) ? "the module's parameter spare is N" :
		    READ_ONCE(unwatched) ?: ctrace_compat_blind() ?: ctrace_tracers_look();
	ctrace_threads_all(count_none, count_spared, info);
	ctrace_spare_share(&info->recalls, &info->off_ns, &info->ns);
}

int ctrace_spare_init(void)
{
	int err = ctrace_tracers_init() ?: ctrace_spare_give_init();

	if (err)
		return err;
	blind = ctrace_compat_blind();
	if (blind)
		atomic_inc(&ctrace_spare_holds);
	smp_store_release(&ready, 1);	/* partner: beat() */
	return 0;
}

/* No session is left. beat() may be called yet, and finds nothing active. */
void ctrace_spare_exit(void)
{
	if (watched) {
		probes_end(ARRAY_SIZE(probes));
		ctrace_tracers_unhook();
	}
	ctrace_spare_give_exit();
}
