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
 * Errors. When a call on a struct ctrace, or on a session of it, fails, ctrace_errmsg() has a
 * sentence that names what was wrong; ctrace_reader_errmsg() has it for a reader. Decoding, and
 * schema calls without a struct ctrace, have a number only. -ESHUTDOWN: ctrace_close() has ended the
 * session, and no connection is left to ask for a sentence.
 *
 * Permission. The table in ctrace_netlink.h says who may do what; others get -EPERM.
 *
 * Threads. Objects are not locked: use each struct ctrace (with its sessions) and each
 * struct ctrace_reader in one thread at a time. A reader, once open, shares nothing with its session
 * or a connection: it may live in another thread, and longer than they.
 *
 * Structs that grow. Programs and libraries of different ages fit together:
 * - Options start with their size, sz. What the program's struct lacks has its default. What the
 *   library's lacks must be 0, else -E2BIG.
 * - A struct that the caller allocates and the library fills is passed with its size. A program gets
 *   the members that it knows; those that the library does not know are 0.
 * - A struct that a callback gets, or that a function returns a pointer to, may be longer in a newer
 *   library than in the program's header. Copy the members that you need, or the size that you know.
 * - struct ctrace_field and struct ctrace_value lie in arrays, and do not grow.
 */
#ifndef LIBCTRACE_H
#define LIBCTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ctrace/ctrace.h>
#include <ctrace/ctrace_netlink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- connection ------------------------------------------------------------ */

/* The library's own version, as "0.1.0": static text. Any version before 1.0 may change the interface. */
const char *ctrace_version(void);

struct ctrace;			/* a netlink socket to the module; owns the sessions made on it */

/*
 * Opens a connection. Where module aliases allow it, this loads the module: asking for its netlink
 * family does, or opening /dev/ctrace. -ENOENT: the module is not loaded and could not be. -ENONET:
 * it is loaded, but this process is not in the first network namespace, which alone has its netlink
 * family. -EPROTO: the module and this library are of ABI versions that do not fit each other. On
 * error *out is an object all the same, as with sqlite3_open(), for use with ctrace_errmsg() and
 * ctrace_close(). It is NULL only if there was no memory for it.
 */
int ctrace_open(struct ctrace **out);
/* Ends its sessions in the kernel. Session objects are still the caller's to free. */
void ctrace_close(struct ctrace *ct);
/* The sentence of the last error on ct; ct NULL: "out of memory". Good until the next call on ct. */
const char *ctrace_errmsg(const struct ctrace *ct);

/*
 * abi, abi_compat, version: the module's. features: CTRACE_FEATURE_*. containers: those alive now.
 * cgroup_mode: enum ctrace_cgroup_mode. unknown: see CTRACE_A_INFO_UNKNOWN. tasks, spared, spared_why: see
 * CTRACE_A_INFO_TASKS; tasks is 0 if the module does not know. For a caller that may not trace, containers,
 * sessions, unknown, tasks and all that follow are 0. recalls, recalled_ns, recalled_of_ns: see
 * CTRACE_A_INFO_RECALLS. blind: why the kernel calls no kprobe just now, and what to type; "": it does.
 * blind_ns: for how long it did not, since the module was loaded.
 */
struct ctrace_info {
	uint32_t abi, abi_compat, containers, sessions, cgroup_mode;
	uint64_t features, unknown;
	char version[32];
	uint32_t tasks, spared;
	char spared_why[80];
	uint64_t recalls, recalled_ns, recalled_of_ns, blind_ns;
	char blind[96];
};
int ctrace_info(struct ctrace *ct, struct ctrace_info *info, size_t sz);	/* sz: sizeof(*info) */

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
	const char *source;	/* the tracepoint whose probe makes it, or "FUNCTION()", or NULL */
	const char *definition;	/* of a defined kprobe, in a form of CTRACE_A_PROBE_NAME, or NULL */
	uint32_t nfields;
	const struct ctrace_field *fields;
};

/*
 * Asks the module for its types. A caller that may not trace may not list them all: its schema is empty at
 * first, and _by_id() and _by_name() ask for a type when it is first wanted, over ct, so in ct's thread;
 * after ctrace_close() they know no more. So a process can decode what it reads from another's descriptor.
 */
