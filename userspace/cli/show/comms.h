/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks, learned from events; live, also from /proc if no event was about a task. */
#ifndef CTRACE_COMMS_H
#define CTRACE_COMMS_H

#include <libctrace.h>

struct comms;

struct task {
	int32_t tid, pid, ppid;	/* 0: not known */
	char comm[CTRACE_COMM_LEN];
	bool renamed;		/* comms_look_ahead() saw it execute a program */
};

struct comms *comms_new(bool live);
void comms_free(struct comms *c);
/* Do events of this type have names or processes? */
bool comms_tells(const struct ctrace_event_type *t);
void comms_learn(struct comms *c, const struct ctrace_event_type *t, const struct ctrace_record *rec);
/*
 * Learns a task's name from a record that is shown later. Earlier records of the task have that name, too,
 * unless it executed a program in between.
 */
void comms_look_ahead(struct comms *c, const struct ctrace_event_type *t, const struct ctrace_record *rec);
/* The task's name and process (0: not known), as events reported them. NULL: no event did. */
const char *comms_known(struct comms *c, int32_t tid, int32_t *pid);
/* The task's name, "swapper" for idle tasks, or "tid-123" if it is not known. Good until the next call. */
const char *comms_get(struct comms *c, int32_t tid);
/* Is it a name of ctrace's own tasks? Theirs is the observer's share of what the host does. */
bool comms_ours(const char *comm, size_t len);
/* The task's entry; never NULL. Good until the next call. */
const struct task *comms_task(struct comms *c, int32_t tid);

#endif
