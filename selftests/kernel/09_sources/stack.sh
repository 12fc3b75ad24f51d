#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: kernel stacks of a kprobe, a system call and a tracepoint match the kernel's own tracer in the same run
# witness: the kernel's own tracer in the same run: kprobe, system call, switch
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
tracefs_mount
cd $tracefs || skip "no tracefs"
later "cd $tracefs"'; echo 0 > events/enable; echo nostacktrace > trace_options; echo > kprobe_events; echo > trace; echo 1 > tracing_on; cd /'
symbol=$(open_function)
grep ' [tTwW] ' /proc/kallsyms | sort -s -k1,1 > "$tmp/syms"

# names FILE: prints a line of function names for each line of comma-separated addresses
names() {
	awk 'NR == FNR {if ($1 != a[n]) {a[++n] = $1; s[n] = $3; m[n] = $4} next}
		{line = ""; k = split($0, x, ",")
		for (i = 1; i <= k; i++) {v = sprintf("%16s", substr(x[i], 3)); gsub(" ", "0", v); lo = 1; hi = n
			while (lo < hi) {mid = int((lo + hi + 1) / 2); if (a[mid] "" <= v "") lo = mid; else hi = mid - 1}
			line = line " " s[lo] m[lo]}
		print substr(line, 2)}' "$tmp/syms" "$1"
}
# both PROBE EVENT WHAT...: runs WHAT, and takes the last stack of its event from us ($ours) and from the
# kernel ($theirs), for the same tid
both() {
	local probe=$1 event=$2 tid
	shift 2
	echo 0 > tracing_on; echo > trace; echo stacktrace > trace_options
	echo 1 > "events/$event/enable"; echo 1 > tracing_on
	evdump -e "$probe" -s -- "$@" > "$tmp/ev" 2> "$tmp/err"
	echo 0 > tracing_on; echo 0 > "events/$event/enable"; echo nostacktrace > trace_options
	has "$probe: a stack follows each event" 'kernel_stack cid=0' "$tmp/ev"
	grep 'kernel_stack.*callstack=0x' "$tmp/ev" | tail -n 1 > "$tmp/last"
	tid=$(sed 's/.* tid=\([0-9]*\) .*/\1/' "$tmp/last")
	sed 's/.*callstack=//' "$tmp/last" > "$tmp/addresses"
	ours=$(names "$tmp/addresses")
	# A task runs between the end of our session and the end of theirs: their last stack that agrees counts.
	theirs=$(awk -v ours="$ours" -v task="-$tid +([(][ 0-9-]+[)] +)?[[][0-9]+[]]" '
		function ends(a, b) {return length(a) >= length(b) && substr(a, length(a) - length(b) + 1) == b}
		function told() {if (mine) {last = substr(st, 2); if (ends(last, ours) || ends(ours, last)) agrees = last}; mine = 0}
		/^ *=> / {st = st " " $2 $3; next}
		{told()}
		/<stack trace>/ {mine = $0 ~ task; st = ""}
		END {told(); print agrees != "" ? agrees : last}' trace)
	note "ours:   $ours"
	note "theirs: $theirs"
	echo "$ours" >> "$tmp/all"
}

# ends WHAT: checks that our stack is the end of theirs; theirs begins with how the kernel's tracer itself was
# called
ends() {
	local more=${theirs%"$ours"}
	if [ -n "$ours" ] && [ "$more$ours" = "$theirs" ] &&
		[[ $more =~ ^((ftrace_syscall_|perf_|__traceiter_|trace_event_)[a-z_]*" ")*$ ]]; then ok "$1: $ours"
	# Before 5.5 the kernel's tracer leaves out a few frames beyond its own.
	elif kernel_before 5.5 && [[ -n $theirs && $ours =~ ^([a-zA-Z0-9_]+" "){1,3}"$theirs"$ ]]; then ok "$1: $ours"
	elif kernel_before 3.17 && [ -z "$theirs" ]; then note "$1: theirs says nothing, ours $ours"
	else not_ok "$1: expected the end of '$theirs', seen '$ours'"; fi
}

echo "p:ctracetest $symbol" > kprobe_events
both "kprobe:$symbol" kprobes/ctracetest provoke open
same "kprobe: the stack begins at the function" "$symbol" "${ours%% *}"
# Before 4.10 the kernel's tracer leaves out the function that was interrupted.
! kernel_before 4.10 || [ "$symbol $theirs" != "$ours" ] || theirs=$ours
# Before 5.2 the kernel's tracer goes by frame pointers. It leaves out the function's caller, as the function
# has no frame yet.
if kernel_before 5.2 && [[ $ours =~ ^"$symbol "[a-zA-Z0-9_]+" ${theirs#"$symbol "}"$ ]]; then theirs=$ours; fi
same "kprobe: and goes on as the kernel's own" "$theirs" "$ours"
both syscall:getppid syscalls/sys_exit_getppid frames call
ends "system call: its way to the tracepoint"
both sched_switch sched/sched_switch provoke pingpong
ends "sched_switch: the scheduler, and who called it"
same "it is __schedule that the stack begins at" __schedule "${ours%% *}"
has_not "nothing of ctrace itself in any" '\[ctrace\]|__traceiter|kprobe' "$tmp/all"
