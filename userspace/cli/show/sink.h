/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns records into lines, live or from a file: text for people, JSON for programs, folded stacks. */
#ifndef CTRACE_SINK_H
#define CTRACE_SINK_H

#include "base/wall.h"
#include "names/ctable.h"
#include "strace/syscall.h"
#include "symbols/stacks.h"

struct sink_opts {
	const struct ctrace_schema *schema;	/* outlives the sink */
	struct ctable *ctable;			/* outlives the sink */
	FILE *out;
	int64_t clock_offset;		/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	const struct wall *wall;	/* instead, outlives the sink; NULL: it is always that */
	bool relative;			/* text: time since the first record */
	bool quiet_args;		/* text: numbers of system calls without their names */
	bool color;			/* text: for a terminal that shows colours */
	bool no_dump;			/* the state dump is not shown; it was not asked for */
	/* text: the COMMAND's task. Its return from the call in which we held it is left out; 0: none */
	int32_t command_vtid;
	struct symbols *symbols;	/* for stacks, outlives the sink; NULL: there are no stacks */
	uint32_t stacks;		/* CTRACE_PROBE_F_*: the stacks that each event comes with */
	bool maps;			/* process_map was asked for, and is not only there to name stacks */
	uint64_t from, to;		/* the only times that are shown: from <= time < to; to 0: all are */
	bool live;			/* the tasks are in /proc, which has their names */
};

struct sink;
struct sink_ops {
	/* k: the stacks it came with, or NULL */
	void (*record)(struct sink *s, const struct ctrace_record *rec, const struct stacks *k);
	/* Learns from a record that is not shown. Or NULL. */
	void (*learn)(struct sink *s, const struct ctrace_record *rec);
	/* Learns from a record that is shown later. Or NULL. */
	void (*ahead)(struct sink *s, const struct ctrace_record *rec);
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
	uint64_t events;	/* number of records given to it; of live ones, those that are shown */
	uint64_t hidden;	/* of a recording's: mappings, copies of stacks, the state dump */
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
/* --color=WHEN: auto, always or never. Are colours wanted in this file? Status after a message, or CLI_OK. */
int sink_color(const char *when, FILE *out, bool *color);
struct sink *sink_json_new(const struct sink_opts *o);
/* Counts stacks. When freed, it writes each as "container;comm;outermost;...;innermost N". */
struct sink *sink_folded_new(const struct sink_opts *o);

void sink_record(struct sink *s, const struct ctrace_record *rec);
void sink_ahead(struct sink *s, const struct ctrace_record *rec);
void sink_lost(struct sink *s, const char *cause, uint64_t n);
/* Records older than `before` stop waiting for their stacks. */
void sink_settle(struct sink *s, uint64_t before);
void sink_idle(struct sink *s);
void sink_free(struct sink *s);

/* Appends "10482 events from 1 container". */
void sink_account(const struct sink *s, struct sbuf *b);

/* CLOCK_REALTIME at a moment of CLOCK_MONOTONIC. */
uint64_t sink_realtime(const struct sink *s, uint64_t time);

/* Do folded stacks, here and in count/show.c, mark the kernel's frames by FLAME_KERNEL? For ctrace flame. */
extern bool folded_marks;
/* The text for frame i of a task's stack; good until the next call. */
const char *frame_name(struct symbols *s, const struct stack *k, size_t i, bool kernel, int32_t tid);
/*
 * The reason of a task's wait, from the kernel stack with which it went to sleep: "pipe", "disk", or "other"
 * if no function shows it. NULL: it is not such a stack.
 */
const char *waited_for(struct symbols *s, const struct stack *k, int32_t tid);

#endif
