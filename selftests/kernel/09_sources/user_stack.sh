#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: user stacks have the addresses that the program itself prints, a bounded number, and only of the event's own task
# witness: frames prints its return addresses; 64 and 32 bits, too deep, kernel threads, io_uring's own
#	threads, an event of another task
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e syscall:getppid -u -- frames call > "$tmp/ev" 2> "$tmp/err"
id=$(evdump -e syscall:getppid -- frames call 2> /dev/null | grep -c getppid)
at_least "without -u: the events alone" 2 "$id"
ip=$(sed -n 's/^ip=\(.*\) ret=.*/\1/p' "$tmp/ev") ret=$(sed -n 's/^ip=.* ret=//p' "$tmp/ev")
has "the program's own word" '^ip=0x[0-9a-f]+ ret=0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+$' "$tmp/ev"
has "the stack is just that" "user_stack cid=0 .* callstack=$ip,$ret(,|\$)" "$tmp/ev"
# The program's own output may come between two lines of evdump.
same "one after each event" "$(grep -c 'getppid cid' "$tmp/ev")" \
	"$(grep -v '^ip=' "$tmp/ev" | grep -A1 'getppid cid' | grep -c 'user_stack cid')"
evdump -e syscall:getppid -u -- frames deep > "$tmp/ev" 2> "$tmp/err"
same "a deep one has as many frames as fit" 64 "$(grep -m1 'user_stack' "$tmp/ev" | sed 's/.*callstack=//' | tr ',' '\n' | grep -c .)"
if command -v frames32 > /dev/null; then
	evdump -e syscall:getppid -u -- frames32 > "$tmp/ev" 2> "$tmp/err"
	has "a 32-bit program's own word" '^ip=0x[0-9a-f]+ ret=0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+$' "$tmp/ev"
	want=$(sed -n 's/^ip=\(.*\) ret=/\1,/p' "$tmp/ev")
	has "the stack is just that" "user_stack cid=0 .* callstack=$want(,|\$)" "$tmp/ev"
fi
# Kernel threads have no user stack. A wake-up's record is the woken task's, and must not show the stack of
# its waker, which has one here.
timeout 20 bash -c 'while sleep 0.02; do echo; done' | cat > /dev/null & talk=$!
evdump -t all -e sched_wakeup -u -d 1 > "$tmp/ev" 2> "$tmp/err"
kill $talk
wait
has "a task woke another" 'sched_wakeup .*comm="cat"' "$tmp/ev"
at_least "wake-ups" 10 "$(grep -c 'user_stack cid' "$tmp/ev")"
has_not "are told by others: no stack" 'user_stack cid.*0x' "$tmp/ev"
evdump -t all -e sched_switch -u -d 1 > "$tmp/ev" 2> "$tmp/err"
has "a switch has the stack of the task that is switched off" 'user_stack cid.*callstack=0x' "$tmp/ev"
kthread=$(pgrep -x ksoftirqd/0 || pgrep -x kthreadd)
has_not "a kernel thread's is empty" "user_stack cid=0 tid=$kthread .*0x" "$tmp/ev"
# Threads that the kernel makes for a program, here io_uring's, have its memory, but have never run it. The kernel reports no fork.
dump "$tmp/ev" -t all -e sched_switch -u
iouring -s > /dev/null 2>&1
stop_dump
workers=$(sed -nE 's/.* sched_switch cid=0 tid=([0-9]+) .*prev_comm="iou-(sqp|wrk)-[0-9]*" prev_tid=\1 .*/\1/p' "$tmp/ev" | sort -u | paste -sd'|')
if [ -n "$workers" ]; then
	at_least "switches of io_uring's own threads" 1 "$(grep -cE "user_stack cid=0 tid=($workers) " "$tmp/ev")"
	has_not "have no user stack" "user_stack cid=0 tid=($workers) .*0x" "$tmp/ev"
else
	note "io_uring's threads are not the program's, or there are none"
fi
has_not "all decodable" 'undecodable|unknown-id' "$tmp/ev"
