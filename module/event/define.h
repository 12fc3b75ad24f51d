/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions of kprobes by name: EVENT_NEW makes them, PROBE_ADD uses them. A name belongs to one
 * event, whatever its group. Types outlive their names, because records refer to them: a type
 * returned here stays valid until module exit. Process context, ctrace_lock held.
 */
#ifndef CTRACE_DEFINE_H
#define CTRACE_DEFINE_H

#include "event/event.h"

#define CTRACE_DEFINITIONS_MAX	1024

/*
 * Keeps the definition if test() takes it, which tries it on the kernel and takes it back. Its type, or
 * ERR_PTR with a sentence in why.
 */
const struct ctrace_event_type *ctrace_define(const char *text,
					      const struct ctrace_event_type *(*test)(const char *text,
										      char *why),
					      char *why);
/* name: NAME or GRP:NAME. 0, or -ENOENT with a sentence in why. */
int ctrace_undefine(const char *name, char *why);
/* The type that NAME or GRP:NAME stands for now, or NULL. */
const struct ctrace_event_type *ctrace_defined(const char *name);
/* Does t's name still stand for t? */
bool ctrace_is_defined(const struct ctrace_event_type *t);
void ctrace_define_exit(void);

#endif
