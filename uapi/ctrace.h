/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ctrace: what a reader of /dev/ctrace maps, and the records it finds there.
 *
 * Everything is in the byte order of the machine; every structure is laid out
 * the same for 32- and 64-bit readers. A mapping is read-only for ever: the
 * kernel reads no byte that a reader could write.
 *
 * To open /dev/ctrace takes the right to trace (CAP_SYS_ADMIN or CAP_PERFMON in the initial user
 * namespace). The descriptor shows nothing until CTRACE_IOC_BIND binds it to a session. CTRACE_IOC_VIEW
 * returns another descriptor, a view, which shows one container of a session. Then, of either, mmap() of
 * offset 0 and ctrace_dir.map_size bytes (or fewer) gives
 *
 *   0            +--------------------+
 *                | struct ctrace_dir  |  one page: sizes and offsets
 *   heads_off    +--------------------+
 *                | u64 heads[]        |  hints: head of each ring, so that a reader finds the rings that
 *                |                    |  moved; slot i's at heads_off + i / slots_per_cpu * heads_stride
 *                |                    |  + i % slots_per_cpu * 8
 *   slots_off    +--------------------+
 *                | slot 0: one page   |  struct ctrace_ring
 *                |  ring_size bytes   |  sub-buffers of subbuf_size each
 *                +--------------------+
 *                | slot 1 ...         |  slot i at slots_off + i * slot_stride,
 *                |                    |  belongs to CPU i / slots_per_cpu
 *   tables_off   +--------------------+
 *                | tables             |  tables_size bytes: ctrace_table.h
 *                +--------------------+
 *
 * A child made by fork() has the mapping, as it has the descriptor, and may read: a process may become a
 * daemon after it has mapped. The session's memory, and what it counts for its user, stays until the last of
 * all these is gone. So a child that has no use for them closes and unmaps them, or calls exec, which does
 * both to a descriptor with O_CLOEXEC. madvise(MADV_DONTFORK) keeps a mapping from children.
 *
 * A view has slots_per_cpu == 1 and no hints (heads_off == 0): slot i is that container's own ring on
 * CPU i. The kernel takes no references on the pages of such a mapping. write() from it to another file
 * works; calls that would keep a page (vmsplice, io_uring buffers, O_DIRECT) fail with EFAULT, and KVM, VFIO
 * and drivers cannot be given it.
 *
 * A view may be handed to any process, also one that is not trusted, because it can be taken back. It is
 * revoked
 *  - CTRACE_VIEW_DRAIN_MS after its session has ended, or its container has died: time to read what is left;
 *  - by CTRACE_IOC_REVOKE, at once;
 *  - when its last descriptor and mapping are gone.
 * Then ctrace_dir.state is CTRACE_DIR_REVOKED, all pages of the mapping but the first are zeros, read()
 * returns 0 and poll() POLLHUP. It keeps neither rings nor memory of the session; but until its last
 * descriptor and mapping are gone, the module cannot be removed.
 */
#ifndef _UAPI_CTRACE_H
#define _UAPI_CTRACE_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define CTRACE_DEVICE		"/dev/ctrace"
#define CTRACE_MAGIC		0x63545243u	/* "CRTc" on little-endian */

/*
 * The ABI of this header, and the oldest ABI that is compatible with it. The module and user
 * space are each built with such a header, and each refuses the other if the other's CTRACE_ABI
 * is below its own CTRACE_ABI_COMPAT. User space learns the module's from CTRACE_CMD_INFO_GET or
 * from the directory; the module finds user space's in each command. So an addition raises only
 * CTRACE_ABI; a change that an older module or user space would misunderstand raises both.
 */
#define CTRACE_ABI		1
#define CTRACE_ABI_COMPAT	1

/*
 * Container ids. 1 and up are containers; an id is never given twice while
 * the module is loaded.
 */
#define CTRACE_CID_HOST		0u		/* outside of any container */
/*
 * No id could be given: there was no memory, or no room (the module's parameter max_containers), for one; or
 * the container was seen for the first time in an NMI, or by a kprobe inside the module's own work on
 * containers; or the cgroup is more than 64 levels deep and in no container. CTRACE_A_INFO_UNKNOWN counts
 */
