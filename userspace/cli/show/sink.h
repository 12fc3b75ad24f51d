/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns records into lines, live or from a file: text for people, JSON for programs, folded stacks. */
#ifndef CTRACE_SINK_H
#define CTRACE_SINK_H

#include "names/ctable.h"
#include "symbols/stacks.h"

struct sink_opts {
	const struct ctrace_schema *schema;	/* outlives the sink */
	struct ctable *ctable;			/* outlives the sink */
	FILE *out;
	int64_t clock_offset;		/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	bool relative;			/* text: time since the first record */
	bool quiet_args;		/* text: numbers of system calls without their names */
	/* text: the COMMAND's task. Its return from the call in which we held it is left out; 0: none */
	int32_t command_vtid;
	struct symbols *symbols;	/* for stacks, outlives the sink; NULL: there are no stacks */
	uint32_t stacks;		/* CTRACE_PROBE_F_*: the stacks that each event comes with */
	bool maps;			/* process_map was asked for, and is not only there to name stacks */
	bool live;			/* folded: the tasks are in /proc, which has their names */
};

struct sink;
struct sink_ops {
	/* k: the stacks it came with, or NULL */
	void (*record)(struct sink *s, const struct ctrace_record *rec, const struct stacks *k);
	/* n more records were lost; cause: a word of the manual's */
	void (*lost)(struct sink *s, const char *cause, uint64_t n);
	/* nothing came for a while: show what is held back */
	void (*idle)(struct sink *s);
	void (*free)(struct sink *s);	/* shows what is held back, too */
};

struct sink {
	const struct sink_ops *ops;
	struct sink_opts o;
	struct pairs *pairs;
	struct sbuf line;
	struct stack_queue *queue;	/* NULL: no stacks to wait for */
	uint64_t events;	/* number of records given to it */
	uint32_t *cids;		/* the containers of these records, sorted */
	size_t ncids;
};

/* A sink is the first member of a struct of its own; size is that of the whole, which is 0 behind it. */
void *sink_new(size_t size, const struct sink_ops *ops, const struct sink_opts *o);
/* For ops->lost: a JSON object. */
void sink_lost_json(struct sink *s, const char *cause, uint64_t n);
/* For ops->idle: nothing is held back. */
void sink_holds_nothing(struct sink *s);

struct sink *sink_text_new(const struct sink_opts *o);
struct sink *sink_json_new(const struct sink_opts *o);
/* Counts stacks. When freed, it writes each as "container;comm;outermost;...;innermost N". */
struct sink *sink_folded_new(const struct sink_opts *o);

void sink_record(struct sink *s, const struct ctrace_record *rec);
void sink_lost(struct sink *s, const char *cause, uint64_t n);
/* Records older than `before` stop waiting for their stacks. */
void sink_settle(struct sink *s, uint64_t before);
void sink_idle(struct sink *s);
void sink_free(struct sink *s);

/* Appends "10482 events from 1 container". */
void sink_account(const struct sink *s, struct sbuf *b);

/* --- system calls: entry and exit of one task belong together --- */

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
/* What a call's marks say of argument arg, whose value is v. Only strings are marked, whatever a recording says. */
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
/* Is the field what a kernel function returned, 0 or -errno: tcp_connect's error, cap_capable's result? */
bool is_error(const struct ctrace_event_type *t, const struct ctrace_field *f);
/* Puts the next argument of that text into arg, and *s behind it. False: it was the last one. */
bool argv_next(const char **s, const char *end, struct sbuf *arg);

struct pending {
	int32_t tid;
	uint16_t id;		/* the entry's event id; 0: no call is under way */
	bool shown;		/* the entry was shown, as unfinished */
	uint64_t time;
};
struct pairs *pairs_new(void);
void pairs_free(struct pairs *p);
/* The task's slot, made if there is none. Good until the next call. */
struct pending *pairs_get(struct pairs *p, int32_t tid);
/* Does an exit with this id belong to the pending entry? */
bool pairs_match(const struct pending *p, uint16_t exit_id);

/* The text for frame i of a task's stack; good until the next call. */
const char *frame_name(struct symbols *s, const struct stack *k, size_t i, bool kernel, int32_t tid);
/*
 * What the task waited for, if this is the kernel's stack with which it went to sleep: "pipe", "disk", or "other" if its
 * functions do not tell. NULL: it is no such stack.
 */
const char *waited_for(struct symbols *s, const struct stack *k, int32_t tid);

#endif
