// SPDX-License-Identifier: GPL-2.0-only
/* Names of the descriptors that lie in memory: of poll(), of pipe(), in sets, in control messages. */
#include <linux/kernel.h>
#include <linux/socket.h>
#include <linux/string.h>
#include "event/call_memory.h"
#include "event/fd_name.h"

struct names {
	char *to;
	u32 max, len;
};

/* False: there is no room for one more. */
static bool put_name(struct names *n, s32 fd)
{
	if (n->max - n->len < CTRACE_STR_MAX)
		return false;
	if (fd < 0)
		n->to[n->len++] = 0;
	else
		n->len += ctrace_fd_name(fd, n->to + n->len, CTRACE_STR_MAX);
	return true;
}

static void put_places(struct names *n, u64 from, u64 count, u32 unit)
{
	u64 i;
	s32 fd;

	for (i = 0; i < count; i++)
		if (!ctrace_memory_read(&fd, from + i * unit, sizeof(fd)) || !put_name(n, fd))
			break;
}

/* was: the set, or NULL: it is where `from` points to */
static void put_set(struct names *n, const char *was, u64 from, u64 bits)
{
	u8 byte = 0;
	u64 i;

	for (i = 0; i < bits; i++) {
		if (was)
			byte = was[i / 8];
		else if (i % 8 == 0 && !ctrace_memory_read(&byte, from + i / 8, sizeof(byte)))
			break;
		if (byte >> i % 8 & 1 && !put_name(n, i))
			break;
	}
}

struct control_head {
	u64 len;
	s32 level, type;
};

struct narrow_control_head {
	u32 len;
	s32 level, type;
};

static void put_passed(struct names *n, const char *from, u32 len, bool is32)
{
	u32 head = is32 ? sizeof(struct narrow_control_head) : sizeof(struct control_head);
	u32 unit = is32 ? sizeof(u32) : sizeof(u64), at, i;
	struct narrow_control_head narrow;
	struct control_head h;
	s32 fd;

	for (at = 0; at + head <= len; at += ALIGN(h.len, unit)) {
		memcpy(is32 ? (void *)&narrow : &h, from + at, head);
		if (is32)
			h = (struct control_head){ narrow.len, narrow.level, narrow.type };
		if (h.len < head || h.len > len - at)
			break;
		if (h.level != SOL_SOCKET || h.type != SCM_RIGHTS)
			continue;
		for (i = head; i + sizeof(fd) <= h.len; i += sizeof(fd)) {
			memcpy(&fd, from + at + i, sizeof(fd));
			if (!put_name(n, fd))
				return;
		}
	}
}

u32 ctrace_memory_names(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	struct names n = { .to = to, .max = max };
	char control[CTRACE_MEM_CONTROL];
	u64 from = c->args[m->arg], count;
	const char *was = NULL;
	u32 len;

	switch (m->how) {
	case CTRACE_MEM_NAMES:
		count = m->by < CTRACE_MEM_BY ? m->by : (u32)c->args[m->by - CTRACE_MEM_BY];
		put_places(&n, from, count, m->unit);
		break;
	case CTRACE_MEM_SET_NAMES:
		count = (s32)c->args[m->by] > 0 ? min_t(u32, c->args[m->by], CTRACE_MEM_SET_BITS) : 0;
		if (c->phase == CTRACE_CALL_WHOLE) {
			was = ctrace_memory_as_it_was(c, m->arg, &len);
			count = min_t(u64, count, len * 8);
		}
		put_set(&n, was, from, count);
		break;
	default:
		put_passed(&n, control, ctrace_memory_control(from, c->is32, control, sizeof(control)), c->is32);
	}
	return n.len;
}
