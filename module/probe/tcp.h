/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owner of a TCP connection, and its ends as a record has them. All functions: any context;
 * preemption off; the socket is locked.
 */
#ifndef CTRACE_PROBE_TCP_H
#define CTRACE_PROBE_TCP_H

#include <net/inet_sock.h>
#include "event/payload.h"
#include "session/inflight.h"

/*
 * In begun.wanted: the owner is a task, which has decided the mask. Else each session with the event
 * is in it.
 */
#define CTRACE_TCP_DECIDED	(1u << 16)

/* A connection's place. */
struct ctrace_tcp {
	struct ctrace_owned begun;
	u64 start;			/* of the owner's task, whose address is used again */
	union {
		struct {
			/* tcp_life: by ctrace_compat_tcp_*(), when it was established */
			u64 acked, received;
		};
		/* tcp_connect: in tcp_v4_connect() or the like, which will say the error */
		bool connecting;
	};
};

/* sk's place, or NULL. It stays until the socket is unlocked. */
struct ctrace_tcp *ctrace_tcp_find(const struct sock *sk);
void ctrace_tcp_give(const struct sock *sk);
/* Fills *who. Returns the sessions that get the event id of the connection. */
u32 ctrace_tcp_wanted(const struct ctrace_tcp *c, u32 id, struct ctrace_who *who);
/* who calls tcp_v4_connect() or tcp_v6_connect() for sk. False: it has no place. */
bool ctrace_tcp_connecting(const struct sock *sk, const struct ctrace_who *who);

/* What a record has of a connection. */
struct ctrace_tcp_arg {
	const struct sock *sk;
	const void *saddr, *daddr;
	u32 saddr_len, daddr_len;	/* 0, 4 or 16 */
	u16 sport, dport;
	u64 duration, tx, rx;
	s32 error;
	u32 state, before, how;		/* of a segment that is sent again; before: of a life, too */
};

/* Fills *a with the ends of sk, and how long it is since then. */
void ctrace_tcp_describe(struct ctrace_tcp_arg *a, const struct sock *sk, u64 since);
/* A connect ended: for the sessions in mask. */
void ctrace_tcp_connect_emit(u32 mask, const struct ctrace_who *who, const struct ctrace_tcp_arg *a);

/* Stand in each record, after fields whose lengths are multiples of 4. */
#define CTRACE_TCP_ENDS_FIELDS(F)						\
	F(u16, family) F(u16, sport) F(u16, dport) F(u16, protocol) F(seq_u8, saddr)
CTRACE_PAYLOAD(ctrace_tcp_ends, CTRACE_TCP_ENDS_FIELDS);
/* follows saddr, whose length is a multiple of 4 */
#define CTRACE_TCP_DADDR_FIELDS(F)	F(seq_u8, daddr)
CTRACE_PAYLOAD(ctrace_tcp_daddr, CTRACE_TCP_DADDR_FIELDS);

static inline u32 ctrace_tcp_ends_size(const struct ctrace_tcp_arg *a)
{
	return CTRACE_SIZE(ctrace_tcp_ends) + CTRACE_SIZE(ctrace_tcp_daddr) + a->saddr_len + a->daddr_len;
}

/* Returns the end of what it wrote. */
void *ctrace_tcp_fill_ends(void *at, const struct ctrace_tcp_arg *a);

#endif
