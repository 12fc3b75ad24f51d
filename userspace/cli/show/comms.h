/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of tasks, learned from events; live, also from /proc if no event has named a task. */
#ifndef CTRACE_COMMS_H
#define CTRACE_COMMS_H

#include <libctrace.h>

struct comms;
struct comms *comms_new(bool live);
void comms_free(struct comms *c);
void comms_learn(struct comms *c, const struct ctrace_event_type *t, const struct ctrace_record *rec);
/* The task's name, or "tid-123" if it is not known. Good until the next call. */
const char *comms_get(struct comms *c, int32_t tid);

#endif
