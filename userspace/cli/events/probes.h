/* SPDX-License-Identifier: GPL-2.0-only */
/* The words after -e, as probes of a session. */
#ifndef CTRACE_PROBES_H
#define CTRACE_PROBES_H

#include <libctrace.h>

struct probe_want {
	char *name;		/* as ctrace_probe_add_opts() takes it */
	char *filter;		/* or NULL */
	bool own;		/* named itself, not as one of a class, a group or a pattern */
	bool whole;		/* a system call as one record, written when it returns */
};

struct probes {
	struct probe_want *v;	/* no two of the same event */
	size_t n;
};

struct probes_opts {
	char **events;		/* values of -e; none: the default */
	size_t nevents;
	uint64_t longer;	/* ns: only calls that took so long; 0: all */
	bool failed;		/* only calls that failed */
	uint32_t frequency;	/* samples a second on each CPU, 0: none */
};

#define PROBES_DEFAULT	"syscalls,sched_process_*"

#define PROBES_HELP \
"EVENTS is a comma list of\n" \
"  openat           a system call; 'syscalls' is every one\n" \
"  %file            a class of them, as strace has it: %file %network %process\n" \
"                   %memory %desc %signal %ipc %creds %clock\n" \
"  sched_switch     an event; 'sched' is every one of its group\n" \
"  sched_wake*      those that match; 'all' is every event and system call\n" \
"  SUBSYS:NAME      any other tracepoint, with its raw arguments\n" \
"  kprobe:SYMBOL    entry of a kernel function\n" \
"  !NAME            not these\n" \
"or a kprobe in the kernel's syntax: 'p:NAME SYMBOL ARG...', 'r:NAME SYMBOL ARG...'.\n" \
"EVENT if EXPRESSION, to the end of the -e, takes those of which it is true:\n" \
"'openat if ret < 0 && filename ~ \"/etc/*\"'. 'ctrace events' lists the names.\n" \
"Without -e: " PROBES_DEFAULT "\n"

/* What o asks for, once each. CLI_OK, or the status after a message. */
int probes_parse(struct probes *p, const struct ctrace_schema *s, const struct probes_opts *o);
void probes_free(struct probes *p);

/* --- probe_item.c: one value of -e, cut up --- */

struct probe_item {
	char *text;		/* openat, %file, sched:*, a definition */
	char *filter;		/* what follows "if", or NULL */
	bool not;		/* !openat */
	bool definition;	/* p:NAME SYMBOL ... */
};

struct probe_items {
	struct probe_item *v;
	size_t n;
};

/* Adds those of value. CLI_OK, or the status after a message. */
int probe_items_parse(struct probe_items *items, const char *value);
void probe_items_free(struct probe_items *items);
/* Does the text begin as a kprobe's definition does: p:, r:, r8:, "p "? */
bool probe_is_definition(const char *text);

/* --- probe_names.c: what words may mean --- */

/* Name of the call whose entry t is, or NULL. One that 32-bit callers have alone counts as well. */
const char *probe_call_of(const struct ctrace_schema *s, const struct ctrace_event_type *t);
/* An event that can be asked for by its own name: of the module's own, or a kprobe's definition. */
bool probe_is_event(const struct ctrace_event_type *t);
/* Is it, or its group, what word names or matches? */
bool probe_event_matches(const struct ctrace_event_type *t, const char *word);
/* Likewise; word may be a class. */
bool probe_call_matches(const char *call, const char *word);
/* One event by name: NAME or SYSTEM:NAME. NULL: none is called that. */
const struct ctrace_event_type *probe_event_named(const struct ctrace_schema *s, const char *word);
/* Its name for the module, to be freed. A definition may be called as an event is: with its group. */
char *probe_event_name(const struct ctrace_event_type *t);
/* The call that a word names by itself, else NULL. *whole: as call:NAME. */
const char *probe_call_named(const struct ctrace_schema *s, const char *word, bool *whole);
/* Say so, with what is near; CLI_FAIL. */
int probe_not_found(const struct ctrace_schema *s, const char *word);
int probe_no_class(const char *word);

#endif
