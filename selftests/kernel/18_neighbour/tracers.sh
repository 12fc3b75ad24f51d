#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: other tracers of system calls see every call of a spared task, whether they began before, beside or after a session
# witness: tracefs, trace-cmd, perf where it is, which begin before, beside and after a session, and stay
#	when it ends and the module goes
# requires: v2
# timeout: 120
# kernels: 6.1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../neighbour.sh
. "$(dirname "$0")/../neighbour.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
tracing on
event=$tracefs/instances/ctrace-test/events/syscalls/sys_enter_getpriority/enable
[ -e "$event" ] || skip "the kernel's own events of system calls are not there"
later "echo 0 > $event"
# call NUMBER: the neighbour, which was spared if anybody was, makes 500 marked calls, as its own process
call() {
	waiter "w$1"
	wait_for 3 some_spared "${2:-0}"
	sleep 0.3
	tracing clear
	tell "w$1" "exec counted $1 500"
	wait "$waiter"
	sleep 0.2
}
seen_calls() { tracing read | grep -c -- "-$waiter .*sys_getpriority"; }
session() { dump "$tmp/ev" -d 600 -t "cid:$cid" -e syscalls; }

cheap box -n box -- calls -r 1000 100000000
cid=$(of_pid "$pid" cid)
# before
echo 1 > "$event"
session
call 1
same "a tracer that was there before: calls" 500 "$(seen_calls)"
same "and nobody is spared" 0 "$(spared)"
# during: it begins while tasks are spared
echo 0 > "$event"
check "once it has gone, tasks are spared" wait_for 5 some_spared
waiter during
wait_for 5 some_spared
sleep 0.5
tracing clear
echo 1 > "$event"
same "a tracer that begins: nobody is spared any more" 0 "$(spared)"
tell during "exec counted 2 500"
wait "$waiter"
sleep 0.2
same "calls of who was spared" 500 "$(seen_calls)"
# it stays when our session ends, and when the module goes
stop_dump
call 3
same "our session has ended: calls" 500 "$(seen_calls)"
session
sleep 0.3
stop_dump
unload
call 4
same "the module has gone: calls" 500 "$(seen_calls)"
# after
echo 0 > "$event"
load
session
wait_for 5 some_spared
stop_dump
echo 1 > "$event"
call 5
same "a tracer that begins after a session: calls" 500 "$(seen_calls)"
echo 0 > "$event"
if command -v trace-cmd > /dev/null; then
	session
	waiter other
	wait_for 5 some_spared
	trace-cmd record -q -e syscalls:sys_enter_getpriority -o "$tmp/dat" sh -c ": > $tmp/begun; until [ -e $tmp/enough ]; do sleep 0.1; done" > /dev/null 2>&1 & cmd=$!
	wait_for 10 test -e "$tmp/begun"
	tell other "exec counted 7 500"
	wait "$waiter"
	: > "$tmp/enough"
	wait $cmd
	trace-cmd report "$tmp/dat" > "$tmp/report" 2> /dev/null
	# it drops what its own buffer has no room for, and counts that
	dropped=$(sed -n 's/.*\[\([0-9]*\) EVENTS DROPPED\].*/\1/p' "$tmp/report" | awk '{ n += $1 } END { print n + 0 }')
	same "trace-cmd: calls ($dropped dropped by itself)" 500 $(($(grep -c -- "-$waiter .*sys_enter_getpriority" "$tmp/report") + dropped))
	stop_dump
fi
if command -v perf > /dev/null; then
	session
	waiter watched
	wait_for 5 some_spared
	perf stat -x, -e syscalls:sys_enter_getpriority -p $waiter 2> "$tmp/perf" & perf=$!
	counting() { readlink /proc/"$perf"/fd/* | grep -q perf_event; }
	wait_for 20 counting
	sleep 0.5
	tell watched "exec counted 6 500"
	wait $perf
	same "perf: calls" 500 "$(cut -d, -f1 < "$tmp/perf" | tail -n 1)"
	stop_dump
fi
