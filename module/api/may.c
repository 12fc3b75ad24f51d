// SPDX-License-Identifier: GPL-2.0-only
#include "api/may.h"
#include "compat/cred.h"
#include "compat/netlink.h"
#include "../uapi/ctrace_netlink.h"

bool ctrace_may_trace(struct sk_buff *request)
{
	return ctrace_compat_netlink_may_trace(request);
}

bool ctrace_may_bind(void)
{
	return ctrace_compat_may_trace();
}

/* What every user may ask: whether the module is there, and what it can record. */
static bool open_to_all(u8 cmd)
{
	return cmd == CTRACE_CMD_INFO_GET || cmd == CTRACE_CMD_EVENT_GET;
}

int ctrace_may_send(u8 cmd, struct sk_buff *request, struct netlink_ext_ack *extack)
{
	if (open_to_all(cmd) || ctrace_may_trace(request))
		return 0;
	NL_SET_ERR_MSG(extack, "needs CAP_SYS_ADMIN or CAP_PERFMON in the initial user namespace");
	return -EPERM;
}
