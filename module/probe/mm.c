// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory: page faults, page allocations, the out-of-memory killer. No kernel address is
 * recorded, nor where in memory a page lies.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include "probe/table.h"
#include "emit/sides.h"
#include "emit/simple.h"
#include "compat/tracepoint.h"

/* --- page faults ------------------------------------------------------------------ */

#define FAULT_USER_FIELDS(F)	F(x64, address) F(x64, ip) F(x64, error_code)
CTRACE_PAYLOAD(fault_user_payload, FAULT_USER_FIELDS);

static __always_inline void fill_fault_user(void *payload, const void *arg)
{
	*(struct fault_user_payload *)payload = *(const struct fault_user_payload *)arg;
}

#define FAULT_KERNEL_FIELDS(F)	F(x64, address) F(x64, error_code)
CTRACE_PAYLOAD(fault_kernel_payload, FAULT_KERNEL_FIELDS);

static __always_inline void fill_fault_kernel(void *payload, const void *arg)
{
	*(struct fault_kernel_payload *)payload = *(const struct fault_kernel_payload *)arg;
}

/*
 * Recording a fault may touch user memory (for a user stack), and fault again. That fault is ours, not
 * the task's, and is not recorded: each would bring the next.
 */
static DEFINE_PER_CPU(bool, in_fault);

/* The probe's arguments in the probe's order: it jumps here without moving them. */
static noinline ctrace_compat_noclone void on_fault_user(void *data, unsigned long address, struct pt_regs *regs, unsigned long error_code)
{
	struct fault_user_payload a = {
		.address = address, .ip = instruction_pointer(regs), .error_code = error_code,
	};

	this_cpu_write(in_fault, true);
	ctrace_curated_context(CTRACE_ID_PAGE_FAULT_USER, CTRACE_SIZE(fault_user_payload),
			       fill_fault_user, &a);
	this_cpu_write(in_fault, false);
}

static void probe_fault_user(void *data, unsigned long address, struct pt_regs *regs,
			     unsigned long error_code)
{
	ctrace_compat_probe_begin();
	/* what faults in user mode is current itself */
	if (!ctrace_identity_unwanted())
		on_fault_user(data, address, regs, error_code);
	ctrace_compat_probe_end();
}

static void probe_fault_kernel(void *data, unsigned long address, struct pt_regs *regs,
			       unsigned long error_code)
{
	struct fault_kernel_payload a = {
		.address = address < TASK_SIZE ? address : 0, .error_code = error_code,
	};

	ctrace_compat_probe_begin();
	if (!this_cpu_read(in_fault)) {
		this_cpu_write(in_fault, true);
		ctrace_curated_context(CTRACE_ID_PAGE_FAULT_KERNEL,
				       CTRACE_SIZE(fault_kernel_payload), fill_fault_kernel, &a);
		this_cpu_write(in_fault, false);
	}
	ctrace_compat_probe_end();
}

/* --- pages -------------------------------------------------------------------------- */

#define ALLOC_FIELDS(F)	F(u32, order) F(x32, gfp_flags) F(s32, migratetype)
CTRACE_PAYLOAD(alloc_payload, ALLOC_FIELDS);

static __always_inline void fill_alloc(void *payload, const void *arg)
{
	*(struct alloc_payload *)payload = *(const struct alloc_payload *)arg;
}

static void probe_alloc(void *data, struct page *page, unsigned int order, gfp_t gfp,
			int migratetype)
{
	struct alloc_payload a = {
		.order = order, .gfp_flags = (__force u32)gfp, .migratetype = migratetype,
	};

	ctrace_compat_probe_begin();
	ctrace_curated_context(CTRACE_ID_KMEM_MM_PAGE_ALLOC, CTRACE_SIZE(alloc_payload),
			       fill_alloc, &a);
	ctrace_compat_probe_end();
}

#define FREE_FIELDS(F)	F(u32, order)
CTRACE_PAYLOAD(free_payload, FREE_FIELDS);

static __always_inline void fill_free(void *payload, const void *arg)
{
	*(struct free_payload *)payload = *(const struct free_payload *)arg;
}

static void probe_free(void *data, struct page *page, unsigned int order)
{
	struct free_payload a = { .order = order };

	ctrace_compat_probe_begin();
	ctrace_curated_context(CTRACE_ID_KMEM_MM_PAGE_FREE, CTRACE_SIZE(free_payload), fill_free, &a);
	ctrace_compat_probe_end();
}

/* --- out of memory: events of the task they are about, not of the one that runs ----- */

/* The trigger's task needed memory and ran the killer: shown as in emit/sides.h. */
struct victim_arg {
	const struct task_struct *p;
	s32 by;
	u32 by_cid;
	struct ctrace_sides show;	/* victim, trigger */
};

#define VICTIM_FIELDS(F)							\
	F(s32, pid) F(comm, comm) F(u32, uid) F(s32, oom_score_adj)		\
	F(comm, trigger_comm) F(s32, trigger_tid) F(u32, trigger_cid)
