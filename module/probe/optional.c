// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event types whose probes are built only if the kernel has their subsystem (Kbuild). Every kernel
 * lists the types; if the probes are missing, the list says why.
 */
#include "probe/optional.h"

/* --- block: probe/block.c ----------------------------------------------------- */

/* The names are LTTng's. */
static const struct ctrace_field_desc f_rq[] = { CTRACE_FIELDS(CTRACE_RQ_FIELDS) };
static const struct ctrace_field_desc f_complete[] = { CTRACE_FIELDS(CTRACE_RQ_COMPLETE_FIELDS) };
static const struct ctrace_field_desc f_io[] = { CTRACE_FIELDS(CTRACE_BLOCK_IO_FIELDS) };
static const struct ctrace_field_desc f_bio[] = { CTRACE_FIELDS(CTRACE_BIO_FIELDS) };

static const struct ctrace_event_type block_types[] = {
	CTRACE_TYPE(BLOCK_RQ_INSERT, "block", "block_rq_insert", "block_rq_insert", f_rq),
	CTRACE_TYPE(BLOCK_RQ_ISSUE, "block", "block_rq_issue", "block_rq_issue", f_rq),
	CTRACE_TYPE(BLOCK_RQ_COMPLETE, "block", "block_rq_complete", "block_rq_complete",
		    f_complete),
	CTRACE_TYPE(BLOCK_BIO_QUEUE, "block", "block_bio_queue", "block_bio_queue", f_bio),
	CTRACE_TYPE(BLOCK_IO, "block", "block_io", "block_io", f_io),
};

const struct ctrace_family ctrace_family_block = {
	.types = block_types, .ntypes = ARRAY_SIZE(block_types), .sources = ctrace_block_sources,
	.lacks = CTRACE_BLOCK_LACKS,
};

/* --- samples: probe/sample.c -------------------------------------------------- */

static const struct ctrace_field_desc f_sample[] = {
	CTRACE_FIELDS(CTRACE_SAMPLE_FIELDS) CTRACE_FIELDS(CTRACE_SAMPLE_USER_FIELDS)
};

static const struct ctrace_event_type sample_types[] = {
	CTRACE_TYPE_KADDR(CPU_SAMPLE, "ctrace", "cpu_sample", NULL, f_sample),
};

const struct ctrace_family ctrace_family_sample = {
	.types = sample_types, .ntypes = ARRAY_SIZE(sample_types), .lacks = CTRACE_SAMPLE_LACKS,
};

static const char *const sample_prefixes[] = { "sample:", NULL };

/*
 * Missed are the samples of CPUs that came online and got no timer, even if they were idle. What a late timer
 * skips is not counted: perf does not say for how many of these the CPU was idle.
 */
const struct ctrace_probe_kind ctrace_kind_sample = {
	.prefixes = sample_prefixes, .add = ctrace_sample_add, .del = ctrace_sample_del,
	.missed = ctrace_sample_missed,
};
