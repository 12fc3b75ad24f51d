/* SPDX-License-Identifier: GPL-2.0-only */
/* Where records end up as lines: text for people, JSON for programs. Live and from files alike. */
#ifndef CTRACE_SINK_H
#define CTRACE_SINK_H

#include "names/ctable.h"
#include "symbols/stacks.h"

struct sink_opts {
	const struct ctrace_schema *schema;	/* outlives the sink */
	struct ctable *ctable;			/* likewise */
	FILE *out;
	int64_t clock_offset;		/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	bool relative;			/* text: time since the first record */
	int32_t command_vtid;		/* text: not to show how this one came to its first call; 0 none */
	struct symbols *symbols;	/* for stacks, outlives the sink; NULL: there are none */
	uint32_t stacks;		/* CTRACE_PROBE_F_*: what each event comes with */
	bool live;			/* folded: /proc knows the tasks */
};

struct sink;
struct sink_ops {
	/* k: the stacks it came with, or NULL */
	void (*record)(struct sink *s, const struct ctrace_record *rec, const struct stacks *k);
	/* n more were lost; cause as in the manual */
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
	uint64_t events;	/* records given to it */
	uint32_t *cids;		/* sorted: the containers they were of */
	size_t ncids;
};

struct sink *sink_text_new(const struct sink_opts *o);
struct sink *sink_json_new(const struct sink_opts *o);
/* Counts stacks, and writes them when it is freed: "container;comm;outermost;...;innermost N". */
struct sink *sink_folded_new(const struct sink_opts *o);

void sink_record(struct sink *s, const struct ctrace_record *rec);
void sink_lost(struct sink *s, const char *cause, uint64_t n);
/* Records older than that need wait for their stacks no more. */
void sink_settle(struct sink *s, uint64_t before);
void sink_idle(struct sink *s);
void sink_free(struct sink *s);

/* "10482 events from 1 container" */
void sink_account(const struct sink *s, struct sbuf *b);

/* --- system calls: entry and exit of one task belong together --- */

enum syscall_phase { SYSCALL_NONE, SYSCALL_ENTER, SYSCALL_EXIT, SYSCALL_WHOLE };

struct syscall_ref {
	enum syscall_phase phase;
	bool compat;
	int64_t nr;		/* -1: in the payload (number out of the table) */
	char name[64];		/* openat; compat_open for 32-bit callers */
};

/* What call a record is of; phase SYSCALL_NONE if of none. t may be NULL. */
void syscall_identify(struct syscall_ref *ref, const struct ctrace_event_type *t,
		      const struct ctrace_record *rec);
void syscall_put_args(struct sbuf *b, const struct syscall_ref *ref,
		      const struct ctrace_event_type *t, const struct ctrace_record *rec);
void syscall_put_return(struct sbuf *b, const struct syscall_ref *ref, int64_t ret);
/* Of a whole call: how long it took and what it returned. False: the record does not say. */
bool syscall_whole(const struct ctrace_event_type *t, const struct ctrace_record *rec, uint64_t *duration,
		   int64_t *ret);
/* Does the call never return? */
bool syscall_is_last(const struct syscall_ref *ref);
bool syscall_is_fork(const struct syscall_ref *ref);

/* The number of the error that ret stands for, 0 if it is none. */
int syscall_errno(int64_t ret);
const char *errno_name(int err);	/* "ENOENT", NULL if it has none */
const char *signal_name(int sig);	/* "SIGTERM", likewise */

struct pending {
	int32_t tid;
	uint16_t id;		/* of the entry; 0: no call under way */
	bool shown;		/* as unfinished */
	uint64_t time;
};
struct pairs *pairs_new(void);
void pairs_free(struct pairs *p);
/* The task's entry, made if it has none. Good until the next call. */
struct pending *pairs_get(struct pairs *p, int32_t tid);
/* Is an exit with this id the other half of the pending entry? */
bool pairs_match(const struct pending *p, uint16_t exit_id);

/* What is shown of frame i of a task's stack; good until the next call. */
const char *frame_name(struct symbols *s, const struct stack *k, size_t i, bool kernel, int32_t tid);

/* --- fields_text.c --- */

/* name=value ... of any event; framed: its stacks are shown apart */
void fields_put_text(struct sbuf *b, const struct ctrace_event_type *t,
		     const struct ctrace_record *rec, bool framed);

#endif