#define CTRACE_CID_UNKNOWN	0xfffffffeu
#define CTRACE_CID_ALL		0xffffffffu	/* not a container: stands for all */

#define CTRACE_PAGE		4096u		/* unit of the layout, not the MMU's */
#define CTRACE_STR_MAX		256u		/* bytes of the longest inline string, with its NUL */
/*
 * The same of sched_process_exec's argv: a blank ends each argument but the last; one within an argument, or
 * a backslash, has a backslash before it
 */
#define CTRACE_ARGV_MAX		1024u
#define CTRACE_COMM_LEN		16u
#define CTRACE_RECORD_MAX	2048u		/* bytes of the longest record */

/*
 * Capabilities of this module on this kernel: ctrace_dir.features, CTRACE_A_INFO_FEATURES. A reader ignores
 * bits that it does not know.
 */
#define CTRACE_FEATURE_VIEWS	(1ull << 0)	/* CTRACE_IOC_VIEW works */
#define CTRACE_FEATURE_GROUP_GUARDED (1ull << 1) /* to join the multicast group needs CAP_SYS_ADMIN */
#define CTRACE_FEATURE_SAMPLES	(1ull << 2)	/* probes of the form sample:HZ */

/* --- the directory ------------------------------------------------------ */

#define CTRACE_DIR_F_BOUND	(1u << 0)	/* one container's view */
#define CTRACE_DIR_F_STOP_FULL	(1u << 1)	/* rings keep the oldest, not the newest */
/* ctrace_dir.state; only this field and `frozen` change */
#define CTRACE_DIR_RUNNING	0u
#define CTRACE_DIR_ENDED	1u		/* the session has ended: no more records */
/*
 * The view was revoked: its rings are gone. Written before they go: what a reader copied from a ring before
 * it read another state (in this order) is what the ring held; if it reads this one, the copy may be zeros
 */
#define CTRACE_DIR_REVOKED	2u

struct ctrace_dir {
	__u32 magic;		/* CTRACE_MAGIC */
	__u16 abi;		/* CTRACE_ABI of the module */
	__u16 abi_compat;	/* oldest reader ABI that understands this */
	__u32 flags;		/* CTRACE_DIR_F_* */
	__u32 state;		/* CTRACE_DIR_RUNNING, then _ENDED; of a view, at last _REVOKED */
	__u32 session;		/* session id */
	__u32 cid;		/* container that the view shows, or CTRACE_CID_ALL */
	__u32 ncpus;		/* CPU regions: highest possible CPU number + 1 */
	__u32 slots_per_cpu;	/* slot 0 of each CPU is its shared ring, unless BOUND */
	__u32 nslots;		/* ncpus * slots_per_cpu */
	__u32 subbuf_size;	/* bytes, power of two, divides ring_size */
	__u64 ring_size;	/* bytes of records per slot, power of two */
	__u64 slot_stride;	/* CTRACE_PAGE + ring_size */
	__u64 heads_off;	/* offset of the hints in the mapping, 0 if there are none */
	__u64 slots_off;	/* offset of slot 0 in the mapping */
	__u64 map_size;		/* bytes of the whole mapping */
	__u64 features;		/* CTRACE_FEATURE_* */
	/* offset of the tables in the mapping (ctrace_table.h), 0 if there are none */
	__u64 tables_off;
	__u64 tables_size;	/* their bytes */
	/* bytes from a CPU's hints to the next one's, so that no two CPUs write to one cache line */
	__u64 heads_stride;
	/* containers whose rings are frozen now (ctrace_freeze.h); 0 in a view */
	__u32 frozen;
	__u32 _reserved;
};

/* --- a ring -------------------------------------------------------------- */

#define CTRACE_RING_F_SHARED	(1u << 0)	/* many containers: each record has its cid */

/*
 * A ring's positions (base, floor, entered, head) count bytes since the module
 * made the arena and are never reset: byte p lies at data[p & (ring_size - 1)]. Event
 * counts also run on through every binding of the slot.
 *
 * gen is odd while the slot is being given to another container, and 0 before its first
 * use. A reader of the fields from cid to base_events reads gen, then these, then gen again.
 *
 * The order in which the kernel writes and a reader reads is the table in module/ring/ring.h.
 */
