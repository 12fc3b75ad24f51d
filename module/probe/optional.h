/* SPDX-License-Identifier: GPL-2.0-only */
/* Stubs for the probes that Kbuild leaves out if the kernel lacks their subsystem. */
#ifndef CTRACE_OPTIONAL_H
#define CTRACE_OPTIONAL_H

#include <linux/kernel.h>
#include "probe/table.h"

#define CTRACE_RWBS_LEN		16

#ifdef CONFIG_BLOCK
#define CTRACE_BLOCK_LACKS	NULL
extern struct ctrace_source ctrace_block_sources[];
#else
#define CTRACE_BLOCK_LACKS	"this kernel is built without CONFIG_BLOCK"
#define ctrace_block_sources	NULL
#endif

#ifdef CONFIG_PERF_EVENTS
#define CTRACE_SAMPLE_LACKS	NULL
int ctrace_sample_add(struct ctrace_probe *p, const char *text, char *why);
void ctrace_sample_del(struct ctrace_probe *p);
#else
#define CTRACE_SAMPLE_LACKS	"this kernel is built without CONFIG_PERF_EVENTS"

static inline int ctrace_sample_add(struct ctrace_probe *p, const char *text, char *why)
{
	return ctrace_why(why, -EOPNOTSUPP, "'%.64s': " CTRACE_SAMPLE_LACKS, text);
}

static inline void ctrace_sample_del(struct ctrace_probe *p)
{
}
#endif

#endif
