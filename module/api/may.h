/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may do what: the table in uapi/ctrace_netlink.h, decided here and nowhere else. To read or map a
 * descriptor needs no right: the task that bound it had one.
 */
#ifndef CTRACE_MAY_H
#define CTRACE_MAY_H

#include <linux/types.h>

struct netlink_ext_ack;
struct sk_buff;

/*
 * May the sender of this request send cmd (CTRACE_CMD_*), or ask for a dump by it? 0, or -EPERM with a
 * sentence in extack.
 */
int ctrace_may_send(u8 cmd, bool dump, struct sk_buff *request, struct netlink_ext_ack *extack);
/* May the sender see definitions of kprobes, which may hold addresses, and use up room for error texts? */
bool ctrace_may_trace(struct sk_buff *request);
/* May the sender have all sessions? See ring/quota.h. */
bool ctrace_may_take_all(struct sk_buff *request);
/* May the sender's sessions have memory without a limit for the user? Likewise. */
bool ctrace_may_take_memory(struct sk_buff *request);
/* May current bind a descriptor of /dev/ctrace to a session? */
bool ctrace_may_bind(void);

#endif
