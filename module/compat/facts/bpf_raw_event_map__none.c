// SPDX-License-Identifier: GPL-2.0-only
/* before 4.17, or not configured: neither function exists */
#include <linux/trace_events.h>
#ifdef CONFIG_BPF_EVENTS
int bpf_get_raw_tracepoint, bpf_find_raw_tracepoint;
#endif
