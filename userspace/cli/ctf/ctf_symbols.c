// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "ctf/sink_ctf.h"
#include "symbols/stacks.h"

static void look_up(struct symbols *sy, const struct stack *k, bool kernel, int32_t tid)
{
	for (size_t i = 0; i < k->n; i++) {
		if (kernel)
			symbols_kernel(sy, k->v[i], k->exact && !i);
		else
			symbols_user(sy, tid, k->v[i], k->exact && !i);
	}
}

static void scan_record(struct symbols *sy, const struct ctrace_schema *s, const struct ctrace_record *rec)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(s, rec->id);
	struct stacks both;
	struct stack k;
	uint32_t of;

	if (rec->id == CTRACE_ID_SCHED_PROCESS_EXEC || rec->id == CTRACE_ID_PROCESS_MAP) {
		symbols_learn(sy, s, rec);
	} else if (rec->id == CTRACE_ID_USER_REGISTERS) {
		symbols_note_maps(sy, rec->tid);
	} else if (stack_decode(t, rec, &k, &of)) {
		look_up(sy, &k, rec->id == CTRACE_ID_KERNEL_STACK, rec->tid);
	} else if (stack_decode_sample(t, rec, &both)) {
		look_up(sy, &both.kernel, true, rec->tid);
		look_up(sy, &both.user, false, rec->tid);
	}
}

void ctf_symbols_scan(struct symbols *sy, const struct ctrace_schema *s, const void *data, size_t len)
{
	union {
		struct ctrace_record rec;
		uint64_t raw[CTRACE_RECORD_MAX / 8];
	} copy;
	size_t pos = 0, n;

	/* the ring may be overwritten at any time: copy data that is read more than once */
	while (len - pos >= sizeof(copy.rec)) {
		memcpy(&copy.rec, (const char *)data + pos, sizeof(copy.rec));
		n = copy.rec.len;
		if (n < sizeof(copy.rec) || n > sizeof(copy) || n > len - pos)
			return;
		if (copy.rec.id == CTRACE_ID_KERNEL_STACK || copy.rec.id == CTRACE_ID_USER_STACK ||
		    copy.rec.id == CTRACE_ID_CPU_SAMPLE || copy.rec.id == CTRACE_ID_SCHED_PROCESS_EXEC ||
		    copy.rec.id == CTRACE_ID_PROCESS_MAP || copy.rec.id == CTRACE_ID_USER_REGISTERS) {
			memcpy(copy.raw, (const char *)data + pos, n);
			copy.rec.len = (uint16_t)n;
			scan_record(sy, s, &copy.rec);
		}
		pos += n;
	}
}
