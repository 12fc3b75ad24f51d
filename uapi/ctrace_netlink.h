/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ctrace: control over generic netlink, family "ctrace".
 *
 * The version in each message's header is the sender's CTRACE_ABI (see ctrace.h). The module
 * refuses commands of a sender that is too old (EPROTO), except INFO_GET, EVENT_GET and dumps.
 * EAGAIN: the module is still being loaded, and any command may be sent again in a moment.
 *
 * Commands may be sent on several sockets at once, and wait for each other only as long as the module changes
 * something. SESSION_SET is special: with a state dump, it is acknowledged when the dump is complete, or,
 * with ECANCELED, when the session was stopped or deleted before; until then the socket takes other commands.
 *
 * A session belongs to the socket that made it, and ends when that socket is closed. So does a
 * definition that lacks CTRACE_EVENT_F_KEEP: closing the socket does what EVENT_DEL does. Any caller
 * that may trace can delete any definition.
 *
 * Errors come with a text (extended ack, NLMSGERR_ATTR_MSG) that names the attribute and the value.
 * Readers ignore attributes, flags and features that they do not know.
 *
 * A caller may trace if it has CAP_SYS_ADMIN, or CAP_PERFMON where the kernel has that, in the
 * initial user namespace. Its pid, cgroup and time namespaces do not matter. For a message
 * both the sender and the opener of its socket must have the capability.
 *
 *                                              caller may trace  caller may not
 *  INFO_GET                                    yes               yes (ABI to CGROUP_MODE alone)
 *  EVENT_GET of one type                       yes               yes (without its definition)
 *  all dumps                                   yes               EPERM
 *  SESSION_NEW, EVENT_NEW, EVENT_DEL           yes               EPERM
 *  change a session, on its own socket         yes               EPERM
 *  change a session, on another socket         EPERM             EPERM
 *  join the multicast group                    yes (*)           EPERM (*)
 *  all this on a socket of another             ENOENT            ENOENT
 *  net namespace
 *  open /dev/ctrace                            yes               EPERM
 *  CTRACE_IOC_BIND, also if it was passed      yes (once: EBUSY) EPERM
 *  CTRACE_IOC_VIEW, also if it was passed      yes               EPERM
 *  CTRACE_IOC_REVOKE of a view                 yes               EPERM
 *  CTRACE_IOC_INFO: bound                      yes               yes
 *  CTRACE_IOC_BIND, _VIEW of a view            ENOTTY            ENOTTY
 *  map to read, read(), poll(): bound, a view  yes               yes
 *  map to read, read(): not bound              ENXIO             ENXIO
 *  poll(): not bound                           POLLERR           POLLERR
 *  map to write or execute                     EACCES            EACCES
 *  write()                                     EINVAL            EINVAL
 *
 *  (*) This needs CAP_SYS_ADMIN: CAP_PERFMON alone gets EPERM. On kernels that cannot demand a
 *  capability here (before the stable series of December 2023) every caller may join.
 *
 * Commands and their attributes ([x] optional, * repeated, -> reply):
 *
 *  INFO_GET                         -> INFO
 *  SESSION_NEW    SESSION{[ARENA_SIZE] [RING_SIZE] [SUBBUF_SIZE] [FLAGS] [WAKEUP_NS] [NAME]
 *                         [FILTER] [RATE] [CONTAINERS] [TABLE_SIZE] [FREEZE_MS]}
 *                                   -> SESSION{ID, and the sizes as they came out}
 *  SESSION_DEL    SESSION{ID}
 *  SESSION_SET    SESSION{ID, STATE} starts or stops recording. If it recorded, sched_blame is written
 *                                    for waits that have not ended, up to now: when it stops, and if it
 *                                    is set to record once more
 *  SESSION_GET    dump [SESSION{ID}] -> SESSION{...}, one message each
 *  PROBE_ADD      SESSION{ID} PROBE{NAME [FLAGS] [FILTER] [ONE_OF] [AGGREGATE [ROWS]]}
 *                                   -> PROBE{ID, NAME, EVENT_ID, [TABLE, ROWS]}
 *  PROBE_DEL      SESSION{ID} PROBE{ID}
 *  PROBE_GET      dump [SESSION{ID}] -> SESSION{ID} PROBE{...}
 *  TARGET_ADD     SESSION{ID} TARGET{KIND, CID | CGROUP | PID, [NOT]} -> SESSION{ID} TARGET{ID}
 *  TARGET_DEL     SESSION{ID} TARGET{ID, [CID]}
 *                                    with CID: the target, of kind BORN, stays, and lets that container go
 *  TARGET_GET     dump [SESSION{ID}] -> SESSION{ID} TARGET{...}
 *  CONTAINER_GET  dump              -> CONTAINER{...}, by CID
 *  EVENT_GET      EVENT{ID | NAME}  -> EVENT{...}: one type; of several kprobes of that name the newest
 *                 dump [EVENT{ID}]  -> EVENT{...}
 *  EVENT_NEW      EVENT{DEFINITION [FLAGS]} -> EVENT{ID, NAME}: defines a kprobe's event type,
 *                                    which PROBE_ADD takes by that name
 *  EVENT_DEL      EVENT{NAME}        frees the name; sessions that use the type keep it, and
 *                                    EVENT_GET still lists it, without a DEFINITION
 *  TRACEPOINT_GET dump               -> EVENT{NAME}: every tracepoint of this kernel
 *  TASK_GET       dump [SESSION{ID}] -> TASK{...}: threads and what they are in; of a session, those
 *                                    that its targets have; the kernel's own threads are left out
 *  REQUEST_GET    dump [SESSION{ID}] -> REQUEST{...}: block requests under way, while any session has
 *                                    block_io; of a session, those that its targets have
 *  STATS_GET      dump [SESSION{ID}] -> SESSION{ID} RING{...} per ring in use,
 *                                      PROBE{ID, NAME, MISSED} per probe,
 *                                      LIMIT{CID, DROPPED} per container that RATE held back
 *  FROZEN_GET     dump [SESSION{ID}] -> SESSION{ID} FROZEN{...} per frozen container: ctrace_freeze.h
 *  THAW           SESSION{ID} FROZEN{CID} that container, or all (CTRACE_CID_ALL)
 *  Multicast group "containers": CONTAINER_NEW and CONTAINER_GONE, with
 *  CONTAINER{...}. CONTAINER_NEW comes again when more has become known of a cid.
 *
 * Each of these sets is a nested attribute (CTRACE_A_SESSION etc.).
 *
 * Errors, beside those above and what the kernel says of a kprobe:
 *  EINVAL	an attribute is missing, malformed or out of its range
 *  ENOENT	no such session, probe, target, container, cgroup, event, definition or symbol; or, in THAW,
 *		that container is not frozen
 *  EEXIST	the session has that probe already, or its event with other options; or the name
 *		of a definition is taken
 *  EBUSY	a probe would record kernel addresses, and one container's view is bound
 *  ESRCH	TARGET_PID is no process
 *  EBADF	TARGET_CGROUP is no descriptor
 *  ENOTDIR	TARGET_CGROUP is not a cgroup's directory
 *  EOPNOTSUPP	this kernel lacks the event's tracepoint (EVENT_REASON says why)
 *  ECANCELED	the session was stopped before its state dump was complete
 *  EUSERS	all 32 sessions are in use; or all 16 that a user without CAP_SYS_ADMIN may have, or all 28
 *		that such users may have together
 *  ENOSPC	all 1024 definitions, all dynamic event types or all 256 pid targets are in use; or
 *		the session has 1024 targets or 4096 probes; or too many tasks are followed; or
 *		TABLE_SIZE has no room for another table
 *  ENOMEM	also: the arena, with its tables, is larger than the memory that is available, than the memory
 *		limit of the caller's cgroup allows (where the kernel charges such memory, since 5.11), or,
 *		for a caller with neither CAP_SYS_ADMIN nor CAP_IPC_LOCK, than the module's parameter
 *		member_memory allows all sessions of its user together
 */
