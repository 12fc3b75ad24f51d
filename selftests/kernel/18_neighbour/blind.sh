#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: with the kernel's kprobes switched off, no other tracer misses a call, and events that depend on hooks say that they see nothing
# witness: kernel.ftrace_enabled, kprobes/enabled of debugfs, each off before the module comes and during a
#	session; tracefs
# requires: v2
# timeout: 300
# kernels: 6.1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../neighbour.sh
. "$(dirname "$0")/../neighbour.sh"

sysctl=/proc/sys/kernel/ftrace_enabled kprobes=/sys/kernel/debug/kprobes/enabled
[ -e $sysctl ] || skip "no kernel.ftrace_enabled"
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug || skip "no debugfs"
[ -e $kprobes ] || skip "no kprobes/enabled in debugfs"
command -v jq > /dev/null || skip "no jq to read JSON"
later "echo 1 > $sysctl; echo 1 > $kprobes"
tracing on
event=$tracefs/instances/ctrace-test/events/syscalls/sys_enter_getpriority/enable
[ -e "$event" ] || skip "the kernel's own events of system calls are not there"
later "echo 0 > $event"
cheap box -n box -- calls -r 1000 100000000

seen_calls() { tracing read | grep -c -- "-$waiter .*sys_getpriority"; }
session() { dump "$tmp/ev" -d 600 -t "cid:$cid" -e syscalls; }
# tracer NUMBER WHEN: another tracer begins, and then sees all calls of a neighbour, which was spared if anybody was
tracer() {
	echo 0 > "$event"
	tracing clear
	echo 1 > "$event"
	tell "w$1" "exec counted $1 500"
	wait "$waiter"
	sleep 0.2
	same "$2: calls of a neighbour that another tracer sees" 500 "$(seen_calls)"
	echo 0 > "$event"
}
counts() {
	ctrace count page_fault --duration 3 > "$tmp/count" 2>&1
	status=$?
	check "$1: count does not end as if nothing had happened" [ $status != 0 ]
	has "$1: and it says what to type" "$2" "$tmp/count"
}

said() { ctrace events page_fault | grep -q "not here: .*$1"; }
blind() { ctrace status --json | jq -r '.module.blind // empty'; }
is_blind() { [ -n "$(blind)" ]; }
hears() { [ -z "$(blind)" ]; }

n=0
for off in $sysctl $kprobes; do
	type=$off
	[ "$off" = $kprobes ] || type=kernel.ftrace_enabled=1
	# before the module comes
	echo 0 > "$off"
	load
	cid=$(of_pid "$pid" cid)
	session
	n=$((n + 1))
	waiter w$n
	sleep 1.5
	same "${off##*/} 0 before: nobody is spared" 0 "$(spared)"
	has_why() { why | grep -q "$type"; }
	check "status says why, and what to type" has_why
	tracer $n "${off##*/} 0 before"
	stop_dump
	counts "${off##*/} 0 before" "$type"
	check "the list of events says it" said "$type"
	ctrace doctor > "$tmp/doctor"
	has "so does doctor" "^note +kprobes " "$tmp/doctor"
	has "with what to type" "$type" "$tmp/doctor"
	# on again
	echo 1 > "$off"
	check "it is on again: hooks are heard" wait_for 10 hears
	session
	n=$((n + 1))
	waiter w$n
	check "and tasks are spared" wait_for 10 some_spared
	ctrace count page_fault --duration 8 > "$tmp/count" 2> "$tmp/account" & counting=$!
	sleep 2
	echo 0 > "$off"
	check "it is noticed" wait_for 5 is_blind
	same "then nobody is spared" 0 "$(spared)"
	tracer $n "${off##*/} 0 meanwhile"
	echo 1 > "$off"
	wait $counting
	has "a view's account tells of it" 'hooks were blind for [0-9.]* s: .*page_fault.* not seen then' "$tmp/account"
	check "once more it is on: tasks are spared" wait_for 20 some_spared
	ctrace status > "$tmp/status"
	has "status tells that it was off" '^hooks were blind for ' "$tmp/status"
	stop_dump
	unload
done
