/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ctrace: control over generic netlink, family "ctrace".
 *
 * The version, in the header of each message, is the sender's CTRACE_ABI (see ctrace.h). The module
 * refuses a command of one that is too old (EPROTO), except INFO_GET and dumps.
 *
 * A session belongs to the socket that made it and goes with it. Errors come with a text
 * (extended ack, NLMSGERR_ATTR_MSG) that names the attribute and the value.
 *
 * Who may trace: CAP_SYS_ADMIN, or CAP_PERFMON where the kernel has it, in the initial user
 * namespace, whatever pid, cgroup or time namespace the caller is in. Of a message,
 * its sender and who opened its socket both.
 *
 *                                              may trace         anybody else
 *  INFO_GET, EVENT_GET (no definitions)        yes               yes
 *  other dumps                                 yes               EPERM
 *  SESSION_NEW, EVENT_NEW, EVENT_DEL           yes               EPERM
 *  change a session, by the socket it is of    yes               EPERM
 *  ... by another socket                       EPERM             EPERM
 *  join the multicast group                    CAP_SYS_ADMIN     EPERM; anybody may where
 *                                                                the kernel cannot ask
 *  all this in another net namespace           ENOENT            ENOENT
 *  open /dev/ctrace                            yes               yes
 *  CTRACE_IOC_BIND, also of what was passed    yes (once: EBUSY) EPERM
 *  map to read, read(), poll(): bound          yes               yes
 *  ... not bound                               ENXIO, POLLERR    likewise
 *  map to write or execute, write()            no                no
 *
 * Commands and their attributes ([x] optional, * repeated, -> reply):
 *
 *  INFO_GET                         -> INFO
 *  SESSION_NEW    SESSION{[ARENA_SIZE] [RING_SIZE] [SUBBUF_SIZE] [FLAGS] [WAKEUP_NS] [NAME]
 *                         [FILTER] [RATE] [CONTAINERS]}
 *                                   -> SESSION{ID, and the sizes as they came out}
 *  SESSION_DEL    SESSION{ID}
 *  SESSION_SET    SESSION{ID, STATE}          start (1) or stop (0) recording
 *  SESSION_GET    dump              -> SESSION{...}, one message each
 *  PROBE_ADD      SESSION{ID} PROBE{NAME [FLAGS] [FILTER] [ONE_OF]} -> PROBE{ID, NAME, EVENT_ID}
 *  PROBE_DEL      SESSION{ID} PROBE{ID}
 *  PROBE_GET      dump              -> SESSION{ID} PROBE{...}
 *  TARGET_ADD     SESSION{ID} TARGET{KIND, CID | CGROUP | PID, [NOT]}
 *  TARGET_DEL     same as TARGET_ADD
 *  TARGET_GET     dump              -> SESSION{ID} TARGET{...}
 *  CONTAINER_GET  dump              -> CONTAINER{...}
 *  EVENT_GET      dump [EVENT{ID}]  -> EVENT{...}
 *  EVENT_NEW      EVENT{DEFINITION}  -> EVENT{ID, NAME}: a kprobe's type, for PROBE_ADD by that name
 *  EVENT_DEL      EVENT{NAME}        its name is free again; sessions that use it keep it, and
 *                                    EVENT_GET still lists the type, without a DEFINITION
 *  TRACEPOINT_GET dump               -> EVENT{NAME}: every tracepoint of this kernel
 *  STATS_GET      dump [SESSION{ID}] -> SESSION{ID} RING{...} per ring in use,
 *                                      PROBE{ID, NAME, MISSED} per probe,
 *                                      LIMIT{CID, DROPPED} per container that RATE held back
 *  Multicast group "containers": CONTAINER_NEW and CONTAINER_GONE, with
 *  CONTAINER{...}. CONTAINER_NEW comes again for a cid of which more has become known.
 *
 * Each of the sets is a nested attribute (CTRACE_A_SESSION etc.).
 */
#ifndef _UAPI_CTRACE_NETLINK_H
#define _UAPI_CTRACE_NETLINK_H

#include "ctrace.h"

#define CTRACE_GENL_NAME	"ctrace"
#define CTRACE_GENL_VERSION	CTRACE_ABI
#define CTRACE_GENL_MCGRP	"containers"

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
	CTRACE_CMD_NR
};