#ifndef _UAPI_CTRACE_NETLINK_H
#define _UAPI_CTRACE_NETLINK_H

#include "ctrace.h"
#include "ctrace_freeze.h"
#include "ctrace_under_way.h"

#define CTRACE_GENL_NAME	"ctrace"
#define CTRACE_GENL_VERSION	CTRACE_ABI
#define CTRACE_GENL_MCGRP	"containers"

/* Longest texts, in bytes with the NUL. */
#define CTRACE_TEXT_MAX		1024	/* a probe, a definition, an expression */
#define CTRACE_NAME_MAX		128	/* the name of an event type */
#define CTRACE_WHY_MAX		192	/* the text of an error */

enum ctrace_cmd {
	CTRACE_CMD_UNSPEC,
	CTRACE_CMD_INFO_GET,
	CTRACE_CMD_SESSION_NEW,
	CTRACE_CMD_SESSION_DEL,
	CTRACE_CMD_SESSION_SET,
	CTRACE_CMD_SESSION_GET,
	CTRACE_CMD_PROBE_ADD,
	CTRACE_CMD_PROBE_DEL,
	CTRACE_CMD_PROBE_GET,
	CTRACE_CMD_TARGET_ADD,
	CTRACE_CMD_TARGET_DEL,
	CTRACE_CMD_TARGET_GET,
	CTRACE_CMD_CONTAINER_GET,
	CTRACE_CMD_EVENT_GET,
	CTRACE_CMD_STATS_GET,
	CTRACE_CMD_CONTAINER_NEW,	/* multicast */
	CTRACE_CMD_CONTAINER_GONE,	/* multicast */
	CTRACE_CMD_EVENT_NEW,
	CTRACE_CMD_EVENT_DEL,
	CTRACE_CMD_TRACEPOINT_GET,
	CTRACE_CMD_TASK_GET,
	CTRACE_CMD_REQUEST_GET,
	CTRACE_CMD_FROZEN_GET,
	CTRACE_CMD_THAW,
	__CTRACE_CMD_MAX
};

