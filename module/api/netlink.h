/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink: decode, call, reply; no policy. The family is in netlink.c, commands in nl_session.c and
 * nl_event.c, dumps in nl_dump.c and nl_tracepoint.c. reply.h answers commands, put.h writes sets.
 */
#ifndef CTRACE_NETLINK_H
#define CTRACE_NETLINK_H

#include <linux/netlink.h>
#include <net/genetlink.h>
#include "compat/netlink.h"
#include "../uapi/ctrace_netlink.h"

int ctrace_netlink_init(void);
void ctrace_netlink_begin(void);	/* until then, commands are refused */
void ctrace_netlink_exit(void);

extern struct genl_family ctrace_genl_family;
extern const struct ctrace_container_watcher ctrace_netlink_watcher;	/* announces births and deaths */

extern const struct nla_policy ctrace_policy_session[], ctrace_policy_event[];

u64 ctrace_features(void);	/* CTRACE_FEATURE_*: what this module can do on this kernel */

/* Commands on sessions: nl_session.c. */
int ctrace_netlink_session_new(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_session_del(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_session_set(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_thaw(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_probe_add(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_probe_del(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_target_add(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_target_del(struct sk_buff *skb, struct genl_info *info);

/* Commands on event types: nl_event.c. */
int ctrace_netlink_event_get(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_event_new(struct sk_buff *skb, struct genl_info *info);
int ctrace_netlink_event_del(struct sk_buff *skb, struct genl_info *info);

int ctrace_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_probes(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_targets(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_containers(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_events(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_tracepoints(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_tasks(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_requests(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_frozen(struct sk_buff *skb, struct netlink_callback *cb);
int ctrace_dump_stats(struct sk_buff *skb, struct netlink_callback *cb);

#endif
