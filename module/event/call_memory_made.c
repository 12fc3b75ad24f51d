// SPDX-License-Identifier: GPL-2.0-only
/* Memory that takes more than a copy: strings, counts, pointers' targets, the call within socketcall(). */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "event/call_memory.h"
#include "compat/syscall.h"

/* The calls that socketcall() makes. */
static const struct {
	u8 nargs;
	/* which of them points to an address, and to data; its length is the next. 0: none */
	u8 addr, bytes;
	bool in;		/* the program's; else the kernel's, and the address's length is a pointer */
} socket_calls[] = {
	{ 0 },
	{ .nargs = 3 },						/* socket */
	{ .nargs = 3, .addr = 1, .in = true },			/* bind */
	{ .nargs = 3, .addr = 1, .in = true },			/* connect */
	{ .nargs = 2 },						/* listen */
	{ .nargs = 3, .addr = 1 },				/* accept */
	{ .nargs = 3, .addr = 1 },				/* getsockname */
	{ .nargs = 3, .addr = 1 },				/* getpeername */
	{ .nargs = 4 },						/* socketpair */
	{ .nargs = 4, .bytes = 1, .in = true },			/* send */
	{ .nargs = 4, .bytes = 1 },				/* recv */
	{ .nargs = 6, .addr = 4, .bytes = 1, .in = true },	/* sendto */
	{ .nargs = 6, .addr = 4, .bytes = 1 },			/* recvfrom */
	{ .nargs = 2 },						/* shutdown */
	{ .nargs = 5 },						/* setsockopt */
	{ .nargs = 5 },						/* getsockopt */
	{ .nargs = 3 },						/* sendmsg */
	{ .nargs = 3 },						/* recvmsg */
	{ .nargs = 4, .addr = 1 },				/* accept4 */
	{ .nargs = 5 },						/* recvmmsg */
	{ .nargs = 4 },						/* sendmmsg */
};

/* Of the call that socketcall() makes. from: its arguments. */
static u32 put_socket(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u64 from, u32 max)
{
	u32 call = c->args[0], a[6] = {}, len;
	u8 addr, bytes;

	if (call >= ARRAY_SIZE(socket_calls))
		return 0;
	OPTIMIZER_HIDE_VAR(call);	/* as in ctrace_syscall_nospec() */
	call %= ARRAY_SIZE(socket_calls);
	if (!ctrace_memory_read(a, from, socket_calls[call].nargs * sizeof(*a)))
		return 0;
	len = socket_calls[call].nargs * sizeof(*a);
	if (m->how == CTRACE_MEM_SOCKET_ARGS) {
		memcpy(to, a, min(len, max));
		return min(len, max);
	}
	/* whole calls have both; bytes that the kernel wrote are valid only after success */
	if (socket_calls[call].in ? c->phase == CTRACE_CALL_EXIT : c->phase == CTRACE_CALL_ENTRY || c->ret < 0)
		return 0;
	addr = socket_calls[call].addr;
	bytes = socket_calls[call].bytes;
	if (m->how == CTRACE_MEM_SOCKET_BYTES)
		return bytes ? ctrace_memory_copy(to, a[bytes],
						  min_t(u32, socket_calls[call].in ? a[bytes + 1] : c->ret, max)) : 0;
	if (!addr)
		return 0;
	len = a[addr + 1];
	if (!socket_calls[call].in && !ctrace_memory_read(&len, a[addr + 1], sizeof(len)))
		return 0;
	len = min(len, max);
	if (socket_calls[call].in)
		return ctrace_memory_copy(to, a[addr], len);
	return ctrace_memory_copy(to, a[addr], len) ?: ctrace_memory_copy_page(to, a[addr], len, 1);
}

u32 ctrace_memory_argv(char *to, u64 from, bool is32, u32 max)
{
	u32 each = is32 || ctrace_compat_x32_own() ? sizeof(u32) : sizeof(u64), len = 0;
	u64 at;
	long n;

	for (; len < max; from += each) {
		at = 0;
		if (!ctrace_memory_read(&at, from, each) || !at)
			break;
		n = ctrace_memory_string(to + len, at, max - len);
		if (n < 0)
			break;
		len += n;
		if (len < max - 1)	/* not cut: its NUL counts */
			len++;
		else
			break;
	}
	return len;
}

