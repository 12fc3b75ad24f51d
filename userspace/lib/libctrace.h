/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libctrace: sessions, containers and records of the ctrace kernel module.
 *
 * Conventions. Functions return 0 (or a count) or a negative errno; none
 * prints. Constructors hand out an object that its _free() (or _close()) takes back; what a
 * function returns as const belongs to the object it came from. After an error
 * of any call on a struct ctrace, ctrace_strerror() has a sentence that names what was
 * wrong. Objects are not locked: one thread at a time per struct ctrace and
 * per struct ctrace_reader. Option structs start with their size, so that they
 * can grow.
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

struct ctrace;			/* a netlink socket to the module; owns the sessions made on it */

/* Opens a connection; opening /dev/ctrace first loads the module where
 * module aliases allow it. -ENOENT: the module is not loaded and could not be.
 * On error *out still is an object, good for ctrace_strerror() and ctrace_close(), or NULL (-ENOMEM). */
int ctrace_open(struct ctrace **out);
void ctrace_close(struct ctrace *ct);		/* ends its sessions */
const char *ctrace_strerror(const struct ctrace *ct);

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
	enum ctrace_field_type type;
	uint32_t size;		/* bytes of INT, UINT, HEX, TEXT */
};

struct ctrace_event_type {
	uint32_t id;
	const char *name;	/* syscall_entry_openat */
	const char *system;	/* syscalls */
	const char *reason;	/* why this kernel lacks it, or NULL */
	const char *source;	/* tracepoint that it is made at, or NULL */
	const char *definition;	/* a kprobe's, in the form of CTRACE_A_PROBE_NAME, or NULL */
	uint32_t nfields;
	const struct ctrace_field *fields;
};

int ctrace_schema_get(struct ctrace *ct, struct ctrace_schema **out);	/* asks the module */
int ctrace_schema_refresh(struct ctrace *ct, struct ctrace_schema *s);	/* learns kprobes added since */
struct ctrace_schema *ctrace_schema_new(void);				/* empty: for files and tests */
int ctrace_schema_add(struct ctrace_schema *s, const struct ctrace_event_type *t);	/* copies t */
void ctrace_schema_free(struct ctrace_schema *s);
const struct ctrace_event_type *ctrace_schema_by_id(const struct ctrace_schema *s, uint32_t id);
const struct ctrace_event_type *ctrace_schema_by_name(const struct ctrace_schema *s, const char *name);
/* i-th type in order of id, NULL past the end */
const struct ctrace_event_type *ctrace_schema_at(const struct ctrace_schema *s, size_t i);

/* --- decoding ------------------------------------------------------------ */

struct ctrace_value {
	const struct ctrace_field *field;
	union {
		uint64_t u;		/* UINT, HEX */
		int64_t i;		/* INT */
		struct { const char *s; size_t len; } str;	/* TEXT, STRING: not NUL-terminated by contract; len stops at the first NUL */
		struct { const void *v; size_t n; } seq;	/* SEQ*: n of field->size bytes each; see ctrace_value_at() */
	};
};

/* Decodes the payload of rec (all of rec->len bytes readable) by type t into
 * vals[max]. Returns the number of values; -EBADMSG if the record is shorter
 * than its type says, or longer than its length: never reads beyond rec->len. */
int ctrace_decode(const struct ctrace_event_type *t, const struct ctrace_record *rec,
		  struct ctrace_value *vals, size_t max);

/*
 * i-th element of a SEQ, SEQ_INT (sign-extended) or SEQ_HEX value; i < v->seq.n.
 */
uint64_t ctrace_value_at(const struct ctrace_value *v, size_t i);

/* --- sessions ------------------------------------------------------------- */

struct ctrace_session;

struct ctrace_session_opts {
	size_t sz;			/* sizeof(struct ctrace_session_opts) */
	uint64_t arena_size;		/* bytes, 0: the module's default */
	uint64_t ring_size;		/* bytes, 0: default */
	uint32_t subbuf_size;		/* bytes, 0: default */
	uint32_t flags;			/* CTRACE_SESSION_F_* */
	uint64_t wakeup_ns;		/* UINT64_MAX: default */
	const char *name;		/* NULL: the program's */
	const char *filter;		/* expression for every event (CTRACE_A_SESSION_FILTER), or NULL */
	uint32_t rate;			/* most records a second of each container, 0: no limit */
	/* Rings as long as the arena has room for when so many containers have one on each CPU, and the others
	 * share one; 0: for about 15. Says nothing where ring_size does.
	 */
	uint32_t containers;
};