int ctrace_schema_get(struct ctrace *ct, struct ctrace_schema **out);
/* Learns the types of kprobes that were added since. Pointers to types stay good. */
int ctrace_schema_refresh(struct ctrace *ct, struct ctrace_schema *s);
struct ctrace_schema *ctrace_schema_new(void);		/* empty: for files and tests; NULL: no memory */
/*
 * Adds a copy of t; sz: sizeof(*t). An earlier type of the same id is replaced, but stays in memory until
 * _free(). -EINVAL: t is no valid type, or a field is of a kind that this library does not know. _get() and
 * _refresh() leave out only such types: their records then have no type. -E2BIG: t has members that are
 * newer than this library.
 */
int ctrace_schema_add(struct ctrace_schema *s, const struct ctrace_event_type *t, size_t sz);
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
		/* SEQ, SEQ_INT: n elements of field->size bytes, perhaps unaligned: ctrace_value_at() */
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

/* For wakeup_ns: as soon as there is a record. */
#define CTRACE_WAKEUP_AT_ONCE	1

struct ctrace_session_opts {
	size_t sz;			/* sizeof(struct ctrace_session_opts) */
	uint64_t arena_size;		/* bytes, 0: the module's default */
	uint64_t ring_size;		/* bytes, 0: default */
	uint32_t subbuf_size;		/* bytes, 0: default */
	/* CTRACE_SESSION_F_*. A module refuses one that it does not know (-EINVAL) */
	uint32_t flags;
	/*
	 * A waiting reader is woken this many ns after the first record, at most 10^9. 0: the
	 * default (5 ms); CTRACE_WAKEUP_AT_ONCE
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
	/* First bytes of what calls read and write, at most CTRACE_DATA_MAX; 0: none. Perhaps passwords. */
	uint32_t data;
	/* bytes for the tables of aggregates, beside the arena: see libctrace_aggregate.h; 0: none */
	uint64_t table_size;
	uint32_t freeze_ms;		/* CTRACE_A_SESSION_FREEZE_MS; 0: CTRACE_FREEZE_MS_DEFAULT */
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

struct ctrace_probe_opts {
	size_t sz;			/* sizeof(struct ctrace_probe_opts) */
	const char *filter;		/* expression (CTRACE_A_PROBE_FILTER), or NULL */
	uint32_t flags;			/* CTRACE_PROBE_F_* */
	uint32_t one_of;		/* N: record 1 in N of the events that pass, on each CPU; 0: all */
	/* counts the events in a table instead of recording them (CTRACE_A_PROBE_AGGREGATE), or NULL */
	const char *aggregate;
	uint32_t rows;			/* of that table, on each CPU; 0: 1024 */
	/* bytes of the stack (CTRACE_A_PROBE_COPY), for CTRACE_PROBE_F_USER_COPY; 0: CTRACE_COPY_DEFAULT */
	uint32_t copy;
	uint32_t freezes;		/* CTRACE_A_PROBE_FREEZES; 0: its own session */
};
/*
 * name: one of the forms of CTRACE_A_PROBE_NAME. o NULL: no options. probe_id and event_id may be NULL.
 * ctrace_aggregate_add() does the same, and returns the place of an aggregate's table. -EEXIST: another probe
 * of the session records the same event with other options. -EBUSY: the probe records kernel addresses, and a
 * reader of a single container is open on the session. -EINVAL, -E2BIG, -ENAMETOOLONG: as
 * ctrace_session_new().
 */
int ctrace_probe_add(struct ctrace_session *s, const char *name, const struct ctrace_probe_opts *o,
		     uint32_t *probe_id, uint32_t *event_id);
int ctrace_probe_del(struct ctrace_session *s, uint32_t probe_id);

/* Whose events to record. A session without targets records nothing; targets add up. */
struct ctrace_target {
	size_t sz;			/* sizeof(struct ctrace_target) */
	enum ctrace_target_kind kind;	/* says which of the members below counts */
	uint32_t cid;			/* CTRACE_TARGET_CID: a container; CTRACE_CID_HOST: the host */
	/* CTRACE_TARGET_PID: a process, its threads and what they fork; numbered as the caller sees it */
	uint32_t pid;
	const char *cgroup;		/* CTRACE_TARGET_CGROUP: a directory in a cgroup mount */
	/* leaves out this container or cgroup, whatever the session's other targets say */
	bool exclude;
};
/*
 * t NULL: every container and the host, as CTRACE_TARGET_ALL. target_id may be NULL.
 * -EINVAL, -E2BIG: as ctrace_session_new(), or a kind that cannot be left out. -ENOENT: no such
 * container, cgroup or directory. -ESRCH: no such process. -ENOTDIR: not a cgroup's directory.
 * -ENAMETOOLONG: a cgroup more than 64 levels deep.
 */
int ctrace_target_add(struct ctrace_session *s, const struct ctrace_target *t, uint32_t *target_id);
int ctrace_target_del(struct ctrace_session *s, uint32_t target_id);
/*
 * Of a target of kind CTRACE_TARGET_BORN: container cid, which it took at its birth, is not what the caller
 * wants. It is then wanted only for other targets, or because one around it is; so let outer ones go first.
 * It costs as much as one container, and leaves nothing behind. -EINVAL: a target of another kind. -ENOENT:
 * no such target, or the container has gone.
 */
int ctrace_target_let_go(struct ctrace_session *s, uint32_t target_id, uint32_t cid);

/*
 * What the session as a whole did not record, since it was made; sz: sizeof(*l). No reader can count
 * these. What it can, ctrace_reader_losses() has.
 */
struct ctrace_session_losses {
	uint64_t missed;		/* hits of a kprobe, samples: CTRACE_LOSS_MISSED */
	uint64_t unfollowed;		/* whole calls, block requests: CTRACE_LOSS_UNFOLLOWED */
	uint64_t unfollowed_tasks;	/* tasks of pid targets: CTRACE_LOSS_UNFOLLOWED_TASKS */
	uint64_t limited;		/* records that the session's rate held back: no loss */
	uint64_t unread;		/* calls that a filter could not decide: CTRACE_LOSS_UNREAD */
	/* ns in which the kernel called no kprobe, so events were missed: ctrace_probe_each() has which */
	uint64_t blind_ns;
	uint64_t freeze_refused;	/* freezes that were refused: CTRACE_A_SESSION_FREEZE_REFUSED */
};
int ctrace_session_losses(struct ctrace_session *s, struct ctrace_session_losses *l, size_t sz);

/*
 * Defines a kprobe's event type ("p:NAME SYMBOL ARG..."). Any session may use NAME as a probe's name, until
 * ctrace_event_undefine(), or until ctrace_close() unless flags has CTRACE_EVENT_F_KEEP; sessions that use
 * it then keep it. event_id may be NULL.
 * -EINVAL: the definition is wrong. -ENOENT: no such symbol. -EEXIST: the name is taken.
 * -ENAMETOOLONG: more than 1023 bytes. ctrace_errmsg() has the details.
 */
int ctrace_event_define(struct ctrace *ct, const char *definition, uint32_t flags, uint32_t *event_id);
int ctrace_event_undefine(struct ctrace *ct, const char *name);
/*
 * Calls fn for each tracepoint of this kernel, with a name that a SYSTEM:NAME probe takes.
 *
 * This and every other _each() function first gathers the whole list, then calls fn, which may thus
 * make requests of its own. The object passed to fn is valid until fn returns. A result other than 0 of fn
 * stops the walk, and is the function's own result.
 */
typedef int (*ctrace_tracepoint_fn)(const char *name, void *arg);	/* != 0 stops */
int ctrace_tracepoint_each(struct ctrace *ct, ctrace_tracepoint_fn fn, void *arg);

/*
 * flags: CTRACE_SESSION_F_*. state: enum ctrace_session_state. owner: pid of its maker, in the initial
 * pid namespace. slots: rings in the arena; slots_used: those that are bound, shared ones included.
 * Sizes are bytes. events: records published. lost_*, limited: as in struct ctrace_losses and struct
 * ctrace_session_losses. table_size, table_used: for tables of aggregates, and what they take of it.
 */
struct ctrace_session_info {
	uint32_t id, flags, state, owner, slots, slots_used, probes, subbuf_size;
	uint64_t arena_size, ring_size, events, lost_full, lost_nested, lost_missed;
	uint64_t lost_unfollowed, lost_unfollowed_tasks, lost_unread, limited;
	char name[64];
	uint64_t table_size, table_used;
	uint64_t blind_ns;
	uint64_t lost_frozen, freeze_refused;
	uint32_t frozen, freeze_ms;	/* containers frozen now; CTRACE_A_SESSION_FREEZE_MS */
};
typedef int (*ctrace_session_fn)(const struct ctrace_session_info *info, void *arg);	/* != 0 stops */
int ctrace_session_each(struct ctrace *ct, ctrace_session_fn fn, void *arg);

/* aggregate: "" if it records its events. rows, table: of its table, as in libctrace_aggregate.h */
struct ctrace_probe_info {
	uint32_t session, id, event_id;
	uint64_t missed;
	char name[1024], aggregate[1024];
	uint32_t rows;
	uint64_t table;
	uint64_t blind_ns;	/* see CTRACE_A_PROBE_BLIND_NS */
};
typedef int (*ctrace_probe_fn)(const struct ctrace_probe_info *info, void *arg);
int ctrace_probe_each(struct ctrace *ct, uint32_t session /* 0: all */, ctrace_probe_fn fn, void *arg);

/* As in struct ctrace_target; cgroup: its path below the root of its hierarchy. */
struct ctrace_target_info {
	uint32_t session, id;
	enum ctrace_target_kind kind;
	uint32_t cid, pid;
	bool exclude;
	char cgroup[512];
};
typedef int (*ctrace_target_fn)(const struct ctrace_target_info *info, void *arg);
int ctrace_target_each(struct ctrace *ct, uint32_t session /* 0: all */, ctrace_target_fn fn, void *arg);

#include "libctrace_under_way.h"	/* threads and block requests */
#include "libctrace_freeze.h"		/* containers whose rings are frozen */

struct ctrace_ring_info {
	uint32_t session, slot, cpu, cid, gen;
	uint64_t events, bytes, lost_full, lost_nested;
	uint64_t lost_frozen;
};
typedef int (*ctrace_ring_fn)(const struct ctrace_ring_info *info, void *arg);
int ctrace_ring_each(struct ctrace *ct, uint32_t session /* 0: all */, ctrace_ring_fn fn, void *arg);

/*
 * The records of each container that a session's rate held back. cid CTRACE_CID_ALL: of all containers that
 * no longer fit into the module's table, together.
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
	CTRACE_READER_CID	= 1 << 1,	/* only container cid, by a view; else all */
	CTRACE_READER_FD	= 1 << 2,	/* what descriptor fd shows */
};

