/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of the TCP sockets and the addresses of one network namespace: NETLINK_SOCK_DIAG. */
#ifndef CTRACE_SOCK_DIAG_H
#define CTRACE_SOCK_DIAG_H

#include "base/far.h"

/* The two ends of a connection, in the order in which they are compared: memcmp(). */
struct sock_ends {
	uint8_t local[16], remote[16];	/* an IPv4 address as IPv6 has it: ::ffff:10.0.0.1 */
	uint16_t lport, rport;
};

enum sock_kind {
	SOCK_CONNECTION,	/* established, or on its way to its end */
	SOCK_CONNECTS,		/* it has sent its SYN, and waits for the answer (SYN_SENT) */
	SOCK_ANSWERS,		/* it has answered a SYN, and waits for the other end's ACK (SYN_RECV) */
	SOCK_LISTENS,		/* at ends.local. One at [::] that takes IPv4 comes again, at 0.0.0.0 */
	SOCK_ADDRESS,		/* ends.local is one of the namespace's; bits: of its network */
	SOCK_LEFT_OUT,		/* there are more of them than were asked for, or it took too long */
	SOCK_REFUSED,		/* the namespace cannot be entered, or read; bits: errno */
};

/* One answer. Unknown values are 0. */
struct sock_told {
	struct sock_ends ends;
	uint32_t kind, bits;
	uint32_t again;		/* SOCK_CONNECTS, SOCK_ANSWERS: how often that was sent again */
	uint64_t cookie;	/* no other socket of the namespace had or gets it */
	uint64_t cgroup;	/* id of the v2 cgroup in which it was made; since Linux 5.9 */
	uint64_t tx, rx;	/* bytes that were acknowledged, and received; since Linux 4.1 */
	/*
	 * SOCK_CONNECTS: ns since its first SYN, by the timer that sends SYNs again: up to an eighth too
	 * small, because the kernel's timers are late by that
	 */
	uint64_t age;
};

/* Flags of a request; 0: connections, without bytes. */
enum {
	SOCK_DIAG_BYTES = 1,
	SOCK_DIAG_OPENING = 2,	/* instead of connections, those on their way to become established */
};

/*
 * A request is "PID INODE SOCKETS WHAT": the namespace of a process, its number, how many sockets at most,
 * and SOCK_DIAG_*. This serves it, in the separate process. The answer consists of struct
 * sock_told, many in each far_tell().
 */
void sock_diag_serve(struct far *f, void *arg, const char *request);
#define SOCK_DIAG_REQUEST	"%d %llu %u %d"

#endif
