/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words and options of other tools, and what they are here. habits.c makes the command obey this table,
 * or say what to type; print-habits prints it for ctrace-from(7).
 *
 *	H(THERE, WHERE, WORD, WITH, HERE)
 *
 * THERE: as the other tool has it, which comes first. HERE: the same by ctrace. NULL in place of WHERE: the
 * row is for the manual alone. Else WHERE are the commands that know WORD: "" is ctrace itself, "*" each that
 * has TARGETs. WITH: what the command reads in place of WORD, %s is WORD's value; "!COMMAND": it is that
 * command with the other words. NULL: it means nothing that ctrace does, so an error says HERE.
 */
#ifndef CTRACE_HABITS_H
#define CTRACE_HABITS_H

#define CTRACE_HABITS(H) \
	H("docker ps, podman ps", "", "ls", "ps", "ctrace ps") \
	H("docker container ls, lxc list", "", "list", "ps", "ctrace ps") \
	H("docker ps -q", "ps", "-q", NULL, "ctrace ps --columns id") \
	H("docker inspect NAME", "", "inspect", "explain", "ctrace explain NAME") \
	H("docker stats", NULL, NULL, NULL, "ctrace top") \
	H("docker events", NULL, NULL, NULL, "ctrace ps --follow") \
	H("docker logs NAME", "", "logs", NULL, "ctrace trace NAME") \
	H("docker attach NAME", "", "attach", NULL, "ctrace trace NAME") \
	H("docker exec NAME COMMAND", "", "exec", NULL, "ctrace trace NAME, and the engine runs COMMAND") \
	H("docker run COMMAND", "", "run", NULL, "ctrace trace -- COMMAND; --wait NAME for a container") \
	H("top -n N", "top", "-n", "--batch --count %s", "ctrace top --batch --count N") \
	H("top --once", "top", "--once", "--batch --count 1", "ctrace top --batch --count 1") \
	H("top -d SECONDS", "top", "-d", "--interval %s", "ctrace top --interval SECONDS") \
	H("strace -p PID", "*", "-p", "pid:%s", "ctrace trace pid:PID") \
	H("strace -p PID", "", "-p", "trace -p", "ctrace trace pid:PID") \
	H("strace COMMAND", NULL, NULL, NULL, "ctrace trace -- COMMAND") \
	H("strace -f", "*", "-f", "", "ctrace trace (it always follows)") \
	H("strace -f", "", "-f", "trace", "ctrace trace (it always follows)") \
	H("strace -c", "trace", "-c", "!stats", "ctrace stats") \
	H("strace -c", "", "-c", "stats", "ctrace stats --style strace") \
	H("strace -e trace=open", "", "-e", "trace -e", "ctrace trace -e open,openat") \
	H("strace -o FILE", NULL, NULL, NULL, "ctrace trace -o FILE") \
	H("strace -k", "trace record", "-k", "--stack=user", "ctrace trace --stack=user") \
	H("strace -r", "trace", "-r", "--relative", "ctrace trace --relative") \
	H("strace -t, -tt", "trace", "-t", "", "ctrace trace (it always does)") \
	H("strace -T", "trace", "-T", "", "ctrace trace (it always does)") \
	H("strace -y, -yy", "trace", "-y", "", "ctrace trace (it always does)") \
	H("strace -Y", "trace", "-Y", "", "ctrace trace (it always does)") \
	H("strace -Z", "trace", "-Z", "--failed", "ctrace trace --failed") \
	H("strace -s N", "trace", "-s", NULL, "ctrace trace --data N") \
	H("strace -q", "trace record", "-q", NULL, "ctrace trace 2> /dev/null, without its account") \
	H("timeout N strace", "*", "-d", NULL, "--duration N; --interval N prints each N seconds") \
	H("| head -n N", "*", "-n", NULL, "--duration TIME; --interval TIME --count N; | head -n N") \
	H("perf record -a", "*", "-a", "all", "ctrace record all") \
	H("perf record -a", "*", "--all", "all", "ctrace record all") \
	H("perf record -g -F 99", "record", "-g", NULL, "ctrace record -F 99: samples have stacks") \
	H("perf report, perf script", "", "script", "report", "ctrace report DIR") \
	H("perf top", NULL, NULL, NULL, "ctrace profile NAME") \
	H("perf stat -e EVENT", "", "stat", NULL, "ctrace count EVENT, or ctrace stats for system calls") \
	H("perf trace -s", NULL, NULL, NULL, "ctrace stats NAME") \
	H("perf sched latency", "", "sched", NULL, "ctrace runqlat NAME, and ctrace blame NAME") \
	H("perf lock contention", "", "lock", "locks", "ctrace locks NAME") \
	H("perf list", NULL, NULL, NULL, "ctrace events") \
	H("bpftrace 'tracepoint:sched:sched_switch'", NULL, NULL, NULL, "ctrace count sched_switch") \
	H("bpftrace 'kprobe:F { @[kstack] = count() }'", NULL, NULL, NULL, "ctrace stackcount kprobe:F") \
	H("bpftrace '... { @ = hist(args->bytes) }'", NULL, NULL, NULL, "ctrace hist EVENT bytes") \
	H("execsnoop, opensnoop, killsnoop", NULL, NULL, NULL, "ctrace snoop exec, open, kill") \
	H("biosnoop, biolatency", NULL, NULL, NULL, "ctrace bio") \
	H("offcputime", NULL, NULL, NULL, "ctrace offcpu --stack") \
	H("lttng start", "", "start", NULL, "ctrace record NAME") \
	H("lttng stop, docker stop", "", "stop", NULL, "Ctrl-C where it runs; ctrace status lists sessions") \
	H("lttng view", "", "view", "report", "ctrace report DIR") \
	H("lttng list --kernel", NULL, NULL, NULL, "ctrace events") \
	H("sysdig container.name=NAME", NULL, NULL, NULL, "ctrace trace NAME") \
	H("sysdig proc.name=X", NULL, NULL, NULL, "ctrace trace all --comm X") \
	H("sysdig -w FILE", NULL, NULL, NULL, "ctrace record -o DIR all") \
	H("sysdig -r FILE", NULL, NULL, NULL, "ctrace report DIR") \
	H("csysdig", NULL, NULL, NULL, "ctrace top")

/*
 * If word is a habit in place of a command: what to read in its place, as words separated by blanks; or NULL,
 * and *here is what to type. *here NULL: it is no habit.
 */
const char *habit_command(const char *word, const char **here);
/*
 * getopt_long() has refused an option of argv, which goes up to cli_end. If it is a habit that means the same
 * here, runs the program anew with the right words, and does not return. Else returns what to type; NULL: it
 * is no habit.
 */
const char *habit_option(char **argv);
#endif