/* With its NUL, unless it is cut. */
static u32 put_string(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u64 from, u32 max)
{
	u64 by = c->args[m->by];
	long n;

	if (!from || !max || (m->unit && (by >= 16 || !(m->unit & BIT(by)))))
		return 0;
	n = ctrace_memory_string(to, from, max);
	return n < 0 ? 0 : n == max - 1 ? n : n + 1;
}

u32 ctrace_memory_vars(u64 from, bool is32)
{
	u32 each = is32 || ctrace_compat_x32_own() ? sizeof(u32) : sizeof(u64), n;
	u64 at = 0;

	for (n = 0; from && n <= CTRACE_MEM_VARS_MAX; n++, from += each)
		if (!ctrace_memory_read(&at, from, each))
			return 0;
		else if (!at)
			return n + 1;
	return 0;
}

static u32 put_vars(const struct ctrace_memory_call *c, char *to, u64 from)
{
	u32 n = c->vars ?: ctrace_memory_vars(from, c->is32);

	if (n--)
		memcpy(to, &n, sizeof(n));
	return n + 1 ? sizeof(n) : 0;
}

/*
 * The entries in the bytes that the call returned. The program may change them at the same time, so their
 * number is limited.
 */
static u32 put_entries(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u64 from)
{
	u32 at = c->is32 && !(m->flags & CTRACE_MEM_COMPAT) ? m->unit / 2 : m->unit, n = 0;
	u64 end = from + c->ret;
	u16 len;

	for (; from < end; from += len, n++)
		if (n == CTRACE_MEM_ENTRIES_MAX || !ctrace_memory_read(&len, from + at, sizeof(len)) || !len)
			return 0;
	memcpy(to, &n, sizeof(n));
	return sizeof(n);
}

/* Both ints, if both are known. */
static u32 put_length(const struct ctrace_memory_call *c, char *to, u64 from, u32 max)
{
	u32 before = c->before - 1, n = ctrace_memory_copy(to, from, min_t(u32, sizeof(u32), max));

	if (n < sizeof(u32) || !c->before || max < 2 * sizeof(u32))
		return n;
	memcpy(to + n, &before, sizeof(before));
	return n + sizeof(before);
}

/* What each of the pointers points to, as long as there is something. */
static u32 put_each(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u64 from, u32 max)
{
	u32 each = c->is32 ? sizeof(u32) : sizeof(u64), len = 0;
	u64 i, at;

	for (i = 0; i < c->args[m->by] && len + m->unit <= max; i++) {
		at = 0;
		if (!ctrace_memory_read(&at, from + i * each, each) || !ctrace_memory_copy(to + len, at, m->unit))
			break;
		len += m->unit;
	}
	return len;
}

static u32 put_pointed(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u64 from, u32 max)
{
	u64 at = 0;

	if (max < m->max || !ctrace_memory_read(&at, from, c->is32 ? sizeof(u32) : sizeof(u64)))
		return 0;
	return at ? ctrace_memory_copy(to, at, m->max) : 0;
}

u32 ctrace_memory_made(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	u64 from = c->args[m->arg];

	switch (m->how) {
	case CTRACE_MEM_LENGTH:
		return put_length(c, to, from, max);
	case CTRACE_MEM_STRING:
	case CTRACE_MEM_PRCTL:		/* a name */
		return put_string(m, c, to, from, max);
	case CTRACE_MEM_POINTED:
		return put_pointed(m, c, to, from, max);
	case CTRACE_MEM_VARS:
		return max < m->max ? 0 : put_vars(c, to, from);
	case CTRACE_MEM_ENTRIES:
		return max < m->max ? 0 : put_entries(m, c, to, from);
	case CTRACE_MEM_EACH:
		return put_each(m, c, to, from, max);
	case CTRACE_MEM_ARGV:
		if (!c->argv)
			return ctrace_memory_argv(to, from, c->is32, max);
		max = min(max, c->argv_len);
		memcpy(to, c->argv, max);
		return max;
	default:
		return put_socket(m, c, to, from, max);
	}
}
