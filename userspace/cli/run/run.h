/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What trace and record do alike: set up a session for targets and a command,
 * start it, drain it until something ends it, stop it.
 */
#ifndef CTRACE_RUN_H
#define CTRACE_RUN_H

#include "names/ctable.h"
#include "events/probes.h"
#include "run/target.h"

struct run;

#define BUFFER_DEFAULT	(32 << 20)	/* bytes; told in manual pages and help */

struct run_opts {
	struct probes_opts probes;	/* its events are run_opts_free()'s */
	char *comms, *uids;		/* of --comm and --uid, as expressions; NULL: everybody */
	char *filter;			/* --filter, or NULL */
	uint32_t one_of, rate;		/* 0: all, no limit */
	uint32_t stack;			/* CTRACE_PROBE_F_* */
	bool state_dump;
	uint64_t duration;		/* ns, 0: no limit */
	uint64_t buffer;		/* bytes of arena, 0: default */
	bool stop_full;
	char **targets;
	int ntargets;
	char **command;			/* NULL-terminated; NULL: none */
	/* Called when all is known and nothing has begun. CLI_OK, or the status after a message. */
	int (*ready)(struct run *r, void *arg);
	void *ready_arg;
};

enum run_end {
	RUN_ON, RUN_SIGNAL, RUN_DURATION, RUN_TARGETS, RUN_COMMAND, RUN_OUTPUT, RUN_FAILED,
};

struct command_child {
	int pid;			/* 0: none */
	int go, failed;			/* pipes: our word to go on; its errno, if exec fails */
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
	struct probes probes;
	struct command_child child;
	uint64_t duration;
	uint32_t rate;
	int container_fd;
	enum run_end end;
	int signal;			/* that ended it */
};

/* --- run_opts.c --- */

#define RUN_SHORT_OPTIONS	"e:F:o:hj"
enum {
	OPT_DURATION = 256, OPT_BUFFER, OPT_STOP_FULL, OPT_RELATIVE, OPT_FORCE, OPT_LONGER, OPT_FAILED,
	OPT_COMM, OPT_UID, OPT_FILTER, OPT_ONE_OF, OPT_RATE, OPT_STACK, OPT_FOLDED, OPT_STATE_DUMP,
	OPT_NO_STATE_DUMP,
};
#define RUN_LONG_OPTIONS \
	{ "events", required_argument, NULL, 'e' }, \
	{ "longer", required_argument, NULL, OPT_LONGER }, \
	{ "failed", no_argument, NULL, OPT_FAILED }, \
	{ "comm", required_argument, NULL, OPT_COMM }, \
	{ "uid", required_argument, NULL, OPT_UID }, \
	{ "filter", required_argument, NULL, OPT_FILTER }, \
	{ "one-of", required_argument, NULL, OPT_ONE_OF }, \
	{ "rate", required_argument, NULL, OPT_RATE }, \
	{ "stack", optional_argument, NULL, OPT_STACK }, \
	{ "frequency", required_argument, NULL, 'F' }, \
	{ "state-dump", no_argument, NULL, OPT_STATE_DUMP }, \
	{ "no-state-dump", no_argument, NULL, OPT_NO_STATE_DUMP }, \
	{ "output", required_argument, NULL, 'o' }, \
	{ "duration", required_argument, NULL, OPT_DURATION }, \
	{ "buffer-size", required_argument, NULL, OPT_BUFFER }, \
	{ "stop-when-full", no_argument, NULL, OPT_STOP_FULL }, \
	{ "json", no_argument, NULL, 'j' }, \
	{ "help", no_argument, NULL, 'h' }

/* What trace and record have in common, for their help. */
#define RUN_HELP \
"Which events:\n" \
"  -e, --events EVENTS   what to record\n" \
"      --longer TIME     only system calls that took so long: 200ms, 1s, 5us\n" \
"      --failed          only system calls that failed\n" \
"      --comm GLOB       only of tasks whose name matches; again: or this one\n" \
"      --uid USER        only of that user, by name or number; again: or this one\n" \
"      --filter EXPR     only where EXPR is true: $comm $tid $vtid $pid $uid $gid\n" \
"                        $cid $cpu with == != < <= > >= & ~ and && || !\n" \
"      --one-of N        of each kind of event, one of N on each CPU\n" \
"      --rate N          at most N records a second of each container\n" \
"What besides:\n" \
"      --stack[=WHICH]   the stack of each event: kernel (default), user or both\n" \
"  -F, --frequency HZ    samples of what runs, HZ a second on each CPU, with stacks\n" \
"      --state-dump      first, the tasks that are there (record: unless\n" \
"                        --no-state-dump)\n"

/* Reads an option common to both; true if opt was one. *status is set on a bad value. */
bool run_option(struct run_opts *o, int opt, int *status);
void run_opts_free(struct run_opts *o);
/* The session's filter, for free(); NULL: none. */
char *run_filter(const struct run_opts *o);

/*
 * Cuts argv at "--" for getopt_long(), which must not look behind it: the new
 * argc; *command is what follows, NULL if there was no "--".
 */
int run_split(int argc, char **argv, char ***command);

/* Everything up to the start. CLI_OK, or the status after a message; run_free() in any case. */
int run_setup(struct run *r, const struct run_opts *o);
void run_free(struct run *r);

/* Will there be any in what it records? */
bool run_has_stacks(const struct run *r, const struct run_opts *o);

struct run_ops {
	/* Takes a batch of what is there. 1: there may be more; 0: ran dry; -1: end the run. */
	int (*drain)(void *arg);
	/* Nothing came for about that long. */
	void (*idle)(void *arg, uint64_t ns);
	/* About once a second. */
	void (*tick)(void *arg);
	int out_fd;		/* polled for a reader gone away; -1: none */
};

/* Starts, drains, stops, drains the rest. CLI_OK, or the status after a message. */
int run_loop(struct run *r, const struct run_ops *ops, void *arg);
/* What to exit with when all else went well: the command's own status. */
int run_status(const struct run *r);

/* ", 0 lost" or ", 17 lost (12 overrun, 5 full)" */
void losses_print(const struct ctrace_losses *l, struct sbuf *b);
/* The same of the whole run, and ", 90 held back by --rate (90 of web)" if any were. */
void run_losses(struct run *r, struct sbuf *b);

/* --- command.c --- */
int command_spawn(struct command_child *c, char **argv);	/* held before its exec */
int command_go(struct command_child *c, const char *name);	/* lets it; status after a message */
void command_reap(struct command_child *c);			/* sets ended, status */
void command_end(struct command_child *c, int sig);		/* passes the signal on, waits a little */
void command_abandon(struct command_child *c);			/* unless it went */

#endif
