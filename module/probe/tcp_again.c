// SPDX-License-Identifier: GPL-2.0-only
/*
 * tcp_retransmit: a segment that is sent once more, and why. It has the owner of its connection,
 * which tcp.c keeps, although a timer or an interrupt sends it. A SYN-ACK has no connection yet: it
 * belongs to the container that listens.
 */
#include <net/inet_connection_sock.h>
#include <net/request_sock.h>
#include <net/tcp.h>
#include "probe/sock.h"
#include "probe/table.h"
#include "probe/tcp.h"
#include "emit/emit.h"
#include "event/hook.h"
#include "compat/kprobe.h"
#include "compat/net.h"
#include "compat/tracepoint.h"

#define RETRANSMIT_FIELDS(F)	F(u32, state) F(u32, before)
CTRACE_PAYLOAD(retransmit_payload, RETRANSMIT_FIELDS);
/* After the ends. */
#define HOW_FIELDS(F)		F(u32, how)
CTRACE_PAYLOAD(how_payload, HOW_FIELDS);

static __always_inline void fill_retransmit(void *payload, const void *arg)
{
	struct retransmit_payload *r = payload;
	const struct ctrace_tcp_arg *a = arg;
	struct how_payload *how;

	r->state = a->state;
	r->before = a->before;
	how = ctrace_tcp_fill_ends(payload + CTRACE_SIZE(retransmit_payload), a);
	how->how = a->how;
}

static void emit_again(u32 mask, const struct ctrace_who *who, const struct ctrace_tcp_arg *a)
{
	ctrace_emit(mask, CTRACE_ID_TCP_RETRANSMIT, who,
		    CTRACE_SIZE(retransmit_payload) + ctrace_tcp_ends_size(a) + CTRACE_SIZE(how_payload),
		    fill_retransmit, a);
}

/*
 * Why does sk, which is locked, send a segment once more? A probe for a lost tail is what its timer
 * sends, before congestion control knows of any loss; then that timer is still noted as pending.
 * Acknowledgements that show a loss begin a recovery. Else it is a timeout, or what was lost before
 * one.
 */
static u32 how_again(const struct sock *sk)
{
	u32 state = inet_csk(sk)->icsk_ca_state;

	if (state == TCP_CA_Recovery)
		return CTRACE_TCP_FAST;
	if (state < TCP_CA_Recovery && ctrace_compat_tcp_probes(sk))
		return CTRACE_TCP_PROBE;
	return CTRACE_TCP_TIMEOUT;
}

/*
 * sk, which is locked, has sent a segment once more, after `before` others. It is whose the
 * connection is; of one that began unseen, whose sk seems to be.
 */
static void sent_again(const struct sock *sk, u32 before)
{
	u32 mask = ctrace_wants(CTRACE_ID_TCP_RETRANSMIT);
	const struct ctrace_tcp *c;
	struct ctrace_tcp_arg a;
	struct ctrace_who who;

	if (!mask)
		return;
	c = ctrace_tcp_find(sk);
	if (c) {
		mask = ctrace_tcp_wanted(c, CTRACE_ID_TCP_RETRANSMIT, &who);
	} else {
		ctrace_sock_owner(sk, sock_net(sk), false, &who);
		mask = ctrace_wanted(mask, who.container, who.task);
	}
	if (!mask)
		return;
	ctrace_tcp_describe(&a, sk, 0);
	a.state = sk->sk_state;
	a.before = before;
	a.how = how_again(sk);
	emit_again(mask, &who, &a);
}

static void __maybe_unused CTRACE_PROBE_TCP_RETRANSMIT_SKB(probe_retransmit)
{
	ctrace_compat_probe_begin();
	/* skb has been added to the number */
	if (!CTRACE_PROBE_TCP_RETRANSMIT_ERR)
		sent_again(sk, tcp_sk(sk)->total_retrans - tcp_skb_pcount(skb));
	ctrace_compat_probe_end();
}

/*
 * The socket that listens, sk, answers a SYN once more. It may be locked or not: only what never
 * changes is read.
 */
static void __maybe_unused CTRACE_PROBE_TCP_RETRANSMIT_SYNACK(probe_synack)
{
	u32 mask = ctrace_wants(CTRACE_ID_TCP_RETRANSMIT);
	struct ctrace_tcp_arg a;
	struct ctrace_who who;

	ctrace_compat_probe_begin();
	if (mask) {
		ctrace_sock_owner(sk, sock_net(sk), false, &who);
		mask = ctrace_wanted(mask, who.container, who.task);
	}
	if (mask) {
		ctrace_tcp_describe(&a, sk, 0);
		a.saddr_len = ctrace_compat_request_ends(req, &a.saddr, &a.daddr, &a.sport, &a.dport);
		a.daddr_len = a.saddr_len;
		a.state = TCP_SYN_RECV;
		a.before = req->num_retrans;
		a.how = CTRACE_TCP_SYNACK;
		emit_again(mask, &who, &a);
	}
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

	/*
	 * an error: nothing was sent, as the segment is still in the device's queue, or there is no
	 * memory or no route
	 */
	if (!(int)regs_return_value(regs))
		sent_again(again->sk, again->before);
}

/* The second calls the first, which also sends what probes for a lost tail. */
static const char *const retransmit_symbols[] = { "__tcp_retransmit_skb", "tcp_retransmit_skb", NULL };

static struct ctrace_hook retransmits __maybe_unused = {
	.symbols = retransmit_symbols, .enter = enter_retransmit, .leave = leave_retransmit,
	.room = sizeof(struct again), .maxactive = 256,
};

static const struct ctrace_field_desc f_retransmit[] = {
	CTRACE_FIELDS(RETRANSMIT_FIELDS) CTRACE_FIELDS(CTRACE_TCP_ENDS_FIELDS) CTRACE_FIELDS(CTRACE_TCP_DADDR_FIELDS)
	CTRACE_FIELDS(HOW_FIELDS)
};

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(TCP_RETRANSMIT, "sock", "tcp_retransmit", "tcp_retransmit_skb", f_retransmit),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "tcp_retransmit_skb",
	  .with = { "tcp_state", "?tcp_accept", "?tcp_retransmit_synack" },
	  CTRACE_COMPAT_TCP_RETRANSMIT(probe_retransmit, &retransmits) },
	{ .tracepoint = "tcp_retransmit_synack", .fn = CTRACE_COMPAT_TCP_SYNACK(probe_synack) },
	{ }
};

const struct ctrace_family ctrace_family_tcp_again = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
