// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of TCP connections.
 *
 *	tcp_connect	SYN sent, to established or given up
 *	tcp_life	established, to closed; of both ends
 *
 * and tcp_retransmit, a segment that is sent once more.
 *
 * Most of these come in an interrupt or a timer, so the owner is kept with the socket: who connected, or who accepted.
 * Of a connection that nobody has accepted, it is the container that listens.
 *
 * The kernel changes a socket's state, and a task accepts it, only with the socket locked, so one context at a time
 * deals with its place. Each connection becomes TCP_CLOSE before the memory of its socket is used again.
 */
#include <linux/string.h>
#include <net/tcp.h>
#include "probe/sock.h"
#include "probe/table.h"
#include "emit/emit.h"
#include "event/hook.h"
#include "session/inflight.h"
#include "compat/clock.h"
#include "compat/kprobe.h"
#include "compat/net.h"
#include "compat/tracepoint.h"

struct connection {
	struct ctrace_owned begun;
	u64 start;			/* of the owner's task, whose address is used again */
	u64 acked, received;		/* of ctrace_compat_tcp_*(), by the time that it was established */
};

/* In begun.wanted: the owner is a task, which has decided the mask. Else each session with the event is in it. */
#define DECIDED	(1u << 16)

/* A connection has one place, first with the id of tcp_connect in begun.wanted, then with that of tcp_life. 1.1 MiB. */
static struct ctrace_inflight connections __read_mostly = {
	.stride = sizeof(struct connection), .bits = 14, .owned = true,
};

/* sk's place, or NULL. It stays until the socket is unlocked. */
static struct connection *find_any(const struct sock *sk)
{
	u32 place = ctrace_inflight_find(&connections, ctrace_inflight_row(&connections, sk), sk);

	return place == CTRACE_INFLIGHT_NONE ? NULL : ctrace_inflight_at(&connections, place);
}

/* The same, if it is in that span. */
static struct connection *find(const struct sock *sk, u32 id)
{
	struct connection *c = find_any(sk);

	return c && (u16)READ_ONCE(c->begun.wanted) == id ? c : NULL;
}

/* The sessions for which sockets have places: with that event, or with tcp_retransmit, which needs the owner. */
static u32 follows(u32 id)
{
	return ctrace_wants(id) | ctrace_wants(CTRACE_ID_TCP_RETRANSMIT);
}

static void give(const struct sock *sk)
{
	u32 row = ctrace_inflight_row(&connections, sk), place = ctrace_inflight_find(&connections, row, sk);

	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_give(&connections, row, place);
}

/* mask: the sessions with the event id */
static void own(struct connection *c, u32 id, u32 mask, const struct ctrace_who *who)
{
	u32 flags = 0;

	if (who->task) {
		mask = ctrace_wanted(mask, who->container, who->task);
		flags = DECIDED;
	}
	c->start = who->task ? ctrace_compat_task_start(who->task) : 0;
	WRITE_ONCE(c->begun.wanted, (u64)mask << 32 | flags | id);
	ctrace_begun_by(&c->begun, who);
}

/* Takes a place, or the one that sk has. If there is none, that is counted. */
static void begin(const struct sock *sk, u32 id, u32 mask, const struct ctrace_who *who)
{
	u32 place = ctrace_inflight_take(&connections, ctrace_inflight_row(&connections, sk), sk);
	struct connection *c;

	if (place == CTRACE_INFLIGHT_NONE) {
		ctrace_session_unfollowed(who->task ? ctrace_wanted(mask, who->container, who->task) : mask);
		return;
	}
	c = ctrace_inflight_at(&connections, place);
	c->acked = ctrace_compat_tcp_acked(sk);
	c->received = ctrace_compat_tcp_received(sk);
	c->begun.time = ctrace_compat_clock();
	own(c, id, mask, who);
}

/* Fills *who. Returns the sessions that get the span. */
static u32 wanted_at_end(const struct connection *c, u32 id, struct ctrace_who *who)
{
	u64 w = READ_ONCE(c->begun.wanted);
	u32 mask = ctrace_wants(id) & (w >> 32), wanted;

	if (!ctrace_begun_whose(&c->begun, who))
		return 0;
	who->task = ctrace_begun_task(&c->begun.who, c->start);
	wanted = ctrace_wanted(mask, who->container, who->task);
	/* a followed task that has gone was followed when it became the owner */
	if (!who->task && w & DECIDED)
		wanted |= mask & READ_ONCE(ctrace_pid_sessions) & ~READ_ONCE(who->container->denied);
	return wanted;
}