#define CTRACE_CMD_MAX	(__CTRACE_CMD_MAX - 1)

/* top level: sets */
enum ctrace_attr {
	CTRACE_A_UNSPEC,
	CTRACE_A_PAD,
	CTRACE_A_INFO,		/* nested CTRACE_A_INFO_* */
	CTRACE_A_SESSION,	/* nested CTRACE_A_SESSION_* */
	CTRACE_A_PROBE,		/* nested CTRACE_A_PROBE_* */
	CTRACE_A_TARGET,	/* nested CTRACE_A_TARGET_* */
	CTRACE_A_CONTAINER,	/* nested CTRACE_A_CONTAINER_* */
	CTRACE_A_EVENT,		/* nested CTRACE_A_EVENT_* */
	CTRACE_A_RING,		/* nested CTRACE_A_RING_* */
	CTRACE_A_LIMIT,		/* nested CTRACE_A_LIMIT_* */
	CTRACE_A_TASK,		/* nested CTRACE_A_TASK_* */
	CTRACE_A_REQUEST,	/* nested CTRACE_A_REQUEST_* */
	CTRACE_A_FROZEN,	/* nested CTRACE_A_FROZEN_* */
	__CTRACE_A_MAX
};

#define CTRACE_A_MAX	(__CTRACE_A_MAX - 1)

/* The cgroup hierarchies of this system. */
enum ctrace_cgroup_mode {
	CTRACE_CGROUP_V1	= 1,
	CTRACE_CGROUP_V2	= 2,
	CTRACE_CGROUP_HYBRID	= 3,
};

/* INFO_GET, CTRACE_A_INFO and ABI to VERSION keep their numbers: by them each side learns the other's ABI. */
enum ctrace_attr_info {
	CTRACE_A_INFO_UNSPEC,
	CTRACE_A_INFO_PAD,
	CTRACE_A_INFO_ABI,		/* u32: CTRACE_ABI */
	CTRACE_A_INFO_ABI_COMPAT,	/* u32 */
	CTRACE_A_INFO_VERSION,		/* string: module version */
	CTRACE_A_INFO_FEATURES,		/* u64 CTRACE_FEATURE_* */
	CTRACE_A_INFO_CGROUP_MODE,	/* u32 enum ctrace_cgroup_mode */
	/* u32: alive now. This and all below: only to callers who may trace */
	CTRACE_A_INFO_CONTAINERS,
	CTRACE_A_INFO_SESSIONS,		/* u32 */
	/*
	 * u64: times that CTRACE_CID_UNKNOWN was given (no memory or no room for a container, or a cgroup
	 * more than 64 levels deep), or that a session with a cgroup target may have missed an event there
	 */
	CTRACE_A_INFO_UNKNOWN,
	/*
	 * The next three: while a session records system calls. u32: tasks of user space; u32:
	 * how many of them are spared, so that their calls cost what they cost without a tracer; string: the
	 * reason if none is
	 */
	CTRACE_A_INFO_TASKS,
	CTRACE_A_INFO_SPARED,
	CTRACE_A_INFO_SPARED_WHY,
	/*
	 * The next three come with CTRACE_A_INFO_TASKS. u64: how often all tasks were made to pay again,
	 * because what is wanted had changed; u64 ns in which none could be spared, because of that; u64 ns:
	 * of how many. All since the first session began that records system calls
	 */
	CTRACE_A_INFO_RECALLS,
	CTRACE_A_INFO_RECALLED_NS,
	CTRACE_A_INFO_RECALLED_OF_NS,
	/* string: why no kprobe, and no event that needs one, is heard now; what to type. Absent: all are */
	CTRACE_A_INFO_BLIND,
	/* u64: for how long it was so since the module was loaded; absent: never */
	CTRACE_A_INFO_BLIND_NS,
	__CTRACE_A_INFO_MAX
};

#define CTRACE_A_INFO_MAX	(__CTRACE_A_INFO_MAX - 1)

#define CTRACE_DATA_MAX		1024u	/* see CTRACE_A_SESSION_DATA */

