#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: folded profiles, and so flame graphs, have one line for a stack of several processes of one program
# witness: programs that time two functions by their own CPU clock, one after the other; the same under another name
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events 2> /dev/null | grep '^cpu_sample ' | grep -vq 'not here' || skip "no samples here"
ln -s "$(command -v waits)" "$tmp/others"
work="for i in 1 2 3; do waits spin 1; done; $tmp/others spin 1"
ctrace profile all -v -F 199 --folded "$tmp/folded" -- ctbox -n spin -- sh -c "$work" > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
note "$(cat "$tmp/err")"
mapfile -t three < <(sed -n 's/^three=\([0-9]*\) one=[0-9]*$/\1/p' "$tmp/out")
same "four programs ran" 4 ${#three[@]}
# of PROGRAM: lines that end in the function; samples: what they add up to
of() { grep -E "^[^;]+;$1;(.*;)?do_spin;three_parts [0-9]+\$" "$tmp/folded"; }
samples() { of "$1" | awk '{n += $NF} END {printf "%d\n", n}'; }
same "three processes, one line" 1 "$(of waits | wc -l)"
same "the other program has its own" 1 "$(of others | wc -l)"
note "$(of waits)"
note "$(of others)"
# a virtual CPU that is held up takes fewer
in_range "no more samples of the three than 199 in a second of their CPU time" \
	20 $((199 * (three[0] + three[1] + three[2]) / 1000000000 + 60)) "$(samples waits)"
in_range "and of the one" 5 $((199 * three[3] / 1000000000 + 20)) "$(samples others)"
same "no line is there twice" "" "$(sed 's/ [0-9]*$//' "$tmp/folded" | sort | uniq -d)"
has_not "and none has a number for a process" '^[^;]+;[^;]+;[0-9]+[ ;]' "$tmp/folded"
events=$(sed -n 's/^ctrace: \([0-9]*\) events counted.*/\1/p' "$tmp/err")
same "lines add up to the account" "$events" "$(awk '{n += $NF} END {print n}' "$tmp/folded")"
same "the largest first" "$(awk '{print $NF}' "$tmp/folded" | sort -rn)" "$(awk '{print $NF}' "$tmp/folded")"

ctrace flame all -F 199 --folded -o "$tmp/flame" -- ctbox -n spin -- sh -c "$work" > "$tmp/out" 2> "$tmp/err"
same "flame: one line for each program" "others waits" \
	"$(grep -E ';do_spin;three_parts [0-9]+$' "$tmp/flame" | cut -d';' -f2 | sort | xargs)"
ctrace profile all -F 199 --folded "$tmp/folded" --by pid -- sh -c "waits spin 1; waits spin 1" > "$tmp/out" 2> "$tmp/err"
same "--by pid keeps them" 2 "$(grep -cE '^[^;]+;[0-9]+;(.*;)?do_spin;three_parts [0-9]+$' "$tmp/folded")"
ctrace profile all -F 199 --folded "$tmp/folded" --top 1 -- sh -c "waits spin 1; waits spin 1" > "$tmp/out" 2> "$tmp/err"
same "--top counts lines" 1 "$(wc -l < "$tmp/folded")"
