// SPDX-License-Identifier: GPL-2.0-only
/* since 6.13: system call probes (later: all) run preemptible */
#include <linux/tracepoint.h>
#ifndef DECLARE_TRACE_SYSCALL
#error no
#endif
