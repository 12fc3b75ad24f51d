/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions of kprobes by name: EVENT_NEW makes them, PROBE_ADD uses them. A name belongs to one
 * event, whatever its group. A type returned here stays valid as long as the caller holds ctrace_lock, and
 * longer if a session has a probe of it. Process context, ctrace_lock held.
 */
#ifndef CTRACE_DEFINE_H
#define CTRACE_DEFINE_H

#include "event/event.h"

#define CTRACE_DEFINITIONS_MAX	1024

struct sock;

/* Whose a definition is. */
struct ctrace_definer {
	/* the socket: the definition goes with it, unless flags has CTRACE_EVENT_F_KEEP */
	struct sock *sk;
	u32 flags;	/* CTRACE_EVENT_F_* */
	pid_t owner;	/* pid in the initial namespace, for people */
};

/*
 * Keeps the definition if test() takes it, which tries it on the kernel and takes it back. Its type, or
 * ERR_PTR with a sentence in why.
 */
const struct ctrace_event_type *ctrace_define(const char *text, const struct ctrace_definer *by,
					      const struct ctrace_event_type *(*test)(const char *text,
										      char *why),
					      char *why);
/* name: NAME or SYSTEM:NAME. 0, or -ENOENT with a sentence in why. */
int ctrace_undefine(const char *name, char *why);
/* The type that NAME or SYSTEM:NAME stands for now, or NULL. */
const struct ctrace_event_type *ctrace_defined(const char *name);
/* Does t's name still stand for t? Then *by is filled, but for sk. Takes no lock. */
bool ctrace_is_defined(const struct ctrace_event_type *t, struct ctrace_definer *by);
/*
 * A netlink socket was closed: the definitions of closed sockets go, and their names are free at once. True:
 * there were some, and ctrace_define_sweep() should be called soon, to take them away. Any context, no lock.
 */
bool ctrace_define_sockets_gone(void);
void ctrace_define_sweep(void);
void ctrace_define_exit(void);

#endif
