// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets, and the states of internet sockets.
 *
 * A sent packet belongs to the container whose task made the socket, in whatever context it is sent: the
 * socket knows its v2 cgroup. It is current's only where current acts for the socket itself, and is in the
 * socket's cgroup: in a task's context, too, the kernel works for others (a queue's next packet, a packet
 * that a busy poll finds). A received packet has no owner yet: it belongs to the container of its device's
 * network namespace (identity/netns.h). So does a packet that is sent without a socket, or for a socket whose
 * cgroup shows no container, as on v1.
 */
#include <linux/string.h>
#include "probe/sock.h"
#include "probe/table.h"
#include "emit/emit.h"
#include "session/inflight.h"
#include "identity/cgroup.h"
#include "identity/netns.h"
#include "compat/net.h"
#include "compat/tracepoint.h"

/*
 * Does current act for itself, if a task is running? Where v1 has all controllers, all tasks and sockets
 * are in v2's only cgroup, which says nothing. There, and without a socket, current must be in the
 * network namespace.
 */
static __always_inline bool is_currents(const struct cgroup *cgrp, const struct net *net)
{
	if (cgrp && cgrp != ctrace_compat_cset_dfl(ctrace_compat_task_cset(current)))
		return false;
	return (cgrp && ctrace_compat_cgroup_parent(cgrp)) || ctrace_compat_task_net(current) == net;
}

void ctrace_sock_owner(const struct sock *sk, const struct net *net, bool own, struct ctrace_who *who)
{
	const struct cgroup *cgrp = ctrace_compat_sock_cgroup(sk);

	if (own && in_task() && is_currents(cgrp, sk ? sock_net(sk) : net)) {
		ctrace_identity_resolve_current(who);
		return;
	}
	ctrace_identity_host(who);
	if (cgrp)
		ctrace_identity_resolve_cgroup(cgrp, who);
	if (who->container == &ctrace_container_host)
		ctrace_identity_resolve_net(net, who);
}

/* --- packets ------------------------------------------------------------------ */

struct skb_arg {
	const char *name;
	u32 name_len;
	u32 len;
	s32 rc;
};

#define SKB_FIELDS(F)	F(u32, len) F(string, name)
CTRACE_PAYLOAD(skb_payload, SKB_FIELDS);

static __always_inline void fill_skb(void *payload, const void *arg)
{
	struct skb_payload *r = payload;
	const struct skb_arg *a = arg;

	r->len = a->len;
	memcpy(r->name, a->name, a->name_len);
	r->name[a->name_len] = 0;
}

static __always_inline void emit_skb(u32 mask, u32 id, const struct ctrace_who *who,
				     const struct sk_buff *skb)
{
	struct skb_arg a = { .name = skb->dev->name, .len = skb->len };

	a.name_len = strnlen(a.name, IFNAMSIZ - 1);
	ctrace_emit(mask, id, who, CTRACE_SIZE(skb_payload) + a.name_len + 1, fill_skb, &a);
}

/* A packet without a socket that came in through a device is only forwarded. */
static __always_inline bool made_here(const struct sk_buff *skb, const struct sock *sk)
{
	return sk || !skb->skb_iif;
}

/*
 * Is it certain that the packet is current's, as ctrace_sock_owner() finds, and that no session wants an
 * event of current?
 */
static __always_inline bool is_unwanted(const struct sk_buff *skb)
{
	const struct sock *sk;

	if (!in_task() || !ctrace_identity_unwanted())
		return false;
	sk = ctrace_compat_skb_sock(skb);
	return made_here(skb, sk) && is_currents(ctrace_compat_sock_cgroup(sk), sk ? sock_net(sk) : dev_net(skb->dev));
}

