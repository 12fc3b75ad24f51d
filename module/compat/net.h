/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets, and the prototypes of the network's tracepoints. */
#ifndef CTRACE_COMPAT_NET_H
#define CTRACE_COMPAT_NET_H

#include <linux/cgroup.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/inet_connection_sock.h>
#include <net/inet_sock.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/request_sock.h>
#include <net/sch_generic.h>
#include <net/sock.h>
#include <net/tcp_states.h>
#include "facts.h"

/* net_dev_queue and netif_receive_skb */
#define CTRACE_PROBE_NET_SKB(fn)	fn(void *data, struct sk_buff *skb)
#define CTRACE_PROBE_NET_DEV_START_XMIT(fn)					\
	fn(void *data, const struct sk_buff *skb, const struct net_device *dev)
#define CTRACE_PROBE_NET_DEV_XMIT(fn)						\
	fn(void *data, struct sk_buff *skb, int rc, struct net_device *dev, unsigned int skb_len)
#define CTRACE_PROBE_INET_SOCK_SET_STATE(fn)					\
	fn(void *data, const struct sock *sk, const int oldstate, const int newstate)

/* The type of the number of what a module keeps for each network namespace: unsigned since 4.10 */
#define CTRACE_COMPAT_NETNS_ID	typeof(*((struct pernet_operations *)0)->id)

/*
 * Where a socket's states come from, for a source: the tracepoint since 4.16, or a hook on tcp_set_state().
 */
#ifdef CTRACE_HAVE_INET_SOCK_SET_STATE__NONE
#define CTRACE_COMPAT_TCP_STATE(fn_, hook_)	.hook = hook_
#else
#define CTRACE_COMPAT_TCP_STATE(fn_, hook_)	.at = "inet_sock_set_state", .fn = fn_
#endif

/*
 * The source of tcp_retransmit: the tracepoint since 4.15, or a hook on __tcp_retransmit_skb(). The hook
 * misses some calls if the compiler has split the function, as on 6.1: not all callers call the part that
 * keeps its name. In the newest kernels the tracepoint also reports segments that could not be sent.
 */
#ifdef CTRACE_HAVE_TCP_RETRANSMIT_SKB__NONE
#define CTRACE_COMPAT_TCP_RETRANSMIT(fn_, hook_)	.hook = hook_
#else
#define CTRACE_COMPAT_TCP_RETRANSMIT(fn_, hook_)	.fn = fn_
#endif
#ifdef CTRACE_HAVE_TCP_RETRANSMIT_SKB__SK_SKB_ERR
#define CTRACE_PROBE_TCP_RETRANSMIT_SKB(fn)						\
	fn(void *data, const struct sock *sk, const struct sk_buff *skb, int err)
#define CTRACE_PROBE_TCP_RETRANSMIT_ERR	err
#else
#define CTRACE_PROBE_TCP_RETRANSMIT_SKB(fn)	fn(void *data, const struct sock *sk, const struct sk_buff *skb)
#define CTRACE_PROBE_TCP_RETRANSMIT_ERR	0
#endif

/* A SYN-ACK that is sent once more: since 4.15. */
#define CTRACE_PROBE_TCP_RETRANSMIT_SYNACK(fn)					\
	fn(void *data, const struct sock *sk, const struct request_sock *req)
#ifdef CTRACE_HAVE_TCP_RETRANSMIT_SYNACK__SK_REQ
#define CTRACE_COMPAT_TCP_SYNACK(fn_)	fn_
#else
#define CTRACE_COMPAT_TCP_SYNACK(fn_)	NULL
#endif

/*
 * The ends of a connection that is not established yet; returns the length of the addresses. Ports
 * are numbers.
 */
static inline u32 ctrace_compat_request_ends(const struct request_sock *req, const void **saddr,
					     const void **daddr, u16 *sport, u16 *dport)
{
#ifdef CTRACE_HAVE_TCP_RETRANSMIT_SYNACK__SK_REQ
	const struct inet_request_sock *ireq = inet_rsk(req);

	*sport = ireq->ir_num;
	*dport = ntohs(ireq->ir_rmt_port);
	*saddr = &ireq->ir_loc_addr;
	*daddr = &ireq->ir_rmt_addr;
#if IS_ENABLED(CONFIG_IPV6)
	/* not the socket's family: a SYN of IPv4 may come to a socket of IPv6 */
	if (req->rsk_ops->family == AF_INET6) {
		*saddr = &ireq->ir_v6_loc_addr;
		*daddr = &ireq->ir_v6_rmt_addr;
		return 16;
	}
#endif
#endif
	return 4;
}

/*
 * p's network namespace, which lasts until p leaves it. p is current, or its task_lock is held. NULL: p is
 * dying.
 */
static inline const struct net *ctrace_compat_task_net(const struct task_struct *p)
{
	const struct nsproxy *nsproxy = p->nsproxy;

	return nsproxy ? nsproxy->net_ns : NULL;
}

/* Is net in use, so not at its end? */
static inline bool ctrace_compat_net_alive(const struct net *net)
{
#ifdef CTRACE_HAVE_CHECK_NET
	return check_net((struct net *)net);
#else
	return atomic_read(&net->count) != 0;
#endif
}

