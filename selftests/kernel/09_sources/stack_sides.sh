#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container's task that gets the CPU is not shown with the stack of the neighbour that left it
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# On one CPU: a container that sleeps and wakes, and two of the host that fill and empty a pipe.
cheap sides -g "/box/$(hex64 sides)" -- taskset 1 /bin/sh -c 'while :; do sleep 0.01; done'
cid=$(of_pid "$pid" cid)
taskset 1 /bin/sh -c 'yes | cat > /dev/null' &
later "kill $(jobs -p | tr '\n' ' ')"
later "pkill -x yes"

# stacks FILE: "TIMES WAY STACK": of the container's switches, those to its tasks (in) and from them (out), with and without a stack
stacks() {
	awk -v cid="cid=$cid" '
		function value(name) {return match($0, " " name "=[^ ]*") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : ""}
		$3 != cid {next}
		$2 == "sched_switch" {way[$4] = value("next_tid") + 0 && !(value("prev_tid") + 0) ? "in" : value("next_tid") + 0 ? "both" : "out"}
		$2 == "kernel_stack" && $4 in way {n[way[$4] (value("callstack") == "" ? " none" : " some")]++}
		END {for (i in n) print n[i], i}' "$1" | sort -k2
}
count() { sed -n "s/ $2\$//p" "$tmp/$1.stacks"; }
dump "$tmp/one" -t "cid:$cid" -e sched_switch -s
one=$dumping
dump "$tmp/whole" -N -t all -e sched_switch -s
wait_for 30 lines 80 "sched_switch cid=$cid" "$tmp/one" || true
wait_for 10 lines 40 "sched_switch cid=$cid" "$tmp/whole" || true
kill "$one" "$dumping"
wait "$one" "$dumping"
for f in one whole; do
	stacks "$tmp/$f" > "$tmp/$f.stacks"
	note "$f: $(paste -sd, "$tmp/$f.stacks")"
done
at_least "switches to the container's tasks, which have no stack" 20 "$(count one 'in none')"
same "nor do they have the neighbour's" "" "$(count one 'in some')"
at_least "its tasks' own way from the CPU" 20 "$(count one 'out some')"
same "always" "" "$(count one 'out none')"
at_least "who may see both sides sees the stack" 5 "$(count whole 'both some')"
