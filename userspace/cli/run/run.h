/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What trace and record have in common: they set up a session for targets and a command, start it,
 * drain it until something ends the run, and stop it.
 */
#ifndef CTRACE_RUN_H
#define CTRACE_RUN_H

#include <unistd.h>
#include "base/options.h"
#include "names/ctable.h"
#include "events/probes.h"
#include "run/follow.h"
#include "run/target.h"

struct run;

#define BUFFER_DEFAULT_MIB	32	/* the manual pages name it, too */
#define BUFFER_DEFAULT	(BUFFER_DEFAULT_MIB << 20)
/* of profile and flame: no round number, so that it does not keep step with programs */
#define SAMPLES_HZ	49

/* of a session that records nothing, or only what is mapped: a ring of each CPU, and what goes with it */
#define RUN_RING_LEAST	8192ull
#define RUN_RING_MAPS	65536ull
#define RUN_ARENA_OF(ring)	(65536 + 2 * (ring) * (uint64_t)sysconf(_SC_NPROCESSORS_CONF))

struct run_opts {
	struct probes_opts probes;	/* run_opts_free() frees its events */
	char *comms, *uids;		/* --comm and --uid as expressions; NULL: any */
	char *filter;			/* --filter, or NULL */
	uint32_t one_of, rate;		/* 0: all, no limit */
	uint32_t stack;			/* CTRACE_PROBE_F_* */
	uint32_t copy;			/* bytes of --stack=dwarf, 0: the module's default */
	bool state_dump;
	enum follow_mode follow;	/* --follow, --wait */
	uint64_t wait;			/* ns that --wait waits at most, 0: no limit */
	uint64_t duration;		/* ns, 0: no limit */
	uint64_t buffer;		/* bytes of arena, 0: default */
	bool stop_full;
	bool at_end;			/* the records are read when the run has ended, and not before */
	bool fds;			/* names of descriptors */
	bool files;			/* of whole calls on descriptors, those on files alone */
	uint32_t data;			/* bytes of what calls read and write */
	char **targets;
	int ntargets;
	char **command;			/* NULL-terminated; NULL: none */
	/*
	 * Views: called in place of reading -e, once the types are known; fills r->probes and r->table_size,
	 * and may change the targets. As ready(); RUN_DONE: there is nothing left to do. The session's rings
	 * are small: nothing is recorded
	 */
	int (*plan)(struct run *r, void *arg);
	/* Called after -e was read: may add probes that are counted, and their tables' size. Or NULL. */
	void (*besides)(struct run *r, void *arg);
	/*
	 * Called when the session is set up but neither it nor the command is started. Returns CLI_OK, or
	 * the exit status after a message.
	 */
	int (*ready)(struct run *r, void *arg);
	void *ready_arg;
};

#define RUN_DONE	(-1)

enum run_end {
	RUN_ON, RUN_SIGNAL, RUN_DURATION, RUN_TARGETS, RUN_COMMAND, RUN_OUTPUT, RUN_FAILED, RUN_WAITED,
};

struct command_child {
	int pid;			/* 0: there is no command */
	int go, failed;			/* pipes: lets it start; its errno if exec fails */
	int status;			/* as waitpid() gave it */
	bool went, ended;
};

struct run {
	struct ctrace *ct;
	struct ctrace_schema *schema;
	struct ctable *ctable;
	struct ctrace_session *session;
	struct ctrace_reader *reader;
	struct targets targets;
	struct follow follow;
	struct probes probes;
	const char *refused;	/* the aggregate that the module did not take, or NULL; probes have it */
	struct command_child child;
	uint64_t duration, wait;
	uint32_t rate;
	bool at_end;			/* run_opts's */
	uint64_t table_size;		/* bytes for tables */
	/* CLOCK_MONOTONIC, ns: when to call drain() again; 0: when records come */
	uint64_t next;
	int container_fd;
	enum run_end end;
	int signal;			/* the signal that ended the run */
	uint64_t stopped;		/* CLOCK_MONOTONIC, ns: when the session was; 0: it is not */
	uint64_t dumped;		/* when the state was, if that was not at the beginning; else 0 */
};

/* Called if a second signal ends the program at once: async-signal-safe; NULL: nothing. */
extern void (*run_before_exit)(void);

/* --- run_opts.c --- */

