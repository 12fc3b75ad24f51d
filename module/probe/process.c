// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of processes. A fork across two containers is recorded as emit/sides.h says, but for this: the
 * parent's record has the child's numbers, which its clone() returns anyway.
 */
#include <linux/binfmts.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include "probe/ended.h"
#include "probe/map.h"
#include "probe/table.h"
#include "emit/sides.h"
#include "emit/simple.h"
#include "event/fd_name.h"
#include "event/syscall_args.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

/*
 * *ppid: p's parent, as the kernel has it now. Returns the sessions in mask that may be shown it in an event
 * of container c. RCU read side: the parent may be dying.
 */
static u32 parent_of(s32 *ppid, u32 mask, const struct task_struct *p, const struct ctrace_container *c)
{
	struct task_struct *parent = rcu_dereference(p->real_parent);
	struct ctrace_who who;

	*ppid = parent->tgid;
	ctrace_identity_resolve_task(parent, &who);
	return ctrace_sides_see(mask, c, who.container->cid);
}

/* --- fork and exec ---------------------------------------------------------- */

struct fork_arg {
	struct task_struct *parent, *child;
	struct pid *pid;		/* the child's; stays, because the child does not run yet */
	u32 levels;
	bool own;			/* the child's parent is the one that forks it: no CLONE_PARENT */
	s32 ppid;			/* else: the child's parent, or 0 */
	struct ctrace_sides show;	/* parent, child */
};

#define FORK_FIELDS(F)								\
	F(comm, parent_comm) F(s32, parent_tid) F(s32, parent_pid) F(u32, parent_ns_inum)	\
	F(comm, child_comm) F(s32, child_tid) F(s32, child_pid) F(u32, child_ns_inum)	\
	F(s32, child_ppid) F(seq_u32, vtids)
CTRACE_PAYLOAD(fork_payload, FORK_FIELDS);

static u32 ns_inum(struct task_struct *p)
{
	struct pid_namespace *ns = task_active_pid_ns(p);

	return ns ? ctrace_compat_inum(ns) : 0;
}

static __always_inline void fill_fork(void *payload, const void *arg)
{
	struct fork_payload *r = payload;
	const struct fork_arg *a = arg;
	u32 i;

	ctrace_put_comm(r->parent_comm, a->parent, a->show.first);
	r->parent_tid = a->show.first ? a->parent->pid : 0;
	r->parent_pid = a->show.first ? a->parent->tgid : 0;
	r->parent_ns_inum = a->show.first ? ns_inum(a->parent) : 0;
	ctrace_put_comm(r->child_comm, a->child, a->show.second);
	r->child_tid = a->child->pid;
	r->child_pid = a->child->tgid;
	r->child_ns_inum = ns_inum(a->child);
	r->child_ppid = a->own ? r->parent_pid : a->show.second ? a->ppid : 0;
	r->vtids_length = a->levels;
	for (i = 0; i < a->levels; i++)
		r->vtids[i] = a->pid->numbers[i].nr;
}

static const struct ctrace_stack_waited no_stack = { .of = CTRACE_ID_SCHED_PROCESS_FORK };

static void emit_fork(u32 wants, const struct ctrace_who *from, const struct ctrace_who *to,
		      struct fork_arg *a)
{
	ctrace_emit_sides(wants, ctrace_sides_both(from, to), &no_stack,
			  (const struct ctrace_who *const[2]) { from, to },
			  CTRACE_SIZE(fork_payload) + a->levels * sizeof(u32), fill_fork, a, &a->show);
}

