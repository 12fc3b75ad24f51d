/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ctrace: what a reader of /dev/ctrace maps, and the records it finds there.
 *
 * Everything is in the byte order of the machine; every structure is laid out
 * the same for 32- and 64-bit readers. A mapping is read-only for ever: the
 * kernel reads no byte that a reader could write.
 *
 * A descriptor of /dev/ctrace shows nothing until CTRACE_IOC_BIND gave it a
 * session (CTRACE_CID_ALL) or one container of a session. Then mmap() of
 * offset 0 and ctrace_dir.map_size bytes (or fewer) gives
 *
 *   0            +--------------------+
 *                | struct ctrace_dir  |  one page: sizes and offsets
 *   heads_off    +--------------------+
 *                | u64 heads[nslots]  |  hint: head of each ring, so that a
 *                |                    |  reader finds the rings that moved
 *   slots_off    +--------------------+
 *                | slot 0: one page   |  struct ctrace_ring
 *                |  ring_size bytes   |  sub-buffers of subbuf_size each
 *                +--------------------+
 *                | slot 1 ...         |  slot i at slots_off + i * slot_stride,
 *                |                    |  belongs to CPU i / slots_per_cpu
 *                +--------------------+
 *
 * A descriptor bound to one container has slots_per_cpu == 1 and no hints
 * (heads_off == 0): slot i is that container's own ring on CPU i. Its pages are for the mapping
 * only: write() from it works, what would keep them (vmsplice, io_uring buffers, O_DIRECT) gets EFAULT.
 */
#ifndef _UAPI_CTRACE_H
#define _UAPI_CTRACE_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define CTRACE_DEVICE		"/dev/ctrace"
#define CTRACE_MAGIC		0x63545243u	/* "CRTc" on little-endian */

/*
 * ABI of this header, and the oldest that goes with it. Module and user space each have such a
 * header, and each refuses the other where that one's CTRACE_ABI is below its own
 * CTRACE_ABI_COMPAT: user space asks (CTRACE_CMD_INFO_GET) or reads the directory, the module
 * finds it in each command. So what is added only raises CTRACE_ABI; a change
 * that one of the two would misunderstand raises both.
 */
#define CTRACE_ABI		1
#define CTRACE_ABI_COMPAT	1

/*
 * Container ids. 1 and up are containers; an id is never given twice while
 * the module is loaded.
 */
#define CTRACE_CID_HOST		0u
#define CTRACE_CID_UNKNOWN	0xfffffffeu	/* no memory to name it; counted */
#define CTRACE_CID_ALL		0xffffffffu	/* not a container: every one */

#define CTRACE_PAGE		4096u		/* unit of the layout, not the MMU's */
#define CTRACE_STR_MAX		256u		/* of an inline string, with its NUL */
#define CTRACE_COMM_LEN		16u
#define CTRACE_RECORD_MAX	2048u		/* bytes of the longest record */

/* --- the directory ------------------------------------------------------ */

#define CTRACE_DIR_F_BOUND	(1u << 0)	/* one container's view */
#define CTRACE_DIR_F_STOP_FULL	(1u << 1)	/* rings keep the oldest, not the newest */
/* ctrace_dir.state, the only field that changes */
#define CTRACE_DIR_RUNNING	0u
#define CTRACE_DIR_ENDED	1u		/* the owner has gone: no more records */

