/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink: decode, call, reply; no policy. The family and its errors are in
 * netlink.c, commands in nl_session.c and nl_event.c, dumps in nl_dump.c and nl_tracepoint.c.
 */
#ifndef CTRACE_NETLINK_H
#define CTRACE_NETLINK_H

#include <linux/netlink.h>
#include <net/genetlink.h>
#include "compat/netlink.h"
#include "../uapi/ctrace_netlink.h"

struct ctrace_session;
struct ctrace_container;
struct ctrace_probe;

int ctrace_netlink_init(void);
void ctrace_netlink_exit(void);

extern struct genl_family ctrace_genl_family;
extern const struct ctrace_container_watcher ctrace_netlink_watcher;	/* announces births and deaths */

/* Parses one nested set; errors name the set. tb has max + 1 places. */
int ctrace_netlink_set(struct nlattr **attrs, int set, struct nlattr **tb, int max,
		       const struct nla_policy *policy, struct netlink_ext_ack *extack);
extern const struct nla_policy ctrace_policy_session[], ctrace_policy_event[];

/*
 * Each writes one set into skb: 0, or an error if it does not fit (or memory ran out). Part of it may be
 * written then: the caller cancels the message.
 */
int ctrace_put_session(struct sk_buff *skb, struct ctrace_session *s);
int ctrace_put_session_id(struct sk_buff *skb, u32 id);	/* the session that an item belongs to */
int ctrace_put_probe(struct sk_buff *skb, struct ctrace_probe *p);
int ctrace_put_container(struct sk_buff *skb, const struct ctrace_container *c);

u64 ctrace_features(void);	/* CTRACE_FEATURE_*: what this module can do on this kernel */

/* Makes a reply; *hdr: its header. NULL: no memory, and the error's text is set. */
struct sk_buff *ctrace_netlink_reply_new(struct genl_info *info, u8 cmd, void **hdr);
/* Sends the reply; or, if err is not 0, frees it and returns err. */
int ctrace_netlink_reply_send(struct sk_buff *skb, struct genl_info *info, void *hdr, int err);

/* Commands on sessions: nl_session.c. */
int ctrace_netlink_session_new(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_session_del(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_session_set(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_probe_add(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_probe_del(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_target_add(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_target_del(struct sk_buff *skb, struct genl_info *info);

/* Commands on event types: nl_event.c. */
int ctrace_netlink_event_new(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_event_del(struct sk_buff *skb, struct genl_info *info);

/*
 * Sets the error's text and returns err. Only for senders that may trace: others could use up
 * the places for texts.
 */
int ctrace_netlink_error(struct netlink_ext_ack *extack, int err, const char *fmt, ...) __printf(3, 4);
/* The same for a call that failed and may have said why (or why is ""); what: the thing that failed. */
int ctrace_netlink_failed(struct genl_info *info, int err, const char *why, const char *what);

int ctrace_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_probes(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_targets(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_containers(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_events(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_tracepoints(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_stats(struct sk_buff *skb, struct netlink_callback *cb);

#endif
