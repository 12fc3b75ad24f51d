/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event types: what this module can record, described for user space.
 * Curated types and system calls are static. Kprobes and raw tracepoints add dynamic ones, whose ids are
 * given again only when nothing uses them, and as late as can be.
 */
#ifndef CTRACE_EVENT_H
#define CTRACE_EVENT_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include "lang/expr.h"
#include "event/payload.h"

#define CTRACE_EVENT_IDS	(CTRACE_ID_COMPAT_CALL + CTRACE_NR_SYSCALLS)	/* every id is below it */
#define CTRACE_EVENT_FIELDS	CTRACE_EXPR_FIELDS
#define CTRACE_PAYLOAD_MAX	(CTRACE_RECORD_MAX - (u32)sizeof(struct ctrace_record))

/* Writes the sentence into why[CTRACE_WHY_MAX], returns err. For errors that user space gets in words. */
int ctrace_why(char *why, int err, const char *fmt, ...) __printf(3, 4);

struct ctrace_event_type {
	u32 id;
	const char *system;
	const char *name;
	const char *source;	/* its tracepoint, or source; NULL: made some other way */
	const char *definition;	/* text of a kprobe, see CTRACE_A_PROBE_NAME; or NULL */
	const struct ctrace_field_desc *fields;
	u32 nfields;
	u32 flags;		/* CTRACE_TYPE_F_* */
	/* that this is part of, or a copy of; NULL: curated, or a system call's */
	struct ctrace_dynamic *dynamic;
};

/* Its records hold kernel addresses: a session with it has no views of single containers. */
#define CTRACE_TYPE_F_KADDR	(1u << 0)

#define CTRACE_TYPE(i, sys, n, src, f)						\
	{ .id = CTRACE_ID_##i, .system = sys, .name = n, .source = src,		\
	  .fields = f, .nfields = ARRAY_SIZE(f) }
#define CTRACE_TYPE_KADDR(i, sys, n, src, f)					\
	{ .id = CTRACE_ID_##i, .system = sys, .name = n, .source = src,		\
	  .fields = f, .nfields = ARRAY_SIZE(f), .flags = CTRACE_TYPE_F_KADDR }

/* One system call as the kernel's headers describe it. */
struct ctrace_syscall {
	const char *name;	/* NULL: no call has this number */
	const char *kinds;	/* a letter per argument: see gen-syscalls */
	const char *args[6];
};

/* The part of it that the probe needs: a cache line holds eight. */
struct ctrace_syscall_layout {
	u8 nargs;
	u8 strings;		/* bit i: argument i is a string in user memory */
	u8 sext;		/* bit i: a signed 32-bit argument */
	u8 zext;		/* bit i: an unsigned 32-bit argument */
	u8 known : 1;
	u8 exec : 1;		/* if it succeeds, its arguments are gone when it returns */
	u8 narrow : 1;		/* sext or zext has a bit */
	/* what it has of strings, and of the fields in call_memory.h that are not empty for every session */
	u8 room : 1;		/* the whole record */
	u8 in : 1;		/* the entry */
	u8 out : 1;		/* the exit */
	u8 detail : 1;		/* it has fields that are empty but for sessions that ask for more */
	/* something of it must be kept from the entry to the return: ctrace_memory_fields says what */
	u8 keeps : 1;
	/* bytes of the whole record's fields behind the arguments, if all of them are empty */
	u8 tail;
	/*
	 * the same of the exit, behind the result; 0: it has none. Plus CTRACE_EXIT_IN, if in is set, and
	 * CTRACE_EXIT_CHANGES, if the call may return with another number than it was called by
	 */
	u8 exit;
	/* bytes of the entry's record, without details; 0: in is set, or it is not known */
	u8 len;
};

#define CTRACE_EXIT_IN		128u
#define CTRACE_EXIT_CHANGES	64u

/*
 * [id]: the sessions that record event type id. The first thing that a probe looks at. Written under
 * ctrace_lock.
 */
extern u32 ctrace_event_wants[CTRACE_EVENT_IDS];

extern struct ctrace_syscall_layout ctrace_syscall_layouts[2][CTRACE_NR_SYSCALLS];