/* CTRACE_A_SESSION_FLAGS */
#define CTRACE_SESSION_F_STOP_FULL	(1u << 0)
/* when recording starts, all existing tasks are written as lttng_statedump_* events */
#define CTRACE_SESSION_F_STATEDUMP	(1u << 1)
/*
 * whole calls have the names of their descriptors: see CTRACE_A_SESSION_DATA. A state dump has the
 * descriptors that are open when recording starts
 */
#define CTRACE_SESSION_F_PATHS		(1u << 2)
/*
 * an event between tasks of two containers shows both, and is recorded once. So no view of a single container
 * is given: CTRACE_IOC_VIEW fails with EACCES
 */
#define CTRACE_SESSION_F_NEIGHBOURS	(1u << 3)
/*
 * of whole calls, those on descriptors alone that are no regular files or directories (sockets, pipes,
 * devices) are left out, as they are when the call is entered
 */
#define CTRACE_SESSION_F_FILES		(1u << 4)

/* CTRACE_A_SESSION_STATE; a new session is stopped */
enum ctrace_session_state {
	CTRACE_SESSION_STOPPED		= 0,
	CTRACE_SESSION_RECORDING	= 1,
};

enum ctrace_attr_session {
	CTRACE_A_SESSION_UNSPEC,
	CTRACE_A_SESSION_PAD,
	CTRACE_A_SESSION_ID,		/* u32, from 1 */
	CTRACE_A_SESSION_NAME,		/* string, at most 63 bytes, for `ctrace status` */
	CTRACE_A_SESSION_OWNER,		/* u32: pid of the process that made it, initial namespace */
	CTRACE_A_SESSION_STATE,		/* u32 enum ctrace_session_state */
	CTRACE_A_SESSION_FLAGS,		/* u32 CTRACE_SESSION_F_* */
	CTRACE_A_SESSION_ARENA_SIZE,	/* u64 bytes; default 32 MiB */
	/* u64 bytes, power of two, 8192..2^30; default: what fits for CONTAINERS, or arena / CPUs / 16 */
	CTRACE_A_SESSION_RING_SIZE,
	/* u32 bytes, power of two, 4096..ring/2; default ring / 8, at most 32768 */
	CTRACE_A_SESSION_SUBBUF_SIZE,
	/* u32: sizes rings for this many containers; any more share each CPU's shared ring; 0: about 15 */
	CTRACE_A_SESSION_CONTAINERS,
	/* u64 ns from the first record to a waiting reader's wakeup, <= 10^9; 0: at once; default 5 ms */
	CTRACE_A_SESSION_WAKEUP_NS,
	/* string, at most 1023 bytes: an expression with $words only (see PROBE_FILTER), for every event */
	CTRACE_A_SESSION_FILTER,
	CTRACE_A_SESSION_RATE,		/* u32: most records a second from each container; 0: no limit */
	CTRACE_A_SESSION_SLOTS,		/* u32: rings in the arena */
	CTRACE_A_SESSION_SLOTS_USED,	/* u32: rings bound so far, shared ones included */
	CTRACE_A_SESSION_PROBES,	/* u32 */
	CTRACE_A_SESSION_EVENTS,	/* u64: records published */
	CTRACE_A_SESSION_LOST_FULL,	/* u64 records: see CTRACE_LOSS_FULL */
	CTRACE_A_SESSION_LOST_NESTED,	/* u64 records: see CTRACE_LOSS_NESTED */
	CTRACE_A_SESSION_LOST_MISSED,	/* u64 hits: sum over its kprobes, see CTRACE_LOSS_MISSED */
	CTRACE_A_SESSION_LOST_UNFOLLOWED, /* u64 events: see CTRACE_LOSS_UNFOLLOWED */
	CTRACE_A_SESSION_LOST_UNFOLLOWED_TASKS, /* u64 tasks: see CTRACE_LOSS_UNFOLLOWED_TASKS */
	CTRACE_A_SESSION_LIMITED,	/* u64: records that RATE held back */
	CTRACE_A_SESSION_LOST_UNREAD,	/* u64 events: see CTRACE_LOSS_UNREAD */
	/*
	 * u32, at most CTRACE_DATA_MAX: whole calls have the first bytes of what they read or write, this
	 * many; 0, the default: none. They may be passwords
	 */
	CTRACE_A_SESSION_DATA,
	/*
	 * u64 bytes for the tables of its probes, beside ARENA_SIZE; default 0, at most 2^30. A table keeps
	 * its bytes until the session ends
	 */
	CTRACE_A_SESSION_TABLE_SIZE,
	CTRACE_A_SESSION_TABLE_USED,	/* u64 bytes */
	/* u64: the largest CTRACE_A_PROBE_BLIND_NS of its probes; absent: 0 */
	CTRACE_A_SESSION_BLIND_NS,
	/* u32 ms until a frozen container is thawed by itself: 1 to _MS_MAX; 0: CTRACE_FREEZE_MS_DEFAULT */
	CTRACE_A_SESSION_FREEZE_MS,
	CTRACE_A_SESSION_FROZEN,	/* u32: containers that are frozen now; absent: none */
	CTRACE_A_SESSION_FREEZE_REFUSED, /* u64: freezes that were refused; absent: 0 */
	CTRACE_A_SESSION_LOST_FROZEN,	/* u64 records: see CTRACE_LOSS_FROZEN */
	__CTRACE_A_SESSION_MAX
};

