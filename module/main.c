// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include "api/dev.h"
#include "api/netlink.h"
#include "probe/table.h"
#include "emit/scratch.h"
#include "session/inflight.h"
#include "session/session.h"
#include "session/spare.h"
#include "session/target.h"
#include "session/tasks.h"
#include "ring/describe.h"
#include "event/define.h"
#include "event/event.h"
#include "identity/life.h"
#include "compat/clock.h"
#include "compat/heartbeat.h"
#include "../uapi/ctrace_netlink.h"

/* Told of containers in this order: who wants it, then listeners, then what goes with it. */
static const struct ctrace_container_watcher *const watchers[] = {
	&ctrace_target_watcher, &ctrace_netlink_watcher, &ctrace_session_watcher,
	&ctrace_inflight_watcher, &ctrace_spare_watcher, &ctrace_describe_watcher, NULL
};

static int __init ctrace_init(void)
{
	int err;

	err = ctrace_compat_clock_init();
	if (err)
		return err;
	ctrace_compat_heartbeat_init();	/* before anything may depend on kprobes */
	err = ctrace_event_init(ctrace_families);
	if (err)
		goto heartbeat_exit;
	ctrace_probe_init(ctrace_probe_kinds);
	err = ctrace_describe_init();	/* before its watcher hears of containers */
	if (err)
		goto event_exit;
	err = ctrace_identity_init(watchers);
	if (err)
		goto describe_exit;
	err = ctrace_scratch_init();
	if (err)
		goto identity_exit;
	err = ctrace_arena_module_init();
	if (err)
		goto scratch_exit;
	err = ctrace_spare_init();
	if (err)
		goto arena_exit;
	err = ctrace_session_init();
	if (err)
		goto spare_exit;
	err = ctrace_netlink_init();
	if (err)
		goto session_exit;
	/*
	 * Last, with nothing after it that may fail: the kernel frees a module whose loading fails, also one
	 * that a user holds.
	 */
	err = ctrace_dev_init();
	if (err)
		goto netlink_exit;
	ctrace_netlink_begin();
	return 0;

netlink_exit:
	ctrace_netlink_exit();
session_exit:
	ctrace_session_exit();
spare_exit:
	ctrace_spare_exit();
arena_exit:
	ctrace_arena_module_exit();
scratch_exit:
	ctrace_scratch_exit();
identity_exit:
	ctrace_identity_stop();
	ctrace_identity_exit();
describe_exit:
	ctrace_describe_exit();
event_exit:
	ctrace_event_exit();
heartbeat_exit:
	ctrace_compat_heartbeat_exit();
	ctrace_compat_clock_exit();
	return err;
}

/*
 * Open descriptors of /dev/ctrace and of views hold the module, so none is left here, nor a mapping.
 * Sessions do not: removing the module ends them. Each step waits for what may still run
 * in the code it takes away: removing the family waits for commands, ending the sessions
 * for probes, stopping identity for its hooks and its work.
 */
static void __exit ctrace_exit(void)
{
	ctrace_netlink_exit();
	ctrace_dev_exit();
	ctrace_identity_stop();
	ctrace_session_exit();
	ctrace_spare_exit();
	ctrace_arena_module_exit();
	ctrace_scratch_exit();
	ctrace_tasks_exit();
	ctrace_identity_exit();
	ctrace_describe_exit();
	ctrace_define_exit();
	ctrace_event_exit();
	ctrace_compat_heartbeat_exit();
	ctrace_compat_clock_exit();
}

module_init(ctrace_init);
module_exit(ctrace_exit);

MODULE_DESCRIPTION("Container tracing: events tagged in the kernel with the container they belong to");
MODULE_AUTHOR("The ctrace developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(CTRACE_VERSION);
/*
 * No alias for the netlink family: any user, in a network namespace of their own, can ask the kernel for a
 * family, and the kernel then loads its module. Only who may open the device's node loads this one
 * (api/dev.c).
 */
