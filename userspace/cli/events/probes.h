/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the words after -e into probes of a session. */
#ifndef CTRACE_PROBES_H
#define CTRACE_PROBES_H

#include <libctrace.h>

struct probe_want {
	char *name;		/* as ctrace_probe_add() takes it */
	char *filter;		/* or NULL */
	bool own;		/* named by its own name, not by a class, a group or a pattern */
	bool whole;		/* a system call as one record, written when the call returns */
	bool freeze;		/* each record freezes its container: CTRACE_PROBE_F_FREEZE */
	bool extra;		/* not asked for: it names what is in stacks, and is not shown */
	/* set by views, which count the event in a table; NULL: it is recorded */
	char *aggregate;
	uint32_t rows;
	uint64_t table;		/* where the table is in the session's mapping */
};

struct probes {
	struct probe_want *v;	/* no two are of the same event */
	size_t n;
};

struct probes_opts {
	char **events;		/* values of -e; none: the default */
	size_t nevents;
	uint64_t longer;	/* ns: only calls that took at least this long; 0: all */
	bool failed;		/* only calls that failed */
	bool calls;		/* calls are asked for in another way than these two */
	uint32_t frequency;	/* samples a second on each CPU, 0: none */
	bool samples_if_any;	/* none if this kernel cannot: they are a default */
	bool whole;		/* every system call as a whole */
	bool lenient;		/* names of what this kernel lacks are left out */
	bool calls_alone;	/* a class has no operations of io_uring: what is counted has other fields */
};

#define PROBES_DEFAULT	"syscalls,sched_process_*"	/* and io_uring_op, if this kernel has it */

/* Fills p with each event that o asks for, once. Returns CLI_OK, or the exit status after a message. */
int probes_parse(struct probes *p, const struct ctrace_schema *s, const struct probes_opts *o);
/* Adds what names the addresses in user stacks, if this kernel has it. */
void probes_add_maps(struct probes *p, const struct ctrace_schema *s);
void probes_free(struct probes *p);

/* --- probe_item.c: the items of one value of -e --- */

struct probe_item {
	char *text;		/* openat, %file, sched:*, a definition */
	char *filter;		/* what follows "if", or NULL */
	bool freeze;		/* "=> freeze" follows */
	bool not;		/* !openat */
	bool definition;	/* p:NAME SYMBOL ... */
};

struct probe_items {
	struct probe_item *v;
	size_t n;
};

/* Adds the items of value. Returns CLI_OK, or the exit status after a message. */
int probe_items_parse(struct probe_items *items, const char *value);
void probe_items_free(struct probe_items *items);
/* Does the text begin as a kprobe's definition does: p:, r:, r8:, "p "? */
bool probe_is_definition(const char *text);

/* --- io_uring_ops.c: operations of io_uring that go with calls --- */

/*
 * The condition of io_uring_op for the operations whose call is in one of the items' classes, each with the
 * class's own condition, and that no !NAME leaves out. NULL: there are none. The caller frees it.
 */
char *probe_ops_of_classes(const struct probe_items *items);
/* The condition that refuses operations that a !NAME leaves out. NULL: none does. The caller frees it. */
char *probe_ops_left(const struct probe_items *items);
/* The same as the first, of the values of -e. Returns CLI_OK, or the exit status after a message. */
int probes_ops(const struct probes_opts *o, char **cond);

/* --- probe_names.c: what words may mean --- */

/*
 * The name of the system call if t is a call's entry, else NULL. This includes the calls that only
 * 32-bit programs have.
 */
const char *probe_call_of(const struct ctrace_schema *s, const struct ctrace_event_type *t);
/* Can the event be asked for by its own name? The module's own events and defined kprobes can. */
bool probe_is_event(const struct ctrace_event_type *t);
/* Does word name or match the event or its group? */
bool probe_event_matches(const struct ctrace_event_type *t, const char *word);
/* Does word name or match the call? word may be a class. */
bool probe_call_matches(const char *call, const char *word);
/* The event called NAME or SYSTEM:NAME; NULL: there is none. */
const struct ctrace_event_type *probe_event_named(const struct ctrace_schema *s, const char *word);
/*
 * The event's name for the module; the caller frees it. A definition's name has its group in front, as
 * a definition may have the name of another event.
 */
char *probe_event_name(const struct ctrace_event_type *t);
/* The call that word names by itself, or NULL. *whole: word is call:NAME. */
const char *probe_call_named(const struct ctrace_schema *s, const char *word, bool *whole);
/* Each reports that there is no such name, with names that are near; returns CLI_FAIL. */
int probe_not_found(const struct ctrace_schema *s, const char *word);
int probe_no_class(const char *word);

#endif