/*
 * The v2 cgroup in which sk was made; sk holds a reference on it. NULL: sk is NULL, or the kernel
 * does not say.
 */
static inline struct cgroup *ctrace_compat_sock_cgroup(const struct sock *sk)
{
#ifdef CONFIG_SOCK_CGROUP_DATA
	return sk ? sock_cgroup_ptr((struct sock_cgroup_data *)&sk->sk_cgrp_data) : NULL;
#else
	return NULL;
#endif
}

/* The full socket that skb leaves by; NULL: there is none, or it lacks fields (time-wait, request). */
static inline const struct sock *ctrace_compat_skb_sock(const struct sk_buff *skb)
{
#ifdef CTRACE_HAVE_SK_OF_REQUEST__FULL
	const struct sock *sk = sk_const_to_full_sk(skb->sk);
#else
	const struct sock *sk = skb->sk;
#endif

#ifdef CTRACE_HAVE_SK_FULLSOCK__FUNCTION
	return sk && sk_fullsock(sk) ? sk : NULL;
#else
	return sk && sk->sk_state != TCP_TIME_WAIT ? sk : NULL;
#endif
}

#if IS_ENABLED(CONFIG_IPV6)
/* The addresses of an AF_INET6 socket. */
static inline const void *ctrace_compat_sock_saddr6(const struct sock *sk)
{
#ifdef CTRACE_HAVE_SK_V6_ADDR
	return &sk->sk_v6_rcv_saddr;
#else
	return &inet6_sk(sk)->rcv_saddr;
#endif
}

static inline const void *ctrace_compat_sock_daddr6(const struct sock *sk)
{
#ifdef CTRACE_HAVE_SK_V6_ADDR
	return &sk->sk_v6_daddr;
#else
	return &inet6_sk(sk)->daddr;
#endif
}
#endif

/* Has a task locked it? */
static inline bool ctrace_compat_sock_owned(const struct sock *sk)
{
#ifdef CTRACE_HAVE_SOCK_OWNED_BY_USER_NOCHECK
	return sock_owned_by_user_nocheck(sk);
#else
	return sk->sk_lock.owned;
#endif
}

/*
 * What the peer has acknowledged and sent, SYN and FIN as a byte each: counters since 4.1, sequence numbers
 * before. _since() says how many bytes came between two of them: before 4.1, modulo 4 GiB.
 */
static inline u64 ctrace_compat_tcp_acked(const struct sock *sk)
{
#ifdef CTRACE_HAVE_TCP_BYTES
	return tcp_sk(sk)->bytes_acked;
#else
	return tcp_sk(sk)->snd_una;
#endif
}

static inline u64 ctrace_compat_tcp_received(const struct sock *sk)
{
#ifdef CTRACE_HAVE_TCP_BYTES
	return tcp_sk(sk)->bytes_received;
#else
	return tcp_sk(sk)->rcv_nxt;
#endif
}

/*
 * What it was when the connection began, for _since(), if nobody noted it then: before 4.1, which
 * has no counters, what it is now.
 */
static inline u64 ctrace_compat_tcp_none(u64 now)
{
#ifdef CTRACE_HAVE_TCP_BYTES
	return 0;
#else
	return now;
#endif
}

static inline u64 ctrace_compat_tcp_since(u64 now, u64 then)
{
#ifdef CTRACE_HAVE_TCP_BYTES
	return now - then;
#else
	return (u32)(now - then);
#endif
}

/* Is the timer of sk that is pending, or is running, one for probes of a lost tail? */
static inline bool ctrace_compat_tcp_probes(const struct sock *sk)
{
#ifdef CTRACE_HAVE_TCP_PENDING
	return inet_csk(sk)->icsk_pending == ICSK_TIME_LOSS_PROBE;
#else
	return false;
#endif
}

/*
 * The smoothed round trip time and the shortest of late, in us; 0: none was measured, or the kernel
 * does not keep it.
 */
static inline u32 ctrace_compat_tcp_srtt(const struct sock *sk)
{
#ifdef CTRACE_HAVE_TCP_SRTT__US
	return tcp_sk(sk)->srtt_us >> 3;
#else
	return jiffies_to_usecs(tcp_sk(sk)->srtt >> 3);
#endif
}

static inline u32 ctrace_compat_tcp_min_rtt(const struct sock *sk)
{
#ifdef CTRACE_HAVE_TCP_MIN_RTT
	u32 us = minmax_get(&tcp_sk(sk)->rtt_min);

	return us == ~0u ? 0 : us;
#else
	return 0;
#endif
}

/* Does skb's queue of dev send packets at once (a qdisc without a queue), in the caller's context? */
static inline bool ctrace_compat_skb_sent_at_once(const struct sk_buff *skb,
						  const struct net_device *dev)
{
	const struct netdev_queue *txq = netdev_get_tx_queue(dev, skb_get_queue_mapping(skb));
	const struct Qdisc *q = rcu_dereference_raw(txq->qdisc);

	return q && !q->enqueue;
}

#endif /* CTRACE_COMPAT_NET_H */
