#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: after the clock was set, lines and JSON have the new time of day, and what was before keeps the old one
# witness: date(1), right before and after each event
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
# shellcheck disable=SC2016 # the container's own dollars
cheap box -n box -- sh -c 'while ! [ -e "$1/end" ]; do if [ -e "$1/go" ]; then rm "$1/go"; /bin/true; : > "$1/went"; fi; sleep 0.05; done; sleep 1000' sh "$tmp"
cid=$(of_pid "$pid" cid)
ctrace trace --json -e sched_process_exec "cid:$cid" > "$tmp/json" 2> "$tmp/err" & jobs=($!)
ctrace trace -e sched_process_exec "cid:$cid" > "$tmp/text" 2> "$tmp/err2" & jobs+=($!)
ctrace snoop exec -T "cid:$cid" > "$tmp/snoop" 2> "$tmp/err3" & jobs+=($!)
for p in "${jobs[@]}"; do later "kill $p"; done
wait_for 20 recording 3 || give_up "not all record"
# one event between two looks at the clock: prints both, in ns
event() {
	local from
	from=$(date +%s%N)
	rm -f "$tmp/went"
	: > "$tmp/go"
	wait_for 20 test -e "$tmp/went" || give_up "no event"
	echo "$from $(date +%s%N)" >> "$tmp/when"
	# read before the clock changes
	sleep 0.5
}
shift_clock() { date -s "@$(($(date +%s) + $1))" > "$tmp/out"; }
event
shift_clock 7200 || skip "the clock cannot be set here"
later "date -s @\$((\$(date +%s) - 7200))"
event
shift_clock 3600
later "date -s @\$((\$(date +%s) - 3600))"
event
: > "$tmp/end"
sleep 0.5
kill -INT "${jobs[@]}"
wait "${jobs[@]}"
note "$(cat "$tmp/when" "$tmp/text" "$tmp/snoop")"
# sleep is executed, too
jq -r 'select(.fields.filename | test("/true$")) | .realtime' "$tmp/json" > "$tmp/seen"
same "events" 3 "$(wc -l < "$tmp/seen")"
i=0
while read -r from to; do
	i=$((i + 1))
	at=$(sed -n ${i}p "$tmp/seen")
	in_range "event $i: realtime, in us after the first look" 0 $(((to - from) / 1000)) $(((at - from) / 1000))
	second=$(date -d "@$((at / 1000000000))" +%H:%M:%S)
	same "event $i: text" "$second" "$(grep '/true"' "$tmp/text" | sed -n "${i}s/\..*//p")"
	has "event $i: snoop" "^[^ ]+ +$second\.[0-9]+ true " "$tmp/snoop"
done < "$tmp/when"