/* A new session is stopped and has no probes and no targets. o: NULL for all defaults. */
int ctrace_session_new(struct ctrace *ct, const struct ctrace_session_opts *o, struct ctrace_session **out);
void ctrace_session_free(struct ctrace_session *s);	/* ends it in the kernel */
uint32_t ctrace_session_id(const struct ctrace_session *s);
int ctrace_session_start(struct ctrace_session *s);
int ctrace_session_stop(struct ctrace_session *s);	/* readers may drain what is there */

/* name: the forms of CTRACE_A_PROBE_NAME. *probe_id may be NULL. */
int ctrace_probe_add(struct ctrace_session *s, const char *name, uint32_t *probe_id, uint32_t *event_id);

struct ctrace_probe_opts {
	size_t sz;			/* sizeof(struct ctrace_probe_opts) */
	const char *filter;		/* expression (CTRACE_A_PROBE_FILTER), or NULL */
	uint32_t flags;			/* CTRACE_PROBE_F_* */
	uint32_t one_of;		/* record one of so many, 0: all */
};
/*
 * The same with options; o: NULL for none. -EEXIST: another probe of the session has such an event with other options.
 * -EBUSY, of either: it records kernel addresses, and the session has readers of single containers.
 */
int ctrace_probe_add_opts(struct ctrace_session *s, const char *name, const struct ctrace_probe_opts *o,
			  uint32_t *probe_id, uint32_t *event_id);
int ctrace_probe_del(struct ctrace_session *s, uint32_t probe_id);

int ctrace_target_all(struct ctrace_session *s);
int ctrace_target_cid(struct ctrace_session *s, uint32_t cid);
int ctrace_target_pid(struct ctrace_session *s, uint32_t pid);
int ctrace_target_cgroup(struct ctrace_session *s, const char *path);	/* directory in a cgroup mount */
/* What these name is not wanted, whatever the session's other targets say. */
int ctrace_target_not_cid(struct ctrace_session *s, uint32_t cid);
int ctrace_target_not_cgroup(struct ctrace_session *s, const char *path);

/*
 * Event types of kprobes by definition ("p:NAME SYMBOL ARG..."), to be used as a probe's
 * name by any session until deleted. What is wrong with a definition: -EINVAL, -ENOENT (no such symbol), -EEXIST
 * (the name is taken), and the text of ctrace_strerror().
 */
int ctrace_event_define(struct ctrace *ct, const char *definition, uint32_t *event_id);
int ctrace_event_undefine(struct ctrace *ct, const char *name);
/* Names of all tracepoints of this kernel, for SUBSYS:NAME probes. */
typedef int (*ctrace_tracepoint_fn)(const char *name, void *arg);	/* != 0 stops */
int ctrace_tracepoint_each(struct ctrace *ct, ctrace_tracepoint_fn fn, void *arg);

