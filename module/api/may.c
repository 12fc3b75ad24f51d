// SPDX-License-Identifier: GPL-2.0-only
#include "api/may.h"
#include "compat/cred.h"
#include "compat/netlink.h"
#include "../uapi/ctrace_netlink.h"

bool ctrace_may_trace(struct sk_buff *request)
{
	return ctrace_compat_netlink_may_trace(request);
}

bool ctrace_may_take_all(struct sk_buff *request)
{
	return netlink_capable(request, CAP_SYS_ADMIN);
}

bool ctrace_may_take_memory(struct sk_buff *request)
{
	return ctrace_may_take_all(request) || netlink_capable(request, CAP_IPC_LOCK);
}

bool ctrace_may_bind(void)
{
	return ctrace_compat_may_trace();
}

/*
 * Every user may ask whether the module is loaded, and what one type of events is, because a process without
 * privileges may have been handed a descriptor and reads records. No dump: one that is begun and not read
 * keeps the module from being removed, and one of all types is work for the kernel, as often as a user likes.
 */
static bool open_to_all(u8 cmd, bool dump)
{
	return cmd == CTRACE_CMD_INFO_GET || (cmd == CTRACE_CMD_EVENT_GET && !dump);
}

int ctrace_may_send(u8 cmd, bool dump, struct sk_buff *request, struct netlink_ext_ack *extack)
{
	if (open_to_all(cmd, dump) || ctrace_may_trace(request))
		return 0;
	if (cmd == CTRACE_CMD_EVENT_GET) {
		NL_SET_ERR_MSG(extack, "listing all event types needs CAP_SYS_ADMIN or CAP_PERFMON in the initial user namespace: ask for one, by CTRACE_A_EVENT_ID or _NAME");
		return -EPERM;
	}
	NL_SET_ERR_MSG(extack, "needs CAP_SYS_ADMIN or CAP_PERFMON in the initial user namespace");
	return -EPERM;
}