struct ctrace_reader_opts {
	size_t sz;			/* sizeof(struct ctrace_reader_opts) */
	uint32_t flags;			/* CTRACE_READER_* */
	uint32_t session;		/* id of any session, in place of s */
	uint32_t cid;
	/* a view (CTRACE_IOC_VIEW), or bound (_BIND), perhaps from another process; not with s or session */
	int fd;
};
/*
 * Opens a reader:
 *	ctrace_reader_open(s, NULL, &r)			of all of s
 *	ctrace_reader_open(NULL, &o, &r)		of session o.session
 *	either, with CTRACE_READER_CID			of one container of it
 *	ctrace_reader_open(NULL, &o, &r), _FD		of what o.fd shows
 * The last one needs no permission. It takes over o.fd if it succeeds; if not, o.fd is still the caller's.
 *
 * On error *out is an object all the same, as with ctrace_open(): for ctrace_reader_errmsg() and
 * ctrace_reader_close(). If s is not NULL, ctrace_errmsg() has the sentence, too.
 * -EINVAL: o does not say one thing. -E2BIG: as ctrace_session_new(). -ENOENT: no such session or container,
 * or no /dev/ctrace. -EPERM: the caller may not trace. -ENOSPC: no free ring for the container. -ETIMEDOUT: a
 * CPU did not prepare one. -EACCES: one container of a session whose records hold kernel addresses or show
 * neighbours. -ENXIO: o.fd is not bound. -ENOTTY: o.fd is no such descriptor; nothing of it was mapped.
 * -EPROTO: the rings are laid out for another version of this library.
 */