struct ctrace_dir {
	__u32 magic;		/* CTRACE_MAGIC */
	__u16 abi;		/* CTRACE_ABI of the module */
	__u16 abi_compat;	/* oldest reader ABI that understands this */
	__u32 flags;		/* CTRACE_DIR_F_* */
	__u32 state;		/* CTRACE_DIR_RUNNING, then CTRACE_DIR_ENDED */
	__u32 session;		/* session id */
	__u32 cid;		/* the container bound to, or CTRACE_CID_ALL */
	__u32 ncpus;		/* CPU regions: highest possible CPU number + 1 */
	__u32 slots_per_cpu;	/* slot 0 of each CPU is its shared ring, unless BOUND */
	__u32 nslots;		/* ncpus * slots_per_cpu */
	__u32 subbuf_size;	/* bytes, power of two, divides ring_size */
	__u64 ring_size;	/* bytes of records per slot, power of two */
	__u64 slot_stride;	/* CTRACE_PAGE + ring_size */
	__u64 heads_off;	/* of the hints, 0 if there are none */
	__u64 slots_off;	/* of slot 0 */
	__u64 map_size;		/* of the whole mapping */
	__u64 features;		/* none defined; a reader ignores what it does not know */
	__u64 _reserved[4];
};

/* --- a ring -------------------------------------------------------------- */

#define CTRACE_RING_F_SHARED	(1u << 0)	/* many containers: look at each record's cid */

/*
 * A ring's positions (base, head, reserve) are bytes since the module made the
 * arena, never reset: byte p lies at data[p & (ring_size - 1)]. Likewise event
 * counts run on through every binding of the slot.
 *
 * gen is odd while the slot is being given to another container, and 0 before
 * its first use. A reader reads gen, then the rest, and reads gen again.
 *
 * The protocol (who orders what with whom) is the table in module/ring/ring.h.
 */
struct ctrace_ring {
	__u32 gen;		/* binding generation */
	__u32 cid;		/* container, or CTRACE_CID_ALL in a shared ring */
	__u32 cpu;
	__u32 flags;		/* CTRACE_RING_F_* */
	__u64 base;		/* position where this binding began, a sub-buffer's start */
	__u64 base_events;	/* records published in the slot before it */
	__u64 floor;		/* bytes below were wiped: a sub-buffer's start, <= base;
				 * odd while floor_events changes with it
				 */
	__u64 floor_events;	/* records published in the slot before it */
	__u64 _pad[2];
	/* second cache line: what the writer changes with each record */
	__u64 reserve;		/* end of what may be being written */
	__u64 head;		/* end of what is complete */
	__u64 events;		/* records published below head */
	__u64 lost_full;	/* refused: ring full (CTRACE_DIR_F_STOP_FULL) */
	__u64 lost_nested;	/* refused: interrupts nested deeper than the ring is long */
	__u64 last_time;	/* of the newest published record */
	__u32 nest;		/* writers under way: not 0 while a record may be to come */
	__u32 _pad2;
	__u64 last;		/* position of the newest published record */
};

/* Head of each sub-buffer; records follow it. */
struct ctrace_subbuf {
	__u64 pos;		/* position of this header: tells a stale one */
	__u64 events;		/* records published in the slot before this sub-buffer */
	__u64 time;		/* of its first record */
	__u64 last;		/* where the last record of the sub-buffer before is, from that
				 * one's start; 0: it has none
				 */
};

/* --- a record -------------------------------------------------------------
 *
 *  0        8    10    12     16     20     24
 *  | time u64 | id | len | cid  | tid  | vtid | payload ... pad to 8
 *
 * The bytes are a CTF 1.8 event: header {timestamp, id, len}, context {cid,
 * tid, vtid}, payload. DESIGN.md's order had id first; time leads here so that
 * (1) one zero word, where a time would be, ends a sub-buffer early (even
 * where only 8 bytes are left), and (2) cid, tid and vtid stand together and are
 * a CTF event context, which readers show, rather than header fields, which
 * they hide.
 *
 * cid, tid and vtid are those of the task that the event is about: the
 * caller of a system call, the woken task of a wake-up.
 */
struct ctrace_record {
	__u64 time;		/* CLOCK_MONOTONIC, ns; 0: rest of sub-buffer is unused */
	__u16 id;		/* event type */
	__u16 len;		/* bytes, header and padding included; multiple of 8 */
	__u32 cid;
	__s32 tid;		/* in the initial pid namespace */
	__s32 vtid;		/* in the task's own pid namespace */
};

