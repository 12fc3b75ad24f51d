// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctrace help TOPIC: what the help of several commands would have to repeat. Each command's help names its
 * topics.
 */
#include "commands.h"
#include "base/util.h"
#include "count/view.h"
#include "events/probes.h"

static const char targets_text[] =
"TARGET is one of\n"
"  NAME          a container's name, as 'ctrace ps' shows it; if several have it,\n"
"                db#7 or cid:7, for one of them\n"
"  GLOB          all containers whose names match: 'web-*'\n"
"  ID            the first 3 or more digits of a container's 64-digit id\n"
"  N, cid:N      its number in the CID column\n"
"  cgroup:PATH   everything in a cgroup and below it: PATH is its directory, or\n"
"                its path below the hierarchy's root\n"
"  unit:NAME     the cgroup of a systemd unit of the system: nginx.service\n"
"  pod:NAME      the containers of a pod that run now; NAMESPACE/NAME if several\n"
"                namespaces have one, /NAME for one without a namespace\n"
"  ns:NAMESPACE  the containers of all its pods\n"
"  image:GLOB    all containers of these images\n"
"  label:KEY=VALUE\n"
"                all containers that have the label\n"
"  runtime:NAME  all containers of this runtime; 'ctrace ps --wide' shows images,\n"
"                labels and runtimes\n"
"  user:USER:TARGET\n"
"                what that user's files say: a NAME, GLOB, ID, pod: to runtime:,\n"
"                or unit: of that user\n"
"  in:CONTAINER:TARGET\n"
"                what a container's own files say\n"
"  pid:N         a process, its threads, and what it forks\n"
"  host          every process that is in no container\n"
"  all           everything\n"
"  not:TARGET    leaves that target out, even if another contains it (also\n"
"                '!TARGET'); if there are no others, everything else is traced\n"
"\n"
"Examples:\n"
"  ctrace trace web                         # a container, by its name\n"
"  ctrace stats pod:prod/web                # the containers of a pod\n"
"  ctrace runqlat all not:web               # everything but one container\n";

static const char events_text[] =
"EVENTS is a list, separated by commas, of\n"
"  openat          a system call; 'syscalls' is every system call\n"
"  %file           a class of calls, as strace defines it: %file %network\n"
"                  %process %memory %desc %signal %ipc %creds %clock; with\n"
"                  operations of io_uring (io_uring_op) that do the same\n"
"  sched_switch    an event; 'sched' is every event of that group\n"
"  viewer          what Trace Compass and lttng-analyses need (man ctrace-record)\n"
"  views           what the counting commands need: whole calls, time on CPUs and\n"
"                  waiting for them, disks, connections, processes\n"
"  sched_wake*     the events that match; 'all' is every event and system call\n"
"  SYSTEM:NAME     any other tracepoint, with its raw arguments\n"
"  kprobe:SYMBOL   the entry of a kernel function\n"
"  func:SYMBOL     a kernel function from its entry to its return: duration and\n"
"                  ret\n"
"  func:*ovl*      the entries of kernel functions that match, at most 4096\n"
"  !NAME           leaves these out\n"
"or a kprobe in the kernel's syntax: 'p:NAME SYMBOL ARG...', 'r:NAME SYMBOL\n"
"ARG...'. 'if EXPRESSION' at the end of an -e takes only the events for which it\n"
"is true: 'openat if ret < 0 && filename ~ \"/etc/*\"'. '=> freeze' behind that:\n"
"its container's buffers keep what they have until it has been read.\n"
"'ctrace events' lists the names. Without -e, trace and record use\n"
PROBES_DEFAULT ",io_uring_op.\n"
"\n"
"Examples:\n"
"  ctrace trace web -e openat,connect       # two calls\n"
"  ctrace trace web -e 'sched_switch if prev_comm ~ \"nginx*\" && prev_prio < 100'\n"
"                                           # an event, if a condition is true\n"
"  ctrace trace web -e 'p:ovl ovl_open file=+0(%si):x64' --stack\n"
"                                           # a kernel function, with its stack\n";

static const char options_text[] =
"Snoop and the counting commands end with COMMAND; without one, when all targets\n"
"have ended, after --duration, or with Ctrl-C. Without TARGET and COMMAND, the\n"
"target is all.\n";

const struct shared_options shared_options[] = {
	{ "Trace, record, snoop and the counting commands:", COMMAND_TRACES, run_target_options },
	{ "Snoop and the counting commands:", COMMAND_SNOOPS, view_source_options },
	{ "The counting commands:", COMMAND_COUNTS, view_count_options },
	{ "Every command:", COMMAND_TRACES, cli_every_option },
	{ 0 },
};

const struct topic topics[] = {
#define ROW(name, summary)	{ #name, summary, name##_text },
	CTRACE_TOPICS(ROW)
	{ 0 },
};