/* --- records ---------------------------------------------------------------------- */

struct tcp_arg {
	const struct sock *sk;
	const void *saddr, *daddr;
	u64 duration, tx, rx;
	u32 addr_len;			/* 4 or 16 */
	s32 error;
	u32 before;
};

#define CONNECT_FIELDS(F)	F(u64, duration) F(s32, error)
CTRACE_PAYLOAD(connect_payload, CONNECT_FIELDS);
#define LIFE_FIELDS(F)		F(u64, duration) F(u64, tx_bytes) F(u64, rx_bytes)
CTRACE_PAYLOAD(life_payload, LIFE_FIELDS);
#define RETRANSMIT_FIELDS(F)	F(u32, state) F(u32, before)
CTRACE_PAYLOAD(retransmit_payload, RETRANSMIT_FIELDS);
/* Follows each of these, whose lengths are multiples of 4. */
#define ENDS_FIELDS(F)	F(u16, family) F(u16, sport) F(u16, dport) F(u16, protocol) F(seq_u8, saddr)
CTRACE_PAYLOAD(tcp_ends, ENDS_FIELDS);
/* follows saddr, whose length is a multiple of 4 */
#define DADDR_FIELDS(F)	F(seq_u8, daddr)
CTRACE_PAYLOAD(tcp_daddr, DADDR_FIELDS);

static u32 size_of_ends(const struct tcp_arg *a)
{
	return CTRACE_SIZE(tcp_ends) + CTRACE_SIZE(tcp_daddr) + 2 * a->addr_len;
}

static __always_inline void fill_ends(void *at, const struct tcp_arg *a)
{
	struct tcp_ends *r = at;
	struct tcp_daddr *d = (void *)&r->saddr[a->addr_len];

	r->family = a->sk->sk_family;
	r->sport = ntohs(inet_sk(a->sk)->inet_sport);
	r->dport = ntohs(inet_sk(a->sk)->inet_dport);
	r->protocol = a->sk->sk_protocol;
	r->saddr_length = a->addr_len;
	memcpy(r->saddr, a->saddr, a->addr_len);
	d->daddr_length = a->addr_len;
	memcpy(d->daddr, a->daddr, a->addr_len);
}

static __always_inline void fill_connect(void *payload, const void *arg)
{
	struct connect_payload *r = payload;
	const struct tcp_arg *a = arg;

	r->duration = a->duration;
	r->error = a->error;
	fill_ends(payload + CTRACE_SIZE(connect_payload), a);
}

static __always_inline void fill_life(void *payload, const void *arg)
{
	struct life_payload *r = payload;
	const struct tcp_arg *a = arg;

	r->duration = a->duration;
	r->tx_bytes = a->tx;
	r->rx_bytes = a->rx;
	fill_ends(payload + CTRACE_SIZE(life_payload), a);
}

static __always_inline void fill_retransmit(void *payload, const void *arg)
{
	struct retransmit_payload *r = payload;
	const struct tcp_arg *a = arg;

	r->state = a->sk->sk_state;
	r->before = a->before;
	fill_ends(payload + CTRACE_SIZE(retransmit_payload), a);
}

static void describe(struct tcp_arg *a, const struct sock *sk, u64 since)
{
	*a = (struct tcp_arg) {
		.sk = sk, .duration = ctrace_compat_passed(since, ctrace_compat_clock()), .addr_len = 4,
		.saddr = &inet_sk(sk)->inet_saddr, .daddr = &inet_sk(sk)->inet_daddr,
	};
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		a->saddr = ctrace_compat_sock_saddr6(sk);
		a->daddr = ctrace_compat_sock_daddr6(sk);
		a->addr_len = 16;
	}
#endif
}

/* --- states ----------------------------------------------------------------------- */