/* top level: sets */
enum ctrace_attr {
	CTRACE_A_UNSPEC,
	CTRACE_A_INFO,		/* nested CTRACE_A_INFO_* */
	CTRACE_A_SESSION,	/* nested CTRACE_A_SESSION_* */
	CTRACE_A_PROBE,		/* nested CTRACE_A_PROBE_* */
	CTRACE_A_TARGET,	/* nested CTRACE_A_TARGET_* */
	CTRACE_A_CONTAINER,	/* nested CTRACE_A_CONTAINER_* */
	CTRACE_A_EVENT,		/* nested CTRACE_A_EVENT_* */
	CTRACE_A_RING,		/* nested CTRACE_A_RING_* */
	CTRACE_A_PAD,
	CTRACE_A_LIMIT,		/* nested CTRACE_A_LIMIT_* */
	CTRACE_A_NR
};

enum ctrace_attr_info {
	CTRACE_A_INFO_UNSPEC,
	CTRACE_A_INFO_ABI,		/* u32: CTRACE_ABI */
	CTRACE_A_INFO_ABI_COMPAT,	/* u32 */
	CTRACE_A_INFO_VERSION,		/* string: module version */
	CTRACE_A_INFO_CONTAINERS,	/* u32: alive now */
	CTRACE_A_INFO_SESSIONS,		/* u32 */
	CTRACE_A_INFO_UNKNOWN,		/* u64: events given CTRACE_CID_UNKNOWN */
	CTRACE_A_INFO_CGROUP_MODE,	/* u32: 1 v1, 2 v2, 3 hybrid */
	CTRACE_A_INFO_PAD,
	CTRACE_A_INFO_NR
};

/* CTRACE_A_SESSION_FLAGS */
#define CTRACE_SESSION_F_STOP_FULL	(1u << 0)
/* when recording starts, the tasks that are there already are written, as lttng_statedump_* events */
#define CTRACE_SESSION_F_STATEDUMP	(1u << 1)

enum ctrace_attr_session {
	CTRACE_A_SESSION_UNSPEC,
	CTRACE_A_SESSION_ID,		/* u32, from 1 */
	CTRACE_A_SESSION_ARENA_SIZE,	/* u64 bytes; default 32 MiB */
	/* u64 bytes, power of two >= 8192; default: what fits of CONTAINERS, or arena / CPUs / 16 */
	CTRACE_A_SESSION_RING_SIZE,
	CTRACE_A_SESSION_SUBBUF_SIZE,	/* u32 bytes, power of two, 4096..ring/2; default ring / 8, at most 32768 */
	CTRACE_A_SESSION_FLAGS,		/* u32 CTRACE_SESSION_F_* */
	/* u64: a waiting reader is woken this long after the first record; default 5 ms; 0 at once */
	CTRACE_A_SESSION_WAKEUP_NS,
	CTRACE_A_SESSION_NAME,		/* string, at most 63 bytes, for `ctrace status` */
	CTRACE_A_SESSION_STATE,		/* u32: 0 stopped, 1 recording; a new session is stopped */
	CTRACE_A_SESSION_OWNER,		/* u32: pid of the maker, initial namespace */
	CTRACE_A_SESSION_SLOTS,		/* u32: rings in the arena */
	CTRACE_A_SESSION_SLOTS_USED,	/* u32: of these bound, shared ones included */
	CTRACE_A_SESSION_PROBES,	/* u32 */
	CTRACE_A_SESSION_EVENTS,	/* u64: records published */
	CTRACE_A_SESSION_LOST_FULL,	/* u64 */
	CTRACE_A_SESSION_LOST_NESTED,	/* u64 */
	CTRACE_A_SESSION_LOST_MISSED,	/* u64: sum over its kprobes */
	CTRACE_A_SESSION_PAD,
	/* string: an expression (see CTRACE_A_PROBE_FILTER) of $words only, for every event */
	CTRACE_A_SESSION_FILTER,
	CTRACE_A_SESSION_RATE,		/* u32: at most so many records a second of each container; 0 none */
	CTRACE_A_SESSION_LIMITED,	/* u64: records that RATE held back */
	CTRACE_A_SESSION_LOST_UNFOLLOWED, /* u64: see CTRACE_LOSS_UNFOLLOWED */
	/* u32: the arena is divided so that as many have a ring on each CPU, and all others share one; 0: about 15 */
	CTRACE_A_SESSION_CONTAINERS,
	CTRACE_A_SESSION_NR
};