static __always_inline void on_fork(struct task_struct *parent, struct task_struct *child)
{
	u32 wants = ctrace_wants(CTRACE_ID_SCHED_PROCESS_FORK), shown = 0;
	struct fork_arg a = { .parent = parent, .child = child };
	struct ctrace_who from, to;

	if (!wants)
		return;
	ctrace_identity_resolve_task(parent, &from);
	ctrace_identity_resolve_task(child, &to);
	a.pid = task_pid(child);
	a.levels = a.pid ? a.pid->level + 1 : 0;
	rcu_read_lock();
	a.own = rcu_dereference(child->real_parent)->tgid == parent->tgid;
	if (!a.own && child->tgid != parent->tgid)
		shown = parent_of(&a.ppid, wants, child, to.container);
	if (shown)
		emit_fork(shown, &from, &to, &a);
	a.ppid = 0;
	if (wants & ~shown)
		emit_fork(wants & ~shown, &from, &to, &a);
	rcu_read_unlock();
}

static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	ctrace_compat_probe_begin();
	on_fork(parent, child);
	ctrace_map_fork(parent, child);
	ctrace_compat_probe_end();
}

#define EXEC_FIELDS(F)	F(s32, tid) F(s32, old_tid) F(s32, ppid) F(path, filename) F(string, argv)
CTRACE_PAYLOAD(exec_payload, EXEC_FIELDS);

#define PIECE	64u	/* divides a page */

/*
 * The new program's arguments, or its environment, as one text, as the kernel put them on its stack, where
 * they are until the program begins: so their pages are present. A blank ends each but the last; a blank or a
 * backslash within one has a backslash before it. to has room for CTRACE_ARGV_MAX bytes. Returns the length
 * with the NUL.
 */
static u32 put_list(char *to, unsigned long at, unsigned long end)
{
	u32 n = 0, i, len;
	char piece[PIECE];

	while (at < end) {
		len = min_t(unsigned long, PIECE - at % PIECE, end - at);
		if (ctrace_compat_read_user(piece, (const void __user *)at, len))
			break;
		for (i = 0; i < len; i++) {
			if (n >= CTRACE_ARGV_MAX - 2)
				goto out;
			if (piece[i] == ' ' || piece[i] == '\\')
				to[n++] = '\\';
			to[n++] = piece[i] ?: ' ';
		}
		at += len;
	}
	if (n)
		n--;	/* the blank behind the last */
out:
	to[n] = 0;
	return n + 1;
}

static void emit_exec(u32 mask, const struct ctrace_who *who, const struct task_struct *p, pid_t old_pid,
		      const struct linux_binprm *bprm)
{
	struct exec_payload *r = (void *)this_cpu_ptr(ctrace_args_rooms);
	struct ctrace_copy c = { .from = r };
	u32 len, shown;

	BUILD_BUG_ON(CTRACE_SIZE(exec_payload) + CTRACE_ARGV_MAX > sizeof(struct ctrace_args_room));
	r->tid = p->pid;
	r->old_tid = old_pid;
	len = strnlen(bprm->filename, CTRACE_STR_MAX - 1);
	memcpy(r->filename, bprm->filename, len);
	r->filename[len] = 0;
	c.len = offsetof(struct exec_payload, filename) + len + 1;
	c.len += put_list((char *)r + c.len, READ_ONCE(p->mm->arg_start), READ_ONCE(p->mm->arg_end));
	rcu_read_lock();
	shown = parent_of(&r->ppid, mask, p, who->container);
	rcu_read_unlock();
	if (shown)
		ctrace_emit(shown, CTRACE_ID_SCHED_PROCESS_EXEC, who, c.len, ctrace_fill_copy, &c);
	r->ppid = 0;
	if (mask & ~shown)
		ctrace_emit(mask & ~shown, CTRACE_ID_SCHED_PROCESS_EXEC, who, c.len, ctrace_fill_copy, &c);
}

#define ENV_FIELDS(F)	F(path, cwd) F(path, exe) F(string, env)
CTRACE_PAYLOAD(env_payload, ENV_FIELDS);