struct ctrace_ring {
	__u32 gen;		/* binding generation */
	__u32 cid;		/* container, or CTRACE_CID_ALL in a shared ring */
	__u32 cpu;
	__u32 flags;		/* CTRACE_RING_F_* */
	__u64 base;		/* position where this binding began, a sub-buffer's start */
	__u64 base_events;	/* records published in the slot before base */
	__u64 floor;		/* bytes below it were wiped: a sub-buffer's start, <= base;
				 * odd while floor_events changes with it
				 */
	__u64 floor_events;	/* records published in the slot before floor */
	__u64 _pad[2];
	/* second cache line: what the writer changes with each record. It stores and never loads here */
	__u64 head;		/* end of what is published: complete records */
	__u64 entered;		/* end of the newest sub-buffer that a writer has entered: what lies more than
				 * ring_size below is overwritten
				 */
	__u64 lost_full;	/* records refused: ring full (CTRACE_DIR_F_STOP_FULL) */
	__u64 lost_nested;	/* records refused: nested interrupts wrote more than a ring */
	__u32 nest;		/* 0: all records that were begun are published */
	__u32 frozen;		/* 1: it refuses records, as its container is frozen: ctrace_freeze.h */
	/* records refused: frozen. In a shared ring: of frozen containers that have no ring on its CPU */
	__u64 lost_frozen;
	__u64 _pad3[2];
};

/* Head of each sub-buffer; records follow it. */
struct ctrace_subbuf {
	__u64 pos;		/* position of this header; a stale header has another */
	__u64 events;		/* records published in the slot before this sub-buffer */
	__u64 time;		/* time of its first record */
	__u64 last;		/* the previous sub-buffer's last record, in bytes from that
				 * sub-buffer's start; 0: it has none
				 */
};

