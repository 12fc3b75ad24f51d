// SPDX-License-Identifier: GPL-2.0-only
/* The beginning and the end of identity. */
#include "identity/gc.h"
#include "identity/hierarchy.h"
#include "identity/hooks.h"
#include "identity/identity_internal.h"
#include "identity/life.h"
#include "identity/netns.h"
#include "identity/rules.h"
#include "identity/scan.h"
#include "identity/kernel.h"
#include "compat/rcu.h"

/* More nodes than there are containers in the pool: each container has several places. */
#define NODES	8192

int ctrace_identity_init(const struct ctrace_container_watcher *const *watchers)
{
	int err;

	err = ctrace_container_init(watchers, ctrace_gc_kicked);
	if (err)
		return err;
	err = ctrace_gc_init();
	if (err)
		goto container_exit;
	err = ctrace_rules_init(&ctrace_rules, &ctrace_identity_kernel,
				ctrace_identity_forget_cached, NODES);
	if (err)
		goto gc_exit;
	err = ctrace_netns_init();
	if (err)
		goto rules_exit;
	ctrace_gc_start();
	ctrace_identity_refresh();
	err = ctrace_hooks_start();
	if (err) {
		ctrace_gc_stop();
		ctrace_identity_exit();
		return err;
	}
	ctrace_identity_scan();
	return 0;

rules_exit:
	ctrace_rules_exit(&ctrace_rules);
gc_exit:
	ctrace_gc_exit();
container_exit:
	ctrace_container_exit();
	return err;
}

void ctrace_identity_stop(void)
{
	ctrace_hooks_stop();
	ctrace_gc_stop();
}

void ctrace_identity_exit(void)
{
	ctrace_compat_synchronize();
	ctrace_netns_exit();
	ctrace_rules_exit(&ctrace_rules);
	ctrace_gc_exit();
	ctrace_container_exit();
}
