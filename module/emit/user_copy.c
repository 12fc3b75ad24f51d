// SPDX-License-Identifier: GPL-2.0-only
/* The copy of a program's stack: emit/user_copy.h. */
#include <linux/sched.h>
#include "emit/emit.h"
#include "emit/stack.h"
#include "emit/user_copy.h"

void ctrace_emit_user_copy(u32 index, u32 of, u32 asked, const struct ctrace_who *who, void *room)
{
	struct ctrace_user_memory_payload *m = room;
	struct ctrace_user_registers_payload *r = room;
	const u32 piece = CTRACE_PAYLOAD_MAX - CTRACE_SIZE(ctrace_user_memory_payload);
	u64 registers[CTRACE_STACK_REGISTERS], known = 0, sp = 0;
	struct ctrace_copy c = { .from = room };
	u32 n = 0, copied, part, whole;

	BUILD_BUG_ON(CTRACE_SIZE(ctrace_user_registers_payload) + sizeof(registers) > CTRACE_PAYLOAD_MAX);
	if (who->task == current)	/* as user_stack() in emit/options.c */
		n = ctrace_stack_user_registers(registers, &known, &sp);
	for (copied = 0; n && copied < asked; copied += part) {
		whole = min(piece, asked - copied);
		part = ctrace_stack_user_copy(m->bytes, sp + copied, whole);
		if (!part)
			break;
		m->event = of;
		m->offset = copied;
		m->bytes_length = part;
		c.len = CTRACE_SIZE(ctrace_user_memory_payload) + part;
		if (!ctrace_emit_one(index, CTRACE_ID_USER_MEMORY, who, who->container->cid, c.len, ctrace_fill_copy, &c))
			return;
	}
	r->event = of;
	r->asked = asked;
	r->known = known;
	r->copied = copied;
	r->registers_length = n;
	memcpy(r->registers, registers, n * sizeof(u64));
	c.len = CTRACE_SIZE(ctrace_user_registers_payload) + n * sizeof(u64);
	ctrace_emit_one(index, CTRACE_ID_USER_REGISTERS, who, who->container->cid, c.len, ctrace_fill_copy, &c);
}