/* --- a record -------------------------------------------------------------
 *
 *  0        8    10    12     16     20     24
 *  | time u64 | id | len | cid  | tid  | vtid | payload ... pad to 8
 *
 * The bytes are a CTF 1.8 event: header {timestamp, id, len}, context {cid,
 * tid, vtid}, payload. Time comes first, before the id, for two reasons:
 * (1) one zero word in place of a time ends a sub-buffer early, even if only 8
 * bytes are left; (2) cid, tid and vtid stand together and form a CTF event
 * context, which readers show, instead of header fields, which they hide.
 *
 * cid, tid and vtid are of the task that the event is about: the caller of a system call, the woken task of a
 * wake-up.
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
 * Event type ids. A system call's number is part of its id: an entry is
 * CTRACE_ID_SYS_ENTER + nr. Ids below CTRACE_ID_DYNAMIC never change their
 * meaning. Dynamic ids (kprobes, raw tracepoints) are assigned when a probe is
 * added. One keeps its meaning while a definition has it, or a session that has
 * had a probe of it; and afterwards until all others that are not in use have been
 * assigned. There are 12,288, so who reads records of a session that has ended has time.
 * CTRACE_CMD_EVENT_GET describes all event types; a newer module's may have ids above all of these.
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
	CTRACE_ID_SYS_ENTER_UNKNOWN	= 8,	/* a number that no call has: s64 nr, u64 args[6] */
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
	CTRACE_ID_KERNEL_STACK		= 46,	/* of the event before it; CTRACE_PROBE_F_STACK */
	CTRACE_ID_USER_STACK		= 47,	/* of the event before it; CTRACE_PROBE_F_USER_STACK */
	CTRACE_ID_CPU_SAMPLE		= 48,
	CTRACE_ID_STATEDUMP_START	= 49,	/* CTRACE_SESSION_F_STATEDUMP */
	CTRACE_ID_STATEDUMP_PROCESS_STATE = 50,
	CTRACE_ID_STATEDUMP_NAMESPACES	= 51,
	CTRACE_ID_STATEDUMP_END		= 52,
	CTRACE_ID_IO_URING_OP		= 53,
	/* a string that was not in memory at the entry, right before the exit: u32 argument, string text */
	CTRACE_ID_LATE_ARGUMENT		= 54,
	CTRACE_ID_PROCESS_ENV		= 55,
	CTRACE_ID_STATEDUMP_FILE_DESCRIPTOR = 56,	/* CTRACE_SESSION_F_PATHS, too */
	/* spans: written at their end, with u64 duration (ns) first */
	CTRACE_ID_SCHED_WAIT		= 57,
	CTRACE_ID_SCHED_RUN		= 58,
	CTRACE_ID_SCHED_BLOCK		= 59,
	CTRACE_ID_CPU_THROTTLED		= 60,
	CTRACE_ID_BLOCK_IO		= 61,
	CTRACE_ID_IRQ			= 62,
	CTRACE_ID_SOFTIRQ		= 63,
	CTRACE_ID_HRTIMER		= 64,
	CTRACE_ID_PAGE_FAULT		= 65,
	CTRACE_ID_TCP_CONNECT		= 66,
	CTRACE_ID_TCP_LIFE		= 67,
	CTRACE_ID_SCHED_BLAME		= 68,	/* a part of a sched_wait */
	CTRACE_ID_CAP_CAPABLE		= 69,
	CTRACE_ID_TCP_RETRANSMIT	= 74,
	CTRACE_ID_STATEDUMP_BLOCK_DEVICE = 75,	/* written by the command, not by the kernel */
	CTRACE_ID_TIMER_HRTIMER_START	= 76,
	CTRACE_ID_TIMER_HRTIMER_CANCEL	= 77,
	CTRACE_ID_TIMER_HRTIMER_EXPIRE_EXIT = 78,
	CTRACE_ID_SCHED_PI_SETPRIO	= 79,
	/*
	 * The memory that an argument points to, if it was not in memory at the entry, as it is right before
	 * the exit: u32 field, of the entry's type, counted from 0; bytes, in place of that field's
	 */
	CTRACE_ID_LATE_MEMORY		= 80,
	CTRACE_ID_PROCESS_MAP		= 81,
	/*
	 * Of the event before them; CTRACE_PROBE_F_USER_COPY. First the top of the program's stack, as it is,
	 * in pieces: u32 event; u32 offset, from the stack pointer; bytes. Then its registers
	 */
	CTRACE_ID_USER_MEMORY		= 82,
	/*
	 * u32 event; u32 asked, bytes of the stack; u64 known; u32 copied, the sum of the pieces; registers
	 * by their numbers in DWARF. Bit i of known is clear: the kernel does not have register i, which is
	 * 0. On x86-64 they are rax to r15 and rip (17), on arm64 x0 to x30, sp and pc (33). None: see
	 * CTRACE_PROBE_F_USER_COPY
	 */
	CTRACE_ID_USER_REGISTERS	= 83,
	CTRACE_ID_LOCK_CONTENTION	= 84,	/* a span */
	CTRACE_ID_DYNAMIC		= 0x1000,	/* kprobes, raw tracepoints */
	CTRACE_ID_SYS_ENTER		= 0x4000,
	CTRACE_ID_SYS_EXIT		= 0x4400,
	CTRACE_ID_COMPAT_SYS_ENTER	= 0x4800,	/* 32-bit callers */
	CTRACE_ID_COMPAT_SYS_EXIT	= 0x4c00,
	/* a whole call, written when it returns: u64 duration (ns), s64 ret, u64 marks, then its arguments */
	CTRACE_ID_CALL			= 0x5000,
	CTRACE_ID_COMPAT_CALL		= 0x5400,
};

/*
 * Marks of a whole call, and of the entry of a call with strings, where they come before the arguments.
 * Argument i, 0 to 5, a string, is NULL: its text is empty. Or it could not be read: its text is the address
 * in hex.
 */
#define CTRACE_CALL_M_UNREAD(i)	(1ull << (i))
#define CTRACE_CALL_M_NULL(i)	(1ull << (8 + (i)))
#define CTRACE_CALL_M_UNREADS	0x3full		/* all of CTRACE_CALL_M_UNREAD */
/*
 * The kernel did not carry out the call: a seccomp filter, or the process that it asked, answered
 * instead. The duration is 0. Set if a task with such a filter returns from a call that it did not
 * enter, with an error. If it returns without one (the answer was success, SIGSYS or a
 * supervisor's), there is no record: the call may be one that was under way when the probe was
 * added.
 */
