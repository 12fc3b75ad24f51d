/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every command once, in the order of 'ctrace help', which has a heading for each of the four lists: its
 * name, and what it does. cmd_NAME.c has the command. main.c makes its table of these lists, and man/join
 * the lists of the manual; print-commands prints them for scripts. The topics of 'ctrace help' follow.
 */
#ifndef CTRACE_COMMANDS_H
#define CTRACE_COMMANDS_H

#include "base/cli.h"
#include "base/util.h"
#include "names/ctable.h"

#define CTRACE_COMMANDS_LOOK(X) \
	X(ps, "list containers, or follow their births and deaths") \
	X(why, "show where a container's time went") \
	X(top, "show what each container does now") \
	X(trace, "show what containers do, live") \
	X(snoop, "show programs started, files opened, kills and more, live") \
	X(stuck, "show what threads are held up in now, and for how long") \
	X(explain, "say why a container is the one it is")

#define CTRACE_COMMANDS_COUNT(X) \
	X(stats, "count system calls, their times and errors") \
	X(runqlat, "show how long tasks waited for a CPU") \
	X(blame, "show who had the CPU while others waited") \
	X(offcpu, "show how long tasks slept, and why") \
	X(locks, "show how long tasks waited for locks of the kernel") \
	X(throttle, "show whose quota of CPU time ran out") \
	X(profile, "show which functions use the CPUs") \
	X(bio, "show the requests that disks served, and how long they took") \
	X(files, "show what is done with files, and what of it is slow") \
	X(tcp, "show TCP connections, their bytes, latencies and losses") \
	X(count, "count events of containers in the kernel") \
	X(hist, "show how a field's values are distributed") \
	X(agg, "add up numbers of events") \
	X(stackcount, "count the stacks that lead to an event")

#define CTRACE_COMMANDS_RECORD(X) \
	X(record, "record events into a CTF trace") \
	X(watch, "write down the seconds before something goes wrong") \
	X(page, "show what holds containers up, on a page in a browser") \
	X(report, "show a recording") \
	X(flame, "draw stacks as a flame graph") \
	X(diff, "show what changed between two times or recordings") \
	X(export, "write a recording for another viewer")

#define CTRACE_COMMANDS_SETUP(X) \
	X(doctor, "say why ctrace does not load, see, or is slow") \
	X(status, "show the module, its sessions and their losses") \
	X(events, "list the events that can be recorded") \
	X(probe, "define events of kernel functions")

#define CTRACE_COMMAND_DECLARE(name, summary)	extern const struct command cmd_##name;
CTRACE_COMMANDS_LOOK(CTRACE_COMMAND_DECLARE)
CTRACE_COMMANDS_COUNT(CTRACE_COMMAND_DECLARE)
CTRACE_COMMANDS_RECORD(CTRACE_COMMAND_DECLARE)
CTRACE_COMMANDS_SETUP(CTRACE_COMMAND_DECLARE)

struct command_row {
	const struct command *cmd;
	const char *summary, *group;	/* group: the heading above it in help */
};
extern const struct command_row commands[];	/* ends with cmd of NULL */
const struct command *command_find(const char *name);

/* Every topic of 'ctrace help': its name, and what it explains. topics.c has the texts. */
#define CTRACE_TOPICS(T) \
	T(targets, "what TARGET may be: containers, pods, units, processes") \
	T(events, "what EVENTS may be: system calls, events, functions") \
	T(options, "the options that many commands share")

struct topic {
	const char *name, *summary, *text;
};
extern const struct topic topics[];	/* ends with a name of NULL */

/* Options that several commands have. */
struct shared_options {
	const char *who;	/* in help */
	enum command_kind least;	/* these, and the kinds behind them */
	const struct cli_option *options;
};
extern const struct shared_options shared_options[];	/* ends with who of NULL */

/*
 * first.c. 'ctrace WORD...' where WORD is no command: what the target is, where its time goes, and what to
 * look at next. Returns the status to exit with; -1: the word is no target, and the names of containers were
 * offered to near.
 */
int first_look(int argc, char **argv, struct nearest *near);
/* 'ctrace' on a terminal: each container in a line, and the commands that one needs first. */
int first_screen(void);

/*
 * cmd_explain.c. The container that the process is in, or the host; *because: a sentence that says why, which
 * the caller frees. NULL after a message.
 */
struct centry *explain_of_pid(struct ctable *t, const char *word, char **because, int *status);

/* complete.c. Prints what the last word may become; the first is that behind "ctrace". */
void complete(char **words, int n);

#endif
