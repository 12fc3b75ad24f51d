/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers to commands: errors, with the names of the sets they are about, and replies. */
#ifndef CTRACE_REPLY_H
#define CTRACE_REPLY_H

#include <linux/netlink.h>
#include <net/genetlink.h>
#include "compat/netlink.h"

/*
 * Sets the error's text and returns err. Only for senders that may trace: others could use up
 * the places for texts.
 */
int ctrace_netlink_error(struct netlink_ext_ack *extack, int err, const char *fmt, ...) __printf(3, 4);
/* The same for a call that failed and may have said why (or why is ""); what: the thing that failed. */
int ctrace_netlink_failed(struct genl_info *info, int err, const char *why, const char *what);

/* Parses one nested set; errors name the set. tb has max + 1 places. */
int ctrace_netlink_set(struct nlattr **attrs, int set, struct nlattr **tb, int max,
		       const struct nla_policy *policy, struct netlink_ext_ack *extack);

/* Makes a reply; *hdr: its header. NULL: no memory, and the error's text is set. */
struct sk_buff *ctrace_netlink_reply_new(struct genl_info *info, u8 cmd, void **hdr);
/* Sends the reply; or, if err is not 0, frees it and returns err. */
int ctrace_netlink_reply_send(struct sk_buff *skb, struct genl_info *info, void *hdr, int err);

/*
 * The acknowledgement of a command that takes long. Its function returns CTRACE_COMPAT_NO_ANSWER, and so
 * gives back the kernel's locks; what does the work calls send at its end, which frees the answer. text: with
 * an error, at most CTRACE_WHY_MAX bytes with its NUL; or NULL. new: NULL if there is no memory.
 */
struct ctrace_netlink_answer;
struct ctrace_netlink_answer *ctrace_netlink_answer_new(const struct sk_buff *in, const struct genl_info *info);
void ctrace_netlink_answer_send(struct ctrace_netlink_answer *a, int err, const char *text);
void ctrace_netlink_answer_free(struct ctrace_netlink_answer *a);	/* instead of send */

#endif
