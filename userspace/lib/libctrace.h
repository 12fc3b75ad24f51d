/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libctrace: sessions, containers and records of the ctrace kernel module.
 *
 * Return values. Functions return 0 (or a count) or a negative errno; none prints.
 *
 * Ownership. A constructor hands out an object; its _free() or _close() takes it back. A const
 * pointer that a function returns belongs to the object it came from, and is good as long as
 * that object.
 *
 * Errors. When a call on a struct ctrace, or on a session of it, fails, ctrace_strerror() has a
 * sentence that names what was wrong. There are exceptions: -ESHUTDOWN (the session has ended)
 * sets no sentence, nor do the calls that take a reader, ctrace_reader_open_fd(), decoding, and
 * schema calls without a struct ctrace.
 *
 * Permission. The table in ctrace_netlink.h says who may do what; others get -EPERM.
 *
 * Threads. Objects are not locked: use each struct ctrace (with its sessions) and each
 * struct ctrace_reader in one thread at a time. ctrace_reader_open(), ctrace_reader_losses() and
 * ctrace_reader_close() also use the session that the reader was opened on.
 *
 * Option structs start with their size, so that they can grow.
 */
#ifndef LIBCTRACE_H
#define LIBCTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <ctrace/ctrace.h>
#include <ctrace/ctrace_netlink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- connection ------------------------------------------------------------ */

/* The library's own version, as "0.1.0": static text. The interface may change with any version before 1.0. */
const char *ctrace_version(void);

struct ctrace;			/* a netlink socket to the module; owns the sessions made on it */

/*
 * Opens a connection. Where module aliases allow it, this loads the module: asking for its
 * netlink family does, or opening /dev/ctrace.
 * -ENOENT: the module is not loaded and could not be.
 * -EPROTO: the module and this library are of ABI versions that do not fit each other.
 * On error *out is still an object, good for ctrace_strerror() and ctrace_close(); with -ENOMEM it
 * may be NULL.
 */
int ctrace_open(struct ctrace **out);
/* Ends its sessions in the kernel. Session objects are still the caller's to free. */
void ctrace_close(struct ctrace *ct);
/* The sentence of the last error on ct; ct NULL: "out of memory". Good until the next call on ct. */
const char *ctrace_strerror(const struct ctrace *ct);

/*
 * abi, abi_compat, version: the module's. containers: those alive now.
 * cgroup_mode: 1 v1, 2 v2, 3 hybrid. unknown: events recorded with CTRACE_CID_UNKNOWN.
 */
struct ctrace_info {
	uint32_t abi, abi_compat, containers, sessions, cgroup_mode;
	uint64_t unknown;
	char version[32];
};
int ctrace_info(struct ctrace *ct, struct ctrace_info *info);

/* --- event types --------------------------------------------------------- */

struct ctrace_schema;		/* every event type of the module, by id */

struct ctrace_field {
	const char *name;
	uint32_t kind;		/* enum ctrace_field_kind */
	uint32_t display;	/* enum ctrace_field_display; show one that you do not know as the default */
	uint32_t size;		/* bytes: of UINT, INT, TEXT as a whole; of SEQ, SEQ_INT each element */
};

struct ctrace_event_type {
	uint32_t id;
	const char *name;	/* syscall_entry_openat */
	const char *system;	/* syscalls */
	const char *reason;	/* why this kernel lacks it; NULL if it has it */
	const char *source;	/* the tracepoint whose probe makes it, or NULL */
	const char *definition;	/* of a defined kprobe, in a form of CTRACE_A_PROBE_NAME, or NULL */
	uint32_t nfields;
	const struct ctrace_field *fields;
};

int ctrace_schema_get(struct ctrace *ct, struct ctrace_schema **out);	/* asks the module for its types */
/* Learns the types of kprobes that were added since. Pointers to types stay good. */
int ctrace_schema_refresh(struct ctrace *ct, struct ctrace_schema *s);
struct ctrace_schema *ctrace_schema_new(void);		/* empty: for files and tests; NULL: no memory */
/*
 * Adds a copy of t. An earlier type of the same id is replaced, but stays in memory until _free().
 * -EINVAL: t makes no sense, or a field is of a kind that this library does not know. _get() and
 * _refresh() leave out such types, and no others: their records are found to have no type.
 */