#define CTRACE_A_SESSION_MAX	(__CTRACE_A_SESSION_MAX - 1)

/*
 * PROBE_NAME, the forms:
 *   sched_switch, sched:sched_switch	an event type by name (with or without its system)
 *   SYSTEM:NAME			any other tracepoint, with raw arguments (arg1, arg2, ...)
 *   raw:NAME				the same, of any system; also one that has an event type
 *   syscalls				every system call, entry and exit
 *   syscall:openat			one call, entry and exit
 *   calls, call:openat			the same as one record per call, written at the return;
 *					follows at most 65,536 calls at a time
 *   call:openat,read,...		the same for several calls, at most 64. An aggregate then counts them
 *					in one table
 *   kprobe:SYMBOL, kretprobe:SYMBOL	a kernel function's entry, its return
 *   kprobe:GLOB, func:GLOB		the entries of all functions that match; field char function[64]
 *   p[:[SYSTEM/]NAME] [MOD:]SYMBOL[+OFFSET] [ARG]...
 *					a kprobe in the kernel's syntax: Documentation/trace/kprobetrace.rst
 *   r[MAXACTIVE][:[SYSTEM/]NAME] [MOD:]SYMBOL [ARG]...
 *					a kretprobe; so is p... SYMBOL%return
 *   func:SYMBOL			a span of a kernel function: one record for each call, written at its
 *					return. The event func_SYMBOL has u64 duration (ns) and u64 ret
 *   f[MAXACTIVE][:[SYSTEM/]NAME] [MOD:]SYMBOL [ARG]...
 *					the same with arguments, which are read at the function's entry, as
 *					for p. Up to MAXACTIVE calls (1 to 4096, default 256) are followed
 *					at a time; others are missed
 *   NAME, SYSTEM:NAME			what EVENT_NEW defined
 *   sample:HZ				HZ samples a second (1 to 10000) on each CPU that is not idle; one
 *					such probe a session
 *
 * PROBE_FILTER is an expression: comparisons FIELD OP VALUE, joined by && || ! and brackets.
 *
 *   FIELD	a field of the event; or $comm $tid $vtid $pid $uid $gid $cid of its task; or $cpu
 *   OP		integers: == != < <= > >= & (any of these bits is set)
 *		strings: == != ~ !~ (glob of the whole string: * ? [a-z] [!a-z])
 *   VALUE	a number (decimal, 0x hexadecimal, 0 octal, with - in front); or a "string" (\" and \\)
 *
 * ! applies to one comparison or bracket; && binds closer than ||. Numbers compare as numbers: a
 * value that the field cannot have (-1 for an unsigned one) is an error. $uid and $gid are the real
 * ones, in the initial user namespace. If an event has no $uid or $gid (no task), or the field was
 * cut off, every comparison with it is false, even !=.
 */
/*
 * PROBE_AGGREGATE: FUNCTION [, FUNCTION]... [by KEY [, KEY]...], at most CTRACE_TABLE_VALUES functions and
 * CTRACE_TABLE_KEYS keys. The container is always the first key, and may be named. An event that lacks a
 * field that the aggregate asks for (it was cut off) counts with 0 or an empty string in its place.
 *
 *   FUNCTION	count(), sum(F), min(F), max(F), avg(F), hist(F); F is a number's field
 *   KEY	a field; F/N (divided, towards 0), F&N (N decimal, 0x or octal), log2(F), of a number's field;
 *		comm tid vtid pid uid gid cpu of the event's task, with $ before it if a field has that name;
 *		stack, ustack: of the kernel, of the program; at a whole call's return; of sched_block, where
 *		the task went to sleep;
 *		syscall, errno: of whole calls; errno of each event that has a signed number called ret, too;
 *		of other events the field of that name
 *
 * Several calls may be named at once for the fields that all whole calls have: duration, ret and marks. A
 * call of a 32-bit program that has no such field at all (i386's mmap has no len) is not counted, and does
 * not pass a filter that asks for it.
 */
/*
 * A CTRACE_ID_KERNEL_STACK follows each record: the stack at the event. Of a call recorded as a whole: where
 * its task last went to sleep in it. If it did not, or 1,024 others sleep, it is the stack at the return.
 */