/*
 * Event type ids. A system call carries its number in the id, so an entry is
 * CTRACE_ID_SYS_ENTER + nr. Ids below CTRACE_ID_DYNAMIC never change their
 * meaning; dynamic ones (kprobes, raw tracepoints) are given when a probe is added and not given
 * again for another schema while the module is loaded.
 * All are described by CTRACE_CMD_EVENT_GET.
 */
#define CTRACE_NR_SYSCALLS	1024u
enum ctrace_event_id {
	CTRACE_ID_NONE			= 0,
	CTRACE_ID_LOST			= 1,	/* read() only: u32 cause, u32 cpu, u64 count */
	CTRACE_ID_SCHED_SWITCH		= 2,
	CTRACE_ID_SCHED_WAKEUP		= 3,
	CTRACE_ID_SCHED_PROCESS_FORK	= 4,
	CTRACE_ID_SCHED_PROCESS_EXEC	= 5,
	CTRACE_ID_SCHED_PROCESS_EXIT	= 6,
	CTRACE_ID_CGROUP_ATTACH_TASK	= 7,
	CTRACE_ID_SYS_ENTER_UNKNOWN	= 8,	/* number out of the table: s64 nr, u64 args[6] */
	CTRACE_ID_SYS_EXIT_UNKNOWN	= 9,	/* s64 nr, s64 ret */
	CTRACE_ID_SCHED_WAKING		= 10,
	CTRACE_ID_SCHED_WAKEUP_NEW	= 11,
	CTRACE_ID_SCHED_MIGRATE_TASK	= 12,
	CTRACE_ID_SCHED_PROCESS_FREE	= 13,
	CTRACE_ID_SCHED_PROCESS_WAIT	= 14,
	CTRACE_ID_SCHED_STAT_RUNTIME	= 15,
	CTRACE_ID_IRQ_HANDLER_ENTRY	= 16,
	CTRACE_ID_IRQ_HANDLER_EXIT	= 17,
	CTRACE_ID_IRQ_SOFTIRQ_RAISE	= 18,
	CTRACE_ID_IRQ_SOFTIRQ_ENTRY	= 19,
	CTRACE_ID_IRQ_SOFTIRQ_EXIT	= 20,
	CTRACE_ID_TIMER_EXPIRE_ENTRY	= 21,
	CTRACE_ID_TIMER_HRTIMER_EXPIRE_ENTRY = 22,
	CTRACE_ID_TIMER_ITIMER_EXPIRE	= 23,
	CTRACE_ID_BLOCK_RQ_INSERT	= 24,
	CTRACE_ID_BLOCK_RQ_ISSUE	= 25,
	CTRACE_ID_BLOCK_RQ_COMPLETE	= 26,
	CTRACE_ID_BLOCK_BIO_QUEUE	= 27,
	CTRACE_ID_NET_DEV_QUEUE		= 28,
	CTRACE_ID_NET_DEV_XMIT		= 29,
	CTRACE_ID_NET_IF_RECEIVE_SKB	= 30,
	CTRACE_ID_INET_SOCK_SET_STATE	= 31,
	CTRACE_ID_PAGE_FAULT_USER	= 32,
	CTRACE_ID_PAGE_FAULT_KERNEL	= 33,
	CTRACE_ID_KMEM_MM_PAGE_ALLOC	= 34,
	CTRACE_ID_KMEM_MM_PAGE_FREE	= 35,
	CTRACE_ID_SIGNAL_GENERATE	= 36,
	CTRACE_ID_SIGNAL_DELIVER	= 37,
	CTRACE_ID_OOM_MARK_VICTIM	= 38,
	CTRACE_ID_OOM_SCORE_ADJ_UPDATE	= 39,
	CTRACE_ID_CGROUP_MKDIR		= 40,
	CTRACE_ID_CGROUP_RMDIR		= 41,
	CTRACE_ID_CGROUP_FREEZE		= 42,
	CTRACE_ID_CGROUP_UNFREEZE	= 43,
	CTRACE_ID_MODULE_LOAD		= 44,
	CTRACE_ID_MODULE_FREE		= 45,
	CTRACE_ID_KERNEL_STACK		= 46,	/* of the event before it: CTRACE_PROBE_F_STACK */
	CTRACE_ID_USER_STACK		= 47,	/* likewise: CTRACE_PROBE_F_USER_STACK */
	CTRACE_ID_CPU_SAMPLE		= 48,
	CTRACE_ID_STATEDUMP_START	= 49,	/* CTRACE_SESSION_F_STATEDUMP */
	CTRACE_ID_STATEDUMP_PROCESS_STATE = 50,
	CTRACE_ID_STATEDUMP_NAMESPACES	= 51,
	CTRACE_ID_STATEDUMP_END		= 52,
	CTRACE_ID_DYNAMIC		= 0x1000,	/* kprobes, raw tracepoints */
	CTRACE_ID_SYS_ENTER		= 0x4000,
	CTRACE_ID_SYS_EXIT		= 0x4400,
	CTRACE_ID_COMPAT_SYS_ENTER	= 0x4800,	/* 32-bit callers */
	CTRACE_ID_COMPAT_SYS_EXIT	= 0x4c00,
	/* a call as a whole, written when it returns: u64 duration, s64 ret, then its arguments */
	CTRACE_ID_CALL			= 0x5000,
	CTRACE_ID_COMPAT_CALL		= 0x5400,
	CTRACE_ID_MAX			= 0x5800,
};