/* error: 0 or -errno */
static void connect_ends(const struct sock *sk, const struct connection *c, int error)
{
	struct ctrace_who who;
	struct tcp_arg a;
	u32 mask;

	mask = wanted_at_end(c, CTRACE_ID_TCP_CONNECT, &who);
	if (!mask)
		return;
	describe(&a, sk, c->begun.time);
	a.error = error;
	ctrace_emit(mask, CTRACE_ID_TCP_CONNECT, &who, CTRACE_SIZE(connect_payload) + size_of_ends(&a), fill_connect, &a);
}

/* A FIN counts as a byte: was ours acknowledged? Its state says that it was sent. */
static bool fin_acked(const struct sock *sk, int oldstate)
{
	const int sent = TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2 | TCPF_CLOSING | TCPF_LAST_ACK | TCPF_TIME_WAIT;

	return 1 << oldstate & sent && tcp_sk(sk)->snd_una == tcp_sk(sk)->write_seq;
}

static void life_ends(const struct sock *sk, const struct connection *c, int oldstate)
{
	u64 tx = ctrace_compat_tcp_since(ctrace_compat_tcp_acked(sk), c->acked);
	u64 rx = ctrace_compat_tcp_since(ctrace_compat_tcp_received(sk), c->received);
	struct ctrace_who who;
	struct tcp_arg a;
	u32 mask;

	mask = wanted_at_end(c, CTRACE_ID_TCP_LIFE, &who);
	if (!mask)
		return;
	describe(&a, sk, c->begun.time);
	a.tx = tx ? tx - fin_acked(sk, oldstate) : 0;
	/* this flag says that the peer's FIN has come */
	a.rx = rx ? rx - !!sock_flag(sk, SOCK_DONE) : 0;
	ctrace_emit(mask, CTRACE_ID_TCP_LIFE, &who, CTRACE_SIZE(life_payload) + size_of_ends(&a), fill_life, &a);
}

static void on_established(const struct sock *sk, u32 want)
{
	struct connection *c = find(sk, CTRACE_ID_TCP_CONNECT);
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
		give(sk);
}

static void on_close(const struct sock *sk, int oldstate)
{
	struct connection *c = find(sk, CTRACE_ID_TCP_CONNECT);

	/* without an error, its task closed the socket or ended */
	if (c)
		connect_ends(sk, c, -(READ_ONCE(sk->sk_err) ?: ECONNABORTED));
	c = find(sk, CTRACE_ID_TCP_LIFE);
	if (c)
		life_ends(sk, c, oldstate);
	give(sk);
}