int ctrace_schema_add(struct ctrace_schema *s, const struct ctrace_event_type *t);
void ctrace_schema_free(struct ctrace_schema *s);
/* NULL: there is no such type. If several kprobes had the name, _by_name() finds the newest. */
const struct ctrace_event_type *ctrace_schema_by_id(const struct ctrace_schema *s, uint32_t id);
const struct ctrace_event_type *ctrace_schema_by_name(const struct ctrace_schema *s, const char *name);
/* The i-th type in order of id, from 0; NULL past the end. */
const struct ctrace_event_type *ctrace_schema_at(const struct ctrace_schema *s, size_t i);

/* --- decoding ------------------------------------------------------------ */

struct ctrace_value {
	const struct ctrace_field *field;
	union {
		uint64_t u;		/* UINT */
		int64_t i;		/* INT */
		/* TEXT, STRING: len bytes, up to the first NUL. Do not rely on a NUL after them. */
		struct { const char *s; size_t len; } str;
		/* SEQ, SEQ_INT: n elements of field->size bytes each, perhaps unaligned; see ctrace_value_at() */
		struct { const void *v; size_t n; } seq;
	};
};

/*
 * Decodes the payload of rec by its type t into vals[max]. Text and sequences point into rec.
 * All rec->len bytes must be readable; no byte beyond them is read.
 * Returns the number of values, at most max. -EBADMSG: the length, or a count or a string in the
 * record, does not fit the type; or the type has a field of a kind that this library does not know.
 */
int ctrace_decode(const struct ctrace_event_type *t, const struct ctrace_record *rec,
		  struct ctrace_value *vals, size_t max);

/* The i-th element of a SEQ or SEQ_INT (sign-extended) value; i < v->seq.n. */
uint64_t ctrace_value_at(const struct ctrace_value *v, size_t i);

/* --- sessions ------------------------------------------------------------- */

struct ctrace_session;

struct ctrace_session_opts {
	size_t sz;			/* sizeof(struct ctrace_session_opts) */
	uint64_t arena_size;		/* bytes, 0: the module's default */
	uint64_t ring_size;		/* bytes, 0: default */
	uint32_t subbuf_size;		/* bytes, 0: default */
	uint32_t flags;			/* CTRACE_SESSION_F_* */
	/*
	 * A waiting reader is woken this many ns after the first record. 0: at once; UINT64_MAX: the
	 * default. So a zeroed struct asks for "at once".
	 */
	uint64_t wakeup_ns;
	const char *name;		/* for `ctrace status`, cut to 63 bytes; NULL: the program's */
	const char *filter;		/* expression for every event (CTRACE_A_SESSION_FILTER), or NULL */
	uint32_t rate;			/* records a second of each container, at most; 0: no limit */
	/*
	 * Sizes the rings for this many containers; any more share each CPU's shared ring.
	 * 0: about 15. Ignored if ring_size is set.
	 */
	uint32_t containers;
};

/*
 * Makes a session: stopped, without probes and targets. o NULL: all defaults.
 * -EINVAL: o->sz is not set. -E2BIG: o sets an option that is newer than this library.
 * -ENAMETOOLONG: a filter of more than 1023 bytes. Else as the module says.
 */
int ctrace_session_new(struct ctrace *ct, const struct ctrace_session_opts *o, struct ctrace_session **out);
void ctrace_session_free(struct ctrace_session *s);	/* ends it in the kernel; readers may still drain */
uint32_t ctrace_session_id(const struct ctrace_session *s);
int ctrace_session_start(struct ctrace_session *s);	/* begins to record */
int ctrace_session_stop(struct ctrace_session *s);	/* what is in the rings can still be read */

/* name: one of the forms of CTRACE_A_PROBE_NAME. probe_id and event_id may be NULL. */
int ctrace_probe_add(struct ctrace_session *s, const char *name, uint32_t *probe_id, uint32_t *event_id);

struct ctrace_probe_opts {
	size_t sz;			/* sizeof(struct ctrace_probe_opts) */
	const char *filter;		/* expression (CTRACE_A_PROBE_FILTER), or NULL */
	uint32_t flags;			/* CTRACE_PROBE_F_* */
	uint32_t one_of;		/* N: record 1 in N of the events that pass, on each CPU; 0: all */
};
/*
 * As ctrace_probe_add(), with options; o NULL: none. -EEXIST: another probe of the session records
 * the same event with other options. -EINVAL, -E2BIG, -ENAMETOOLONG: as ctrace_session_new().
 * Both functions: -EBUSY if the probe records kernel addresses and a reader of a single container
 * is open on the session.
 */
