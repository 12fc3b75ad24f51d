/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The constants of extended acknowledgements, which explain a refusal. Kernel headers have them since
 * 4.12. A program that was built with older headers may run on a newer kernel; with these constants
 * it gets the explanations too.
 */
#ifndef CTRACE_EXT_ACK_H
#define CTRACE_EXT_ACK_H

#include <sys/socket.h>
#include <linux/netlink.h>

#ifndef SOL_NETLINK
#define SOL_NETLINK		270
#endif
#ifndef NETLINK_CAP_ACK		/* 4.3 */
#define NETLINK_CAP_ACK		10
#endif
#ifndef NETLINK_EXT_ACK
#define NETLINK_EXT_ACK		11
#define NLM_F_CAPPED		0x100
#define NLM_F_ACK_TLVS		0x200
enum {
	NLMSGERR_ATTR_MSG = 1,
	NLMSGERR_ATTR_OFFS,
	NLMSGERR_ATTR_MAX = NLMSGERR_ATTR_OFFS
};
#endif

#endif /* CTRACE_EXT_ACK_H */