enum {
	OPT_DURATION = 256, OPT_BUFFER, OPT_STOP_FULL, OPT_RELATIVE, OPT_FORCE, OPT_LONGER, OPT_FAILED,
	OPT_COMM, OPT_UID, OPT_FILTER, OPT_ONE_OF, OPT_RATE, OPT_STACK, OPT_FOLDED, OPT_STATE_DUMP,
	OPT_NO_STATE_DUMP, OPT_FOLLOW, OPT_WAIT, OPT_QUIET_ARGS, OPT_DATA, OPT_FDS, OPT_NO_FDS, OPT_ENV,
	OPT_COLOR, OPT_AT_END,
	OPT_FROM, OPT_TO, OPT_LAST,	/* run/window.h */
	OPT_VIEW,	/* count/view.h continues from here */
};
/* Of trace and record: which events, and what else. */
extern const struct cli_option run_record_options[];
/* Of these, snoop and the counting commands: which tasks of which containers, and until when. */
extern const struct cli_option run_target_options[];
/* All of trace or record. own: its own */
struct getopts run_getopts(const struct cli_option *own);

/* Reads an option common to both. True: opt was one; *status is set if its value is bad. */
bool run_option(struct run_opts *o, int opt, int *status);
void run_opts_free(struct run_opts *o);
/* The session's filter, or NULL; the caller frees it. */
char *run_filter(const struct run_opts *o);

/*
 * Cuts argv at "--", because getopt_long() must not see what follows. Returns the new argc. *command
 * is what follows, or NULL if there is no "--".
 */
int run_split(int argc, char **argv, char ***command);

/*
 * Does everything up to the start. Returns CLI_OK, or the exit status after a message. Call run_free()
 * in either case.
 */
int run_setup(struct run *r, const struct run_opts *o);
void run_free(struct run *r);

/* Is the container of that struct run's targets, or is a cgroup in it? */
bool run_targets(const void *run, uint32_t cid);

/* Will the run record any stacks? */
bool run_has_stacks(const struct run *r, const struct run_opts *o);

struct run_ops {
	/* Takes a batch of records. 1: there may be more; 0: ran dry; -1: end the run. */
	int (*drain)(void *arg);
	/* Called when nothing came for about ns. */
	void (*idle)(void *arg, uint64_t ns);
	/* Called about once a second. */
	void (*tick)(void *arg);
	int out_fd;		/* polled, to see its reader go away; -1: none */
	/* drain() wants to be called when there is something to read on standard input, too */
	bool keys;
};

/*
 * If sched_blame is counted or recorded: of waits that have not ended, what was until now is written. 0 or
 * -errno. run_loop() does it each second.
 */
int run_cut_waits(struct run *r);
/* Starts, drains, stops, drains the rest. Returns CLI_OK, or the exit status after a message. */
int run_loop(struct run *r, const struct run_ops *ops, void *arg);
/*
 * The status to exit with if all else went well: the command's own; or, after a message, that of a --wait
 * that ended before its container started.
 */
int run_status(const struct run *r);

/* The losses of a run, by cause: of its reader, then of its session; discarded: in a recording's streams. */
struct losses {
	uint64_t overrun, full, nested, frozen, missed, unfollowed, unfollowed_tasks, unread, discarded;
	uint64_t older;		/* overwritten before the end, by a run that reads only then, as asked */
	uint64_t blind;		/* ns in which the kernel called no kprobe */
	uint64_t freeze_refused;	/* freezes: no loss */
};
/* False: they cannot be known. */
bool losses_count(struct run *r, struct losses *l);
/* Appends ", 0 lost" or ", 17 lost (12 overrun, 5 full)". Returns how many. */
uint64_t losses_print(const struct losses *l, struct sbuf *b);
/* Appends the events of the run that were not seen because the kernel called no kprobe. */
void blind_names(struct run *r, struct sbuf *b);
/* Appends ", hooks were blind for 2.0 s: page_fault was not seen then", if ns is not 0. */
void blind_print(uint64_t ns, const char *names, struct sbuf *b);
/* Appends the losses of the whole run, and ", 90 held back by --rate (90 of web)" if there were any. */
void run_losses(struct run *r, struct sbuf *b);

/*
 * Frozen containers (frozen.c): says who froze each, and thaws it. Call it when drain() has returned; dry: it
 * has given all records. Else a freeze waits a little longer for that.
 */
void run_thaw(struct run *r, uint64_t now, bool dry);

/* --- command.c --- */
int command_spawn(struct command_child *c, char **argv);	/* forks it, and holds it before its exec */
int command_go(struct command_child *c, const char *name);	/* lets it exec; status after a message */
void command_reap(struct command_child *c);			/* sets ended and status if it has ended */
void command_end(struct command_child *c, int sig);		/* passes the signal on, waits a little */
void command_abandon(struct command_child *c);			/* ends it unless it was let go */

#endif