/*
 * PROBE_NAME, the forms:
 *   sched_switch, sched:sched_switch	an event type by name (with or without subsystem)
 *   SUBSYS:NAME			any other tracepoint, with raw arguments (arg1, arg2, ...)
 *   raw:NAME				likewise, whatever subsystem it is of; also one that has an event type
 *   syscalls				every system call, entry and exit
 *   syscall:openat			one call, entry and exit
 *   calls, call:openat			the same as one record each, written at the return; of
 *					4096 at most that are under way at a time
 *   kprobe:SYMBOL, kretprobe:SYMBOL	a kernel function's entry, its return
 *   p[:[GRP/]NAME] [MOD:]SYMBOL[+OFFSET] [ARG]...
 *					a kprobe in the kernel's own syntax (Documentation/trace/kprobetrace.rst)
 *   r[MAXACTIVE][:[GRP/]NAME] [MOD:]SYMBOL [ARG]...
 *					a kretprobe; likewise SYMBOL%return
 *   NAME, GRP:NAME			what EVENT_NEW defined
 *   sample:HZ				so many samples a second (1 to 10000) on each CPU that is not idle
 *
 * PROBE_FILTER, an expression: comparisons FIELD OP VALUE, joined by && || ! and brackets.
 * OP is == != < <= > >= & (any of these bits set) on integers, == != ~ !~ (glob: * ? [a-z] [!a-z], of
 * the whole string) on strings; VALUE a number (decimal, 0x, 0 for octal; -), or a "string" (\" and \\
 * in it). FIELD is one of the event's, or of whose it is: $comm $tid $vtid $pid $uid $gid $cid, or $cpu.
 * ! is of one comparison or bracket, && binds closer than ||. Numbers compare as numbers: one
 * that the field cannot have (-1 of an unsigned one) is an error. $uid and $gid are the real ones. Where
 * there is none (no task) or the field is cut off, a comparison is false, != too.
 */
#define CTRACE_PROBE_F_STACK		(1u << 0)	/* a CTRACE_ID_KERNEL_STACK follows each record */
/* a CTRACE_ID_USER_STACK does; with no frames if the event's task is not the one that runs */
#define CTRACE_PROBE_F_USER_STACK	(1u << 1)

enum ctrace_attr_probe {
	CTRACE_A_PROBE_UNSPEC,
	CTRACE_A_PROBE_ID,		/* u32, unique within the module */
	CTRACE_A_PROBE_NAME,		/* string, at most 1023 bytes */
	CTRACE_A_PROBE_EVENT_ID,	/* u32: the event type it writes; 0 if several */
	CTRACE_A_PROBE_MISSED,		/* u64: kprobe's missed hits */
	CTRACE_A_PROBE_PAD,
	CTRACE_A_PROBE_FLAGS,		/* u32 CTRACE_PROBE_F_* */
	CTRACE_A_PROBE_FILTER,		/* string, at most 1023 bytes */
	CTRACE_A_PROBE_ONE_OF,		/* u32: of what passes, one of so many is recorded (on each CPU); 0 all */
	CTRACE_A_PROBE_NR
};

/* A session without targets wants nothing. Targets add up; those with NOT take away last. */
enum ctrace_target_kind {
	CTRACE_TARGET_ALL	= 1,	/* every container and the host */
	CTRACE_TARGET_CID	= 2,	/* TARGET_CID; CTRACE_CID_HOST for the host */
	CTRACE_TARGET_CGROUP	= 3,	/* TARGET_CGROUP: makes that cgroup a container boundary */
	CTRACE_TARGET_PID	= 4,	/* TARGET_PID, its threads, and what they fork */
};

enum ctrace_attr_target {
	CTRACE_A_TARGET_UNSPEC,
	CTRACE_A_TARGET_KIND,		/* u32 */
	CTRACE_A_TARGET_CID,		/* u32 */
	/* u32: caller's descriptor of the cgroup's directory; replies have TARGET_PATH instead */
	CTRACE_A_TARGET_CGROUP,
	CTRACE_A_TARGET_PID,		/* u32: in the caller's pid namespace; a thread group */
	CTRACE_A_TARGET_PATH,		/* string, replies only */
	/* u32 1: what it names is not wanted, whatever else is; CID and CGROUP only */
	CTRACE_A_TARGET_NOT,
	CTRACE_A_TARGET_NR
};

#define CTRACE_CONTAINER_F_DEAD		(1u << 0)	/* gone; events may still be in rings */
#define CTRACE_CONTAINER_F_HOSTPID	(1u << 1)	/* shares the initial pid namespace */
#define CTRACE_CONTAINER_F_TARGET	(1u << 2)	/* a boundary only because a user named it */

