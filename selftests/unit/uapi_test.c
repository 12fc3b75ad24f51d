// SPDX-License-Identifier: GPL-2.0-only
/*
 * The binary interface, byte for byte: what is mapped and what is on disk must not change by accident, and
 * must be the same for 32-bit readers.
 */
#include <stddef.h>

#include "libctrace.h"
#include "ctf_format.h"
#include "ktap.h"

#define at(type, field, offset) check_eq(offsetof(struct type, field), offset)

static void directory(void)
{
	check_eq(sizeof(struct ctrace_dir), 120);
	at(ctrace_dir, abi, 4);
	at(ctrace_dir, state, 12);
	at(ctrace_dir, nslots, 32);
	at(ctrace_dir, ring_size, 40);
	at(ctrace_dir, heads_off, 56);
	at(ctrace_dir, map_size, 72);
	at(ctrace_dir, features, 80);
	at(ctrace_dir, heads_stride, 104);
	at(ctrace_dir, frozen, 112);
}

static void ring(void)
{
	check_eq(sizeof(struct ctrace_ring), 128);
	at(ctrace_ring, base, 16);
	at(ctrace_ring, floor, 32);
	at(ctrace_ring, floor_events, 40);
	at(ctrace_ring, head, 64);	/* on a cache line of its own: the writer's */
	at(ctrace_ring, entered, 72);
	at(ctrace_ring, lost_full, 80);
	at(ctrace_ring, lost_nested, 88);
	at(ctrace_ring, nest, 96);
	at(ctrace_ring, frozen, 100);
	at(ctrace_ring, lost_frozen, 104);
	check_eq(sizeof(struct ctrace_subbuf), 32);
	at(ctrace_subbuf, events, 8);
	at(ctrace_subbuf, last, 24);
}

static void record(void)
{
	check_eq(sizeof(struct ctrace_record), 24);
	at(ctrace_record, time, 0);
	at(ctrace_record, id, 8);
	at(ctrace_record, len, 10);
	at(ctrace_record, cid, 12);
	at(ctrace_record, tid, 16);
	at(ctrace_record, vtid, 20);
	check_eq(CTRACE_ID_SYS_EXIT - CTRACE_ID_SYS_ENTER, CTRACE_NR_SYSCALLS);
	check(CTRACE_ID_COMPAT_CALL + CTRACE_NR_SYSCALLS <= 65536);
}

/* Recordings contain these ids, so none may ever change. Checks one of each family, and the last. */
/* The ids, one after the other, name each call of each table, in each of its phases. */
static void ids_of_calls(void)
{
	static const struct { uint32_t base, phase, is32; } sets[] = {
		{ CTRACE_ID_SYS_ENTER, CTRACE_CALL_ENTRY, 0 }, { CTRACE_ID_SYS_EXIT, CTRACE_CALL_EXIT, 0 },
		{ CTRACE_ID_COMPAT_SYS_ENTER, CTRACE_CALL_ENTRY, 1 },
		{ CTRACE_ID_COMPAT_SYS_EXIT, CTRACE_CALL_EXIT, 1 },
		{ CTRACE_ID_CALL, CTRACE_CALL_WHOLE, 0 }, { CTRACE_ID_COMPAT_CALL, CTRACE_CALL_WHOLE, 1 },
	};
	struct ctrace_id_call c;
	uint32_t i, id;

	for (id = 0; id < 0x10000; id++) {
		for (i = 0; i < 6 && id - sets[i].base >= CTRACE_NR_SYSCALLS; i++)
			;
		c = ctrace_id_call(id);
		if (c.phase != (i < 6 ? sets[i].phase : CTRACE_CALL_NONE) ||
		    c.is32 != (i < 6 ? sets[i].is32 : 0) || c.nr != (i < 6 ? id - sets[i].base : 0))
			break;
	}
	check_eq(id, 0x10000);
	check_eq(ctrace_id_call(~0u).phase, CTRACE_CALL_NONE);
}

