// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event types whose probes are built only if the kernel has their subsystem (Kbuild). Every kernel
 * lists the types; if the probes are missing, the list says why.
 */
#include "probe/optional.h"

#define F	CTRACE_FIELD

/* --- block: probe/block.c ----------------------------------------------------- */

/* The names are LTTng's. Only rwbs differs: it is text, as in the kernel's own events. */
static const struct ctrace_field_desc f_rq[] = {
	F(UINT, "dev", 4), F(UINT, "sector", 8), F(UINT, "nr_sector", 4), F(UINT, "bytes", 4),
	F(INT, "tid", 4), F(TEXT, "rwbs", CTRACE_RWBS_LEN), F(TEXT, "comm", 16),
};
static const struct ctrace_field_desc f_complete[] = {
	F(UINT, "dev", 4), F(UINT, "sector", 8), F(UINT, "nr_sector", 4), F(INT, "error", 4),
	F(TEXT, "rwbs", CTRACE_RWBS_LEN),
};
static const struct ctrace_field_desc f_bio[] = {
	F(UINT, "dev", 4), F(UINT, "sector", 8), F(UINT, "nr_sector", 4),
	F(TEXT, "rwbs", CTRACE_RWBS_LEN), F(INT, "tid", 4), F(TEXT, "comm", 16),
};

static const struct ctrace_event_type block_types[] = {
	CTRACE_TYPE(BLOCK_RQ_INSERT, "block", "block_rq_insert", "block_rq_insert", f_rq),
	CTRACE_TYPE(BLOCK_RQ_ISSUE, "block", "block_rq_issue", "block_rq_issue", f_rq),
	CTRACE_TYPE(BLOCK_RQ_COMPLETE, "block", "block_rq_complete", "block_rq_complete",
		    f_complete),
	CTRACE_TYPE(BLOCK_BIO_QUEUE, "block", "block_bio_queue", "block_bio_queue", f_bio),
};

const struct ctrace_family ctrace_family_block = {
	.types = block_types, .ntypes = ARRAY_SIZE(block_types), .sources = ctrace_block_sources,
	.lacks = CTRACE_BLOCK_LACKS,
};

/* --- samples: probe/sample.c -------------------------------------------------- */

/* hz is the sample's weight. It stands before the second count, so that the array after that is aligned. */
static const struct ctrace_field_desc f_sample[] = {
	F(HEX, "ip", 8), F(UINT, "user", 4), F(SEQ_HEX, "callstack_kernel", 8),
	F(UINT, "hz", 4), F(SEQ_HEX, "callstack_user", 8),
};

static const struct ctrace_event_type sample_types[] = {
	CTRACE_TYPE_KADDR(CPU_SAMPLE, "ctrace", "cpu_sample", NULL, f_sample),
};

const struct ctrace_family ctrace_family_sample = {
	.types = sample_types, .ntypes = ARRAY_SIZE(sample_types), .lacks = CTRACE_SAMPLE_LACKS,
};

static const char *const sample_prefixes[] = { "sample:", NULL };

/*
 * Missed samples are not counted: a late timer skips the samples that it missed, and perf does not say
 * for how many of them the CPU was idle.
 */
const struct ctrace_probe_kind ctrace_kind_sample = {
	.prefixes = sample_prefixes, .add = ctrace_sample_add, .del = ctrace_sample_del,
};