#define CTRACE_CALL_M_DENIED	(1ull << 16)
/*
 * In sessions with CTRACE_SESSION_F_PATHS, of calls with a descriptor or a string: one with
 * CTRACE_SESSION_F_FILES would record the call, too. So of calls on descriptors alone, only those on regular
 * files and directories have the mark. It is found out when the call returns; if the call closes its
 * descriptor, before.
 */
#define CTRACE_CALL_M_FILE	(1ull << 17)

enum ctrace_call_phase {
	CTRACE_CALL_NONE,	/* no call's event; or of a number that no call has */
	CTRACE_CALL_ENTRY,
	CTRACE_CALL_EXIT,
	CTRACE_CALL_WHOLE,
};

/* The parts of an event type id of a system call. */
struct ctrace_id_call {
	__u32 phase;		/* enum ctrace_call_phase; if it is CTRACE_CALL_NONE, the rest is 0 */
	__u32 is32;		/* 1: of a 32-bit caller */
	__u32 nr;		/* the call's number, in the table for such callers */
};

static inline struct ctrace_id_call ctrace_id_call(__u32 id)
{
	__u32 set = (id - CTRACE_ID_SYS_ENTER) / CTRACE_NR_SYSCALLS;
	struct ctrace_id_call c = { CTRACE_CALL_NONE, 0, 0 };

	if (set > (CTRACE_ID_COMPAT_CALL - CTRACE_ID_SYS_ENTER) / CTRACE_NR_SYSCALLS)
		return c;
	c.nr = (id - CTRACE_ID_SYS_ENTER) % CTRACE_NR_SYSCALLS;
	if (id >= CTRACE_ID_CALL) {
		c.phase = CTRACE_CALL_WHOLE;
		c.is32 = id >= CTRACE_ID_COMPAT_CALL;
	} else {
		c.phase = set % 2 ? CTRACE_CALL_EXIT : CTRACE_CALL_ENTRY;
		c.is32 = id >= CTRACE_ID_COMPAT_SYS_ENTER;
	}
	return c;
}

/* The field `reason` of sched_wait: how the wait for a CPU began */
enum ctrace_wait_reason {
	CTRACE_WAIT_WOKEN	= 1,	/* from sleep, or new */
	CTRACE_WAIT_PREEMPTED	= 2,	/* it lost the CPU, and could have continued */
	/* not known: it waited when the session began to record; sched_blame only */
	CTRACE_WAIT_BEFORE	= 3,
	CTRACE_WAIT_YIELDED	= 4	/* it gave the CPU up, by sched_yield() */
};

/* The field `culprit` of sched_blame: who had the CPU while a task waited for it */
enum ctrace_culprit {
	CTRACE_CULPRIT_SELF	= 1,	/* of the same container, or host; of a target by cgroup: in that */
	CTRACE_CULPRIT_NEIGHBOUR = 2,	/* a task of another container */
	CTRACE_CULPRIT_HOST	= 3,	/* a task in no container */
	/*
	 * nobody: the CPU was idle. It took its time to wake up, or might not run the task (core scheduling)
	 */
	CTRACE_CULPRIT_IDLE	= 4,
	/* the task's group had no quota (cpu.max, cfs_quota_us), so who had it does not matter */
	CTRACE_CULPRIT_THROTTLED = 5,
	/* not known: since then more tasks had the CPU than the module keeps */
	CTRACE_CULPRIT_EARLIER	= 6,
	/*
	 * others took of the time of the task that had it: the hypervisor, interrupts. As much as the kernel
	 * accounts for (steal, irq and softirq of /proc/stat), as if evenly over the task's time. Unless the
	 * kernel measures interrupts (IRQ_TIME_ACCOUNTING), they are counted by ticks
	 */
	CTRACE_CULPRIT_HYPERVISOR = 7,
	CTRACE_CULPRIT_INTERRUPTS = 8,
	/* the CPU was idle for 1 ms or longer, and a real-time task waited: sched_rt_runtime_us is used up */
	CTRACE_CULPRIT_RT_LIMIT	= 9
};

