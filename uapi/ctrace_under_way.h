/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* Sets of ctrace_netlink.h: what is under way. */
#ifndef _UAPI_CTRACE_UNDER_WAY_H
#define _UAPI_CTRACE_UNDER_WAY_H

/*
 * A thread that exists. RAN_NS and QUEUED_NS are the kernel's own (sched_info), so they need no session. The
 * last four are of what a session follows: they are absent if none does, or if it began before that session.
 */
enum ctrace_attr_task {
	CTRACE_A_TASK_UNSPEC,
	CTRACE_A_TASK_PAD,
	CTRACE_A_TASK_TID,		/* u32, initial namespace */
	CTRACE_A_TASK_PID,		/* u32: its process, initial namespace */
	CTRACE_A_TASK_VTID,		/* u32: in its own namespace */
	CTRACE_A_TASK_CID,		/* u32: its container */
	CTRACE_A_TASK_COMM,		/* string */
	/* u32: the kernel's TASK_*: 1, 2: it sleeps; 4, 8: stopped; 0: it can run */
	CTRACE_A_TASK_STATE,
	CTRACE_A_TASK_IOWAIT,		/* u32: 1: it sleeps for a disk; absent: 0 */
	CTRACE_A_TASK_RAN_NS,		/* u64: how long ago it last got a CPU; absent: never, or not known */
	CTRACE_A_TASK_QUEUED_NS,	/* u64: how long it has been waiting for a CPU; absent: it is not */
	/* u32: CTRACE_ID_SCHED_WAIT, _RUN or _BLOCK: what its end will write */
	CTRACE_A_TASK_SPAN,
	CTRACE_A_TASK_SPAN_NS,		/* u64: for how long it has been in that */
	CTRACE_A_TASK_CALL,		/* u32: the event of the whole call that it is in */
	CTRACE_A_TASK_CALL_NS,		/* u64: for how long */
	__CTRACE_A_TASK_MAX
};

#define CTRACE_A_TASK_MAX	(__CTRACE_A_TASK_MAX - 1)

/* Where a block request is. */
enum ctrace_request_at {
	CTRACE_REQUEST_LIMIT	= 1,	/* a limit of a cgroup (io.max) holds it back */
	CTRACE_REQUEST_QUEUE	= 2,	/* it waits for its issue */
	CTRACE_REQUEST_DISK	= 3,	/* it was issued to the disk */
};

/*
 * A block request that has not completed, while a session has block_io. Either it was issued since that
 * session began. Or it was submitted since then and is not issued yet; then it is here only if its thread has
 * waited for it ever since. The place of its owner may have been taken by many other requests: then it is
 * left out.
 */
enum ctrace_attr_request {
	CTRACE_A_REQUEST_UNSPEC,
	CTRACE_A_REQUEST_PAD,
	CTRACE_A_REQUEST_CID,		/* u32: its issuer's container */
	CTRACE_A_REQUEST_TID,		/* u32: the thread that submitted it; absent: not known */
	CTRACE_A_REQUEST_COMM,		/* string: that thread's name; absent: not known */
	CTRACE_A_REQUEST_DEV,		/* u32: the disk, as in events */
	CTRACE_A_REQUEST_SECTOR,	/* u64: its first, of 512 bytes */
	CTRACE_A_REQUEST_BYTES,		/* u32 */
	CTRACE_A_REQUEST_RWBS,		/* u32: as in events */
	CTRACE_A_REQUEST_AT,		/* u32 enum ctrace_request_at */
	CTRACE_A_REQUEST_NS,		/* u64: since it was made, or since a limit held it back */
	CTRACE_A_REQUEST_ISSUED_NS,	/* u64: how long ago it was issued; absent: it is not */
	__CTRACE_A_REQUEST_MAX
};

#define CTRACE_A_REQUEST_MAX	(__CTRACE_A_REQUEST_MAX - 1)

#endif /* _UAPI_CTRACE_UNDER_WAY_H */
