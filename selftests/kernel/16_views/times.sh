#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --from, --to and --last choose a part of a recording, to the nanosecond; parts side by side add up to the whole
# witness: babeltrace2 --begin and --end; the program's own count of its calls
# requires: v2
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
export TZ=UTC
mkfifo "$tmp/go"
cat > "$tmp/work" << 'EOF'
read -r _ < "$1/go"
i=0
while [ $i -lt 12 ]; do
	counted 3 50 > /dev/null
	sleep 0.1
	i=$((i + 1))
done
: > "$1/done"
read -r _ < "$1/go"
EOF
cheap box -n box -- sh "$tmp/work" "$tmp"
cid=$(of_pid "$pid" cid)
check "the container is known" test -n "$cid"
ctrace record -o "$tmp/t" -e views --buffer-size 64M "cid:$cid" 2> "$tmp/record.err" & recording=$!
later "kill $recording"
recording() { [ "$(ctrace status --json | jq '[.sessions[] | select(.recording)] | length')" = 1 ]; }
wait_for 20 recording || note "$(ctrace status)"
echo > "$tmp/go"
wait_for 30 test -e "$tmp/done" || note "the load did not end"
kill -INT $recording
wait $recording
has "nothing was lost" ' 0 lost' "$tmp/record.err"

# Edges: moments of events, as `report --json` has them. realtime is larger than a number of jq may be: take it as text.
ctrace report --json "$tmp/t" 2> /dev/null | grep -o '"realtime":[0-9]*' | cut -d: -f2 > "$tmp/moments"
all=$(wc -l < "$tmp/moments")
at_least "events" 600 "$all"
moment() { date -u -d "@${1%?????????}" +%Y-%m-%dT%H:%M:%S.; }
# when N: how a person writes the moment of the N-th event
when() {
	local ns
	ns=$(sed -n "${1}p" "$tmp/moments")
	echo "$(moment "$ns")${ns: -9}"
}
edges=("$(when $((all / 4)))" "$(when $((all * 3 / 4)))")
# part I: its options are in ${part[@]}
part() {
	part=()
	[ "$1" = 0 ] || part+=(--from "${edges[$1 - 1]}")
	[ "$1" = ${#edges[@]} ] || part+=(--to "${edges[$1]}")
}
# look COMMAND...: of the whole and of each part, unless the last look was by that command
look() {
	[ "$*" != "${looked:-}" ] || return 0
	looked=$*
	ctrace "$@" --json > "$tmp/whole" 2> "$tmp/err"
	for i in $(seq 0 ${#edges[@]}); do
		part "$i"
		ctrace "$@" --json "${part[@]}" > "$tmp/part.$i" 2> "$tmp/err" || note "$(cat "$tmp/err")"
	done
}
# adds_up NAME FILTER COMMAND...: the numbers that jq's FILTER takes of the parts add up to that of the whole, within $within
within=0
adds_up() {
	local name=$1 filter=$2 i sum=0 whole
	shift 2
	look "$@"
	whole=$(jq "$filter" "$tmp/whole")
	for i in $(seq 0 ${#edges[@]}); do
		sum=$((sum + $(jq "$filter" "$tmp/part.$i")))
	done
	at_least "$name: there is something" 1 "$whole"
	near "$name: the parts add up" $within "$whole" "$sum"
}
adds_up stats '[.rows[].calls] | add // 0' stats --input "$tmp/t"
adds_up "stats, times" '[.rows[].total] | add // 0' stats --input "$tmp/t"
adds_up blame '[.rows[].culprits[]?.waited] | add // 0' blame --input "$tmp/t"
adds_up offcpu '[.rows[].total] | add // 0' offcpu --input "$tmp/t"
adds_up count '.account.events' count sched_run -i "$tmp/t" --by comm
adds_up summary '.events' report --summary "$tmp/t"
# An event is written a little after its time
within=500000
for row in time spent.ran spent.waited spent.slept spent.children; do
	adds_up "why, $row" "[.rows[].$row] | add // 0" why "cid:$cid" --input "$tmp/t"
done
near "why, in intervals" $within "$(ctrace why "cid:$cid" --input "$tmp/t" --json 2> /dev/null | jq '.rows[0].time')" \
	"$(ctrace why "cid:$cid" --input "$tmp/t" --json --interval 300ms 2> /dev/null | jq -s 'map(.rows[0].time) | add')"
sum=0
for i in $(seq 0 ${#edges[@]}); do
	part "$i"
	n=$(ctrace report --json "${part[@]}" "$tmp/t" 2> /dev/null | wc -l)
	sum=$((sum + n))
	if command -v babeltrace2 > /dev/null; then
		# --end has the event that is there; ours does not
		bt=()
		[ "$i" = 0 ] || bt+=(--begin "${edges[$i - 1]/T/ }")
		[ "$i" = ${#edges[@]} ] || bt+=(--end "${edges[$i]/T/ }")
		seen=$(babeltrace2 "${bt[@]}" --clock-gmt "$tmp/t" 2> "$tmp/err" | wc -l)
		at=0
		[ "$i" = ${#edges[@]} ] || at=$(grep -c "^$(date -u -d "${edges[$i]%.*}" +%s)${edges[$i]#*.}\$" "$tmp/moments")
		same "part $i: as many events as babeltrace2 has" $((seen - at)) "$n"
	fi
done
same "the events of the parts" "$all" "$sum"

# The program's own count: all its marked calls are in one part, or in the others.
same "its calls" 600 "$(for i in $(seq 0 ${#edges[@]}); do
	part "$i"; ctrace stats --input "$tmp/t" "${part[@]}" --json 2> /dev/null; done |
	jq -s '[.[].rows[] | select(.syscall == "getpriority") | .calls] | add')"
# A label of an interval leads to the interval.
ctrace count sched_run -i "$tmp/t" --interval 500ms > "$tmp/text" 2> /dev/null
label=$(grep -E '^20[0-9-]+ [0-9:]+\.[0-9]{6}$' "$tmp/text" | sed -n 2p)
check "an interval has its date and time" test -n "$label"
note "$(head -n 3 "$tmp/text")"
check "it leads there" ctrace count sched_run -i "$tmp/t" --from "$label"
ctrace diff --json "$tmp/t" --a "..${edges[1]}" --b "${edges[1]}.." > "$tmp/json" 2> "$tmp/err"
same "diff: status" 0 $?
same "diff: the calls of both" "$(ctrace stats -i "$tmp/t" --json 2> /dev/null | jq '[.rows[].calls] | add')" \
	"$(jq '.rows[0].calls | .a + .b' "$tmp/json")"
ctrace diff "$tmp/t" --a ..+1 --b -1.. > "$tmp/text" 2>&1
same "diff in text: status" 0 $?
note "$(cat "$tmp/text")"
ctrace report --html "$tmp/page.html" "$tmp/t" --last 1s 2> "$tmp/err"
same "a page: status" 0 $?
has "its time" '"ns":1000000000,' "$tmp/page.html"
check "an export" ctrace export --perfetto "$tmp/p" --from +500ms --to +1 "$tmp/t"
refuse "before the beginning" 'is before the recording: it is from 20' ctrace report "$tmp/t" --from -1h
refuse "from after to" 'is after --to' ctrace report "$tmp/t" --from +1 --to +0.5
refuse "an empty window" 'nothing between' ctrace report "$tmp/t" --from +1 --to +1
refuse "no time" 'is no time' ctrace report "$tmp/t" --from noon
refuse "live" 'add --input' ctrace stats --last 5
