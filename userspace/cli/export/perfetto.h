/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of Perfetto's fields (protos/perfetto/trace/perfetto_trace.proto), and the parts of its writer. */
#ifndef CTRACE_EXPORT_PERFETTO_H
#define CTRACE_EXPORT_PERFETTO_H

#include "base/proto.h"
#include "export/draw.h"

enum {
	TRACE_PACKET = 1,
	PACKET_FTRACE = 1, PACKET_PROCESS_TREE = 2, PACKET_CLOCK_SNAPSHOT = 6, PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_SYSTEM_INFO = 45,
	PACKET_DEFAULTS = 59, PACKET_TRACK = 60, PACKET_PERF_SAMPLE = 66,
	FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2,

	CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2, ID_REALTIME = 1, ID_MONOTONIC = 3, ID_BOOTTIME = 6,
	SYSTEM_UTSNAME = 1, SYSTEM_CPUS = 8, UTSNAME_SYSNAME = 1, UTSNAME_VERSION = 2, UTSNAME_RELEASE = 3,
	UTSNAME_MACHINE = 4,
	TREE_PROCESS = 1, TREE_THREAD = 2, PROCESS_PID = 1, PROCESS_PPID = 2, PROCESS_CMDLINE = 3, PROCESS_NSPID = 6,
	THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3, THREAD_NSTID = 4,

	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8,
	TRACK_ORDER = 12, COUNTER_UNIT_NAME = 6, DESCRIPTOR_PID = 1, DESCRIPTOR_TID = 2, DESCRIPTOR_NAME = 5,
	EVENT_DETAIL = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23, EVENT_COUNT = 30,
	EVENT_DOUBLE = 44, EVENT_CALLSTACK = 56, TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4,
	DETAIL_NAME = 10, DETAIL_UINT_VALUE = 3, DETAIL_INT_VALUE = 4, DETAIL_STRING_VALUE = 6, DETAIL_POINTER_VALUE = 7,

	BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3, FTRACE_TIME = 1, FTRACE_PID = 2, FTRACE_SWITCH = 4,
	FTRACE_WAKING = 20, FTRACE_NEWTASK = 235,
	SWITCH_PREV_COMM = 1, SWITCH_PREV_PID = 2, SWITCH_PREV_PRIO = 3, SWITCH_PREV_STATE = 4, SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6, SWITCH_NEXT_PRIO = 7, WAKING_COMM = 1, WAKING_PID = 2, WAKING_PRIO = 3, WAKING_CPU = 5,
	NEWTASK_PID = 1, NEWTASK_COMM = 2, NEWTASK_FLAGS = 3,

	SAMPLE_CPU = 1, SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_CALLSTACK = 4, SAMPLE_MODE = 5, SAMPLE_COUNT = 6,
	MODE_KERNEL = 1, MODE_USER = 2, DEFAULTS_PERF = 12, PERF_TIMEBASE = 1, TIMEBASE_FREQUENCY = 2,
	INTERNED_FUNCTION = 5, INTERNED_FRAME = 6, INTERNED_CALLSTACK = 7, INTERNED_PATH = 17, INTERNED_MAPPING = 19,
	STRING_ID = 1, STRING_TEXT = 2, FRAME_ID = 1, FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PC = 4,
	CALLSTACK_ID = 1, CALLSTACK_FRAME = 2, MAPPING_ID = 1, MAPPING_PATH = 7,
};

struct perfetto {
	struct draw *draw;
	struct stacks_seen *stacks;
	struct bundles *bundles;
	struct sbuf packet, event, m, inner;	/* being built; empty between records */
	uint64_t *tracks;	/* those that were described, but threads', sorted */
	size_t ntracks;
};

/* Writes p->packet as the trace's next packet, and empties it. time 0: it has none */
void perfetto_packet(struct export *x, uint64_t time);

/* --- perfetto_ftrace.c: what the kernel's own tracer would have written --- */

struct bundles *bundles_new(uint32_t ncpus);
void bundles_free(struct bundles *b);
void bundles_flush(struct export *x);
void ftrace_ran(struct export *x, uint32_t cpu, const struct export_task *t, uint64_t from, uint64_t to, int32_t prio,
		int64_t state);
void ftrace_born(struct export *x, const struct export_task *t, uint64_t time);
bool ftrace_event(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct paint *p,
		  const struct ctrace_value *v, int n);
void ftrace_lost(struct export *x, uint32_t cpu);

/* --- perfetto_stacks.c: stacks have numbers, and are written once --- */

struct stacks_seen *stacks_seen_new(void);
void stacks_seen_free(struct stacks_seen *s);
/*
 * The number of the stack, with user and kernel frames; a new one is written in a packet first. 0: it has no
 * frames.
 */
uint64_t perfetto_stack(struct export *x, const struct stacks *k, int32_t tid);
void perfetto_sample(struct export *x, struct export_task *t, uint32_t cpu, const struct ctrace_record *rec,
		     const struct stacks *k);
/* The first packet of the sequence, and again when its numbers begin anew. */
void perfetto_sequence(struct export *x);

#endif