static void event_ids(void)
{
	check_eq(CTRACE_ID_LOST, 1);
	check_eq(CTRACE_ID_SCHED_SWITCH, 2);
	check_eq(CTRACE_ID_SYS_EXIT_UNKNOWN, 9);
	check_eq(CTRACE_ID_SCHED_STAT_RUNTIME, 15);
	check_eq(CTRACE_ID_IRQ_SOFTIRQ_EXIT, 20);
	check_eq(CTRACE_ID_TIMER_ITIMER_EXPIRE, 23);
	check_eq(CTRACE_ID_BLOCK_BIO_QUEUE, 27);
	check_eq(CTRACE_ID_INET_SOCK_SET_STATE, 31);
	check_eq(CTRACE_ID_KMEM_MM_PAGE_FREE, 35);
	check_eq(CTRACE_ID_SIGNAL_DELIVER, 37);
	check_eq(CTRACE_ID_OOM_SCORE_ADJ_UPDATE, 39);
	check_eq(CTRACE_ID_CGROUP_UNFREEZE, 43);
	check_eq(CTRACE_ID_MODULE_FREE, 45);
	check_eq(CTRACE_ID_KERNEL_STACK, 46);
	check_eq(CTRACE_ID_USER_STACK, 47);
	check_eq(CTRACE_ID_CPU_SAMPLE, 48);
	check_eq(CTRACE_ID_STATEDUMP_END, 52);
	check_eq(CTRACE_ID_IO_URING_OP, 53);
	check_eq(CTRACE_ID_STATEDUMP_FILE_DESCRIPTOR, 56);
	check_eq(CTRACE_ID_STATEDUMP_BLOCK_DEVICE, 75);
	check_eq(CTRACE_ID_SCHED_PI_SETPRIO, 79);
	check_eq(CTRACE_ID_PROCESS_MAP, 81);
	check_eq(CTRACE_ID_LATE_MEMORY, 80);
	check_eq(CTRACE_ID_USER_MEMORY, 82);
	check_eq(CTRACE_ID_USER_REGISTERS, 83);
	check_eq(CTRACE_ID_DYNAMIC, 0x1000);
	check_eq(CTRACE_ID_SYS_ENTER, 0x4000);
	check_eq(CTRACE_ID_COMPAT_SYS_EXIT, 0x4c00);
	check_eq(CTRACE_ID_CALL, 0x5000);
	check_eq(CTRACE_ID_COMPAT_CALL - CTRACE_ID_CALL, CTRACE_NR_SYSCALLS);
	check_eq(CTRACE_ID_COMPAT_CALL, 0x5400);
	check_eq(CTRACE_LOSS_MISSED, 3);
	check_eq(CTRACE_LOSS_UNFOLLOWED, 4);
	check_eq(CTRACE_LOSS_UNFOLLOWED_TASKS, 5);
	check_eq(CTRACE_LOSS_UNREAD, 6);
	check_eq(CTRACE_LOSS_FROZEN, 7);
	check_eq(CTRACE_LOSS_MAX, 7);
	check_eq(CTRACE_CALL_M_UNREAD(5), 0x20);
	check_eq(CTRACE_CALL_M_NULL(0), 0x100);
	check_eq(CTRACE_CALL_M_DENIED, 0x10000);
}

static void files_and_calls(void)
{
	check_eq(sizeof(struct ctrace_ctf_packet), 80);
	at(ctrace_ctf_packet, timestamp_begin, 24);
	at(ctrace_ctf_packet, ring_cid, 76);
	check_eq(sizeof(struct ctrace_bind), 32);
	at(ctrace_bind, map_size, 8);
	check_eq(sizeof(struct ctrace_view_args), 40);
	at(ctrace_view_args, map_size, 16);
	check_eq(sizeof(struct ctrace_shown), 32);
	at(ctrace_shown, map_size, 8);
}

