// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of TCP connections.
 *
 *	tcp_connect	SYN sent, to established or given up; or a connect() that sent none (tcp_connect.c)
 *	tcp_life	established, to closed; of both ends
 *
 * and tcp_retransmit, a segment that is sent once more (tcp_again.c).
 *
 * Most of these come in an interrupt or a timer, so the owner is kept with the socket: who connected, or who
 * accepted. Of a connection that nobody has accepted, it is the container that listens.
 *
 * The kernel changes a socket's state, and a task accepts it, only with the socket locked, so one context at
 * a time deals with its place. Each connection becomes TCP_CLOSE before the memory of its socket is used
 * again.
 */
#include <linux/string.h>
#include <net/tcp.h>
#include "probe/sock.h"
#include "probe/table.h"
#include "probe/tcp.h"
#include "emit/emit.h"
#include "event/hook.h"
#include "identity/cgroup.h"
#include "compat/clock.h"
#include "compat/kprobe.h"
#include "compat/net.h"
#include "compat/tracepoint.h"

/*
 * A connection found no place since the table was made: one without a place need not have begun
 * before that.
 */
static bool overflowed;

static int table_made(void)
{
	WRITE_ONCE(overflowed, false);
	return 0;
}

/*
 * A connection has one place, first with the id of tcp_connect in begun.wanted, then with that of tcp_life.
 * 1.1 MiB.
 */
static struct ctrace_inflight connections __read_mostly = {
	.stride = sizeof(struct ctrace_tcp), .bits = 14, .owned = true, .with = table_made,
};

struct ctrace_tcp *ctrace_tcp_find(const struct sock *sk)
{
	u32 place = ctrace_inflight_find(&connections, ctrace_inflight_row(&connections, sk), sk);

	return place == CTRACE_INFLIGHT_NONE ? NULL : ctrace_inflight_at(&connections, place);
}

/* sk's place, if it is in that span. */
static struct ctrace_tcp *find(const struct sock *sk, u32 id)
{
	struct ctrace_tcp *c = ctrace_tcp_find(sk);

	return c && (u16)READ_ONCE(c->begun.wanted) == id ? c : NULL;
}

/*
 * The sessions for which sockets have places: with that event, or with tcp_retransmit, which needs the owner.
 */
static u32 follows(u32 id)
{
	return ctrace_wants(id) | ctrace_wants(CTRACE_ID_TCP_RETRANSMIT);
}

void ctrace_tcp_give(const struct sock *sk)
{
	u32 row = ctrace_inflight_row(&connections, sk), place = ctrace_inflight_find(&connections, row, sk);

	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_give(&connections, row, place);
}

/* mask: the sessions with the event id */
static void own(struct ctrace_tcp *c, u32 id, u32 mask, const struct ctrace_who *who)
{
	u32 flags = 0;

	if (who->task) {
		mask = ctrace_wanted(mask, who->container, who->task);
		flags = CTRACE_TCP_DECIDED;
	}
	c->start = who->task ? ctrace_compat_task_start(who->task) : 0;
	WRITE_ONCE(c->begun.wanted, (u64)mask << 32 | flags | id);
	ctrace_begun_by(&c->begun, who);
}

/* Takes a place, or the one that sk has. NULL: all are taken. */
static struct ctrace_tcp *take(const struct sock *sk, u32 id, u32 mask, const struct ctrace_who *who)
{
	u32 place = ctrace_inflight_take(&connections, ctrace_inflight_row(&connections, sk), sk);
	struct ctrace_tcp *c;

	if (place == CTRACE_INFLIGHT_NONE)
		return NULL;
	c = ctrace_inflight_at(&connections, place);
	c->acked = ctrace_compat_tcp_acked(sk);
	c->received = ctrace_compat_tcp_received(sk);
	if (id == CTRACE_ID_TCP_CONNECT)
		c->connecting = false;
	c->begun.time = ctrace_compat_clock();
	own(c, id, mask, who);
	return c;
}

