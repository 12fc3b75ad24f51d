/* SPDX-License-Identifier: GPL-2.0-only */
/* What probe/ has to offer, and probe/table.c lists. */
#ifndef CTRACE_TABLE_H
#define CTRACE_TABLE_H

#include "session/probe.h"
#include "event/event.h"

/* Both NULL-terminated: for ctrace_event_init() and ctrace_probe_init(). */
extern const struct ctrace_family *const ctrace_families[];
extern const struct ctrace_probe_kind *const ctrace_probe_kinds[];

extern const struct ctrace_family ctrace_family_syscall, ctrace_family_sched, ctrace_family_process,
	ctrace_family_cgroup, ctrace_family_irq, ctrace_family_timer, ctrace_family_signal,
	ctrace_family_mm, ctrace_family_module, ctrace_family_block, ctrace_family_net, ctrace_family_io_uring,
	ctrace_family_sample, ctrace_family_statedump, ctrace_family_fault, ctrace_family_tcp,
	ctrace_family_tcp_connect, ctrace_family_tcp_again,
	ctrace_family_sched_span, ctrace_family_throttle, ctrace_family_blame, ctrace_family_cap,
	ctrace_family_map, ctrace_family_lock;

extern const struct ctrace_probe_kind ctrace_kind_functions, ctrace_kind_kprobe, ctrace_kind_calls, ctrace_kind_raw,
	ctrace_kind_sample;

#endif
