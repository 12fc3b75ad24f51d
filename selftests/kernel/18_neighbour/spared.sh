#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: calls that no session wants do not take the kernel's slow path, and none that is wanted is missed for that
# witness: a kprobe where the kernel's slow path begins: none of a neighbour's calls come there; marked
#	calls of spared tasks that move into the container, or make processes there; the switch; kill -9
# requires: any
# timeout: 120
# kernels: 5.10 6.1 newest
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../neighbour.sh
. "$(dirname "$0")/../neighbour.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
same "without a session nothing is told of it" null "$(spared)"
cheap box -n box -- calls -r 1000 100000000
cid=$(of_pid "$pid" cid)
box=$(cgroup_dirs "$(of_pid "$pid" path)" | head -n 1)
traced=$pid
slow_begin && seen=1 || seen=''
waiter words
dump "$tmp/ev" -d 600 -t "cid:$cid" -e syscalls
wait_for 5 some_spared || note "$(ctrace status)"
at_least "tasks are spared" 1 "$(spared)"
same "and there is no reason why not" "" "$(why)"
ctrace status > "$tmp/status"
has "people are told" '^system calls are traced: [0-9]+ of [0-9]+ tasks pay for that, [0-9]+ are spared$' "$tmp/status"
spared_now() { [ "$(slow $waiter 0.3)" = 0 ]; }
if [ "$seen" ]; then
	wait_for 5 spared_now
	same "calls of a neighbour on the slow path" 0 "$(slow $waiter 0.5)"
	at_least "and of the traced one" 100 "$(slow "$traced" 0.5)"
else
	note "no function tells of the slow path"
fi

# A spared task comes into the container, and calls at once
tell words "echo \$BASHPID > $box/cgroup.procs; exec counted 77 1000"
moved() { [ "$(grep -c 'entry_getpriority.*who=77' "$tmp/ev")" -ge 1000 ]; }
wait_for 10 moved
same "calls of a task that comes into the container: all are there" 1000 "$(grep -c 'entry_getpriority.*who=77' "$tmp/ev")"

# Containers of a spared task's own making: a new pid namespace, and a cgroup from the first instruction on
waiter maker
wait_for 5 some_spared
for _ in 1 2 3; do
	tell maker "unshare --pid --fork sh -c 'echo 0 > $box/cgroup.procs; exec counted 78 100'"
done
sleep 0.2
tell maker exit
wait "$waiter"
same "calls of processes that it puts there" 300 "$(grep -c 'entry_getpriority.*who=78' "$tmp/ev")"

# The switch
waiter other
wait_for 5 some_spared
echo N > /sys/module/ctrace/parameters/spare
same "the switch is off" 0 "$(spared)"
has_why() { [ "$(why)" = "the module's parameter spare is N" ]; }
check "status says so" has_why
# on a busy machine it may not run for half a second
pays() { [ "$(slow $waiter 0.5)" -ge 5 ]; }
[ ! "$seen" ] || check "a neighbour's calls take the slow path" wait_for 20 pays
echo Y > /sys/module/ctrace/parameters/spare
check "and on again" wait_for 5 some_spared

# kill -9 of the only recorder takes every flag back
kill -9 "$dumping"
wait "$dumping" 2> /dev/null
sleep 0.3
if [ "$seen" ]; then
	same "nobody takes the slow path after the end: a neighbour" 0 "$(slow $waiter 0.5)"
	same "who was traced" 0 "$(slow "$traced" 0.5)"
fi
note "$(head -n 3 "$tmp/ev")"
