// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connects that send no SYN, or whose error the socket does not get: the kernel's functions return
 * the error to their caller alone.
 *
 *	tcp_v4_connect(), tcp_v6_connect()	no route, no free port, no memory; the socket is locked. If it
 *						has been in SYN_SENT, tcp.c leaves the error to us
 *	tcp_v4_pre_connect(), ...		a BPF program of the cgroup says no (since Linux 4.17)
 *	security_socket_connect()		a security module says no; the socket is not locked
 *
 * tcp_v6_connect() calls tcp_v4_connect() for addresses that are mapped: the outer one is followed.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/string.h>
#include "probe/table.h"
#include "probe/tcp.h"
#include "emit/emit.h"
#include "emit/stack.h"
#include "event/hook.h"
#include "compat/clock.h"
#include "compat/kprobe.h"
#include "compat/net.h"

/* A call of one of these functions. */
struct connect_call {
	const struct sock *sk;
	u64 time;
	u32 addr_len;		/* 0: the address is of neither kind */
	u16 port;
	u8 addr[16];
};

/* Notes where the call goes to: an address in the kernel's memory, of len bytes. */
static void note_address(struct connect_call *call, u64 from, u32 len)
{
	union {
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		sa_family_t family;
	} a;

	memset(&a, 0, sizeof(a));
	if (len < sizeof(a.family) || ctrace_compat_read_kernel(&a, from, min_t(u32, len, sizeof(a))))
		return;
	if (a.family == AF_INET && len >= sizeof(a.in)) {
		call->addr_len = sizeof(a.in.sin_addr);
		call->port = ntohs(a.in.sin_port);
		memcpy(call->addr, &a.in.sin_addr, sizeof(a.in.sin_addr));
	} else if (a.family == AF_INET6 && len >= offsetofend(struct sockaddr_in6, sin6_addr)) {
		call->addr_len = sizeof(a.in6.sin6_addr);
		call->port = ntohs(a.in6.sin6_port);
		memcpy(call->addr, &a.in6.sin6_addr, sizeof(a.in6.sin6_addr));
	}
}

static void note(struct connect_call *call, const struct sock *sk, const struct pt_regs *regs)
{
	call->sk = sk;
	call->time = ctrace_compat_clock();
	note_address(call, ctrace_compat_argument(regs, 1), ctrace_compat_argument(regs, 2));
}

/* The call has failed: a record for the sessions in mask. since: of the span. */
static void failed(u32 mask, const struct ctrace_who *who, const struct connect_call *call, u64 since,
		   int error)
{
	struct ctrace_tcp_arg a;

	ctrace_tcp_describe(&a, call->sk, since);
	a.error = error;
	/* the socket has forgotten it, or never knew it */
	a.daddr = call->addr;
	a.daddr_len = call->addr_len;
	a.dport = call->port;
	ctrace_tcp_connect_emit(mask, who, &a);
}

/* --- the socket is locked until these return ------------------------------------------ */

/* tcp_v4_connect(sk, address, length), tcp_v6_connect() */
static bool enter_connect(struct pt_regs *regs, bool breakpoint, void *room)
{
	const struct sock *sk = (const void *)ctrace_compat_argument(regs, 0);
	const struct ctrace_tcp *c;
	struct ctrace_who who;

	if (!ctrace_wants(CTRACE_ID_TCP_CONNECT) || sk->sk_protocol != IPPROTO_TCP)
		return false;
	c = ctrace_tcp_find(sk);
	if (c && (u16)READ_ONCE(c->begun.wanted) == CTRACE_ID_TCP_CONNECT && c->connecting)
		return false;
	ctrace_identity_resolve_trap(&who, breakpoint, regs);
	if (!ctrace_tcp_connecting(sk, &who))
		return false;
	note(room, sk, regs);
	return true;
}