/* A library and a module of different versions meet here. */
static void netlink_numbers(void)
{
	check_eq(CTRACE_CMD_SESSION_NEW, 2);
	check_eq(CTRACE_CMD_PROBE_ADD, 6);
	check_eq(CTRACE_CMD_STATS_GET, 14);
	check_eq(CTRACE_CMD_CONTAINER_GONE, 16);
	check_eq(CTRACE_CMD_EVENT_NEW, 17);
	check_eq(CTRACE_CMD_EVENT_DEL, 18);
	check_eq(CTRACE_CMD_TRACEPOINT_GET, 19);
	check_eq(CTRACE_CMD_TASK_GET, 20);
	check_eq(CTRACE_CMD_REQUEST_GET, 21);
	check_eq(CTRACE_CMD_FROZEN_GET, 22);
	check_eq(CTRACE_CMD_THAW, 23);
	check_eq(CTRACE_CMD_MAX, 23);
	check_eq(CTRACE_A_PAD, 1);
	check_eq(CTRACE_A_RING, 8);
	check_eq(CTRACE_A_LIMIT, 9);
	check_eq(CTRACE_A_TASK, 10);
	check_eq(CTRACE_A_REQUEST, 11);
	check_eq(CTRACE_A_FROZEN, 12);
	check_eq(CTRACE_A_MAX, 12);
	check_eq(CTRACE_A_INFO_ABI, 2);
	check_eq(CTRACE_A_INFO_FEATURES, 5);
	check_eq(CTRACE_A_INFO_UNKNOWN, 9);
	check_eq(CTRACE_A_SESSION_PAD, 1);
	check_eq(CTRACE_A_SESSION_ID, 2);
	check_eq(CTRACE_A_SESSION_STATE, 5);
	check_eq(CTRACE_A_SESSION_RATE, 13);
	check_eq(CTRACE_A_SESSION_EVENTS, 17);
	check_eq(CTRACE_A_SESSION_LOST_UNFOLLOWED_TASKS, 22);
	check_eq(CTRACE_A_SESSION_LIMITED, 23);
	check_eq(CTRACE_A_SESSION_LOST_UNREAD, 24);
	check_eq(CTRACE_A_PROBE_ID, 2);
	check_eq(CTRACE_A_PROBE_MISSED, 8);
	check_eq(CTRACE_A_TARGET_ID, 1);
	check_eq(CTRACE_A_TARGET_PID, 7);
	check_eq(CTRACE_A_CONTAINER_CID, 2);
	check_eq(CTRACE_A_CONTAINER_GONE, 13);
	check_eq(CTRACE_A_EVENT_DEFINITION, 7);
	check_eq(CTRACE_A_EVENT_OWNER, 9);
	check_eq(CTRACE_A_RING_LOST_NESTED, 9);
	check_eq(CTRACE_A_RING_LOST_FROZEN, 10);
	check_eq(CTRACE_A_SESSION_FREEZE_MS, 29);
	check_eq(CTRACE_A_SESSION_LOST_FROZEN, 32);
	check_eq(CTRACE_A_FROZEN_CID, 2);
	check_eq(CTRACE_A_FROZEN_LEFT_MS, 6);
	check_eq(CTRACE_A_LIMIT_DROPPED, 3);
	check_eq(CTRACE_A_TASK_TID, 2);
	check_eq(CTRACE_A_TASK_RAN_NS, 9);
	check_eq(CTRACE_A_TASK_CALL_NS, 14);
	check_eq(CTRACE_A_REQUEST_CID, 2);
	check_eq(CTRACE_A_REQUEST_ISSUED_NS, 11);
	check_eq(CTRACE_REQUEST_DISK, 3);
	check_eq(CTRACE_SESSION_RECORDING, 1);
	check_eq(CTRACE_CGROUP_HYBRID, 3);
	check_eq(CTRACE_FEATURE_SAMPLES, 4);
	check_eq(CTRACE_EVENT_F_KEEP, 1);
	check_eq(CTRACE_SESSION_F_STATEDUMP, 2);
	check_eq(CTRACE_SESSION_F_NEIGHBOURS, 8);
	check_eq(CTRACE_PROBE_F_STACK, 1);
	check_eq(CTRACE_PROBE_F_USER_STACK, 2);
	check_eq(CTRACE_PROBE_F_USER_COPY, 4);
	check_eq(CTRACE_PROBE_F_FREEZE, 8);
	check_eq(CTRACE_A_FIELD_KIND, 3);
	check_eq(CTRACE_A_FIELD_DISPLAY, 4);
	check_eq(CTRACE_A_FIELD_SIZE, 5);
	check_eq(CTRACE_FK_UINT, 1);
	check_eq(CTRACE_FK_INT, 2);
	check_eq(CTRACE_FK_TEXT, 3);
	check_eq(CTRACE_FK_STRING, 4);
	check_eq(CTRACE_FK_SEQ, 5);
	check_eq(CTRACE_FK_SEQ_INT, 6);
	check_eq(CTRACE_FD_HEX, 1);
}

static const struct ktap_case cases[] = {
	{ "directory", directory },
	{ "ring and sub-buffer", ring },
	{ "record", record },
	{ "event ids", event_ids },
	{ "what ids say of calls", ids_of_calls },
	{ "packets on disk, ioctl", files_and_calls },
	{ "netlink numbers", netlink_numbers },
};
KTAP_MAIN(cases)