static noinline void on_queue(const struct sk_buff *skb)
{
	u32 mask = ctrace_wants(CTRACE_ID_NET_DEV_QUEUE);
	const struct sock *sk;
	struct ctrace_who who CTRACE_UNSET;

	if (!mask)
		return;
	sk = ctrace_compat_skb_sock(skb);
	ctrace_sock_owner(sk, dev_net(skb->dev), made_here(skb, sk), &who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (mask)
		emit_skb(mask, CTRACE_ID_NET_DEV_QUEUE, &who, skb);
}

static void CTRACE_PROBE_NET_SKB(probe_queue)
{
	ctrace_compat_probe_begin();
	if (!is_unwanted(skb))
		on_queue(skb);
	ctrace_compat_probe_end();
}

static noinline void on_receive(const struct sk_buff *skb)
{
	u32 mask = ctrace_wants(CTRACE_ID_NET_IF_RECEIVE_SKB);
	struct ctrace_who who CTRACE_UNSET;

	if (!mask)
		return;
	/* Not skb's socket: that may still be the sender's, in another namespace of this machine. */
	ctrace_identity_resolve_net(dev_net(skb->dev), &who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (mask)
		emit_skb(mask, CTRACE_ID_NET_IF_RECEIVE_SKB, &who, skb);
}

static void CTRACE_PROBE_NET_SKB(probe_receive)
{
	ctrace_compat_probe_begin();
	if (!ctrace_identity_net_unwanted(dev_net(skb->dev), ctrace_wants(CTRACE_ID_NET_IF_RECEIVE_SKB)))
		on_receive(skb);
	ctrace_compat_probe_end();
}

/* --- net_dev_xmit -------------------------------------------------------------- */

/*
 * At net_dev_xmit the device has the packet and may have freed it. So its owner is found before, at
 * net_dev_start_xmit, and kept. In between, bottom halves are off, and the same CPU may send other
 * packets: a device may send through another. A packet that was given to a device before the first probe
 * of net_dev_xmit has no place, and is the network namespace's. The table is new and empty whenever both
 * tracepoints begin, because it goes with the last probe; until then both stay, so each place is given
 * back.
 */
static struct ctrace_inflight sendings __read_mostly = {
	.stride = sizeof(struct ctrace_owned), .bits = 12, .owned = true,
};

static void on_start_xmit(const struct sk_buff *skb, const struct net_device *dev)
{
	const struct sock *sk = ctrace_compat_skb_sock(skb);
	struct ctrace_who who;
	u32 place;

	ctrace_sock_owner(sk, dev_net(dev), made_here(skb, sk) && ctrace_compat_skb_sent_at_once(skb, dev),
			  &who);
	place = ctrace_inflight_take(&sendings, ctrace_inflight_here(&sendings), skb);
	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_begun_by(ctrace_inflight_at(&sendings, place), &who);
}

static void CTRACE_PROBE_NET_DEV_START_XMIT(probe_start_xmit)
{
	ctrace_compat_probe_begin();
	on_start_xmit(skb, dev);
	ctrace_compat_probe_end();
}

#define XMIT_FIELDS(F)	F(s32, rc) F(u32, len) F(string, name)
CTRACE_PAYLOAD(xmit_payload, XMIT_FIELDS);

static __always_inline void fill_xmit(void *payload, const void *arg)
{
	struct xmit_payload *r = payload;
	const struct skb_arg *a = arg;

	r->rc = a->rc;
	r->len = a->len;
	memcpy(r->name, a->name, a->name_len);
	r->name[a->name_len] = 0;
}

/* skb may have been freed: compare it only */
static __always_inline void on_xmit(const struct sk_buff *skb, int rc, const struct net_device *dev,
				    u32 len)
{
	struct skb_arg a = { .name = dev->name, .len = len, .rc = rc };
	u32 mask = ctrace_wants(CTRACE_ID_NET_DEV_XMIT), row = ctrace_inflight_here(&sendings), place;
	struct ctrace_who who;

	place = ctrace_inflight_find(&sendings, row, skb);
	if (place == CTRACE_INFLIGHT_NONE ||
	    !ctrace_begun_whose(ctrace_inflight_at(&sendings, place), &who))
		ctrace_identity_resolve_net(dev_net(dev), &who);
	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_give(&sendings, row, place);
	/*
	 * A place has no reference to its task. It runs still, as it sends; no one reads anything else in the
	 * place.
	 */
	if (who.task != current)
		who.task = NULL;
	if (!mask)
		return;
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	a.name_len = strnlen(a.name, IFNAMSIZ - 1);
	ctrace_emit(mask, CTRACE_ID_NET_DEV_XMIT, &who,
		    CTRACE_SIZE(xmit_payload) + a.name_len + 1, fill_xmit, &a);
}

static void CTRACE_PROBE_NET_DEV_XMIT(probe_xmit)
{
	ctrace_compat_probe_begin();
	on_xmit(skb, rc, dev, skb_len);
	ctrace_compat_probe_end();
}

/* --- inet_sock_set_state -------------------------------------------------------- */

struct state_arg {
	const struct sock *sk;
	const void *saddr, *daddr;
	u32 addr_len;			/* 4 or 16 */
	s32 oldstate, newstate;
};

#define STATE_FIELDS(F)									\
	F(u16, family) F(u16, protocol) F(u16, sport) F(u16, dport)			\
	F(s32, oldstate) F(s32, newstate) F(seq_u8, saddr)
CTRACE_PAYLOAD(state_payload, STATE_FIELDS);

/* follows saddr, whose length is a multiple of 4 */
#define STATE_DADDR_FIELDS(F)	F(seq_u8, daddr)
CTRACE_PAYLOAD(state_daddr, STATE_DADDR_FIELDS);

static __always_inline void fill_state(void *payload, const void *arg)
{
	struct state_payload *r = payload;
	const struct state_arg *a = arg;
	struct state_daddr *d = (void *)&r->saddr[a->addr_len];

	r->family = a->sk->sk_family;
	r->protocol = a->sk->sk_protocol;
	r->sport = ntohs(inet_sk(a->sk)->inet_sport);
	r->dport = ntohs(inet_sk(a->sk)->inet_dport);
	r->oldstate = a->oldstate;
	r->newstate = a->newstate;
	r->saddr_length = a->addr_len;
	memcpy(r->saddr, a->saddr, a->addr_len);
	d->daddr_length = a->addr_len;
	memcpy(d->daddr, a->daddr, a->addr_len);
}

static __always_inline void on_set_state(const struct sock *sk, int oldstate, int newstate)
{
	u32 mask = ctrace_wants(CTRACE_ID_INET_SOCK_SET_STATE);
	struct state_arg a = {
		.sk = sk, .oldstate = oldstate, .newstate = newstate, .addr_len = 4,
		.saddr = &inet_sk(sk)->inet_saddr, .daddr = &inet_sk(sk)->inet_daddr,
	};
	struct ctrace_who who;

	if (!mask)
		return;
	/* A task that has locked the socket acts itself; otherwise a packet or a timer does. */
	ctrace_sock_owner(sk, sock_net(sk), ctrace_compat_sock_owned(sk), &who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		a.saddr = ctrace_compat_sock_saddr6(sk);
		a.daddr = ctrace_compat_sock_daddr6(sk);
		a.addr_len = 16;
	}
#endif
	ctrace_emit(mask, CTRACE_ID_INET_SOCK_SET_STATE, &who,
		    CTRACE_SIZE(state_payload) + CTRACE_SIZE(state_daddr) + 2 * a.addr_len,
		    fill_state, &a);
}

static void CTRACE_PROBE_INET_SOCK_SET_STATE(probe_set_state)
{
	ctrace_compat_probe_begin();
	on_set_state(sk, oldstate, newstate);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names are LTTng's, or the kernel's where LTTng has none. */
static const struct ctrace_field_desc f_skb[] = { CTRACE_FIELDS(SKB_FIELDS) };
static const struct ctrace_field_desc f_xmit[] = { CTRACE_FIELDS(XMIT_FIELDS) };
static const struct ctrace_field_desc f_state[] = {
	CTRACE_FIELDS(STATE_FIELDS) CTRACE_FIELDS(STATE_DADDR_FIELDS)
};

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(NET_DEV_QUEUE, "net", "net_dev_queue", "net_dev_queue", f_skb),
	CTRACE_TYPE(NET_DEV_XMIT, "net", "net_dev_xmit", "net_dev_xmit", f_xmit),
	CTRACE_TYPE(NET_IF_RECEIVE_SKB, "net", "net_if_receive_skb", "netif_receive_skb", f_skb),
	CTRACE_TYPE(INET_SOCK_SET_STATE, "sock", "inet_sock_set_state", "inet_sock_set_state",
		    f_state),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "net_dev_queue", .fn = probe_queue },
	{ .tracepoint = "netif_receive_skb", .fn = probe_receive },
	{ .tracepoint = "net_dev_xmit", .fn = probe_xmit, .with = { "net_dev_start_xmit" },
	  .table = &sendings },
	{ .tracepoint = "net_dev_start_xmit", .fn = probe_start_xmit },
	{ .tracepoint = "inet_sock_set_state", .fn = probe_set_state },
	{ }
};

const struct ctrace_family ctrace_family_net = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
