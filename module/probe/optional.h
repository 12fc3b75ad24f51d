/* SPDX-License-Identifier: GPL-2.0-only */
/* Stubs for the probes that Kbuild leaves out if the kernel lacks their subsystem. */
#ifndef CTRACE_OPTIONAL_H
#define CTRACE_OPTIONAL_H

#include <linux/kernel.h>
#include "probe/table.h"

/* --- the payloads that the probes fill and probe/optional.c describes ------- */

#define CTRACE_RQ_FIELDS(F)								\
	F(u32, dev) F(hole, hole) F(u64, sector) F(u32, nr_sector) F(u32, bytes)	\
	F(s32, tid) F(rwbs, rwbs) F(comm, comm)
#define CTRACE_RQ_COMPLETE_FIELDS(F)							\
	F(u32, dev) F(hole, hole) F(u64, sector) F(u32, nr_sector) F(s32, error) F(rwbs, rwbs)
#define CTRACE_BIO_FIELDS(F)								\
	F(u32, dev) F(hole, hole) F(u64, sector) F(u32, nr_sector) F(rwbs, rwbs)	\
	F(s32, tid) F(comm, comm)

#define CTRACE_BLOCK_IO_FIELDS(F)							\
	F(u64, duration) F(u64, queued) F(u64, throttled) F(u32, dev) F(u32, bytes)	\
	F(u64, sector) F(s32, error) F(s32, tid) F(rwbs, rwbs) F(comm, comm)

/*
 * A sample's payload is these two, one after the other. hz, its weight, stands before the second count,
 * so that the array after that is aligned.
 */
#define CTRACE_SAMPLE_FIELDS(F)		F(x64, ip) F(u32, user) F(seq_x64, callstack_kernel)
#define CTRACE_SAMPLE_USER_FIELDS(F)	F(u32, hz) F(seq_x64, callstack_user)

/* --- stubs ------------------------------------------------------------------ */

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
u64 ctrace_sample_missed(const struct ctrace_probe *p);
#else
#define CTRACE_SAMPLE_LACKS	"this kernel is built without CONFIG_PERF_EVENTS"

static inline int ctrace_sample_add(struct ctrace_probe *p, const char *text, char *why)
{
	return ctrace_why(why, -EOPNOTSUPP, "'%.64s': " CTRACE_SAMPLE_LACKS, text);
}

static inline void ctrace_sample_del(struct ctrace_probe *p)
{
}

static inline u64 ctrace_sample_missed(const struct ctrace_probe *p)
{
	return 0;
}
#endif

#endif