int ctrace_reader_open(struct ctrace_session *s, const struct ctrace_reader_opts *o,
		       struct ctrace_reader **out);
/* Unmaps the rings and closes the descriptor. */
void ctrace_reader_close(struct ctrace_reader *r);
/*
 * Takes back the view that this reader of one container has opened, from all processes that were given its
 * descriptor: their mappings show nothing any more, and they read that it has ended. So does this
 * reader. -EPERM: the caller may not trace. -ENOTTY: it reads a whole session.
 */
int ctrace_reader_revoke(struct ctrace_reader *r);
/* The sentence of the last error on r; r NULL: "out of memory". Good until the next call on r. */
const char *ctrace_reader_errmsg(const struct ctrace_reader *r);
/*
 * Waits until there may be records, for timeout_ms at most (-1: no limit; 0: does not wait).
 * Returns 1: look; 0: the time is over; -ENODATA: the session or the view has ended, and this reader has read
 * all; -EINTR: a signal came. If records are left from before, it does not wait. While they stream, it
 * returns once per wakeup_ns.
 */
int ctrace_reader_poll(struct ctrace_reader *r, int timeout_ms);
/*
 * For event loops, and to pass on (see CTRACE_IOC_VIEW); it belongs to r. POLLIN: there may be records;
 * POLLHUP: the session has ended. POLLIN is said once: read until there is nothing more before you wait
 * again, and let one process wait on it, or one call of ctrace_reader_poll().
 */