static void emit_env(u32 mask, const struct ctrace_who *who, const struct task_struct *p)
{
	struct ctrace_args_room *room = this_cpu_ptr(ctrace_args_rooms);
	struct ctrace_copy c = { .from = room };
	char *to = (char *)room;

	BUILD_BUG_ON(CTRACE_SIZE(env_payload) + CTRACE_ARGV_MAX > sizeof(*room));
	c.len = ctrace_cwd_name(to, CTRACE_STR_MAX);
	c.len += ctrace_exe_name(to + c.len, CTRACE_STR_MAX);
	c.len += put_list(to + c.len, READ_ONCE(p->mm->env_start), READ_ONCE(p->mm->env_end));
	ctrace_emit(mask, CTRACE_ID_PROCESS_ENV, who, c.len, ctrace_fill_copy, &c);
}

static void on_exec(const struct task_struct *p, pid_t old_pid, const struct linux_binprm *bprm)
{
	u32 exec = ctrace_wants(CTRACE_ID_SCHED_PROCESS_EXEC), env = ctrace_wants(CTRACE_ID_PROCESS_ENV);
	struct ctrace_who who;

	if (!(exec | env))
		return;
	ctrace_identity_resolve_current(&who);
	exec = ctrace_wanted(exec, who.container, p);
	if (exec)
		emit_exec(exec, &who, p, old_pid, bprm);
	env = ctrace_wanted(env, who.container, p);
	if (env)
		emit_env(env, &who, p);
}

static void probe_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	ctrace_compat_probe_begin();
	on_exec(p, old_pid, bprm);
	ctrace_compat_probe_end();
}

/* --- exit, free, wait --------------------------------------------------------- */

/*
 * group_dead: p was the last thread of its process, so that the process ends. wait_status: then, what wait()
 * says of the process; else 0. start_time: when the thread began, if group_dead the process; CLOCK_MONOTONIC,
 * ns.
 */
#define EXIT_FIELDS(F)								\
	F(comm, comm) F(s32, tid) F(s32, prio) F(s32, exit_code)		\
	F(s32, pid) F(s32, ppid) F(u32, group_dead) F(s32, wait_status) F(hole, hole)	\
	F(u64, start_time)
CTRACE_PAYLOAD(exit_payload, EXIT_FIELDS);

struct exit_arg {
	const struct task_struct *p, *leader;
	s32 ppid;
	bool dead;
};

/* As wait() finds it: what exit_group(), or a signal that killed it, gave; else the first thread's. */
static s32 wait_status(const struct task_struct *leader)
{
	const struct signal_struct *s = leader->signal;

	return s->flags & SIGNAL_GROUP_EXIT ? s->group_exit_code : READ_ONCE(leader->exit_code);
}

static __always_inline void fill_exit(void *payload, const void *arg)
{
	struct exit_payload *r = payload;
	const struct exit_arg *a = arg;
	const struct task_struct *p = a->p;

	ctrace_put_comm(r->comm, p, true);
	r->tid = p->pid;
	r->prio = p->prio - MAX_RT_PRIO;
	r->exit_code = p->exit_code;
	r->pid = p->tgid;
	r->ppid = a->ppid;
	r->group_dead = a->dead;
	r->wait_status = a->dead ? wait_status(a->leader) : 0;
	r->hole = 0;
	r->start_time = ctrace_compat_task_start(a->dead ? a->leader : p);
}

static struct ctrace_ended ended;

