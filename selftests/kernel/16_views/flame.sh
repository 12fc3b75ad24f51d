#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace flame: a command's stacks live, and those of a recording, against what report --folded has
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events 2> /dev/null | grep '^cpu_sample ' | grep -vq 'not here' || skip "no samples here"
ctrace flame -F 99 -o "$tmp/live.svg" -- ctbox -n spin -- waits spin 2 > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
note "$(cat "$tmp/err")"
has "live: the function that runs three times as long" '<title>three_parts \([0-9]+ samples, ' "$tmp/live.svg"
has "and what it wrote" 'live.svg: [0-9]+ samples in [0-9]+ frames$' "$tmp/err"
check "it has frames" awk '/<g /{n++} END {exit !(n > 5)}' "$tmp/live.svg"

ctrace record -o "$tmp/rec" -F 99 -- ctbox -n spin -- waits spin 2 > "$tmp/out" 2> "$tmp/err"
ctrace report --folded "$tmp/report" "$tmp/rec" 2> /dev/null
ctrace flame "$tmp/rec" --folded -o "$tmp/folded" 2> "$tmp/err"
same "a recording: status" 0 $?
sum() { awk '{n += $NF} END {printf "%.0f\n", n}' "$1"; }
at_least "samples" 50 "$(sum "$tmp/report")"
has "named after the exec" "^[^;]+;waits;" "$tmp/report"
same "as many as report has" "$(sum "$tmp/report")" "$(sum "$tmp/folded")"
note "$(head -n 3 "$tmp/folded")"
same "as many in the function" "$(grep 'three_parts [0-9]*$' "$tmp/report" | sum -)" "$(grep 'three_parts [0-9]*$' "$tmp/folded" | sum -)"
ctrace flame "$tmp/rec" --pprof -o "$tmp/pb.gz" 2> "$tmp/err"
gunzip -c "$tmp/pb.gz" > "$tmp/pb"
check "pprof's profile is gzipped, and names the function" grep -qa three_parts "$tmp/pb"
ctrace flame --diff "$tmp/report" "$tmp/folded" -o "$tmp/diff.svg" 2> "$tmp/err"
has "a difference" 'three_parts \([0-9]+ samples, .*; before [0-9]+, ' "$tmp/diff.svg"
refuse "no stacks in a file" 'has no folded stacks' ctrace flame /etc/passwd
refuse "a file and a time" 'nothing else can be chosen' ctrace flame --duration 1 "$tmp/folded"
refuse "a recording and a time" 'only TARGETs' ctrace flame --duration 1 "$tmp/rec"
refuse "nothing" 'needs a TARGET' ctrace flame
refuse "no such container" 'no-such' ctrace flame no-such --duration 1 -o "$tmp/x.svg"
check "and no picture" test ! -e "$tmp/x.svg"