#define CTRACE_PROBE_F_STACK		(1u << 0)
/* a CTRACE_ID_USER_STACK follows each record: its task's, if that runs; of sched_block as it went to sleep */
#define CTRACE_PROBE_F_USER_STACK	(1u << 1)
/*
 * Some CTRACE_ID_USER_MEMORY and a CTRACE_ID_USER_REGISTERS follow each record, for readers that unwind the
 * stack of a program without frame pointers. The memory ends early where it is not there. It may hold
 * passwords. There are no registers if the record's task is not the running one, or is a kernel thread or a
 * 32-bit program
 */
#define CTRACE_PROBE_F_USER_COPY	(1u << 2)
/* each record freezes the rings of its container: ctrace_freeze.h. Not with an AGGREGATE */
#define CTRACE_PROBE_F_FREEZE		(1u << 3)

/* see CTRACE_A_PROBE_COPY */
#define CTRACE_COPY_DEFAULT		8192u	/* as perf's --call-graph dwarf */
#define CTRACE_COPY_MAX			32768u

enum ctrace_attr_probe {
	CTRACE_A_PROBE_UNSPEC,
	CTRACE_A_PROBE_PAD,
	CTRACE_A_PROBE_ID,		/* u32, unique within the module */
	CTRACE_A_PROBE_NAME,		/* string, at most 1023 bytes */
	CTRACE_A_PROBE_FLAGS,		/* u32 CTRACE_PROBE_F_* */
	CTRACE_A_PROBE_FILTER,		/* string, at most 1023 bytes */
	CTRACE_A_PROBE_ONE_OF,		/* u32 N: records 1 in N of what passes FILTER, per CPU; 0: all */
	CTRACE_A_PROBE_EVENT_ID,	/* u32: the event type it writes; 0 if several */
	/* u64: hits that the kprobe missed; samples of CPUs that got no timer */
	CTRACE_A_PROBE_MISSED,
	/* string, at most 1023 bytes: events are counted by it in a table (ctrace_table.h), not recorded */
	CTRACE_A_PROBE_AGGREGATE,
	/* u32: rows of the table on each CPU, rounded up to a power of two; default 1024 */
	CTRACE_A_PROBE_ROWS,
	/* u64: offset of the table in the mapping of the session; only of an aggregate */
	CTRACE_A_PROBE_TABLE,
	/* u32 bytes of stack for CTRACE_PROBE_F_USER_COPY, at most _COPY_MAX; default CTRACE_COPY_DEFAULT */
	CTRACE_A_PROBE_COPY,
	/* u64 ns, since it was added, in which kprobes were off, so none came; absent: 0. Replies only */
	CTRACE_A_PROBE_BLIND_NS,
	/* u32: id of the session whose rings CTRACE_PROBE_F_FREEZE freezes: ctrace_freeze.h */
	CTRACE_A_PROBE_FREEZES,
	__CTRACE_A_PROBE_MAX
};

#define CTRACE_A_PROBE_MAX	(__CTRACE_A_PROBE_MAX - 1)

/*
 * A session without targets wants nothing. Targets add up; then targets with NOT are taken away. A target
 * selects events, and never changes the cid of any.
 */
enum ctrace_target_kind {
	CTRACE_TARGET_ALL	= 1,	/* every container and the host */
	CTRACE_TARGET_CID	= 2,	/* TARGET_CID; CTRACE_CID_HOST for the host */
	/*
	 * TARGET_CGROUP: everything in that cgroup or below it, on the host or in containers. Of a container
	 * only that part: a task that entered it from elsewhere is not included. Not the root cgroup
	 */
	CTRACE_TARGET_CGROUP	= 3,
	/*
	 * TARGET_PID: that process, its threads, and all that they fork. Once it is deleted, it wants none of
	 * these any more; those that another pid target of the session led to stay wanted
	 */
	CTRACE_TARGET_PID	= 4,
	/*
	 * Every container that is born from now on, from its first event on. TARGET_DEL with a TARGET_CID
	 * lets one of them go: it is then wanted only if another target wants it, or a container around it is
	 * wanted. Containers in it were born, too: let the outer one go first, then the inner ones. To let a
	 * container go that was not wanted for its birth changes nothing. When the target is deleted, all
	 * that it wanted is let go. An older module refuses this kind
	 */
	CTRACE_TARGET_BORN	= 5,
};

