/* SPDX-License-Identifier: GPL-2.0-only */
/* The beginning and the end of identity. */
#ifndef CTRACE_LIFE_H
#define CTRACE_LIFE_H

#include "identity/container.h"

/*
 * Process context. init: registers the hooks and looks at every task. stop: unregisters the hooks, waits
 * until none runs, and ends the announcements; tasks can still be resolved, for probes not yet detached.
 * exit: call when no code resolves tasks or holds a container any more.
 */
int ctrace_identity_init(const struct ctrace_container_watcher *const *watchers);
void ctrace_identity_stop(void);
void ctrace_identity_exit(void);

#endif /* CTRACE_LIFE_H */
