#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a session that may see both sides gets each switch between two containers once, whole; another one gets two halves
# witness: two containers that wake each other on one CPU, beside tracefs, with sessions of both kinds; a
#	view is refused
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
# Two containers wake each other in turn, on one CPU.
mkfifo "$tmp/there" "$tmp/back"
cp "$(readlink -f /bin/sh)" "$tmp/alpha"
cp "$(readlink -f /bin/sh)" "$tmp/beta"
cheap one -g "/box/$(hex64 switch1)" -- taskset 1 "$tmp/alpha" -c "exec 3<>$tmp/there 4<>$tmp/back; while :; do echo >&3; read -r _ <&4; done"
a=$pid ca=$(of_pid "$pid" cid)
cheap two -g "/box/$(hex64 switch2)" -- taskset 1 "$tmp/beta" -c "exec 3<>$tmp/there 4<>$tmp/back; while :; do read -r _ <&3; echo >&4; done"
b=$pid cb=$(of_pid "$pid" cid)
witness sched/sched_switch
recorder halves -t "cid:$ca" -t "cid:$cb" -e sched_switch
recorder first -N -t "cid:$ca" -e sched_switch
recorder whole -N -t "cid:$ca" -t "cid:$cb" -e sched_switch
sleep 0.5
# shellcheck disable=SC2086 # several
kill $recorders
# shellcheck disable=SC2086 # several
wait $recorders
witnessed "$tmp/w"

# In the time that all of them recorded, without its ends
begin=$(for f in halves first whole; do head -n 1 "$tmp/$f"; done | cut -d' ' -f1 | sort -n | tail -n 1)
end=$(for f in halves first whole; do tail -n 1 "$tmp/$f"; done | cut -d' ' -f1 | sort -n | head -n 1)
for f in halves first whole w; do between "$tmp/$f" "$begin" "$end" > "$tmp/$f.in"; done
# n FILE EXPRESSION: prints how many lines match
n() { grep -cE -e "$2" "$tmp/$1.in"; }
there=$(n w "prev_pid=$a .* next_pid=$b ") back=$(n w "prev_pid=$b .* next_pid=$a ")
at_least "switches from one to the other" 20 "$there"
at_least "and back" 20 "$back"
from_a="prev_comm=\"alpha\" prev_tid=$a prev_prio=20 prev_state=[0-9]+"
from_b="prev_comm=\"beta\" prev_tid=$b prev_prio=20 prev_state=[0-9]+"
to_a="next_comm=\"alpha\" next_tid=$a next_prio=20"
to_b="next_comm=\"beta\" next_tid=$b next_prio=20"
nobody='next_comm="" next_tid=0 next_prio=0'

near "with both sides, once" 2 "$there" "$(n whole "cid=$ca tid=$a vtid=1 $from_a $to_b prev_cid=$ca next_cid=$cb\$")"
near "back, with both sides, once" 2 "$back" "$(n whole "cid=$cb tid=$b vtid=1 $from_b $to_a prev_cid=$cb next_cid=$ca\$")"
same "and none in another form" "" "$(grep -E "(prev_tid=$a .*next_tid=$b|prev_tid=$b .*next_tid=$a) " "$tmp/whole" |
	grep -vE "$from_a $to_b prev_cid=$ca next_cid=$cb\$|$from_b $to_a prev_cid=$cb next_cid=$ca\$" | head -n 3)"
has_not "no side is blank" '(prev|next)_comm=""' "$tmp/whole"
near "if one alone is wanted, away from it" 2 "$there" "$(n first "cid=$ca tid=$a vtid=1 $from_a $to_b prev_cid=$ca next_cid=$cb\$")"
near "and back to it, in its name" 2 "$back" "$(n first "cid=$ca tid=$a vtid=1 $from_b $to_a prev_cid=$cb next_cid=$ca\$")"
same "and nothing of the other's own" "" "$(grep -vE " cid=$ca tid=$a vtid=1 .*_tid=$a " "$tmp/first" | head -n 3)"

left=$(n w "prev_pid=$a ") came=$(n w "next_pid=$a ")
near "two halves: away" 2 "$left" "$(n halves "cid=$ca tid=$a vtid=1 $from_a $nobody prev_cid=$ca next_cid=0\$")"
near "two halves: back" 2 "$came" "$(n halves "cid=$ca tid=$a vtid=1 prev_comm=\"\" prev_tid=0 prev_prio=0 prev_state=0 $to_a prev_cid=0 next_cid=$ca\$")"
has_not "no half has both" 'prev_comm="[^"].* next_comm="[^"]' "$tmp/halves"
for f in halves first whole; do has "$f: none lost" ' lost 0$' "$tmp/$f.err"; done

# The command asks for both sides.
ctrace trace --json "cid:$ca" "cid:$cb" -e sched_switch --duration 0.5 2> "$tmp/err" | grep '^{' > "$tmp/json"
at_least "ctrace trace has both sides" 5 "$(jq -c "select(.fields.prev_tid == $a and .fields.next_tid == $b and .fields.next_comm == \"beta\" and .fields.next_cid == $cb)" "$tmp/json" | wc -l)"
same "once" 0 "$(jq -c 'select(.fields.prev_comm == "" or .fields.next_comm == "")' "$tmp/json" | wc -l)"