static void on_state(const struct sock *sk, int oldstate, int newstate)
{
	u32 connect = follows(CTRACE_ID_TCP_CONNECT), life = follows(CTRACE_ID_TCP_LIFE);
	struct ctrace_who who;

	if (sk->sk_protocol != IPPROTO_TCP)
		return;
	switch (newstate) {
	case TCP_SYN_SENT:
		ctrace_sock_owner(sk, sock_net(sk), ctrace_compat_sock_owned(sk), &who);
		if (ctrace_wanted(connect | life, who.container, who.task))
			begin(sk, CTRACE_ID_TCP_CONNECT, connect, &who);
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
	struct connection *c;
	struct ctrace_who who;

	if (!mask)
		return false;
	c = find(sk, CTRACE_ID_TCP_LIFE);
	if (!c || READ_ONCE(c->begun.wanted) & DECIDED)
		return false;
	ctrace_identity_resolve_trap(&who, breakpoint, regs);
	if (!who.task)
		return false;
	own(c, CTRACE_ID_TCP_LIFE, mask & (READ_ONCE(c->begun.wanted) >> 32), &who);
	if (!(READ_ONCE(c->begun.wanted) >> 32))
		give(sk);
	return false;
}

/*
 * sk, which is locked, has sent a segment once more, after `before` others. It is whose the connection is; of one that began unseen,
 * whose sk seems to be.
 */
static void sent_again(const struct sock *sk, u32 before)
{
	u32 mask = ctrace_wants(CTRACE_ID_TCP_RETRANSMIT);
	const struct connection *c;
	struct ctrace_who who;
	struct tcp_arg a;

	if (!mask)
		return;
	c = find_any(sk);
	if (c) {
		mask = wanted_at_end(c, CTRACE_ID_TCP_RETRANSMIT, &who);
	} else {
		ctrace_sock_owner(sk, sock_net(sk), false, &who);
		mask = ctrace_wanted(mask, who.container, who.task);
	}
	if (!mask)
		return;
	describe(&a, sk, 0);
	a.before = before;
	ctrace_emit(mask, CTRACE_ID_TCP_RETRANSMIT, &who, CTRACE_SIZE(retransmit_payload) + size_of_ends(&a),
		    fill_retransmit, &a);
}

static void __maybe_unused CTRACE_PROBE_TCP_RETRANSMIT_SKB(probe_retransmit)
{
	ctrace_compat_probe_begin();
	/* skb has been added to the number */
	if (!CTRACE_PROBE_TCP_RETRANSMIT_ERR)
		sent_again(sk, tcp_sk(sk)->total_retrans - tcp_skb_pcount(skb));
	ctrace_compat_probe_end();
}

/* A call of __tcp_retransmit_skb(). */
struct again {
	const struct sock *sk;	/* locked until it returns */
	u32 before;
};

/* __tcp_retransmit_skb(sk, ...) */
static bool enter_retransmit(struct pt_regs *regs, bool breakpoint, void *room)
{
	struct again *again = room;

	again->sk = (const void *)ctrace_compat_argument(regs, 0);
	again->before = tcp_sk(again->sk)->total_retrans;
	return true;
}

static void leave_retransmit(struct pt_regs *regs, void *room)
{
	const struct again *again = room;

	/* an error: nothing was sent, as the segment is still in the device's queue, or there is no memory or no route */
	if (!(int)regs_return_value(regs))
		sent_again(again->sk, again->before);
}

static const char *const set_state_symbols[] = { "tcp_set_state", NULL };
static const char *const accept_symbols[] = { "security_sock_graft", NULL };
/* The second calls the first, which also sends what probes for a lost tail. */
static const char *const retransmit_symbols[] = { "__tcp_retransmit_skb", "tcp_retransmit_skb", NULL };

static struct ctrace_hook set_state __maybe_unused = {
	.symbols = set_state_symbols, .enter = enter_set_state
};
static struct ctrace_hook accepts = { .symbols = accept_symbols, .enter = enter_accept };
static struct ctrace_hook retransmits __maybe_unused = {
	.symbols = retransmit_symbols, .enter = enter_retransmit, .leave = leave_retransmit,
	.room = sizeof(struct again), .maxactive = 256,
};

/* --- what user space gets ----------------------------------------------------------- */

static const struct ctrace_field_desc f_connect[] = {
	CTRACE_FIELDS(CONNECT_FIELDS) CTRACE_FIELDS(ENDS_FIELDS) CTRACE_FIELDS(DADDR_FIELDS)
};
static const struct ctrace_field_desc f_life[] = {
	CTRACE_FIELDS(LIFE_FIELDS) CTRACE_FIELDS(ENDS_FIELDS) CTRACE_FIELDS(DADDR_FIELDS)
};
static const struct ctrace_field_desc f_retransmit[] = {
	CTRACE_FIELDS(RETRANSMIT_FIELDS) CTRACE_FIELDS(ENDS_FIELDS) CTRACE_FIELDS(DADDR_FIELDS)
};

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(TCP_CONNECT, "sock", "tcp_connect", "tcp_state", f_connect),
	CTRACE_TYPE(TCP_LIFE, "sock", "tcp_life", "tcp_state", f_life),
	CTRACE_TYPE(TCP_RETRANSMIT, "sock", "tcp_retransmit", "tcp_retransmit_skb", f_retransmit),
};

/* Its own name, as the tracepoint is that of another event's source. */
static struct ctrace_source sources[] = {
	{ .tracepoint = "tcp_state", .table = &connections, .with = { "?tcp_accept" },
	  CTRACE_COMPAT_TCP_STATE(probe_state, &set_state) },
	{ .tracepoint = "tcp_accept", .hook = &accepts },
	{ .tracepoint = "tcp_retransmit_skb", .with = { "tcp_state", "?tcp_accept" },
	  CTRACE_COMPAT_TCP_RETRANSMIT(probe_retransmit, &retransmits) },
	{ }
};

const struct ctrace_family ctrace_family_tcp = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
