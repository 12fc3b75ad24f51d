#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: events of a container that no session wanted are recorded from the moment that one does
# requires: any
# timeout: 120
# processors: the packets and the sleepers have one each
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Each CPU remembers which tasks no session wants. It must forget that at once when a session begins to want a task, or when a task
# moves. All tasks here run on one CPU, so that a wrong memory of it would be used.
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=0 || skip "no null_blk"
later "rmmod null_blk"
load
ctrace events > "$tmp/events"
! grep -q '^page_fault_user .*not here' "$tmp/events" || skip "the kernel does not tell of page faults"
events=(-e sched_switch -e sched_wakeup -e page_fault_user -e block_rq_issue -e block_rq_complete -e net_dev_queue -e net_if_receive_skb)
cheap box -g "/box/$(hex64 box)" -- sleep 1000
box=$(of_pid "$pid" cid) init=$pid
mkfifo "$tmp/words" "$tmp/words2"
# the neighbour evaluates each line that it reads
cheap next -g "/box/$(hex64 next)" -- unshare --net taskset -c 0 bash -c "ip link set lo up; exec 3<> $tmp/words
	while read -r -u 3 words; do eval \"\$words\"; : > $tmp/done; done"
next=$(of_pid "$pid" cid)
tell() { rm -f "$tmp/done"; echo "$1" > "$tmp/words"; }
told() { wait_for 30 test -e "$tmp/done" || give_up "the neighbour did not end: $*"; }
all() {
	local kind
	for kind in pingpong fault request packet; do
		tell "calls 100 $kind"
		told "$kind"
	done
}
tracing on sched/sched_wakeup sched/sched_switch
dump "$tmp/box" -d 600 -t "cid:$box" "${events[@]}"
recording=$dumping
all	# the first calls load what they need
all
# count FILE PATTERN
count() { grep -cE "$2" "$1"; }
# In round 3 not the container is the target, but its cgroup.
for round in 1 2 3; do
	tracing clear
	target=cid:$next
	[ $round != 3 ] || target=cgroup:$(cgroup_dirs "/box/$(hex64 next)" | head -n 1)
	dump "$tmp/next" -t "$target" "${events[@]}"
	all
	stop_dump
	tracing read > "$tmp/kernel"
	at_least "round $round: page faults" 100 "$(count "$tmp/next" "page_fault_user cid=$next ")"
	# lengths with the link's 14 bytes, and without
	while read -r name rest; do
		same "round $round: $name" 100 "$(count "$tmp/next" "^[0-9]+ $name cid=$next .* $rest ")"
	done << END
block_rq_issue nr_sector=8
block_rq_complete nr_sector=8
net_dev_queue len=106
net_if_receive_skb len=92
END
	n=$(count "$tmp/kernel" ' sched_wakeup: comm=calls ')
	at_least "round $round: wake-ups, by the kernel's own count" 50 "$n"
	same "round $round: as many are recorded" "$n" "$(count "$tmp/next" " sched_wakeup cid=$next .* comm=\"calls\"")"
	# of two tasks of one container a switch is one event
	same "round $round: switches to and from them" "$(count "$tmp/kernel" ' sched_switch: .*_comm=calls ')" \
		"$(count "$tmp/next" ' sched_switch cid=.*_comm="calls"')"
	all	# while no session wants the neighbour
done
has_not "nothing of them in the other session" " cid=$next " "$tmp/box"

# The same of tasks that run all the time: these are remembered as unwanted when the session begins. Nothing else runs where the
# faults are, so that CPU meets no other task.
last=$(($(nproc) - 1))
taskset -pc 0 $$ > /dev/null
tell "taskset -c $last calls -r 500 100000000 fault > /dev/null & taskset -c 0 calls -r 200 100000000 packet > /dev/null &
	taskset -c 0 bash -c 'exec 3<> $tmp/words2; while :; do read -r -t 0.02 -u 3; done' sleeper &"
