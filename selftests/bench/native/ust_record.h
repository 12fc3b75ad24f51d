/* SPDX-License-Identifier: GPL-2.0-only */
/* A ctrace record as an event of LTTng's user-space tracer: what ring.c writes, without its time. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ctrace_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./ust_record.h"

#if !defined(CTRACE_BENCH_UST_RECORD_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define CTRACE_BENCH_UST_RECORD_H

#include <stdint.h>
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(ctrace_bench, record,
	LTTNG_UST_TP_ARGS(uint32_t, cid, uint64_t, ids, uint64_t, a, uint64_t, b, uint64_t, c),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, cid, cid)
		lttng_ust_field_integer(uint64_t, ids, ids)
		lttng_ust_field_integer(uint64_t, a, a)
		lttng_ust_field_integer(uint64_t, b, b)
		lttng_ust_field_integer(uint64_t, c, c)
	)
)

#endif

#include <lttng/tracepoint-event.h>
