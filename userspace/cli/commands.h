/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every command once, in the order of 'ctrace help': its name, and what it does. cmd_NAME.c has the command.
 * main.c makes its table of this list, and man/join the lists of the manual; print-commands prints it for
 * scripts. The topics of 'ctrace help' follow.
 */
#ifndef CTRACE_COMMANDS_H
#define CTRACE_COMMANDS_H

#include "base/cli.h"

#define CTRACE_COMMANDS(X) \
	X(trace, "show what containers do, live") \
	X(record, "record events into a CTF trace") \
	X(report, "show a recording") \
	X(page, "show what holds containers up, on a page in a browser") \
	X(top, "show what each container does now") \
	X(stats, "count system calls, their times and errors") \
	X(runqlat, "show how long tasks waited for a CPU") \
	X(blame, "show who had the CPU while others waited") \
	X(why, "show where a container's time went") \
	X(stuck, "show what threads are held up in now, and for how long") \
	X(offcpu, "show how long tasks slept, and why") \
	X(locks, "show how long tasks waited for locks of the kernel") \
	X(throttle, "show whose quota of CPU time ran out") \
	X(profile, "show which functions use the CPUs") \
	X(bio, "show the requests that disks served, and how long they took") \
	X(files, "show what is done with files, and what of it is slow") \
	X(tcp, "show TCP connections, their bytes, latencies and losses") \
	X(snoop, "show programs started, files opened, kills and more, live") \
	X(count, "count events of containers in the kernel") \
	X(hist, "show how a field's values are distributed") \
	X(agg, "add up numbers of events") \
	X(stackcount, "count the stacks that lead to an event") \
	X(flame, "draw stacks as a flame graph") \
	X(diff, "show what changed between two times or recordings") \
	X(export, "write a recording for another viewer") \
	X(ps, "list containers, or follow their births and deaths") \
	X(explain, "say why a container is the one it is") \
	X(events, "list the events that can be recorded") \
	X(probe, "define events of kernel functions") \
	X(doctor, "say why ctrace does not load, see, or is slow") \
	X(status, "show the module, its sessions and their losses")

#define CTRACE_COMMAND_DECLARE(name, summary)	extern const struct command cmd_##name;
CTRACE_COMMANDS(CTRACE_COMMAND_DECLARE)

struct command_row {
	const struct command *cmd;
	const char *summary;
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

/* complete.c. Prints what the last word may become; the first is that behind "ctrace". */
void complete(char **words, int n);

#endif
