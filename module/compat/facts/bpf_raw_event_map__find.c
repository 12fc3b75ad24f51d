// SPDX-License-Identifier: GPL-2.0-only
/* 4.17 to 4.20: the list has the built-in tracepoints only */
#include <linux/trace_events.h>
#ifndef CONFIG_BPF_EVENTS
#error no
#endif
int ctrace_fact(void);
int ctrace_fact(void)
{
	struct bpf_raw_event_map *(*find)(const char *name) = bpf_find_raw_tracepoint;
	return find("")->num_args;
}
int bpf_get_raw_tracepoint;
