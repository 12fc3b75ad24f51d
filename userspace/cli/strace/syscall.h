/* SPDX-License-Identifier: GPL-2.0-only */
/* The call that a record is about, and names for its numbers. Pairs a task's entry with its exit. */
#ifndef CTRACE_STRACE_SYSCALL_H
#define CTRACE_STRACE_SYSCALL_H

#include <libctrace.h>
#include "base/util.h"

enum syscall_phase { SYSCALL_NONE, SYSCALL_ENTER, SYSCALL_EXIT, SYSCALL_WHOLE };

struct syscall_ref {
	enum syscall_phase phase;
	bool compat;
	int64_t nr;		/* -1: the number is not in the table, and stands in the payload */
	char name[64];		/* openat; compat_open for 32-bit callers */
};

/* Fills ref with the call that the record is about; phase SYSCALL_NONE: none. t may be NULL. */
void syscall_identify(struct syscall_ref *ref, const struct ctrace_event_type *t,
		      const struct ctrace_record *rec);
/* A call's first argument among the fields of its type; *marks: the field with CTRACE_CALL_M_*, or -1. */
uint32_t syscall_first(const struct ctrace_event_type *t, enum syscall_phase phase, int64_t nr, int *marks);
enum arg_mark { ARG_PLAIN, ARG_NULL, ARG_UNREAD };
/* The mark of argument arg, whose value is v. Only strings are marked, whatever a recording contains. */
enum arg_mark syscall_mark(uint64_t marks, uint32_t arg, const struct ctrace_value *v);
/* The address of a string that is ARG_UNREAD. */
uint64_t syscall_unread(const struct ctrace_value *v);
/* Takes a whole call's duration and result from its record. False: the record does not decode. */
bool syscall_whole(const struct ctrace_event_type *t, const struct ctrace_record *rec, uint64_t *duration,
		   int64_t *ret);

/* The errno that ret stands for, 0 if ret is no error. */
int syscall_errno(int64_t ret);
const char *errno_name(int err);	/* "ENOENT"; NULL: it has no name */
const char *signal_name(int sig);	/* "SIGTERM"; NULL: it has no name */
const char *capability_name(int64_t cap);	/* "CAP_KILL"; NULL: it has no name */

/* Is the field sched_process_exec's argv, or process_env's env: CTRACE_ARGV_MAX? */
bool is_list(const struct ctrace_event_type *t, const struct ctrace_field *f);
/* Is the field a kernel function's result, 0 or -errno: tcp_connect's error, cap_capable's result? */
bool is_error(const struct ctrace_event_type *t, const struct ctrace_field *f);
/* Puts the next argument of that text into arg, and *s behind it. False: it was the last one. */
bool argv_next(const char **s, const char *end, struct sbuf *arg);

struct pending {
	int32_t tid;
	uint16_t id;		/* the entry's event id; 0: no call is under way */
	bool shown;		/* the entry was shown, as unfinished */
	uint32_t left;		/* when it was seen to be in no call: pairs_left() */
	uint64_t time;
};
struct pairs *pairs_new(void);
void pairs_free(struct pairs *p);
/* The task's slot, made if there is none. Good until the next call. */
struct pending *pairs_get(struct pairs *p, int32_t tid);
/* Does an exit with this id belong to the pending entry? */
bool pairs_match(const struct pending *p, uint16_t exit_id);
/*
 * The task is in no call from now on. If its next record is a return then, that call's entry was not
 * recorded. If nothing was lost, there was none: the kernel asks seccomp before it calls tracers, and a
 * filter, or the program that supervises the task, has answered.
 */
void pairs_left(struct pairs *p, int32_t tid);
/* Is a return of the task one of such a call? Ask before pairs_left(). */
bool pairs_no_entry(const struct pairs *p, const struct pending *task);
/* Records were lost: an entry may be one of them. */
void pairs_lost(struct pairs *p);
/* A task is born, executes a program, or ends. Any other record: nothing. */
void pairs_learn(struct pairs *p, const struct ctrace_event_type *t, const struct ctrace_record *rec);
/*
 * The thread `old` has executed a program, and is the task `tid` now: the call that it is in is that one's.
 */
void pairs_exec(struct pairs *p, int32_t old, int32_t tid);
/* The number in a field of the record; 0: it is not there. */
int32_t record_number(const struct ctrace_event_type *t, const struct ctrace_record *rec, const char *name);

#endif