/* The same. If there is none, that is counted. */
static struct ctrace_tcp *begin(const struct sock *sk, u32 id, u32 mask, const struct ctrace_who *who)
{
	struct ctrace_tcp *c = take(sk, id, mask, who);

	if (!c) {
		WRITE_ONCE(overflowed, true);
		ctrace_session_unfollowed(who->task ? ctrace_wanted(mask, who->container, who->task) : mask);
	}
	return c;
}

bool ctrace_tcp_connecting(const struct sock *sk, const struct ctrace_who *who)
{
	u32 mask = follows(CTRACE_ID_TCP_CONNECT);
	struct ctrace_tcp *c;

	if (!ctrace_wanted(mask | follows(CTRACE_ID_TCP_LIFE), who->container, who->task))
		return false;
	c = take(sk, CTRACE_ID_TCP_CONNECT, mask, who);
	if (c)
		c->connecting = true;
	return c;
}

u32 ctrace_tcp_wanted(const struct ctrace_tcp *c, u32 id, struct ctrace_who *who)
{
	u64 w = READ_ONCE(c->begun.wanted);
	u32 mask = ctrace_wants(id) & (w >> 32), wanted;

	if (!ctrace_begun_whose(&c->begun, who))
		return 0;
	who->task = ctrace_begun_task(&c->begun.who, c->start);
	wanted = ctrace_wanted(mask, who->container, who->task);
	/* a followed task that has gone was followed when it became the owner */
	if (!who->task && w & CTRACE_TCP_DECIDED)
		wanted |= mask & READ_ONCE(ctrace_pid_sessions) & ~READ_ONCE(who->container->denied);
	return wanted;
}

/* --- records ---------------------------------------------------------------------- */

#define CONNECT_FIELDS(F)	F(u64, duration) F(s32, error)
CTRACE_PAYLOAD(connect_payload, CONNECT_FIELDS);
#define LIFE_FIELDS(F)		F(u64, duration) F(u64, tx_bytes) F(u64, rx_bytes)
CTRACE_PAYLOAD(life_payload, LIFE_FIELDS);
/* After the ends. */
#define QUALITY_FIELDS(F)	F(u32, srtt) F(u32, min_rtt) F(u32, retransmits) F(u32, before)
CTRACE_PAYLOAD(quality_payload, QUALITY_FIELDS);

void *ctrace_tcp_fill_ends(void *at, const struct ctrace_tcp_arg *a)
{
	struct ctrace_tcp_ends *r = at;
	struct ctrace_tcp_daddr *d = (void *)&r->saddr[a->saddr_len];

	r->family = a->sk->sk_family;
	r->sport = a->sport;
	r->dport = a->dport;
	r->protocol = a->sk->sk_protocol;
	r->saddr_length = a->saddr_len;
	memcpy(r->saddr, a->saddr, a->saddr_len);
	d->daddr_length = a->daddr_len;
	memcpy(d->daddr, a->daddr, a->daddr_len);
	return &d->daddr[a->daddr_len];
}

static __always_inline void fill_connect(void *payload, const void *arg)
{
	struct connect_payload *r = payload;
	const struct ctrace_tcp_arg *a = arg;

	r->duration = a->duration;
	r->error = a->error;
	ctrace_tcp_fill_ends(payload + CTRACE_SIZE(connect_payload), a);
}

static __always_inline void fill_life(void *payload, const void *arg)
{
	struct life_payload *r = payload;
	const struct ctrace_tcp_arg *a = arg;
	struct quality_payload *q;

	r->duration = a->duration;
	r->tx_bytes = a->tx;
	r->rx_bytes = a->rx;
	q = ctrace_tcp_fill_ends(payload + CTRACE_SIZE(life_payload), a);
	q->srtt = ctrace_compat_tcp_srtt(a->sk);
	q->min_rtt = ctrace_compat_tcp_min_rtt(a->sk);
	q->retransmits = tcp_sk(a->sk)->total_retrans;
	q->before = a->before;
}