/* The field `reason` of sched_run: why it ended */
enum ctrace_run_reason {
	CTRACE_RUN_PREEMPTED	= 1,	/* as CTRACE_WAIT_PREEMPTED */
	CTRACE_RUN_SLEPT	= 2,
	CTRACE_RUN_EXITED	= 3	/* the task is no more */
};

/*
 * The field `rwbs` of block events: what a request does. The bits are LTTng's, as lttng-analyses and Trace
 * Compass read them (analysis/.../inputoutput/IoOperationType.java); the kernel shows letters for them.
 */
enum ctrace_rwbs {
	CTRACE_RWBS_WRITE	= 1 << 0,	/* W */
	CTRACE_RWBS_DISCARD	= 1 << 1,	/* D */
	CTRACE_RWBS_READ	= 1 << 2,	/* R */
	CTRACE_RWBS_RAHEAD	= 1 << 3,	/* A: read ahead */
	CTRACE_RWBS_SYNC	= 1 << 5,	/* S: somebody waits for it */
	CTRACE_RWBS_META	= 1 << 6,	/* M: the file system's own data */
	CTRACE_RWBS_SECURE	= 1 << 7,	/* E, with D */
	CTRACE_RWBS_FLUSH	= 1 << 8,	/* F, with no other operation */
	CTRACE_RWBS_FUA		= 1 << 9,	/* F, after the operation: past the disk's cache */
	/* F, before the operation: the disk's cache is flushed first */
	CTRACE_RWBS_PREFLUSH	= 1 << 10
};

/* The field `how` of tcp_retransmit: why a segment was sent once more. */
enum ctrace_tcp_retransmit {
	CTRACE_TCP_TIMEOUT	= 1,	/* no acknowledgement came in time */
	CTRACE_TCP_FAST		= 2,	/* acknowledgements of later segments showed a loss */
	CTRACE_TCP_PROBE	= 3,	/* a probe for a lost tail (TLP): perhaps nothing was lost */
	CTRACE_TCP_SYNACK	= 4	/* the answer to a SYN, by the socket that listens */
};

/*
 * The field `kind` of lock_contention: the kernel's LCB_F_*, together. 0: a semaphore. MUTEX and SPIN: a
 * mutex whose waiter only spun. SPIN and READ or WRITE: a rwlock. READ or WRITE alone: a rwsem. RT: a
 * rtmutex, and with PREEMPT_RT what it makes of one.
 */
enum ctrace_lock_kind {
	CTRACE_LOCK_SPIN	= 1 << 0,
	CTRACE_LOCK_READ	= 1 << 1,
	CTRACE_LOCK_WRITE	= 1 << 2,
	CTRACE_LOCK_RT		= 1 << 3,
	CTRACE_LOCK_PERCPU	= 1 << 4,
	CTRACE_LOCK_MUTEX	= 1 << 5
};

/* Causes of loss, in CTRACE_ID_LOST records and statistics. */
enum ctrace_loss {
	CTRACE_LOSS_OVERRUN	= 0,	/* overwritten before this reader came */
	CTRACE_LOSS_FULL	= 1,	/* ring full, session keeps the oldest */
	CTRACE_LOSS_NESTED	= 2,	/* nested interrupts wrote more than a ring */
	/*
	 * A kprobe was hit while another was being handled, or too many calls were under way to see them
	 * return; samples of a CPU without a timer. The kernel counts the former two itself, and without a
	 * lock: two CPUs that miss a hit of the same probe in the same moment may count one (2 % of 40,000
	 * misses on two CPUs that did nothing else).
	 */
	CTRACE_LOSS_MISSED	= 3,
	/*
	 * Too many at once to follow: whole calls, operations of io_uring (or begun unseen), handlers of
	 * interrupts and timers, and events of block requests whose issuer was forgotten
	 */
	CTRACE_LOSS_UNFOLLOWED	= 4,
	CTRACE_LOSS_UNFOLLOWED_TASKS = 5, /* tasks that pid targets want: too many to follow */
	/* calls that a filter on a string left out, because it could not be read */
	CTRACE_LOSS_UNREAD	= 6,
	CTRACE_LOSS_FROZEN	= 7,	/* the container's rings were frozen: ctrace_freeze.h */
	__CTRACE_LOSS_MAX
};

#define CTRACE_LOSS_MAX	(__CTRACE_LOSS_MAX - 1)