told
# task WORD: the neighbour's task with this word in its command line
task() { for p in $(cgroup_tasks); do ! tr '\0' ' ' < "/proc/$p/cmdline" | grep -q "^[a-z]* .*$1" || echo "$p"; done; }
cgroup_tasks() { cat "$(cgroup_dirs "/box/$(hex64 next)" | head -n 1)/cgroup.procs"; }
sleep 1
faults=$(task 500.*fault) packets=$(task 200.*packet) sleeps=$(task 'while.*sleeper')
note "tasks: $faults, $packets, $sleeps"
echo 1 > "$tracefs/instances/ctrace-test/events/exceptions/page_fault_user/enable"
echo 1 > "$tracefs/instances/ctrace-test/events/net/net_dev_queue/enable"
sleep 1
# NAME TASK PATTERN: an event, and how the kernel's own one looks
cat > "$tmp/tasks" << END
page_fault_user $faults calls-${faults}[^0-9].*\spage_fault_user:
net_dev_queue $packets calls-${packets}[^0-9].*\snet_dev_queue:
sched_wakeup $sleeps \ssched_wakeup:.*\spid=${sleeps}[^0-9]
END
enough() {
	local theirs
	tracing read > "$tmp/kernel"
	while read -r _ _ theirs; do [ "$(count "$tmp/kernel" "$theirs")" -ge 20 ] || return 1; done < "$tmp/tasks"
}
dump "$tmp/next" -t "cid:$next" "${events[@]}"
tracing clear
check "the kernel's own events of all three" wait_for 10 enough
kill -STOP "$faults" "$packets" "$sleeps"
stop_dump
tracing read > "$tmp/kernel"
while read -r name who theirs; do
	at_least "$name of a task: no fewer than the kernel's own events" "$(count "$tmp/kernel" "$theirs")" "$(count "$tmp/next" " $name cid=$next tid=$who ")"
done < "$tmp/tasks"
kill -9 "$faults" "$packets" "$sleeps"

# Tasks of the host, which are moved into the container that is traced
taskset -c 0 calls -r 200 100000000 fault > /dev/null & faults=$!
# shellcheck disable=SC2016 # the inner shell's
taskset -c 0 bash -c 'exec 3<> "$1"; while :; do read -r -t 0.02 -u 3; done' sleeper "$tmp/words2" & sleeps=$!
later "kill -9 $faults $sleeps"
sleep 0.5
has_not "nothing of tasks before they are moved" " tid=($faults|$sleeps) " "$tmp/box"
for d in $(cgroup_dirs "/box/$(hex64 box)"); do
	for task in $faults $sleeps; do echo "$task" > "$d/cgroup.procs"; done
done
check "page faults of a task that was moved" wait_for 10 lines 20 " page_fault_user cid=$box tid=$faults " "$tmp/box"
check "wake-ups of another" wait_for 10 lines 20 " sched_wakeup cid=$box tid=$sleeps " "$tmp/box"
kill -9 $faults $sleeps

# A request that is under way when a session begins to want its issuer
rmmod null_blk
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=5000000000 || give_up "null_blk has no timer"
tell 'dd if=/dev/nullb0 of=/dev/null bs=4k count=1 iflag=direct 2> /dev/null'
under_way() { awk '{exit !($1 > 0)}' /sys/block/nullb0/inflight; }
wait_for 10 under_way || give_up "no request"
dump "$tmp/late" -t "cid:$next" -e block_rq_issue -e block_rq_complete
check "the request is still under way" under_way
told dd
stop_dump
same "completions of a request that no session wanted when it began" 1 "$(count "$tmp/late" " block_rq_complete cid=$next tid=[1-9].* nr_sector=8 ")"
has_not "no issue of it" ' block_rq_issue ' "$tmp/late"
kill "$recording"
wait "$recording"
check "its container lives still" kill -0 "$init"
