/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each writes one set into skb: 0, or an error if it does not fit (or memory ran out). Part of it may be
 * written then: the caller cancels the message.
 */
#ifndef CTRACE_PUT_H
#define CTRACE_PUT_H

#include <linux/types.h>
#include "probe/under_way.h"
#include "event/comm.h"
#include "compat/netlink.h"

struct ctrace_arena_stats;
struct ctrace_container;
struct ctrace_event_type;
struct ctrace_frozen;
struct ctrace_probe;
struct ctrace_request;
struct ctrace_ring_stats;
struct ctrace_session;
struct ctrace_target;
struct sk_buff;

/* A thread, as it is looked at; in ns. */
struct ctrace_task {
	u32 tid, pid, vtid, cid, state;
	bool iowait;
	char comm[CTRACE_COMM_LEN + 1];
	u64 ran, queued;
	struct ctrace_under_way span, call;	/* id 0: none */
};

/* ctrace_lock held. st: of its arena, which takes long to look at, so not under the lock. */
int ctrace_put_session(struct sk_buff *skb, struct ctrace_session *s, const struct ctrace_arena_stats *st);
int ctrace_put_session_id(struct sk_buff *skb, u32 id);		/* the session that an item belongs to */
int ctrace_put_probe(struct sk_buff *skb, struct ctrace_probe *p);
int ctrace_put_target(struct sk_buff *skb, const struct ctrace_target *t);
int ctrace_put_ring(struct sk_buff *skb, const struct ctrace_ring_stats *r);
int ctrace_put_task(struct sk_buff *skb, const struct ctrace_task *t);
int ctrace_put_request(struct sk_buff *skb, const struct ctrace_request *r);
int ctrace_put_frozen(struct sk_buff *skb, const struct ctrace_frozen *e, u32 left_ms);
int ctrace_put_limit(struct sk_buff *skb, u32 cid, u64 dropped);
int ctrace_put_container(struct sk_buff *skb, const struct ctrace_container *c);
/*
 * A definition is written as long as a probe can be added by its name, and only for senders that may trace,
 * as it may hold addresses.
 */
int ctrace_put_event(struct sk_buff *skb, const struct ctrace_event_type *t, bool may_trace);

#endif
