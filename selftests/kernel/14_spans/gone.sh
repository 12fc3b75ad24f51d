#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: tasks that end leave nothing behind, neither a place nor a span for the next task at that address
# witness: 5,000 threads that end at once
# requires: any
# timeout: 120
# torture: 400
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
n=$(long 5000 100000)
evdump -v -b 16777216 -e sched_wait -e sched_run -e sched_block -- spans threads "$n" > "$tmp/ev" 2> "$tmp/err"
note "$(tail -n 2 "$tmp/err" | paste -sd' ')"
has "nothing lost" 'lost 0' "$tmp/err"
has "none unfollowed" ' unfollowed 0( |$)' "$tmp/err"
# the program itself may end before the session does
main=$(sed -n 's/^main=//p' "$tmp/ev")
grep -v " tid=$main vtid=" "$tmp/ev" > "$tmp/threads"
same "each thread's end" "$n" "$(grep -c ' sched_run .* reason=3 ' "$tmp/threads")"
# The first thing of a thread is that it waits, as a new task; so its number, too, may be given again.
awk '$2 ~ /^sched_(wait|run|block)$/ && $2 != "" {
	split($4, t, "=")
	new = !(t[2] in alive)
	if (new && ($2 != "sched_wait" || !/ reason=1 /)) bad++
	alive[t[2]] = 1
	if (/ sched_run .* reason=3 /) {delete alive[t[2]]; ended++}
} END {print bad + 0, ended + 0, length(alive)}' "$tmp/threads" > "$tmp/sum"
read -r bad ended alive < "$tmp/sum"
same "which begins with a wait" 0 "$bad"
same "and ends once" "$n" "$ended"
same "none is left" 0 "$alive"