static void leave_connect(struct pt_regs *regs, void *room)
{
	const struct connect_call *call = room;
	struct ctrace_tcp *c = ctrace_tcp_find(call->sk);
	int err = regs_return_value(regs);
	struct ctrace_who who;
	u32 mask;

	if (!c || (u16)READ_ONCE(c->begun.wanted) != CTRACE_ID_TCP_CONNECT || !c->connecting)
		return;
	c->connecting = false;
	if (err >= 0)
		return;
	mask = ctrace_tcp_wanted(c, CTRACE_ID_TCP_CONNECT, &who);
	if (mask) {
		const struct pt_regs *outer = ctrace_stack_begin(regs);

		failed(mask, &who, call, c->begun.time, err);
		ctrace_stack_end(outer);
	}
	ctrace_tcp_give(call->sk);
}

static const char *const v4_symbols[] = { "tcp_v4_connect", NULL };
static const char *const v6_symbols[] = { "tcp_v6_connect", NULL };

static struct ctrace_hook v4 = {
	.symbols = v4_symbols, .enter = enter_connect, .leave = leave_connect,
	.room = sizeof(struct connect_call), .maxactive = 256,
};
static struct ctrace_hook v6 = {
	.symbols = v6_symbols, .enter = enter_connect, .leave = leave_connect,
	.room = sizeof(struct connect_call), .maxactive = 256,
};

/* --- these say no before ---------------------------------------------------------------- */

static bool follow(const struct sock *sk, const struct pt_regs *regs, bool breakpoint, void *room)
{
	u32 mask = ctrace_wants(CTRACE_ID_TCP_CONNECT);
	struct ctrace_who who;

	if (!mask || !sk || (sk->sk_family != AF_INET && sk->sk_family != AF_INET6) ||
	    sk->sk_protocol != IPPROTO_TCP)
		return false;
	ctrace_identity_resolve_trap(&who, breakpoint, regs);
	if (!ctrace_wanted(mask, who.container, who.task))
		return false;
	note(room, sk, regs);
	return true;
}

/* tcp_v4_pre_connect(sk, address, length) */
static bool enter_pre(struct pt_regs *regs, bool breakpoint, void *room)
{
	return follow((const void *)ctrace_compat_argument(regs, 0), regs, breakpoint, room);
}

/* security_socket_connect(socket, address, length) */
static bool enter_security(struct pt_regs *regs, bool breakpoint, void *room)
{
	const struct socket *sock = (const void *)ctrace_compat_argument(regs, 0);

	return follow(sock->sk, regs, breakpoint, room);
}

static void leave_refused(struct pt_regs *regs, void *room)
{
	u32 mask = ctrace_wants(CTRACE_ID_TCP_CONNECT);
	const struct connect_call *call = room;
	int err = regs_return_value(regs);
	const struct pt_regs *outer;
	struct ctrace_who who;

	if (!mask || err >= 0)
		return;
	ctrace_identity_resolve_context(&who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	outer = ctrace_stack_begin(regs);
	failed(mask, &who, call, call->time, err);
	ctrace_stack_end(outer);
}

static const char *const pre4_symbols[] = { "tcp_v4_pre_connect", NULL };
static const char *const pre6_symbols[] = { "tcp_v6_pre_connect", NULL };
static const char *const security_symbols[] = { "security_socket_connect", NULL };

#define REFUSES(symbols_, enter_)						\
	{									\
		.symbols = symbols_, .enter = enter_, .leave = leave_refused,	\
		.room = sizeof(struct connect_call), .maxactive = 256,		\
	}
static struct ctrace_hook pre4 = REFUSES(pre4_symbols, enter_pre);
static struct ctrace_hook pre6 = REFUSES(pre6_symbols, enter_pre);
static struct ctrace_hook security = REFUSES(security_symbols, enter_security);

/* tcp.c's source names these. */
static struct ctrace_source sources[] = {
	{ .tracepoint = "tcp_v4_connect", .hook = &v4 },
	{ .tracepoint = "tcp_v6_connect", .hook = &v6 },
	{ .tracepoint = "tcp_v4_pre_connect", .hook = &pre4 },
	{ .tracepoint = "tcp_v6_pre_connect", .hook = &pre6 },
	{ .tracepoint = "security_socket_connect", .hook = &security },
	{ }
};

const struct ctrace_family ctrace_family_tcp_connect = { .sources = sources };
