#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a switch to a neighbour's task shows nothing of that task, and a fork into a container nothing of the parent
# witness: two containers that wake each other on one CPU, beside tracefs, with sessions of both kinds; a
#	view is refused
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap one -g "/box/$(hex64 priv1)" -- taskset 1 /bin/sh -c 'while :; do :; done'
a=$pid
cid=$(of_pid "$a" cid)
cp "$(command -v sleep)" "$tmp/secretname"
cheap two -g "/box/$(hex64 priv2)" -- taskset 1 /bin/sh -c "while :; do nice -n 3 $tmp/secretname 0.01; done"
dump_until 40 sched_switch "$tmp/ev" -t "cid:$cid" -e sched_switch
at_least "switches are there" 5 "$(grep -c sched_switch "$tmp/ev")"
has_not "the neighbour's name is not" secretname "$tmp/ev"
same "one cid" "$cid" "$(cids "$tmp/ev" .)"
# Our task spins, so the other side of each of its switches is another's.
grep 'sched_switch ' "$tmp/ev" | sed 's/.* prev_comm=/prev_comm=/' | sort | uniq -c | sort -rn > "$tmp/kinds"
note "$(head -n 4 "$tmp/kinds")"
has "from it" "prev_comm=\"sh\" prev_tid=$a prev_prio=20 .*next_comm=\"\" .*prev_cid=$cid next_cid=0\$" "$tmp/kinds"
has "to it" "prev_comm=\"\" .*next_comm=\"sh\" next_tid=$a next_prio=20 prev_cid=0 next_cid=$cid\$" "$tmp/kinds"
has_not "who came before: no number, no priority, no state" 'prev_comm="" (prev_tid=[^0]|.*prev_prio=[^0]|.*prev_state=[^0])' "$tmp/kinds"
has_not "who comes next: no number, no priority" 'next_comm="" (next_tid=[^0]|.*next_prio=[^0])' "$tmp/kinds"
# A container's first process is made by a task of the host. Both sides are recorded.
recorder whole -N -t all -e sched_process_fork
recorder both -t all -e sched_process_fork
cheap three -g "/box/$(hex64 priv3)" -- /bin/sh -c 'while :; do sleep 0.1; done'
three=$(of_pid "$pid" cid)
wait_for 10 lines 2 "fork cid=$three " "$tmp/both" || true
wait_for 10 grep -q " child_tid=$pid " "$tmp/whole" || true
# shellcheck disable=SC2086 # two
kill $recorders
# shellcheck disable=SC2086 # two
wait $recorders
grep "fork cid=$three .* child_tid=$pid " "$tmp/both" > "$tmp/child"
grep -v "fork cid=$three " "$tmp/both" | grep " child_tid=$pid " > "$tmp/parent"
note "child: $(sed 's/.*parent_comm/parent_comm/' "$tmp/child")"
note "parent: $(sed 's/.*parent_comm/parent_comm/' "$tmp/parent")"
has "a fork into a container, there: nothing of the parent" "parent_comm=\"\" parent_tid=0 parent_pid=0 parent_ns_inum=0 .* child_tid=$pid child_pid=$pid " "$tmp/child"
has "where the parent is: its own" 'parent_comm="ctbox" parent_tid=[1-9]' "$tmp/parent"
parent=$(sed -nE 's/.* cid=0 tid=([0-9]+) .*/\1/p' "$tmp/parent")
same "with both sides: once, in the parent's" 1 "$(grep -c " child_tid=$pid " "$tmp/whole")"
has "with both sides" "fork cid=0 tid=$parent .*parent_comm=\"ctbox\" parent_tid=$parent parent_pid=$parent parent_ns_inum=[1-9][0-9]* child_comm=\"ctbox\" child_tid=$pid child_pid=$pid " "$tmp/whole"
