#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container without quota, one that stalls in fsync, one whose process the OOM killer takes: why.json of each dump names the cause
# witness: cpu.stat, a disk of the test's own that is slow, the kernel's log
# requires: v2
# timeout: 400
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../watching.sh
. "$here/watching.sh"
# shellcheck source-path=SCRIPTDIR source=../slow_disk.sh
. "$here/slow_disk.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
cpu_controller
memory=''
if grep -qw memory "$mount/cgroup.controllers" && echo +memory > "$mount/cgroup.subtree_control" && echo +memory > "$mount/box/cgroup.subtree_control"; then
	memory=yes
fi
conf 'throttled = 40%' 'oom = yes' 'call = fsync 150ms' 'span = sched_block 900ms [only = '"$(hex64 sleeper | cut -c1-8)*]" 'event = sched_process_exec if filename ~ "*/workload"' \
	'event = signal_generate if sig == 10 [seconds = 2]'
check "the configuration, with its events" w --check
watching
# box NAME COMMAND...: a container; sets $label to what it is called, and $dir to its cgroup
box() {
	local name=$1
	shift
	label=$(hex64 "$name" | cut -c1-12) dir=$mount/box/$(hex64 "$name")
	cheap "$name" -g "/box/$(hex64 "$name")" -- "$@"
}

# last_event: the name of the last event in the recording of $dump, but for the state of tasks, which comes later
last_event() { ctrace report --json "$dump/recording" 2> /dev/null | jq -r 'select(.event) | .event' | grep -v statedump | tail -n 1; }

slow_disk 100 16

box spinner sh -c 'while :; do :; done'
spinner=$label spinner_pid=$pid
quota "$dir" 20 || skip "no quotas"
dumped_as "$spinner" throttled 60
note "$(reason .what)"
at_least "its share, as the event has it, in percent" 40 "$(reason '.details.event | .throttled_ns * 100 / .of_ns | floor')"
check "cpu.stat before and after" test "$(reason '.cgroup.before["cpu.stat"] | length')" -gt 20 -a "$(reason '.cgroup.after["cpu.stat"] | length')" -gt 20
same "why.json: the cause" quota "$(jq -r '.rows[0].cause' "$dump/why.json")"
kill -9 "$spinner_pid"	# the others need not wait for a CPU

if [ -n "$slow" ]; then
	box writer sh -c "while [ ! -e $tmp/go ]; do sleep 0.1; done; dd if=/dev/zero of=$slow/file bs=4k count=1 conv=fsync 2> /dev/null; sleep 1000"
	sleep 3
	: > "$tmp/go"
	dumped_as "$label" call-fsync 90
	note "$(reason .what)"
	at_least "how long it took, in ms" 150 "$(reason '.details.event.duration / 1e6 | floor')"
	same "whose" dd "$(reason .details.event.comm)"
	same "the recording ends with it" syscall_fsync "$(last_event)"
	note "$(jq -c '.rows[0] | {cause, spent}' "$dump/why.json")"
	at_least "why.json: time at the disk, in ms" 100 "$(jq '.rows[0].spent | (.disk + .kernel) / 1e6 | floor' "$dump/why.json")"
fi

if [ -n "$memory" ]; then
	# shellcheck disable=SC2016 # perl's
	box eater perl -e 'select undef, undef, undef, 0.02 until -e "'"$tmp/eat"'"; my $n = 100_000_000; unless (fork) { my $x = "x" x $n; exit }
		wait; sleep 1000'
	echo 20M > "$dir/memory.max"
	[ ! -e "$dir/memory.swap.max" ] || echo 0 > "$dir/memory.swap.max"
	sleep 2
	: > "$tmp/eat"
	# before 4.14 the kernel does not report it
	if tplist | grep -qx mark_victim; then
		dumped_as "$label" oom 60
		victim=$(dmesg | sed -nE 's/.*Killed process ([0-9]+),? \(perl\).*/\1/p' | tail -n 1)
		same "the victim, as the kernel's log has it" "$victim" "$(reason .details.event.victim_pid)"
		has "why.json names it" "the OOM killer took perl/$victim" "$dump/why.json"
		has "memory.events" 'oom_kill 1' <(reason '.cgroup.after["memory.events"]')
	fi
fi

box sleeper sh -c 'sleep 1; sleep 1000'
dumped_as "$label" span-sched_block 60
same "the recording ends with it" sched_block "$(last_event)"
box runner sh -c 'sleep 2; workload poll'
dumped_as "$label" event-sched_process_exec 60
box signals sh -c 'trap : USR1; sleep 1; kill -USR1 $$; while :; do sleep 1; done'
dumped_as "$label" event-signal_generate 60
same "its own seconds" 2000000000 "$(reason .trigger.seconds_ns)"
same "the line of its trigger" "event = signal_generate if sig == 10 [seconds = 2]" "$(reason .trigger.text)"