void ctrace_tcp_describe(struct ctrace_tcp_arg *a, const struct sock *sk, u64 since)
{
	*a = (struct ctrace_tcp_arg) {
		.sk = sk, .duration = ctrace_compat_passed(since, ctrace_compat_clock()),
		.saddr_len = 4, .daddr_len = 4,
		.saddr = &inet_sk(sk)->inet_saddr, .daddr = &inet_sk(sk)->inet_daddr,
		.sport = ntohs(inet_sk(sk)->inet_sport), .dport = ntohs(inet_sk(sk)->inet_dport),
	};
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		a->saddr = ctrace_compat_sock_saddr6(sk);
		a->daddr = ctrace_compat_sock_daddr6(sk);
		a->saddr_len = a->daddr_len = 16;
	}
#endif
}

void ctrace_tcp_connect_emit(u32 mask, const struct ctrace_who *who, const struct ctrace_tcp_arg *a)
{
	ctrace_emit(mask, CTRACE_ID_TCP_CONNECT, who, CTRACE_SIZE(connect_payload) + ctrace_tcp_ends_size(a),
		    fill_connect, a);
}

/* --- states ----------------------------------------------------------------------- */

/* error: 0 or -errno */
static void connect_ends(const struct sock *sk, const struct ctrace_tcp *c, int error)
{
	struct ctrace_tcp_arg a;
	struct ctrace_who who;
	u32 mask;

	mask = ctrace_tcp_wanted(c, CTRACE_ID_TCP_CONNECT, &who);
	if (!mask)
		return;
	ctrace_tcp_describe(&a, sk, c->begun.time);
	a.error = error;
	ctrace_tcp_connect_emit(mask, &who, &a);
}

/* A FIN counts as a byte: was ours acknowledged? Its state says that it was sent. */
static bool fin_acked(const struct sock *sk, int oldstate)
{
	const int sent = TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2 | TCPF_CLOSING | TCPF_LAST_ACK | TCPF_TIME_WAIT;

	return 1 << oldstate & sent && tcp_sk(sk)->snd_una == tcp_sk(sk)->write_seq;
}

/*
 * For the sessions in mask; a is described already, but for the bytes: what counts from acked and
 * received on.
 */
static void emit_life(u32 mask, const struct ctrace_who *who, struct ctrace_tcp_arg *a, int oldstate,
		      u64 acked, u64 received)
{
	u64 tx = ctrace_compat_tcp_since(ctrace_compat_tcp_acked(a->sk), acked);
	u64 rx = ctrace_compat_tcp_since(ctrace_compat_tcp_received(a->sk), received);

	a->tx = tx ? tx - fin_acked(a->sk, oldstate) : 0;
	/* this flag says that the peer's FIN has come */
	a->rx = rx ? rx - !!sock_flag(a->sk, SOCK_DONE) : 0;
	ctrace_emit(mask, CTRACE_ID_TCP_LIFE, who,
		    CTRACE_SIZE(life_payload) + ctrace_tcp_ends_size(a) + CTRACE_SIZE(quality_payload),
		    fill_life, a);
}

static void life_ends(const struct sock *sk, const struct ctrace_tcp *c, int oldstate)
{
	struct ctrace_tcp_arg a;
	struct ctrace_who who;
	u32 mask;

	mask = ctrace_tcp_wanted(c, CTRACE_ID_TCP_LIFE, &who);
	if (!mask)
		return;
	ctrace_tcp_describe(&a, sk, c->begun.time);
	emit_life(mask, &who, &a, oldstate, c->acked, c->received);
}

