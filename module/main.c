// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include "identity/container.h"
#include "api/dev.h"
#include "event/event.h"
#include "identity/identity.h"
#include "api/netlink.h"
#include "session/probe.h"
#include "session/option.h"
#include "session/session.h"
#include "session/tasks.h"
#include "compat/clock.h"
#include "../uapi/ctrace_netlink.h"

static int __init ctrace_init(void)
{
	int err;

	err = ctrace_compat_clock_init();
	if (err)
		return err;
	err = ctrace_event_init();
	if (err)
		goto clock_exit;
	err = ctrace_container_init();
	if (err)
		goto event_exit;
	err = ctrace_identity_init();
	if (err)
		goto container_exit;
	err = ctrace_select_init();
	if (err)
		goto identity_exit;
	err = ctrace_session_init();
	if (err)
		goto select_exit;
	err = ctrace_dev_init();
	if (err)
		goto session_exit;
	/* Last: from here on there may be sessions. */
	err = ctrace_netlink_init();
	if (err)
		goto dev_exit;
	return 0;

dev_exit:
	ctrace_dev_exit();
session_exit:
	ctrace_session_exit();
select_exit:
	ctrace_select_exit();
identity_exit:
	ctrace_identity_stop();
	ctrace_identity_exit();
container_exit:
	ctrace_container_exit();
event_exit:
	ctrace_event_exit();
clock_exit:
	ctrace_compat_clock_exit();
	return err;
}

/*
 * Open descriptors and mappings of /dev/ctrace hold the module, so none is
 * left here. Sessions do not: removing the module ends them. Each step waits for
 * whoever may still run in what it takes away: the family for commands, the sessions for
 * probes, identity for its hooks and work.
 */
static void __exit ctrace_exit(void)
{
	ctrace_netlink_exit();
	ctrace_dev_exit();
	ctrace_identity_stop();
	ctrace_session_exit();
	ctrace_kprobe_exit();
	ctrace_select_exit();
	ctrace_tasks_exit();
	ctrace_identity_exit();
	ctrace_container_exit();
	ctrace_event_exit();
	ctrace_compat_clock_exit();
}

module_init(ctrace_init);
module_exit(ctrace_exit);

MODULE_DESCRIPTION("Container tracing: events tagged in the kernel with the container they belong to");
MODULE_AUTHOR("The ctrace developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(CTRACE_VERSION);
MODULE_ALIAS("net-pf-16-proto-16-family-" CTRACE_GENL_NAME);