/* The thread that p's process is named after stays, even if it has ended, until all others have. */
static void on_exit(struct task_struct *p, bool dead)
{
	u32 mask = ctrace_wants(CTRACE_ID_SCHED_PROCESS_EXIT), shown;
	struct exit_arg a = { .p = p };
	struct ctrace_who who;

	if (!mask)
		return;
	ctrace_identity_resolve_task(p, &who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	rcu_read_lock();
	a.leader = p->group_leader;
	a.dead = dead && (CTRACE_COMPAT_GROUP_DEAD_ONCE ||
			  ctrace_ended_once(&ended, a.leader->tgid, ctrace_compat_task_start(a.leader)));
	shown = parent_of(&a.ppid, mask, p, who.container);
	mask &= ~shown;
	if (shown)
		ctrace_emit(shown, CTRACE_ID_SCHED_PROCESS_EXIT, &who, CTRACE_SIZE(exit_payload), fill_exit, &a);
	a.ppid = 0;
	if (mask)
		ctrace_emit(mask, CTRACE_ID_SCHED_PROCESS_EXIT, &who, CTRACE_SIZE(exit_payload), fill_exit, &a);
	rcu_read_unlock();
}

static void CTRACE_PROBE_SCHED_PROCESS_EXIT(probe_exit)
{
	ctrace_compat_probe_begin();
	on_exit(p, CTRACE_PROBE_GROUP_DEAD);
	ctrace_compat_probe_end();
}

#define TASK_FIELDS(F)	F(comm, comm) F(s32, tid) F(s32, prio)
CTRACE_PAYLOAD(task_payload, TASK_FIELDS);

static __always_inline void fill_free(void *payload, const void *arg)
{
	struct task_payload *r = payload;
	const struct task_struct *p = arg;

	ctrace_put_comm(r->comm, p, true);
	r->tid = p->pid;
	r->prio = p->prio - MAX_RT_PRIO;
}

/* Called from an RCU callback: p has no pid any more, so the event has a vtid only if p exited just now. */
static void probe_free(void *data, struct task_struct *p)
{
	ctrace_compat_probe_begin();
	ctrace_curated_task(CTRACE_ID_SCHED_PROCESS_FREE, p, CTRACE_SIZE(task_payload),
			    fill_free, p);
	ctrace_compat_probe_end();
}

/* comm and prio are the caller's; tid is the task that it waits for, 0 for any child. */
static __always_inline void fill_wait(void *payload, const void *arg)
{
	struct task_payload *r = payload;

	ctrace_put_comm(r->comm, current, true);
	r->tid = pid_nr((struct pid *)arg);
	r->prio = current->prio - MAX_RT_PRIO;
}

static void probe_wait(void *data, struct pid *pid)
{
	ctrace_compat_probe_begin();
	ctrace_curated_context(CTRACE_ID_SCHED_PROCESS_WAIT, CTRACE_SIZE(task_payload),
			       fill_wait, pid);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_fork[] = { CTRACE_FIELDS(FORK_FIELDS) };
static const struct ctrace_field_desc f_exec[] = { CTRACE_FIELDS(EXEC_FIELDS) };
static const struct ctrace_field_desc f_env[] = { CTRACE_FIELDS(ENV_FIELDS) };
static const struct ctrace_field_desc f_exit[] = { CTRACE_FIELDS(EXIT_FIELDS) };
static const struct ctrace_field_desc f_task[] = { CTRACE_FIELDS(TASK_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(SCHED_PROCESS_FORK, "sched", "sched_process_fork", "sched_process_fork", f_fork),
	CTRACE_TYPE(SCHED_PROCESS_EXEC, "sched", "sched_process_exec", "sched_process_exec", f_exec),
	CTRACE_TYPE(PROCESS_ENV, "sched", "process_env", "sched_process_exec", f_env),
	CTRACE_TYPE(SCHED_PROCESS_EXIT, "sched", "sched_process_exit", "sched_process_exit", f_exit),
	CTRACE_TYPE(SCHED_PROCESS_FREE, "sched", "sched_process_free", "sched_process_free", f_task),
	CTRACE_TYPE(SCHED_PROCESS_WAIT, "sched", "sched_process_wait", "sched_process_wait", f_task),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "sched_process_fork", .fn = probe_fork },
	{ .tracepoint = "sched_process_exec", .fn = probe_exec },
	{ .tracepoint = "sched_process_exit", .fn = probe_exit },
	{ .tracepoint = "sched_process_free", .fn = probe_free },
	{ .tracepoint = "sched_process_wait", .fn = probe_wait },
	{ }
};

const struct ctrace_family ctrace_family_process = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
