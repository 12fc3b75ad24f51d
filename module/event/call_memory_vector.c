// SPDX-License-Identifier: GPL-2.0-only
/* The memory that iovecs and msghdrs point to. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "event/call_memory.h"

/* The program's own, of 64 bits. */
struct piece {
	u64 base, len;
};

struct msg {
	u64 name;
	u32 name_len, pad;
	u64 iov, iov_len, control, control_len;
	u32 flags, pad_end;
	u32 len, pad_more;	/* of a vector: what was sent or received */
};

/* The same of a 32-bit program. */
struct narrow_piece {
	u32 base, len;
};

struct narrow_msg {
	u32 name, name_len, iov, iov_len, control, control_len, flags, len;
};

#define MSG(is32)	(is32 ? offsetof(struct narrow_msg, len) : offsetof(struct msg, len))
#define MSG_LEN(is32)	(is32 ? sizeof(struct narrow_msg) : sizeof(struct msg))

u32 ctrace_memory_copy_page(char *to, u64 from, u32 n, u32 unit)
{
	u32 there = PAGE_SIZE - from % PAGE_SIZE;

	return there < n ? ctrace_memory_copy(to, from, there - there % unit) : 0;
}

static bool read_piece(struct piece *p, u64 iov, u32 i, bool is32)
{
	struct narrow_piece n;

	if (!is32)
		return ctrace_memory_read(p, iov + i * sizeof(*p), sizeof(*p));
	if (!ctrace_memory_read(&n, iov + i * sizeof(n), sizeof(n)))
		return false;
	p->base = n.base;
	p->len = n.len;
	return true;
}

/* bytes: of it, MSG() or MSG_LEN() */
static bool read_msg(struct msg *m, u64 from, bool is32, u32 bytes)
{
	struct narrow_msg n = {};

	memset(m, 0, sizeof(*m));
	if (!is32)
		return ctrace_memory_read(m, from, bytes);
	if (!ctrace_memory_read(&n, from, bytes))
		return false;
	m->name = n.name;
	m->name_len = n.name_len;
	m->iov = n.iov;
	m->iov_len = n.iov_len;
	m->control = n.control;
	m->control_len = n.control_len;
	m->len = n.len;
	return true;
}

static u32 put_iov(char *to, u64 iov, u64 count, u32 max, bool is32)
{
	u32 each = is32 ? sizeof(struct narrow_piece) : sizeof(struct piece);

	u32 n = ctrace_memory_elements(count, each, min_t(u32, max, CTRACE_MEM_IOVECS * each));

	return ctrace_memory_copy(to, iov, n) ?: ctrace_memory_copy_page(to, iov, n, each);
}

/* most: bytes that the pieces have in all */
static u32 put_pieces(char *to, u64 iov, u64 count, u64 most, u32 max, bool is32)
{
	struct piece p;
	u32 i, n, len = 0;

	max = min_t(u64, max, most);
	for (i = 0; i < min_t(u64, count, CTRACE_MEM_IOVECS) && len < max; i++) {
		if (!read_piece(&p, iov, i, is32))
			break;
		n = ctrace_memory_copy(to + len, p.base, min_t(u64, p.len, max - len));
		len += n;
		if (n < p.len)
			break;
	}
	return len;
}

static u32 put_msg(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	u32 before = c->before - 1, n = ctrace_memory_copy(to, c->args[m->arg], min_t(u32, MSG(c->is32), max));

	if (!n || !c->before || max < n + sizeof(before))
		return n;
	memcpy(to + n, &before, sizeof(before));
	return n + sizeof(before);
}

/* Of each of a vector's msghdrs what m says, up to the first that is not there or does not fit. */
static u32 put_msgs(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	u64 from = c->args[m->arg], count = m->flags & CTRACE_MEM_IN ? c->args[m->by] : (u64)c->ret;
	u32 each = MSG_LEN(c->is32), i, n, want, len = 0;
	struct msg msg;

	count = min_t(u64, (u32)count, CTRACE_MEM_VECTOR);
	if (m->how == CTRACE_MEM_MSGS)
		return ctrace_memory_copy(to, from, ctrace_memory_elements(count, each, max));
	for (i = 0; i < count; i++) {
		if (!read_msg(&msg, from + i * each, c->is32, each))
			break;
		if (m->how == CTRACE_MEM_MSGS_ADDR) {
			want = msg.name ? min_t(u32, msg.name_len, CTRACE_MEM_SOCKADDR) : 0;
			n = want <= max - len ? ctrace_memory_copy(to + len, msg.name, want) : 0;
		} else if (m->how == CTRACE_MEM_MSGS_IOV) {
			want = min_t(u64, msg.iov_len, CTRACE_MEM_IOVECS) * (c->is32 ? sizeof(struct narrow_piece) :
									      sizeof(struct piece));
			n = want <= max - len ? put_iov(to + len, msg.iov, msg.iov_len, want, c->is32) : 0;
		} else {
			want = n = put_pieces(to + len, msg.iov, msg.iov_len,
					      m->flags & CTRACE_MEM_IN ? ~0ull : msg.len, max - len, c->is32);
		}
		len += n;
		if (n < want)
			break;
	}
	return len;
}

u32 ctrace_memory_control(u64 from, bool is32, char *to, u32 max)
{
	struct msg msg;

	if (!read_msg(&msg, from, is32, MSG(is32)))
		return 0;
	return ctrace_memory_copy(to, msg.control, min_t(u64, msg.control_len, min(max, CTRACE_MEM_CONTROL)));
}

u32 ctrace_memory_vector(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	u64 from = c->args[m->arg], most = m->flags & CTRACE_MEM_IN ? ~0ull : (u64)c->ret;
	struct msg msg;

	switch (m->how) {
	case CTRACE_MEM_IOV:
		return put_iov(to, from, c->args[m->by], max, c->is32);
	case CTRACE_MEM_IOV_BYTES:
		return put_pieces(to, from, c->args[m->by], most, max, c->is32);
	case CTRACE_MEM_MSG:
		return put_msg(m, c, to, max);
	case CTRACE_MEM_MSG_CONTROL:
		return ctrace_memory_control(from, c->is32, to, max);
	case CTRACE_MEM_MSG_NAMES:
		return ctrace_memory_names(m, c, to, max);
	case CTRACE_MEM_MSG_ADDR:
	case CTRACE_MEM_MSG_IOV:
	case CTRACE_MEM_MSG_BYTES:
		if (!read_msg(&msg, from, c->is32, MSG(c->is32)))
			return 0;
		if (m->how == CTRACE_MEM_MSG_ADDR) {
			/* the kernel cut it to the room that the program had */
			max = c->before ? min(max, c->before - 1) : max;
			max = min(msg.name_len, max);
			if (m->flags & CTRACE_MEM_IN)
				return ctrace_memory_copy(to, msg.name, max);
			return ctrace_memory_copy(to, msg.name, max) ?:
			       ctrace_memory_copy_page(to, msg.name, max, 1);
		}
		if (m->how == CTRACE_MEM_MSG_IOV)
			return put_iov(to, msg.iov, msg.iov_len, max, c->is32);
		return put_pieces(to, msg.iov, msg.iov_len, most, max, c->is32);
	default:
		return put_msgs(m, c, to, max);
	}
}
