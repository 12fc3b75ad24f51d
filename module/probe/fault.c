// SPDX-License-Identifier: GPL-2.0-only
/*
 * page_fault: a fault from the kernel's handler to its return, the time on disk included. It is that of the
 * task which touched the memory, or which had the kernel touch it.
 *
 * The handler may return early and ask for another try (the lock was dropped to wait for a page; since 6.4,
 * the lock of the vma was not enough). The record is of all tries together, written at the last. What the
 * last try needs from the first ones is kept by task. The last one may not come, if a signal does; then the
 * next fault of the task finds another address, and takes what was kept away.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "probe/table.h"
#include "emit/emit.h"
#include "emit/stack.h"
#include "event/hook.h"
#include "session/inflight.h"
#include "compat/clock.h"
#include "compat/kprobe.h"
#include "compat/mm.h"

struct try {
	struct ctrace_begun begun;	/* time: of the first one */
	u64 address;
	u32 major;
};

static struct ctrace_inflight tries __read_mostly = { .stride = sizeof(struct try), .bits = 9 };

struct fault {
	u64 time, address;
	u32 flags, major;
};

#define FAULT_FIELDS(F)	F(u64, duration) F(x64, address) F(x32, flags) F(u32, major)
CTRACE_PAYLOAD(fault_payload, FAULT_FIELDS);

static __always_inline void fill_fault(void *payload, const void *arg)
{
	*(struct fault_payload *)payload = *(const struct fault_payload *)arg;
}

/* f->time and f->major of an earlier try, if there was one. */
static void tried_before(struct fault *f)
{
	u32 place = ctrace_inflight_hold(&tries, current);
	const struct try *t;

	if (place == CTRACE_INFLIGHT_NONE)
		return;
	t = ctrace_inflight_at(&tries, place);
	if (t->address == f->address) {
		f->time = t->begun.time;
		f->major = t->major;
	}
	ctrace_inflight_let_go(&tries, place, NULL);
}

static void try_again(const struct fault *f)
{
	u32 place = ctrace_inflight_renew(&tries, current);
	struct try *t;

	if (place == CTRACE_INFLIGHT_NONE)
		return;		/* the next try counts alone */
	t = ctrace_inflight_at(&tries, place);
	t->begun.time = f->time;
	t->address = f->address;
	t->major = f->major;
	ctrace_inflight_let_go(&tries, place, current);
}

static bool enter(struct pt_regs *regs, bool breakpoint, void *room)
{
	u32 mask = ctrace_wants(CTRACE_ID_PAGE_FAULT);
	struct fault *f = room;
	struct ctrace_who who;

	if (!mask)
		return false;
	ctrace_identity_resolve_trap(&who, breakpoint, regs);
	if (!ctrace_wanted(mask, who.container, who.task))
		return false;
	f->address = ctrace_compat_argument(regs, CTRACE_COMPAT_MM_FAULT_ARG);
	f->flags = ctrace_compat_argument(regs, CTRACE_COMPAT_MM_FAULT_ARG + 1);
	f->time = ctrace_compat_clock();
	tried_before(f);
	return true;
}

static void leave(struct pt_regs *regs, void *room)
{
	u32 mask = ctrace_wants(CTRACE_ID_PAGE_FAULT), result = regs_return_value(regs);
	const struct pt_regs *outer;
	struct fault_payload a;
	struct fault *f = room;
	struct ctrace_who who;

	if (!mask)
		return;
	f->major |= !!(result & CTRACE_COMPAT_FAULT_MAJOR);
	if (result & CTRACE_COMPAT_FAULT_RETRY) {
		try_again(f);
		return;
	}
	ctrace_identity_resolve_context(&who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	a = (struct fault_payload) {
		.duration = ctrace_compat_passed(f->time, ctrace_compat_clock()), .address = f->address, .flags = f->flags,
		.major = f->major || f->flags & CTRACE_COMPAT_MAJOR_FLAGS,
	};
	outer = ctrace_stack_begin(regs);
	ctrace_emit(mask, CTRACE_ID_PAGE_FAULT, &who, CTRACE_SIZE(fault_payload), fill_fault, &a);
	ctrace_stack_end(outer);
}

static const char *const symbols[] = { "handle_mm_fault", NULL };

/* A fault that waits for a disk keeps its place here: so many tasks may wait at one time. */
static struct ctrace_hook hook = {
	.symbols = symbols, .enter = enter, .leave = leave, .room = sizeof(struct fault), .maxactive = 1024,
};

static const struct ctrace_field_desc f_fault[] = { CTRACE_FIELDS(FAULT_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(PAGE_FAULT, "exceptions", "page_fault", "handle_mm_fault", f_fault),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "handle_mm_fault", .hook = &hook, .table = &tries },
	{ }
};

const struct ctrace_family ctrace_family_fault = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