/* Causes of loss, in CTRACE_ID_LOST records and statistics. */
enum ctrace_loss {
	CTRACE_LOSS_OVERRUN	= 0,	/* overwritten before this reader came */
	CTRACE_LOSS_FULL	= 1,	/* ring full, session keeps the oldest */
	CTRACE_LOSS_NESTED	= 2,	/* interrupts nested deeper than the ring */
	CTRACE_LOSS_MISSED	= 3,	/* kprobe hit while another was being handled */
	CTRACE_LOSS_UNFOLLOWED	= 4,	/* a call as a whole, or a task of a pid target: too many already are */
	CTRACE_LOSS_NR
};

/*
 * poll() of a bound descriptor. The kernel does not know the cursors of who
 * maps: POLLIN says that some head moved since it was last said, once, so look at the
 * rings before polling again; and a poll that may sleep says it at most
 * once per wakeup_ns. One poller per descriptor. POLLHUP: the session has ended, drain.
 * After a first read() POLLIN says that read() has something.
 */

/* --- ioctls --------------------------------------------------------------- */

/*
 * Binds the descriptor, once. Needs CAP_SYS_ADMIN (or CAP_PERFMON) in the
 * initial user namespace; the descriptor may then be handed to anybody. With a
 * cid other than CTRACE_CID_ALL, a ring of its own on every CPU is kept for
 * that container as long as the descriptor (or a mapping of it) lives.
 * Errors: EPERM, EBUSY (bound already), ENOENT (no such session or container), ENOSPC (no
 * free slot for the container), EINVAL (reserved not 0), EACCES (one container's view of a session
 * whose records hold kernel addresses: stacks, raw tracepoints, kprobe arguments).
 */
struct ctrace_bind {
	__u32 session;
	__u32 cid;		/* CTRACE_CID_ALL or one container */
	__u64 map_size;		/* out: what to map */
	__u64 _reserved[2];	/* 0 */
};

#define CTRACE_IOC_MAGIC	0xc7
#define CTRACE_IOC_BIND		_IOWR(CTRACE_IOC_MAGIC, 1, struct ctrace_bind)

#endif /* _UAPI_CTRACE_H */