/*
 * For sessions that did not see sk's connection begin: c, its place, is not theirs, or NULL. Its
 * owner is c's, or the container in whose cgroup the socket was made. Without such a cgroup (v1, or
 * the root's) the network namespace would decide. It is not asked: other connections in it, which
 * the session does not want, have no place either.
 */
static void old_life_ends(const struct sock *sk, const struct ctrace_tcp *c, int oldstate)
{
	const int was = TCPF_ESTABLISHED | TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2 | TCPF_CLOSE_WAIT |
			TCPF_CLOSING | TCPF_LAST_ACK | TCPF_TIME_WAIT;
	const struct cgroup *cgrp = ctrace_compat_sock_cgroup(sk);
	u32 mask = ctrace_wants(CTRACE_ID_TCP_LIFE);
	struct ctrace_tcp_arg a;
	struct ctrace_who who;

	if (c)
		mask &= ~(READ_ONCE(c->begun.wanted) >> 32);
	if (!mask || !(1 << oldstate & was) || READ_ONCE(overflowed))
		return;
	if (c) {
		if (!ctrace_begun_whose(&c->begun, &who))
			return;
		who.task = NULL;
	} else if (cgrp && ctrace_compat_cgroup_parent(cgrp)) {
		ctrace_sock_owner(sk, sock_net(sk), false, &who);
	} else {
		return;
	}
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	ctrace_tcp_describe(&a, sk, 0);
	a.duration = 0;
	a.before = 1;
	emit_life(mask, &who, &a, oldstate, ctrace_compat_tcp_none(ctrace_compat_tcp_acked(sk)),
		  ctrace_compat_tcp_none(ctrace_compat_tcp_received(sk)));
}

static void on_established(const struct sock *sk, u32 want)
{
	struct ctrace_tcp *c = find(sk, CTRACE_ID_TCP_CONNECT);
	struct ctrace_who who;

	if (c)
		connect_ends(sk, c, 0);
	if (c && ctrace_begun_whose(&c->begun, &who))
		who.task = ctrace_begun_task(&c->begun.who, c->start);
	else
		ctrace_sock_owner(sk, sock_net(sk), false, &who);
	/* nobody has accepted it yet: perhaps a followed task will */
	if (want && (!who.task || ctrace_wanted(want, who.container, who.task)))
		begin(sk, CTRACE_ID_TCP_LIFE, want, &who);
	else
		ctrace_tcp_give(sk);
}

static void on_close(const struct sock *sk, int oldstate)
{
	struct ctrace_tcp *c = find(sk, CTRACE_ID_TCP_CONNECT);

	/* the function that is about to return has the error, which the socket does not get */
	if (c && c->connecting)
		return;
	/* without an error, its task closed the socket or ended */
	if (c)
		connect_ends(sk, c, -(READ_ONCE(sk->sk_err) ?: ECONNABORTED));
	c = find(sk, CTRACE_ID_TCP_LIFE);
	if (c)
		life_ends(sk, c, oldstate);
	old_life_ends(sk, c, oldstate);
	ctrace_tcp_give(sk);
}

/* A task sends a SYN. It may be in a function that ctrace_tcp_connecting() knows. */
static void on_syn_sent(const struct sock *sk, u32 connect, u32 life)
{
	struct ctrace_tcp *c = find(sk, CTRACE_ID_TCP_CONNECT);
	bool connecting = c && c->connecting;
	struct ctrace_who who;

	ctrace_sock_owner(sk, sock_net(sk), ctrace_compat_sock_owned(sk), &who);
	if (ctrace_wanted(connect | life, who.container, who.task)) {
		c = begin(sk, CTRACE_ID_TCP_CONNECT, connect, &who);
		if (c)
			c->connecting = connecting;
	} else if (connecting) {
		ctrace_tcp_give(sk);
	}
}

