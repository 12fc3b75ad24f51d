#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: record without -e has what why, blame, stats, offcpu, flame and the page need; --minimal has calls and processes alone
# witness: a program that makes 300 marked calls, and its functions' names
# requires: any
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
cat > "$tmp/work" << 'EOF'
exec 3<> "$1/go"
while read -r _ <&3; do
	counted 5 300
	waits spin 2
	: > "$1/done"
done
EOF
mkfifo "$tmp/go"
cheap box -n box -- sh "$tmp/work" "$tmp"
cid=$(of_pid "$pid" cid)
# recorded NAME OPTION...
recorded() {
	rm -f "$tmp/done"
	ctrace record -o "$tmp/$1" "${@:2}" --buffer-size 64M "cid:$cid" 2> "$tmp/$1.err" & job=$!
	later "kill $job"
	wait_for 20 sh -c 'ctrace status | grep -q recording' || note "$(cat "$tmp/$1.err")"
	echo > "$tmp/go"
	wait_for 60 test -e "$tmp/done" || note "the load did not end"
	kill -INT $job
	wait $job
	same "$1: status" 0 $?
	has "nothing was lost" ' 0 lost' "$tmp/$1.err"
}
recorded usual
# rows COMMAND...: of the recording, as JSON
rows() { ctrace "$@" --json --input "$tmp/usual" 2> "$tmp/rows.err" || note "$* failed: $(cat "$tmp/rows.err")"; }
same "stats counts the calls" 300 "$(rows stats | jq '[.rows[] | select(.syscall == "getpriority") | .calls] | add')"
at_least "why knows how long it ran, ms" 500 "$(rows why "cid:$cid" | jq '.rows[0].spent.ran / 1000000 | floor')"
at_least "runqlat has waits" 1 "$(rows runqlat | jq '.rows | length')"
at_least "offcpu has sleeps" 1 "$(rows offcpu | jq '.rows | length')"
at_least "profile has samples" 10 "$(rows profile | jq '[.rows[].samples] | max')"
ctrace flame "$tmp/usual" --unit samples -o "$tmp/flame.svg" > "$tmp/out" 2>&1
check "flame draws it" grep -q '<svg' "$tmp/flame.svg"
recorded least --minimal
ctrace stats --json --input "$tmp/least" > "$tmp/out" 2> /dev/null
same "--minimal: stats counts the calls" 300 "$(jq '[.rows[] | select(.syscall == "getpriority") | .calls] | add' "$tmp/out")"
ctrace report --json "$tmp/least" 2> /dev/null | jq -r 'select(.event) | .event' | sort -u > "$tmp/events"
same "and there is nothing but calls and processes" '' "$(grep -vE '^(syscall_(entry|exit)|sched_process|lttng_statedump|ctrace_statedump)_|^(io_uring_op|late_argument)$' "$tmp/events" | xargs)"
ctrace flame "$tmp/least" -o "$tmp/none.svg" 2> "$tmp/err"
has "flame says that there are no stacks, and what records them" 'no stacks: .ctrace record. takes samples' "$tmp/err"
refuse "why needs more" 'no sched_run' ctrace why "cid:$cid" --input "$tmp/least"
refuse "--minimal beside -e" 'leave out -e' ctrace record --minimal -e openat -o "$tmp/none" all --duration 1