int ctrace_probe_add_opts(struct ctrace_session *s, const char *name, const struct ctrace_probe_opts *o,
			  uint32_t *probe_id, uint32_t *event_id);
int ctrace_probe_del(struct ctrace_session *s, uint32_t probe_id);

/* Targets: whose events to record. A session without targets records nothing; targets add up. */
int ctrace_target_all(struct ctrace_session *s);
int ctrace_target_cid(struct ctrace_session *s, uint32_t cid);
/* A process, its threads and what they fork; pid as the caller's pid namespace numbers it. */
int ctrace_target_pid(struct ctrace_session *s, uint32_t pid);
int ctrace_target_cgroup(struct ctrace_session *s, const char *path);	/* directory in a cgroup mount */
/* The container or cgroup named here is left out, whatever the session's other targets say. */
int ctrace_target_not_cid(struct ctrace_session *s, uint32_t cid);
int ctrace_target_not_cgroup(struct ctrace_session *s, const char *path);

/*
 * Defines a kprobe's event type ("p:NAME SYMBOL ARG..."). Until ctrace_event_undefine(), any session
 * may use NAME as a probe's name; sessions that use it then keep it. event_id may be NULL.
 * -EINVAL: the definition is wrong. -ENOENT: no such symbol. -EEXIST: the name is taken.
 * -ENAMETOOLONG: more than 1023 bytes. ctrace_strerror() has the details.
 */
int ctrace_event_define(struct ctrace *ct, const char *definition, uint32_t *event_id);
int ctrace_event_undefine(struct ctrace *ct, const char *name);
/*
 * Calls fn for each tracepoint of this kernel, with a name that a SUBSYS:NAME probe takes.
 *
 * This and every other _each() function first gathers the whole list, then calls fn, which may thus
 * make requests of its own. What fn gets is good until fn returns. A result other than 0 of fn stops
 * the walk, and is the function's own result.
 */
typedef int (*ctrace_tracepoint_fn)(const char *name, void *arg);	/* != 0 stops */
int ctrace_tracepoint_each(struct ctrace *ct, ctrace_tracepoint_fn fn, void *arg);

/*
 * flags: CTRACE_SESSION_F_*. state: 0 stopped, 1 recording. owner: pid of its maker, in the initial
 * pid namespace. slots: rings in the arena; slots_used: those that are bound, shared ones included.
 * Sizes are bytes. events: records published. lost_*: as in struct ctrace_losses.
 */
struct ctrace_session_info {
	uint32_t id, flags, state, owner, slots, slots_used, probes, subbuf_size;
	uint64_t arena_size, ring_size, events, lost_full, lost_nested, lost_missed;
	uint64_t lost_unfollowed;	/* whole calls, or tasks: see CTRACE_LOSS_UNFOLLOWED */
	uint64_t limited;		/* records held back by the session's rate */
	char name[64];
};
typedef int (*ctrace_session_fn)(const struct ctrace_session_info *info, void *arg);	/* != 0 stops */
int ctrace_session_each(struct ctrace *ct, ctrace_session_fn fn, void *arg);

struct ctrace_probe_info { uint32_t session, id, event_id; uint64_t missed; char name[1024]; };
typedef int (*ctrace_probe_fn)(const struct ctrace_probe_info *info, void *arg);
int ctrace_probe_each(struct ctrace *ct, ctrace_probe_fn fn, void *arg);

struct ctrace_ring_info {
	uint32_t session, slot, cpu, cid, gen;
	uint64_t events, bytes, lost_full, lost_nested;
};
typedef int (*ctrace_ring_fn)(const struct ctrace_ring_info *info, void *arg);
int ctrace_ring_each(struct ctrace *ct, uint32_t session /* 0: all */, ctrace_ring_fn fn, void *arg);

/*
 * The records of each container that a session's rate held back. cid CTRACE_CID_ALL: those of all
 * containers that no longer fit into the module's table, together.
 */
struct ctrace_limit_info { uint32_t session, cid; uint64_t dropped; };
typedef int (*ctrace_limit_fn)(const struct ctrace_limit_info *info, void *arg);
int ctrace_limit_each(struct ctrace *ct, uint32_t session /* 0: all */, ctrace_limit_fn fn, void *arg);