static void on_state(const struct sock *sk, int oldstate, int newstate)
{
	u32 connect = follows(CTRACE_ID_TCP_CONNECT), life = follows(CTRACE_ID_TCP_LIFE);

	if (sk->sk_protocol != IPPROTO_TCP)
		return;
	switch (newstate) {
	case TCP_SYN_SENT:
		on_syn_sent(sk, connect, life);
		break;
	case TCP_ESTABLISHED:
		on_established(sk, life);
		break;
	case TCP_CLOSE:
		on_close(sk, oldstate);
		break;
	}
}

static void __maybe_unused CTRACE_PROBE_INET_SOCK_SET_STATE(probe_state)
{
	ctrace_compat_probe_begin();
	on_state(sk, oldstate, newstate);
	ctrace_compat_probe_end();
}

/* --- functions that are no tracepoints ---------------------------------------------- */

/* tcp_set_state(sk, state) */
static bool enter_set_state(struct pt_regs *regs, bool breakpoint, void *room)
{
	const struct sock *sk = (const void *)ctrace_compat_argument(regs, 0);

	on_state(sk, sk->sk_state, ctrace_compat_argument(regs, 1));
	return false;
}

/* security_sock_graft(sk, ...): accept() gives sk, which it has locked, to current. */
static bool enter_accept(struct pt_regs *regs, bool breakpoint, void *room)
{
	const struct sock *sk = (const void *)ctrace_compat_argument(regs, 0);
	u32 mask = follows(CTRACE_ID_TCP_LIFE);
	struct ctrace_tcp *c;
	struct ctrace_who who;

	if (!mask)
		return false;
	c = find(sk, CTRACE_ID_TCP_LIFE);
	if (!c || READ_ONCE(c->begun.wanted) & CTRACE_TCP_DECIDED)
		return false;
	ctrace_identity_resolve_trap(&who, breakpoint, regs);
	if (!who.task)
		return false;
	own(c, CTRACE_ID_TCP_LIFE, mask & (READ_ONCE(c->begun.wanted) >> 32), &who);
	if (!(READ_ONCE(c->begun.wanted) >> 32))
		ctrace_tcp_give(sk);
	return false;
}

static const char *const set_state_symbols[] = { "tcp_set_state", NULL };
static const char *const accept_symbols[] = { "security_sock_graft", NULL };

static struct ctrace_hook set_state __maybe_unused = {
	.symbols = set_state_symbols, .enter = enter_set_state
};
static struct ctrace_hook accepts = { .symbols = accept_symbols, .enter = enter_accept };

/* --- what user space gets ----------------------------------------------------------- */

static const struct ctrace_field_desc f_connect[] = {
	CTRACE_FIELDS(CONNECT_FIELDS) CTRACE_FIELDS(CTRACE_TCP_ENDS_FIELDS) CTRACE_FIELDS(CTRACE_TCP_DADDR_FIELDS)
};
static const struct ctrace_field_desc f_life[] = {
	CTRACE_FIELDS(LIFE_FIELDS) CTRACE_FIELDS(CTRACE_TCP_ENDS_FIELDS) CTRACE_FIELDS(CTRACE_TCP_DADDR_FIELDS)
	CTRACE_FIELDS(QUALITY_FIELDS)
};

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(TCP_CONNECT, "sock", "tcp_connect", "tcp_state", f_connect),
	CTRACE_TYPE(TCP_LIFE, "sock", "tcp_life", "tcp_state", f_life),
};

/* Its own name, as the tracepoint is that of another event's source. */
static struct ctrace_source sources[] = {
	{ .tracepoint = "tcp_state", .table = &connections,
	  .with = { "?tcp_accept", "?tcp_v4_connect", "?tcp_v6_connect", "?tcp_v4_pre_connect",
		    "?tcp_v6_pre_connect", "?security_socket_connect" },
	  CTRACE_COMPAT_TCP_STATE(probe_state, &set_state) },
	{ .tracepoint = "tcp_accept", .hook = &accepts },
	{ }
};

const struct ctrace_family ctrace_family_tcp = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
