#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the stack of a whole call is where it slept last, not the way out of the kernel
# witness: sleeps timed from outside; strace; entry and exit records of the same calls
# requires: any
# kernels: 5.10,6.1,newest
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mkfifo "$tmp/fifo"
cat > "$tmp/waits" << END
sleep 0.3
(sleep 0.4; echo) > "$tmp/fifo" &
cat "$tmp/fifo"
wait
END
ctrace trace --json --longer 100ms --stack -- sh "$tmp/waits" > "$tmp/ev" 2> "$tmp/err"
# frames EVENT: the stacks of these calls, each on a line
frames() { jq -r "select(.event == \"$1\") | [.kernel_stack[]? | tostring] | join(\" \")" "$tmp/ev"; }
sleeping=$(frames syscall_clock_nanosleep; frames syscall_nanosleep)
reading=$(frames syscall_read)
is() { check "$1" expr "$2" : ".*$3"; }
is "sleep slept in the timer" "$sleeping" nanosleep
is "cat slept in the pipe" "$reading" 'pipe_\(read\|wait\)'
waited() { jq -r "select(.event == \"$1\") | .waited_for" "$tmp/ev" | sort -u; }
same "so they waited for a timer, a pipe, a child" "timer pipe child" \
	"$(waited syscall_clock_nanosleep) $(waited syscall_read) $(waited syscall_wait4)"
same "neither has the way out" '' "$(echo "$sleeping $reading" | grep -o 'syscall_exit[a-z_]*\|ctrace[a-z_]*' | sort -u)"
is "the first frame is the scheduler's" "${reading%% *}" sched

# a session without stacks, and then one with: nothing of the first is left for the second
evdump -e call:read -- cat "$tmp/waits" > "$tmp/plain" 2> "$tmp/err"
has_not "without --stack there is none" kernel_stack "$tmp/plain"
# a call that is denied its rest: killed while it sleeps
ctrace trace --json -e call:pause -e call:clock_nanosleep --stack -o "$tmp/killed" -- timeout -s KILL 0.2 sleep 5 2> "$tmp/err"
ctrace trace --json --longer 100ms --stack -- sleep 0.2 > "$tmp/ev" 2> "$tmp/err"
is "the next one as before" "$(frames syscall_clock_nanosleep; frames syscall_nanosleep)" nanosleep