struct ctrace_session_info {
	uint32_t id, flags, state, owner, slots, slots_used, probes, subbuf_size;
	uint64_t arena_size, ring_size, events, lost_full, lost_nested, lost_missed;
	uint64_t lost_unfollowed;	/* calls as a whole, or tasks: see CTRACE_LOSS_UNFOLLOWED */
	uint64_t limited;		/* held back by the session's rate */
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

/* What a session's rate held back of each container; cid CTRACE_CID_ALL: of those beyond the table's size. */
struct ctrace_limit_info { uint32_t session, cid; uint64_t dropped; };
typedef int (*ctrace_limit_fn)(const struct ctrace_limit_info *info, void *arg);
int ctrace_limit_each(struct ctrace *ct, uint32_t session /* 0: all */, ctrace_limit_fn fn, void *arg);

/* --- containers ------------------------------------------------------------ */

struct ctrace_container {
	uint32_t cid, parent, hierarchy, pidns, init_pid, flags;
	uint64_t cgroup_id, first_seen, gone;
	char runtime[16];		/* "" if the path does not tell */
	char runtime_id[65];		/* 64 hex digits or "" */
	char path[512];			/* cgroup path */
};
typedef int (*ctrace_container_fn)(const struct ctrace_container *c, void *arg);
/* Every container the kernel sees now, the host (cid 0) first. */
int ctrace_container_each(struct ctrace *ct, ctrace_container_fn fn, void *arg);

/* Births and deaths: a descriptor to poll, then _dispatch() until it returns 0.
 * born: true at birth, and again when more has become known of it. -ENOBUFS from dispatch: notices were lost, list again. */
typedef int (*ctrace_container_event_fn)(const struct ctrace_container *c, bool born, void *arg);
int ctrace_container_subscribe(struct ctrace *ct, ctrace_container_event_fn fn, void *arg);	/* returns the fd */
int ctrace_container_dispatch(struct ctrace *ct);

/* --- readers ---------------------------------------------------------------- */

struct ctrace_reader;		/* a mapping of a session's rings, with its own cursors */

enum {
	CTRACE_READER_FROM_NOW	= 1 << 0,	/* skip what is in the rings already; default: from the oldest */
};

int ctrace_reader_open(struct ctrace_session *s, unsigned int flags, struct ctrace_reader **out);
/* A session of somebody else, or one container of it (CTRACE_CID_ALL: all). */
int ctrace_reader_open_id(struct ctrace *ct, uint32_t session, uint32_t cid, unsigned int flags,
			  struct ctrace_reader **out);
/* A descriptor that was bound already, perhaps by another process; fd is then the reader's. */
int ctrace_reader_open_fd(int fd, unsigned int flags, struct ctrace_reader **out);
void ctrace_reader_close(struct ctrace_reader *r);
int ctrace_reader_fd(const struct ctrace_reader *r);	/* readable when there may be records; POLLHUP when the session ended */
const struct ctrace_dir *ctrace_reader_dir(const struct ctrace_reader *r);

/*
 * The next record in order of time over all CPUs and containers.
 * 1 and *rec, which stays good until the next call; 0: nothing more for now
 * (poll the descriptor); -ENODATA: nothing more, ever (session ended and drained).
 *
 * Order: total. While a CPU is writing a record, younger ones of other CPUs wait for it, and
 * so does this call: as long as an interrupt takes, and for a second at most (a virtual CPU
 * that its host stopped for longer has its record come late).
 */
int ctrace_reader_next(struct ctrace_reader *r, const struct ctrace_record **rec);

/* What this reader did not see, exactly: by cause since it was opened.
 * seen + overrun == records published in the session (from its start, or
 * from opening with FROM_NOW); full, nested, missed and unfollowed were never published. */
struct ctrace_losses {
	uint64_t seen;			/* records handed out */
	uint64_t overrun;		/* overwritten before they were read */
	uint64_t full, nested;		/* refused by the kernel */
	uint64_t missed;		/* kprobe hits missed: needs the owner's session, else 0 */
	uint64_t unfollowed;		/* calls as a whole, or tasks, that were not followed; likewise */
};
int ctrace_reader_losses(struct ctrace_reader *r, struct ctrace_losses *l);

/*
 * For recorders: whole runs of records, straight from the mapping.
 * fn gets consecutive complete records of one ring (who walks them checks each length, as they may be
 * overwritten meanwhile); after fn returned 0 the
 * reader checks that none was overwritten meanwhile and then calls done(ok, ...)
 * so that fn's effect can be kept or undone; with !ok the run counts as lost.
 * lost is the number of records of this ring lost before this run.
 * Returns the number of runs handed out, or fn's negative result, or -EBUSY: this
 * reader holds records for ctrace_reader_next(); a reader serves one of the two.
 */
struct ctrace_run {
	uint32_t slot, cpu, cid;	/* cid CTRACE_CID_ALL: shared ring */
	uint32_t count;			/* records */
	const void *data;
	size_t len;			/* bytes, multiple of 8 */
	uint64_t time_begin, time_end;	/* of the first and the last record */
	uint64_t lost;			/* before this run, by overrun */
	uint64_t refused;		/* full + nested of this ring, running total */
	const struct ctrace_record *last;	/* the last record of the run */
};
typedef int (*ctrace_run_fn)(const struct ctrace_run *run, void *arg);
typedef int (*ctrace_run_done_fn)(const struct ctrace_run *run, bool ok, void *arg);
int ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg);

/* --- CTF -------------------------------------------------------------------- */

struct ctrace_ctf_env {
	size_t sz;
	uint8_t uuid[16];
	int64_t clock_offset_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	const char *hostname, *kernel_release, *kernel_version;
	const char *extra;		/* further env lines ("name = \"value\";\n"...) or NULL */
};
/* Writes CTF 1.8 metadata for every type of the schema that this kernel has. */
int ctrace_ctf_metadata(FILE *f, const struct ctrace_schema *s, const struct ctrace_ctf_env *env);

/*
 * Head of each packet of a stream file, as the metadata describes it; records
 * follow. content_size ends where the last record's fields end, before its padding to 8
 * (readers take a whole event for granted where content is left); packet_size
 * includes that padding:
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

/* Bits of a record without its padding; all of rec->len if t is NULL or the
 * record does not decode. rec may be in a mapping that is being overwritten. */
uint32_t ctrace_ctf_record_bits(const struct ctrace_event_type *t, const struct ctrace_record *rec);

#ifdef __cplusplus
}
#endif
#endif /* LIBCTRACE_H */