/* --- containers ------------------------------------------------------------ */

/*
 * cid, parent: 0 is the host; parent is the container around this one. hierarchy: 0 cgroup v2, else
 * the number of the v1 hierarchy. pidns: number of its pid namespace, 0 not known yet. init_pid: pid
 * of its init on the host, 0 not known. flags: CTRACE_CONTAINER_F_*. cgroup_id: inode number of its
 * boundary cgroup, 0 none. first_seen, gone: CLOCK_MONOTONIC, ns; gone is 0 while it lives.
 */
struct ctrace_container {
	uint32_t cid, parent, hierarchy, pidns, init_pid, flags;
	uint64_t cgroup_id, first_seen, gone;
	char runtime[16];		/* docker, podman, ...; "" if the path does not show it */
	char runtime_id[65];		/* 64 hex digits or "" */
	char path[512];			/* of its cgroup */
};
typedef int (*ctrace_container_fn)(const struct ctrace_container *c, void *arg);
/*
 * Every container that the module knows now, by cid: the host (cid 0) first. Some may have just ended:
 * these have CTRACE_CONTAINER_F_DEAD.
 */
int ctrace_container_each(struct ctrace *ct, ctrace_container_fn fn, void *arg);

/*
 * Births and deaths of containers. born is true at a birth, and again when more has become known of
 * the container; false at its death.
 */
typedef int (*ctrace_container_event_fn)(const struct ctrace_container *c, bool born, void *arg);
/*
 * Returns a descriptor to poll; it belongs to ct. A second call returns the same one and replaces
 * fn and arg.
 */
int ctrace_container_subscribe(struct ctrace *ct, ctrace_container_event_fn fn, void *arg);
/*
 * Calls fn for the notices that have come; does not wait. Returns the number of datagrams taken,
 * 0 if there was none; or, at once, a result of fn other than 0. -ENOBUFS: notices were lost, so
 * list the containers again.
 */
int ctrace_container_dispatch(struct ctrace *ct);

/* --- readers ---------------------------------------------------------------- */

struct ctrace_reader;		/* a mapping of a session's rings, with its own cursors */

enum {
	CTRACE_READER_FROM_NOW	= 1 << 0,	/* skip what is in the rings already; else from the oldest */
};

/*
 * Opens a reader on all of s. The reader may outlive s.
 * Every _open function: -EINVAL for an unknown flag, -EPROTO if the mapping is laid out for another
 * version of this library; on error *out is NULL.
 */
int ctrace_reader_open(struct ctrace_session *s, unsigned int flags, struct ctrace_reader **out);
/*
 * Opens a reader on any session by its id, or on one container of it (cid CTRACE_CID_ALL: on all).
 * -ENOENT: no such session or container. -ENOSPC: no free ring for the container. -EACCES: one
 * container of a session whose records hold kernel addresses.
 */
int ctrace_reader_open_id(struct ctrace *ct, uint32_t session, uint32_t cid, unsigned int flags,
			  struct ctrace_reader **out);
/*
 * Opens a reader on a descriptor of /dev/ctrace that is already bound, perhaps by another process.
 * On success the reader owns fd; on error fd is still the caller's.
 */
int ctrace_reader_open_fd(int fd, unsigned int flags, struct ctrace_reader **out);
void ctrace_reader_close(struct ctrace_reader *r);
/* To poll: POLLIN when there may be records, POLLHUP when the session has ended. It belongs to r. */
int ctrace_reader_fd(const struct ctrace_reader *r);
/* The mapped directory; only its state changes. */
const struct ctrace_dir *ctrace_reader_dir(const struct ctrace_reader *r);

/*
 * Gives the next record in order of time over all CPUs and containers.
 * Returns 1 with *rec, which stays good until the next call on r; 0 if there is nothing more for now
 * (poll the descriptor); -ENODATA if there will never be more (the session has ended and is
 * drained); -ENOMEM, or -EPROTO if a ring makes no sense.
 *
 * The order is total. While a CPU is writing a record, younger records of other CPUs wait for it,
 * and so does this call: as long as an interrupt takes, and for a second at most. One exception is
 * left: if a virtual CPU's host stops it for longer than that, its record comes late.
 */
