/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The works of identity. Process context unless said. Call in this order:
 *  - init: makes the queue of works;
 *  - start: starts the works, once there are rules;
 *  - stop: waits until no work runs any more;
 *  - exit, when the rules are gone: frees all containers and parts.
 */
#ifndef CTRACE_GC_H
#define CTRACE_GC_H

#include <linux/types.h>

int ctrace_gc_init(void);
void ctrace_gc_start(void);
void ctrace_gc_stop(void);
void ctrace_gc_exit(void);
/* Refills the pools, and looks for the dead soon. news: announces at once, too. In an interrupt. */
void ctrace_gc_kicked(bool news);

#endif /* CTRACE_GC_H */