enum ctrace_attr_target {
	CTRACE_A_TARGET_UNSPEC,
	CTRACE_A_TARGET_ID,		/* u32, unique within the module */
	CTRACE_A_TARGET_KIND,		/* u32 enum ctrace_target_kind */
	/* u32 1: what the target names is not wanted, even if another target does; CID and CGROUP only */
	CTRACE_A_TARGET_NOT,
	/* u32: of kind CID, in replies too; in TARGET_DEL, of kind BORN, the container to let go */
	CTRACE_A_TARGET_CID,
	/* u32: the caller's descriptor of the cgroup's directory; replies have TARGET_PATH instead */
	CTRACE_A_TARGET_CGROUP,
	CTRACE_A_TARGET_PATH,		/* string: the cgroup's path, in replies only */
	/* u32: a thread group, in the caller's pid namespace; in replies, in the initial one */
	CTRACE_A_TARGET_PID,
	__CTRACE_A_TARGET_MAX
};

#define CTRACE_A_TARGET_MAX	(__CTRACE_A_TARGET_MAX - 1)

#define CTRACE_CONTAINER_F_DEAD		(1u << 0)	/* gone; its events may still be in rings */
#define CTRACE_CONTAINER_F_HOSTPID	(1u << 1)	/* shares the initial pid namespace */

enum ctrace_attr_container {
	CTRACE_A_CONTAINER_UNSPEC,
	CTRACE_A_CONTAINER_PAD,
	CTRACE_A_CONTAINER_CID,		/* u32; 0 is the host */
	CTRACE_A_CONTAINER_PARENT,	/* u32: cid of the container around it, 0 the host */
	CTRACE_A_CONTAINER_FLAGS,	/* u32 CTRACE_CONTAINER_F_* */
	CTRACE_A_CONTAINER_CGROUP_ID,	/* u64: id (inode number) of the boundary cgroup, 0 none */
	/*
	 * string: the boundary cgroup's; without one, init's when first seen, and again each time that init
	 * executes a program
	 */
	CTRACE_A_CONTAINER_CGROUP_PATH,
	CTRACE_A_CONTAINER_HIERARCHY,	/* u32: 0 for v2, else v1 hierarchy number */
	CTRACE_A_CONTAINER_PIDNS,	/* u32: pid namespace number; 0 not known yet */
	CTRACE_A_CONTAINER_INIT_PID,	/* u32: host pid of its init, 0 not known */
	/* string: docker, podman, containerd, cri-o, lxc, nspawn, or absent */
	CTRACE_A_CONTAINER_RUNTIME,
	CTRACE_A_CONTAINER_RUNTIME_ID,	/* string: 64 hex digits, if the path shows one */
	CTRACE_A_CONTAINER_FIRST_SEEN,	/* u64: CLOCK_MONOTONIC ns */
	CTRACE_A_CONTAINER_GONE,	/* u64: CLOCK_MONOTONIC ns; 0: alive */
	__CTRACE_A_CONTAINER_MAX
};

#define CTRACE_A_CONTAINER_MAX	(__CTRACE_A_CONTAINER_MAX - 1)

/*
 * What a field is in a record. A record holds its fields in the order of their list, aligned as in CTF. A
 * reader that does not know a kind cannot find the fields that follow, so it skips the event.
 */
enum ctrace_field_kind {
	CTRACE_FK_UINT	= 1,	/* unsigned integer of size 1, 2, 4, 8, aligned to its size */
	CTRACE_FK_INT	= 2,	/* same sizes, signed */
	CTRACE_FK_TEXT	= 3,	/* char[size], NUL-padded UTF-8, unaligned */
	/* bytes up to and with a NUL, at most CTRACE_STR_MAX (argv: CTRACE_ARGV_MAX), unaligned */
	CTRACE_FK_STRING = 4,
	/*
	 * Sequences: a u32 count, aligned to 4, then count integers of size 1, 2, 4, 8, aligned to
	 * their size; the padding exists even if the count is 0, as in CTF. The count is named "NAME_length".
	 */
	CTRACE_FK_SEQ	= 5,	/* unsigned */
	CTRACE_FK_SEQ_INT = 6,	/* signed */
};

/*
 * How a field is shown. A reader shows a field in the default way if it does not know the display, or if
 * the display is not meant for the field's kind.
 */
enum ctrace_field_display {
	CTRACE_FD_DEFAULT = 0,	/* numbers in base 10; text as it is */
	CTRACE_FD_HEX	= 1,	/* UINT, SEQ: in base 16 */
	CTRACE_FD_RWBS	= 3,	/* UINT: CTRACE_RWBS_* in the kernel's letters: WS, RA, FF */
	CTRACE_FD_SOCKADDR = 2,	/* SEQ of size 1: a socket's address, perhaps cut */
};

#define CTRACE_EVENT_F_KEEP		(1u << 0)	/* the definition outlives the socket that made it */