int ctrace_reader_next(struct ctrace_reader *r, const struct ctrace_record **rec);

/*
 * What this reader saw and lost since it was opened, exactly and by cause. Once it is drained:
 * seen + overrun == records published in the session, counted from the session's start, or from
 * the opening with FROM_NOW. The other causes count what was never published.
 */
struct ctrace_losses {
	uint64_t seen;			/* records handed out */
	uint64_t overrun;		/* records overwritten before they were read */
	uint64_t full, nested;		/* records that the kernel refused: CTRACE_LOSS_FULL, _NESTED */
	/* These two are known to readers of ctrace_reader_open() only; for others they are 0. */
	uint64_t missed;		/* kprobe hits missed */
	uint64_t unfollowed;		/* whole calls, or tasks, not followed: CTRACE_LOSS_UNFOLLOWED */
};
int ctrace_reader_losses(struct ctrace_reader *r, struct ctrace_losses *l);

/*
 * For recorders: hands out whole runs of records, straight from the mapping.
 *
 * fn gets consecutive complete records of one ring. They may be overwritten while fn uses them, so
 * code that walks them checks each record's length. After fn returned 0, the reader checks whether
 * any was overwritten, and calls done (unless NULL) with the answer: if ok, keep what fn did; if not,
 * undo it, and the run counts as lost.
 *
 * Returns the number of runs that were ok, or a negative result of fn (that run is offered again) or
 * of done. -EBUSY: this reader holds records for ctrace_reader_next(). Use a reader for one of the
 * two functions only.
 */
struct ctrace_run {
	uint32_t slot, cpu, cid;	/* cid CTRACE_CID_ALL: shared ring */
	uint32_t count;			/* records */
	const void *data;		/* in the mapping */
	size_t len;			/* bytes, multiple of 8 */
	uint64_t time_begin, time_end;	/* of the first and the last record */
	uint64_t lost;			/* overrun: records lost between this ring's last good run and this */
	uint64_t refused;		/* full + nested of this ring, running total */
	const struct ctrace_record *last;	/* the last record of the run, in the mapping */
};
typedef int (*ctrace_run_fn)(const struct ctrace_run *run, void *arg);
typedef int (*ctrace_run_done_fn)(const struct ctrace_run *run, bool ok, void *arg);
int ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg);

/* --- CTF -------------------------------------------------------------------- */

struct ctrace_ctf_env {
	size_t sz;			/* sizeof(struct ctrace_ctf_env) */
	uint8_t uuid[16];
	int64_t clock_offset_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	const char *hostname, *kernel_release, *kernel_version;	/* each may be NULL */
	const char *extra;		/* more env lines ("name = \"value\";\n"...), or NULL */
};
/*
 * Writes CTF 1.8 metadata for every type of the schema that this kernel has, and flushes f.
 * -EINVAL: env->sz is too small. Else the error of writing to f.
 */
int ctrace_ctf_metadata(FILE *f, const struct ctrace_schema *s, const struct ctrace_ctf_env *env);

/*
 * The head of each packet of a stream file, as the metadata describes it; records
 * follow. packet_size includes the padding of the last record to 8 bytes. content_size does not:
 * CTF readers expect another whole event as long as any content is left.
 *   packet_size = 8 * (sizeof(struct ctrace_ctf_packet) + run->len)
 *   content_size = packet_size - 8 * run->last->len + ctrace_ctf_record_bits(type, run->last)
 */
struct ctrace_ctf_packet {
	uint32_t magic;			/* 0xC1FC1FC1 */
	uint8_t uuid[16];
	uint32_t stream_id;		/* 0 */
	uint64_t timestamp_begin, timestamp_end;
	uint64_t content_size, packet_size;	/* bits */
	uint64_t packet_seq_num;
	uint64_t events_discarded;	/* running total of the stream */
	uint32_t cpu_id;
	uint32_t ring_cid;		/* container of this stream, CTRACE_CID_ALL: shared */
};

/*
 * The bits of a record without its padding. If t is NULL or the record does not decode, the bits of
 * all rec->len bytes. rec may be in a mapping that is being overwritten.
 */
uint32_t ctrace_ctf_record_bits(const struct ctrace_event_type *t, const struct ctrace_record *rec);

#ifdef __cplusplus
}
#endif
#endif /* LIBCTRACE_H */