int ctrace_reader_fd(const struct ctrace_reader *r);
/* The mapped directory; only its state changes. */
const struct ctrace_dir *ctrace_reader_dir(const struct ctrace_reader *r);

/*
 * Gives the next record in order of time over all CPUs and containers.
 * Returns 1 with *rec, which stays good until the next call on r; 0 if there is nothing more for now
 * (ctrace_reader_poll() waits); -ENODATA if there will never be more (the session has ended and is
 * drained, or the view was taken back, see CTRACE_VIEW_DRAIN_MS); -ENOMEM, or -EPROTO: a ring makes no sense.
 *
 * The order is total. While a CPU is writing a record, younger records of other CPUs wait for it,
 * and so does this call: as long as an interrupt takes, and for a second at most. One exception is
 * left: if a virtual CPU's host stops it for longer than that, its record comes late.
 */
int ctrace_reader_next(struct ctrace_reader *r, const struct ctrace_record **rec);

/*
 * The numbers of records that this reader saw and lost since it was opened, exactly and by cause; sz:
 * sizeof(*l). Once it is drained: seen + overrun == records published in the session, counted from the
 * session's start, or from the opening with FROM_NOW. The other causes count what was never published.
 */
struct ctrace_losses {
	uint64_t seen;			/* records handed out */
	uint64_t overrun;		/* records overwritten before they were read */
	uint64_t full, nested;		/* records that the kernel refused: CTRACE_LOSS_FULL, _NESTED */
	uint64_t frozen;		/* and CTRACE_LOSS_FROZEN */
};
int ctrace_reader_losses(struct ctrace_reader *r, struct ctrace_losses *l, size_t sz);

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
	uint64_t refused;		/* full + nested + frozen of this ring, running total */
	const struct ctrace_record *last;	/* the last record of the run, in the mapping */
};
typedef int (*ctrace_run_fn)(const struct ctrace_run *run, void *arg);
typedef int (*ctrace_run_done_fn)(const struct ctrace_run *run, bool ok, void *arg);
int ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg);

/*
 * Lets records wait in their rings. fn is asked about each run before the reader hands it out, in either way;
 * true: not yet, and fn is asked again at the next look. Its records come late then, behind younger ones of
 * other rings. Records that wait are overwritten like any that are not read in time, and counted as such. A
 * shared ring (cid CTRACE_CID_ALL) waits as a whole. Only cid, count, data and len of the run are set; data
 * is in the mapping, so check each record's length. fn NULL: nothing waits any more.
 *
 * Records that wait do not wake the reader: if fn's answers change, look again.
 */
typedef bool (*ctrace_reader_hold_fn)(const struct ctrace_run *run, void *arg);
void ctrace_reader_hold(struct ctrace_reader *r, ctrace_reader_hold_fn fn, void *arg);

/* --- CTF -------------------------------------------------------------------- */

