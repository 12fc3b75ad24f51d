// SPDX-License-Identifier: GPL-2.0-only
/* since 5.0: the kernel lists its tracepoints with their numbers of arguments, modules list theirs */
#include <linux/module.h>
#include <linux/trace_events.h>
#ifndef CONFIG_BPF_EVENTS
#error no
#endif
int ctrace_fact(struct module *mod);
int ctrace_fact(struct module *mod)
{
	struct bpf_raw_event_map *(*get)(const char *name) = bpf_get_raw_tracepoint;

	return get("")->num_args + mod->bpf_raw_events[0].num_args + mod->num_bpf_raw_events;
}