/*
 * poll() of a bound descriptor or a view. The kernel does not know the cursors of a reader that maps.
 * POLLIN means that some head has moved since poll() last said so. It is said once: look at
 * the rings before polling again. A poll() that may sleep says it at most once per wakeup_ns, and of a view
 * at most once per ms. Use one poller per descriptor. POLLHUP: the session has ended; read what is left. Or
 * the view was revoked; nothing is left. After the first read() POLLIN means that read() has records.
 * POLLPRI, of a bound descriptor: some container is frozen (ctrace_freeze.h), until it is thawed.
 */

/* --- ioctls --------------------------------------------------------------- */

/*
 * CTRACE_IOC_BIND binds a descriptor of /dev/ctrace to a session, once. It shows all containers then.
 *
 * Errors:
 *  EPERM	the caller may not trace
 *  EBUSY	the descriptor is bound already
 *  ENOENT	no such session
 *  EINVAL	cid is not CTRACE_CID_ALL, or _reserved is not 0
 *  EFAULT	arg is a bad address; if only writing to it failed, the descriptor is bound
 */
struct ctrace_bind {
	__u32 session;
	__u32 cid;		/* CTRACE_CID_ALL */
	__u64 map_size;		/* out: bytes to map */
	__u64 _reserved[2];	/* 0 */
};

#define CTRACE_VIEW_DRAIN_MS	5000u	/* for this long the rest may be read, see above */

/*
 * CTRACE_IOC_VIEW, of any descriptor of /dev/ctrace, returns a new descriptor (close-on-exec): a view of one
 * container. Until it is revoked, a ring on every CPU is kept for that container. To give
 * it away and be able to take it back, keep a dup() of it for CTRACE_IOC_REVOKE.
 *
 * A container that is nested in it is another container, with rings of its own, and is not in the view: root
 * in a container makes one with one command (unshare --pid). The session records it all the same. To show it,
 * make a view of it: it is announced (CONTAINER_NEW), with the outer one as CTRACE_A_CONTAINER_PARENT.
 *
 * Errors:
 *  EPERM	the caller may not trace
 *  ENOENT	no such session or container
 *  ENOSPC	no free slot for the container on some CPU
 *  ETIMEDOUT	a CPU did not let the kernel prepare its ring within ten seconds: a real-time task owns it
 *  EINTR	a signal came while CPUs prepared their rings
 *  EINVAL	flags, _pad or _reserved is not 0
 *  EACCES	records of the session hold kernel addresses: stacks, raw tracepoints, kprobe arguments; or
 *		show neighbours: CTRACE_SESSION_F_NEIGHBOURS
 *  EOPNOTSUPP	the kernel's pages are larger than CTRACE_PAGE
 *  EMFILE, ENFILE, EFAULT, ENOMEM
 */
struct ctrace_view_args {
	__u32 session;
	__u32 cid;
	__u32 flags;		/* 0 */
	__u32 _pad;		/* 0 */
	__u64 map_size;		/* out: bytes to map */
	__u64 _reserved[2];	/* 0 */
};

/*
 * CTRACE_IOC_INFO, of a bound descriptor or a view: what it shows. Needs no right. A process that was given a
 * descriptor asks this before it maps it; on another kind of file the mapping could shrink under it.
 * ENXIO: not bound.
 */
struct ctrace_shown {
	__u32 session;
	__u32 cid;		/* CTRACE_CID_ALL: the whole session */
	__u64 map_size;		/* bytes to map */
	__u64 _reserved[2];
};

#define CTRACE_IOC_MAGIC	0xc7
#define CTRACE_IOC_BIND		_IOWR(CTRACE_IOC_MAGIC, 1, struct ctrace_bind)
#define CTRACE_IOC_VIEW		_IOWR(CTRACE_IOC_MAGIC, 2, struct ctrace_view_args)
/* of a view; EPERM: the caller may not trace */
#define CTRACE_IOC_REVOKE	_IO(CTRACE_IOC_MAGIC, 3)
#define CTRACE_IOC_INFO		_IOR(CTRACE_IOC_MAGIC, 4, struct ctrace_shown)

#endif /* _UAPI_CTRACE_H */