enum ctrace_attr_container {
	CTRACE_A_CONTAINER_UNSPEC,
	CTRACE_A_CONTAINER_CID,		/* u32; 0 is the host */
	CTRACE_A_CONTAINER_PARENT,	/* u32: cid, 0 the host */
	CTRACE_A_CONTAINER_CGROUP_ID,	/* u64: id (inode number) of the boundary cgroup, 0 none */
	CTRACE_A_CONTAINER_CGROUP_PATH,	/* string: of the boundary, else of init when first seen */
	CTRACE_A_CONTAINER_HIERARCHY,	/* u32: 0 for v2, else v1 hierarchy number */
	CTRACE_A_CONTAINER_PIDNS,	/* u32: pid namespace number; 0 not known yet */
	CTRACE_A_CONTAINER_INIT_PID,	/* u32: host pid of its init, 0 not known */
	CTRACE_A_CONTAINER_RUNTIME_ID,	/* string: 64 hex digits, if the path shows one */
	CTRACE_A_CONTAINER_RUNTIME,	/* string: docker, podman, containerd, cri-o, lxc, nspawn, or absent */
	CTRACE_A_CONTAINER_FIRST_SEEN,	/* u64: CLOCK_MONOTONIC ns */
	CTRACE_A_CONTAINER_GONE,	/* u64: CLOCK_MONOTONIC ns, 0 alive */
	CTRACE_A_CONTAINER_FLAGS,	/* u32 CTRACE_CONTAINER_F_* */
	CTRACE_A_CONTAINER_PAD,
	CTRACE_A_CONTAINER_NR
};

/* Kinds of fields, in the order and with the alignment of CTF. */
enum ctrace_field_type {
	CTRACE_FT_UINT	= 1,	/* size 1, 2, 4, 8: aligned to size */
	CTRACE_FT_INT	= 2,	/* likewise, signed */
	CTRACE_FT_HEX	= 3,	/* likewise, unsigned, shown in base 16 */
	CTRACE_FT_TEXT	= 4,	/* char[size], NUL-padded UTF-8, unaligned */
	CTRACE_FT_STRING = 5,	/* bytes up to and with a NUL, at most CTRACE_STR_MAX, unaligned */
	/*
	 * u32 count (aligned 4), then count of size 1, 2, 4, 8, aligned to size: also when
	 * the count is 0, as in CTF; "NAME_length" is the count's name
	 */
	CTRACE_FT_SEQ	= 6,	/* unsigned */
	CTRACE_FT_SEQ_INT = 7,	/* signed */
	CTRACE_FT_SEQ_HEX = 8,	/* unsigned, shown in base 16 */
};

enum ctrace_attr_event {
	CTRACE_A_EVENT_UNSPEC,
	CTRACE_A_EVENT_ID,		/* u32 */
	CTRACE_A_EVENT_NAME,		/* string: sched_switch, syscall_entry_openat, ... */
	CTRACE_A_EVENT_SYSTEM,		/* string: sched, syscalls, cgroup, kprobes */
	CTRACE_A_EVENT_FIELDS,		/* nested list of CTRACE_A_FIELD_SET */
	CTRACE_A_EVENT_REASON,		/* string: why this kernel does not have it; absent if it does */
	CTRACE_A_EVENT_SOURCE,		/* string: the tracepoint it is made at; absent: none */
	/*
	 * string, at most 1023 bytes: a kprobe's, as in PROBE_NAME. Told while EVENT_NEW's name for
	 * it stands, and to who may trace
	 */
	CTRACE_A_EVENT_DEFINITION,
	CTRACE_A_EVENT_NR
};

enum ctrace_attr_field {
	CTRACE_A_FIELD_UNSPEC,
	CTRACE_A_FIELD_SET,		/* nested: the four below */
	CTRACE_A_FIELD_NAME,		/* string */
	CTRACE_A_FIELD_TYPE,		/* u32 enum ctrace_field_type */
	CTRACE_A_FIELD_SIZE,		/* u32 bytes */
	CTRACE_A_FIELD_NR
};

enum ctrace_attr_ring {
	CTRACE_A_RING_UNSPEC,
	CTRACE_A_RING_SLOT,		/* u32 */
	CTRACE_A_RING_CPU,		/* u32 */
	CTRACE_A_RING_CID,		/* u32, CTRACE_CID_ALL for a shared ring */
	CTRACE_A_RING_GEN,		/* u32 */
	CTRACE_A_RING_EVENTS,		/* u64: published in the slot, all its bindings */
	CTRACE_A_RING_BYTES,		/* u64: head */
	CTRACE_A_RING_LOST_FULL,	/* u64 */
	CTRACE_A_RING_LOST_NESTED,	/* u64 */
	CTRACE_A_RING_PAD,
	CTRACE_A_RING_NR
};

enum ctrace_attr_limit {
	CTRACE_A_LIMIT_UNSPEC,
	CTRACE_A_LIMIT_CID,		/* u32; CTRACE_CID_ALL: containers beyond the table's size, together */
	CTRACE_A_LIMIT_DROPPED,		/* u64 */
	CTRACE_A_LIMIT_PAD,
	CTRACE_A_LIMIT_NR
};

#endif /* _UAPI_CTRACE_NETLINK_H */
