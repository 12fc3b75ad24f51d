// SPDX-License-Identifier: GPL-2.0-only
/* cap_capable: a question of the kernel whether a task has a capability, and the answer. */
#include "probe/table.h"
#include "emit/emit.h"
#include "emit/stack.h"
#include "event/hook.h"
#include "compat/cred.h"
#include "compat/kprobe.h"

struct asked {
	s32 cap;
	u32 audit;
};

#define CAP_FIELDS(F)	F(s32, cap) F(u32, audit) F(s32, result)
CTRACE_PAYLOAD(cap_payload, CAP_FIELDS);

static __always_inline void fill_cap(void *payload, const void *arg)
{
	*(struct cap_payload *)payload = *(const struct cap_payload *)arg;
}

/* cap_capable(cred, user namespace, cap, options) */
static bool enter(struct pt_regs *regs, bool breakpoint, void *room)
{
	u32 mask = ctrace_wants(CTRACE_ID_CAP_CAPABLE);
	struct asked *a = room;
	struct ctrace_who who;

	if (!mask)
		return false;
	ctrace_identity_resolve_trap(&who, breakpoint, regs);
	if (!ctrace_wanted(mask, who.container, who.task))
		return false;
	a->cap = ctrace_compat_argument(regs, 2);
	a->audit = ctrace_compat_cap_audits(ctrace_compat_argument(regs, 3));
	return true;
}

static void leave(struct pt_regs *regs, void *room)
{
	u32 mask = ctrace_wants(CTRACE_ID_CAP_CAPABLE);
	const struct asked *asked = room;
	const struct pt_regs *outer;
	struct ctrace_who who;
	struct cap_payload a;

	if (!mask)
		return;
	ctrace_identity_resolve_context(&who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	a = (struct cap_payload) { .cap = asked->cap, .audit = asked->audit, .result = regs_return_value(regs) };
	outer = ctrace_stack_begin(regs);
	ctrace_emit(mask, CTRACE_ID_CAP_CAPABLE, &who, CTRACE_SIZE(cap_payload), fill_cap, &a);
	ctrace_stack_end(outer);
}

static const char *const symbols[] = { "cap_capable", NULL };

/* It does not sleep, but a task may lose the CPU in it. */
static struct ctrace_hook hook = {
	.symbols = symbols, .enter = enter, .leave = leave, .room = sizeof(struct asked), .maxactive = 256,
};

static const struct ctrace_field_desc f_cap[] = { CTRACE_FIELDS(CAP_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(CAP_CAPABLE, "security", "cap_capable", "cap_capable", f_cap),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "cap_capable", .hook = &hook },
	{ }
};

const struct ctrace_family ctrace_family_cap = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