CTRACE_PAYLOAD(victim_payload, VICTIM_FIELDS);

static __always_inline void fill_victim(void *payload, const void *arg)
{
	struct victim_payload *r = payload;
	const struct victim_arg *a = arg;

	r->pid = a->show.first ? a->p->pid : 0;
	ctrace_put_comm(r->comm, a->p, a->show.first);
	rcu_read_lock();
	r->uid = a->show.first ? from_kuid_munged(&init_user_ns, __task_cred(a->p)->uid) : 0;
	rcu_read_unlock();
	r->oom_score_adj = a->show.first ? a->p->signal->oom_score_adj : 0;
	ctrace_put_comm(r->trigger_comm, current, a->show.second);
	r->trigger_tid = a->show.second ? a->by : 0;
	r->trigger_cid = a->show.second ? a->by_cid : 0;
}

static const struct ctrace_stack_waited no_stack = { .of = CTRACE_ID_OOM_MARK_VICTIM };

static void on_victim(struct task_struct *p)
{
	u32 wants = ctrace_wants(CTRACE_ID_OOM_MARK_VICTIM);
	struct victim_arg a = { .p = p };
	struct ctrace_who of, by;

	if (!wants)
		return;
	ctrace_identity_resolve_task(p, &of);
	ctrace_identity_resolve_context(&by);
	a.by = by.tid;
	a.by_cid = by.container->cid;
	ctrace_emit_sides(wants, ctrace_sides_both(&of, &by), &no_stack,
			  (const struct ctrace_who *const[2]) { &of, &by },
			  CTRACE_SIZE(victim_payload), fill_victim, &a, &a.show);
}

static void CTRACE_PROBE_MARK_VICTIM(probe_victim)
{
	struct task_struct *victim;

	ctrace_compat_probe_begin();
	rcu_read_lock();
	victim = CTRACE_PROBE_VICTIM;
	if (victim)
		on_victim(victim);
	rcu_read_unlock();
	ctrace_compat_probe_end();
}

#define ADJ_FIELDS(F)	F(s32, pid) F(comm, comm) F(s32, oom_score_adj)
CTRACE_PAYLOAD(adj_payload, ADJ_FIELDS);

static __always_inline void fill_adj(void *payload, const void *arg)
{
	struct adj_payload *r = payload;
	const struct task_struct *p = arg;

	r->pid = p->pid;
	ctrace_put_comm(r->comm, p, true);
	r->oom_score_adj = p->signal->oom_score_adj;
}

static void probe_adj(void *data, struct task_struct *p)
{
	ctrace_compat_probe_begin();
	ctrace_curated_task(CTRACE_ID_OOM_SCORE_ADJ_UPDATE, p, CTRACE_SIZE(adj_payload),
			    fill_adj, p);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's, without its addresses. */
static const struct ctrace_field_desc f_fault_user[] = {
	CTRACE_FIELDS(FAULT_USER_FIELDS)
};
static const struct ctrace_field_desc f_fault_kernel[] = {
	CTRACE_FIELDS(FAULT_KERNEL_FIELDS)
};
static const struct ctrace_field_desc f_alloc[] = { CTRACE_FIELDS(ALLOC_FIELDS) };
static const struct ctrace_field_desc f_free[] = { CTRACE_FIELDS(FREE_FIELDS) };
static const struct ctrace_field_desc f_victim[] = { CTRACE_FIELDS(VICTIM_FIELDS) };
static const struct ctrace_field_desc f_adj[] = { CTRACE_FIELDS(ADJ_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(PAGE_FAULT_USER, "exceptions", "page_fault_user", "page_fault_user", f_fault_user),
	CTRACE_TYPE(PAGE_FAULT_KERNEL, "exceptions", "page_fault_kernel", "page_fault_kernel",
		    f_fault_kernel),
	CTRACE_TYPE(KMEM_MM_PAGE_ALLOC, "kmem", "kmem_mm_page_alloc", "mm_page_alloc", f_alloc),
	CTRACE_TYPE(KMEM_MM_PAGE_FREE, "kmem", "kmem_mm_page_free", "mm_page_free", f_free),
	CTRACE_TYPE(OOM_MARK_VICTIM, "oom", "oom_mark_victim", "mark_victim", f_victim),
	CTRACE_TYPE(OOM_SCORE_ADJ_UPDATE, "oom", "oom_score_adj_update", "oom_score_adj_update", f_adj),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "page_fault_user", .fn = probe_fault_user },
	{ .tracepoint = "page_fault_kernel", .fn = probe_fault_kernel },
	{ .tracepoint = "mm_page_alloc", .fn = probe_alloc },
	{ .tracepoint = "mm_page_free", .fn = probe_free },
	{ .tracepoint = "mark_victim", .fn = probe_victim },
	{ .tracepoint = "oom_score_adj_update", .fn = probe_adj },
	{ }
};

const struct ctrace_family ctrace_family_mm = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