enum ctrace_attr_event {
	CTRACE_A_EVENT_UNSPEC,
	CTRACE_A_EVENT_ID,		/* u32 */
	CTRACE_A_EVENT_NAME,		/* string: sched_switch, syscall_entry_openat, ... */
	CTRACE_A_EVENT_SYSTEM,		/* string: sched, syscalls, cgroup, kprobes */
	/* string: the tracepoint where it is recorded, or "FUNCTION()"; absent: none */
	CTRACE_A_EVENT_SOURCE,
	CTRACE_A_EVENT_REASON,		/* string: why this kernel cannot give the event; absent if it can */
	CTRACE_A_EVENT_FIELDS,		/* nested list of CTRACE_A_FIELD_SET */
	/*
	 * string, at most 1023 bytes: a kprobe's definition, as in PROBE_NAME. Present as long as the name
	 * stands for this type. This and the next two are only for callers that may trace
	 */
	CTRACE_A_EVENT_DEFINITION,
	CTRACE_A_EVENT_FLAGS,		/* u32 CTRACE_EVENT_F_*, of a definition */
	CTRACE_A_EVENT_OWNER,		/* u32: pid of the process that defined it, initial namespace */
	__CTRACE_A_EVENT_MAX
};

#define CTRACE_A_EVENT_MAX	(__CTRACE_A_EVENT_MAX - 1)

enum ctrace_attr_field {
	CTRACE_A_FIELD_UNSPEC,
	CTRACE_A_FIELD_SET,		/* nested: those below */
	CTRACE_A_FIELD_NAME,		/* string */
	CTRACE_A_FIELD_KIND,		/* u32 enum ctrace_field_kind */
	CTRACE_A_FIELD_DISPLAY,		/* u32 enum ctrace_field_display; absent: the default */
	CTRACE_A_FIELD_SIZE,		/* u32 bytes: of a SEQ or SEQ_INT each element; 0: it varies */
	__CTRACE_A_FIELD_MAX
};

#define CTRACE_A_FIELD_MAX	(__CTRACE_A_FIELD_MAX - 1)

enum ctrace_attr_ring {
	CTRACE_A_RING_UNSPEC,
	CTRACE_A_RING_PAD,
	CTRACE_A_RING_SLOT,		/* u32 */
	CTRACE_A_RING_CPU,		/* u32 */
	CTRACE_A_RING_CID,		/* u32, CTRACE_CID_ALL for a shared ring */
	CTRACE_A_RING_GEN,		/* u32 */
	CTRACE_A_RING_EVENTS,		/* u64: records published in the slot, by all its bindings */
	CTRACE_A_RING_BYTES,		/* u64: the ring's head, see struct ctrace_ring */
	CTRACE_A_RING_LOST_FULL,	/* u64 records: see CTRACE_LOSS_FULL */
	CTRACE_A_RING_LOST_NESTED,	/* u64 records: see CTRACE_LOSS_NESTED */
	CTRACE_A_RING_LOST_FROZEN,	/* u64 records: see CTRACE_LOSS_FROZEN */
	__CTRACE_A_RING_MAX
};

#define CTRACE_A_RING_MAX	(__CTRACE_A_RING_MAX - 1)

enum ctrace_attr_limit {
	CTRACE_A_LIMIT_UNSPEC,
	CTRACE_A_LIMIT_PAD,
	/* u32; CTRACE_CID_ALL: all that found no room in the table, together */
	CTRACE_A_LIMIT_CID,
	CTRACE_A_LIMIT_DROPPED,		/* u64: records that RATE held back */
	__CTRACE_A_LIMIT_MAX
};

#define CTRACE_A_LIMIT_MAX	(__CTRACE_A_LIMIT_MAX - 1)

/*
 * The attributes that a sender may set, as X(SET, NAME); the module alone sends the others. Errors call
 * attributes by these names.
 */
#define CTRACE_A_SETTABLE(X)						\
	X(SESSION, ID) X(SESSION, NAME) X(SESSION, STATE)		\
	X(SESSION, FLAGS) X(SESSION, ARENA_SIZE) X(SESSION, RING_SIZE)	\
	X(SESSION, SUBBUF_SIZE) X(SESSION, CONTAINERS)			\
	X(SESSION, WAKEUP_NS) X(SESSION, FILTER) X(SESSION, RATE)	\
	X(SESSION, TABLE_SIZE) X(SESSION, FREEZE_MS) X(FROZEN, CID)	\
	X(PROBE, AGGREGATE) X(PROBE, ROWS)				\
	X(PROBE, ID) X(PROBE, NAME) X(PROBE, FLAGS) X(PROBE, FILTER)	\
	X(PROBE, ONE_OF) X(PROBE, FREEZES)				\
	X(TARGET, ID) X(TARGET, KIND) X(TARGET, NOT) X(TARGET, CID)	\
	X(TARGET, CGROUP) X(TARGET, PID)				\
	X(EVENT, ID) X(EVENT, NAME) X(EVENT, DEFINITION) X(EVENT, FLAGS)

#endif /* _UAPI_CTRACE_NETLINK_H */