/*
 * nr as it is, if it is below CTRACE_NR_SYSCALLS. The caller has asked that; but the number is the traced
 * program's, and a CPU that speculates past the question must not read beyond the tables, nor what that leads
 * to. array_index_nospec() would do the same in three instructions.
 */
static __always_inline long ctrace_syscall_nospec(long nr)
{
	BUILD_BUG_ON(CTRACE_NR_SYSCALLS & (CTRACE_NR_SYSCALLS - 1));
	/* or the compiler, which knows of the question, would leave this out */
	OPTIMIZER_HIDE_VAR(nr);
	return nr & (CTRACE_NR_SYSCALLS - 1);
}

/* The same as ctrace_syscall_known(), which has seen that the number is in no table: it may be x32's. */
bool ctrace_syscall_x32(long *nr);

/* *nr becomes the call's place in ctrace_syscall_layouts[is32]. False: this kernel has no such call. */
static __always_inline bool ctrace_syscall_known(long *nr, bool is32)
{
	if (unlikely((unsigned long)*nr >= CTRACE_NR_SYSCALLS ||
		     !ctrace_syscall_layouts[is32][ctrace_syscall_nospec(*nr)].known))
		return !is32 && ctrace_syscall_x32(nr);
	*nr = ctrace_syscall_nospec(*nr);
	return true;
}

/*
 * The native number of the call that current is in; -1: none, or one that only 32-bit programs have. *arg:
 * the operation of futex(), of other calls the first argument; -1: none.
 */
s32 ctrace_syscall_current(s32 *arg);

/* Is current in sched_yield()? Context: as above. */
bool ctrace_syscall_yields(void);

/* What every whole call begins with; its arguments follow. marks: CTRACE_CALL_M_* */
#define CTRACE_CALL_FIELDS(F)	F(u64, duration) F(s64, ret) F(x64, marks)
CTRACE_PAYLOAD(ctrace_call_payload, CTRACE_CALL_FIELDS);
#define CTRACE_CALL_NFIELDS	3
extern const struct ctrace_field_desc ctrace_call_fields[CTRACE_CALL_NFIELDS];

/* A tracepoint and the function that handles it; or a hook (event/hook.h). */
struct ctrace_compat_tp;
struct ctrace_hook;
struct ctrace_inflight;
struct ctrace_source {
	const char *tracepoint;		/* its name to types and with[], also if it is a hook */
	const char *at;			/* the tracepoint, if another source has that name; else NULL */
	struct ctrace_hook *hook;	/* instead of a tracepoint and fn; or NULL */
	void *fn;
	void *data;			/* fn's first argument */
	struct ctrace_compat_tp *tp;	/* held as long as this lives; NULL: built in, looked up by name */
	/* sources whose functions gather what fn needs; or NULL. ?NAME: a kernel may lack it */
	const char *with[6];
	struct ctrace_inflight *table;	/* what has begun, for fn and the functions of with[]; or NULL */
	struct ctrace_inflight *stacks;	/* the same, for probes alone that ask for a stack; or NULL */
	bool spares;		/* fn calls ctrace_spare_current() */
	u32 users;		/* protected by ctrace_lock */
	u8 asked;		/* CTRACE_SOURCE_*: what ctrace_event_reason() found out */
};

#define CTRACE_SOURCE_EXISTS	1
#define CTRACE_SOURCE_LACKS	2

/* The kernel's name of its tracepoint. */
static inline const char *ctrace_source_at(const struct ctrace_source *s)
{
	return s->at ?: s->tracepoint;
}

/* Event types and the tracepoints they come from. */
struct ctrace_family {
	const struct ctrace_event_type *types;
	u32 ntypes;
	struct ctrace_source *sources;	/* ends with a NULL tracepoint; or NULL */
	const char *lacks;		/* why this kernel has none of them; or NULL */
};

/*
 * Types of no tracepoint: read() writes lost, options of probes write the stacks, a call's exit what came
 * late.
 */