/*
 * Writes a CTF 1.8 trace, straight from the rings. Any reader of CTF can read it at any moment, also
 * while it is written, and when the writing program was killed: it then ends with the last whole packet.
 *
 *	DIR/metadata			what the records look like
 *	DIR/c12_0, DIR/shared_1 ...	a stream of packets per container and CPU
 *	DIR/ctrace/			unfinished files, ctrace_ctf_file(); CTF readers do not look here
 *
 * After an error nothing more is written: every further call returns that error, ctrace_ctf_errmsg() has
 * its sentence, and what was written before is a whole trace. If there was no packet yet, nothing is left.
 * Arguments that a call refuses with -EINVAL are no such error: the writer continues.
 *
 * Use a writer, its schema and its reader in one thread at a time.
 *
 * No file grows beyond RLIMIT_FSIZE: a stream continues in another one. A program that has such a limit
 * ignores or catches SIGXFSZ. If there are more streams than the program may have open files (RLIMIT_NOFILE),
 * they take turns.
 */
struct ctrace_ctf;

enum {
	/* take a directory that is not empty, and remove an older trace in it; other files stay */
	CTRACE_CTF_REPLACE	= 1 << 0,
};

struct ctrace_ctf_opts {
	size_t sz;			/* sizeof(struct ctrace_ctf_opts) */
	uint32_t flags;			/* CTRACE_CTF_* */
};

/*
 * Makes the directory, if it is not there, and writes the metadata for the types of s. A relative path
 * begins at the directory dirfd; AT_FDCWD: the current one, as with openat(2). s must live as long as
 * the writer. o NULL: no options.
 * -ENOTEMPTY: the directory has files in it. -EINVAL: o->sz is not set, or an unknown flag. -E2BIG: o sets
 * an option that is newer than this library. Else the error of a system call.
 * On error *out is an object all the same, for use with ctrace_ctf_errmsg() and ctrace_ctf_close(). It is
 * NULL only if there was no memory for it.
 */
int ctrace_ctf_open(int dirfd, const char *path, const struct ctrace_schema *s,
		    const struct ctrace_ctf_opts *o, struct ctrace_ctf **out);
/*
 * Ends the trace, and gives back the room that its files have at their ends. Returns the first error of
 * w, which may be one of closing a file. w may be NULL.
 */
int ctrace_ctf_close(struct ctrace_ctf *w);
/* The sentence of the error; "" if there was none; w NULL: "out of memory". Good until ctrace_ctf_close(). */
const char *ctrace_ctf_errmsg(const struct ctrace_ctf *w);

/*
 * Writes what is in the rings, a packet for each run. Returns the number of runs; 0: there was nothing,
 * so poll the reader. All calls for one writer are with one reader.
 */
int ctrace_ctf_drain(struct ctrace_ctf *w, struct ctrace_reader *r);
/*
 * The two halves of ctrace_ctf_drain(), for a program that looks at the runs, or leaves some out: for the
 * two functions that it gives to ctrace_reader_runs(). _write() writes a packet that no reader sees yet.
 * _done() makes it a part of the trace if ok, and else forgets it. -EINVAL: _done() without _write().
 */
int ctrace_ctf_write(struct ctrace_ctf *w, const struct ctrace_run *run);
int ctrace_ctf_done(struct ctrace_ctf *w, const struct ctrace_run *run, bool ok);

/*
 * Replaces the metadata, in one step, after types were added to the schema. Call it before records of
 * these types are written: no reader knows what to do with a record whose type the metadata lacks.
 */
int ctrace_ctf_metadata(struct ctrace_ctf *w);
/*
 * Puts a file into DIR/ctrace/, or replaces it in one step. For what a program wants to keep with a trace,
 * such as names of containers. CTRACE_CTF_REPLACE leaves such files of an older trace there, except the files
 * of `ctrace record`; the uuid distinguishes traces. -EINVAL: not a file's name, or one that the writer uses.
 */
int ctrace_ctf_file(struct ctrace_ctf *w, const char *name, const void *data, size_t len);

/* uuid: of the trace. records, bytes: in its packets. */
struct ctrace_ctf_info {
	uint8_t uuid[16];
	int64_t clock_offset_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC when it was opened */
	uint64_t records, bytes;
	uint64_t streams;		/* files */
	uint64_t lost;			/* as far as packets count it */
};
/* sz: sizeof(*info) */
void ctrace_ctf_info(const struct ctrace_ctf *w, struct ctrace_ctf_info *info, size_t sz);

#ifdef __cplusplus
}
#endif
#endif /* LIBCTRACE_H */