#define CTRACE_LOST_FIELDS(F)	F(u32, cause) F(u32, cpu) F(u64, count)
CTRACE_PAYLOAD(ctrace_lost_payload, CTRACE_LOST_FIELDS);
#define CTRACE_STACK_FIELDS(F)	F(u32, event) F(seq_x64, callstack)
CTRACE_PAYLOAD(ctrace_stack_payload, CTRACE_STACK_FIELDS);
#define CTRACE_USER_MEMORY_FIELDS(F)	F(u32, event) F(u32, offset) F(seq_u8, bytes)
CTRACE_PAYLOAD(ctrace_user_memory_payload, CTRACE_USER_MEMORY_FIELDS);
#define CTRACE_USER_REGISTERS_FIELDS(F)	F(u32, event) F(u32, asked) F(x64, known) F(u32, copied) F(seq_x64, registers)
CTRACE_PAYLOAD(ctrace_user_registers_payload, CTRACE_USER_REGISTERS_FIELDS);
#define CTRACE_LATE_FIELDS(F)	F(u32, argument) F(path, text)
CTRACE_PAYLOAD(ctrace_late_payload, CTRACE_LATE_FIELDS);
#define CTRACE_LATE_MEMORY_FIELDS(F)	F(u32, field) F(seq_u8, bytes)
CTRACE_PAYLOAD(ctrace_late_memory_payload, CTRACE_LATE_MEMORY_FIELDS);
extern const struct ctrace_family ctrace_family_own;

/* families: NULL-terminated, static. 0 or -ENOMEM. exit: when nobody asks any more. */
int ctrace_event_init(const struct ctrace_family *const *families);
void ctrace_event_exit(void);
int ctrace_syscall_init(void);	/* event/syscall.c: its tables, by ctrace_event_init() */

/* The source with this tracepoint, in any family, or NULL. */
struct ctrace_source *ctrace_source_by_name(const char *tracepoint);
/* The same of a word of with[]. *optional: the event works without it, too. */
struct ctrace_source *ctrace_source_with(const char *word, bool *optional);
/* The source of a curated type; NULL: it has none, or is dynamic. */
struct ctrace_source *ctrace_event_source(const struct ctrace_event_type *t);

const struct ctrace_event_type *ctrace_event_by_name(const char *system, const char *name);
/* Why this kernel does not have the event; NULL: it does. */
const char *ctrace_event_reason(const struct ctrace_event_type *t);
/* Does the kernel lack the source's tracepoint, or the function to hook? */
bool ctrace_source_lacks(struct ctrace_source *s);
/* The number of the call NAME in the native table, or (is32) in that for 32-bit programs; or -ENOENT. */
int ctrace_syscall_by_name(const char *name, bool is32);

/*
 * The dynamic type that equals t in all but its id, which is not looked at. Made if there is none yet, with
 * copies of all that t points to. session: a mask with the bit of the session that is to have a probe of it,
 * or 0. The type stays until that session ends; without one, as long as the caller holds ctrace_lock, unless
 * a definition takes it. ERR_PTR(-ENOMEM), or -ENOSPC when all dynamic ids are in use. Process context,
 * ctrace_lock held.
 */
const struct ctrace_event_type *ctrace_event_dynamic(const struct ctrace_event_type *t, u32 session);
/* A definition has dynamic type t from now on; or no longer. Process context. */
void ctrace_event_define(const struct ctrace_event_type *t, bool is);
/* The session ended. Process context. */
void ctrace_event_session_gone(u32 session);

/*
 * Fills *t with the first type whose id is >= id. False: there are no more. A system call's type is
 * made on the spot, with its fields in fields[CTRACE_EVENT_FIELDS] and its name in
 * name[CTRACE_NAME_MAX]; whatever else *t points to lives until ctrace_event_put(). Process context.
 */
bool ctrace_event_next(u32 id, struct ctrace_event_type *t, struct ctrace_field_desc *fields,
		       char *name);
void ctrace_event_put(const struct ctrace_event_type *t);
/* The same for system calls alone: event/syscall.c. */
bool ctrace_syscall_next(u32 id, struct ctrace_event_type *t, struct ctrace_field_desc *fields,
			 char *name);

#endif
