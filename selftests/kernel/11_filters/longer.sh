#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: only the calls that took longer than a given time are recorded
# witness: sleeps timed from outside; strace; entry and exit records of the same calls
# requires: any
# kernels: 6.1,newest
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# A call seen from outside takes at least as long as inside. One that took just over 200 ms outside may count
# either way.
sleeps="exec incalls sleeps > $tmp/made"
evdump -e calls -f 'duration >= 200000000' -- sh -c "$sleeps" > "$tmp/ev" 2> "$tmp/err"
same "sleeps made" 4 "$(wc -l < "$tmp/made")"
while read -r ms request ns; do
	d=$(sed -n "s/.* syscall_nanosleep .* duration=\([0-9]*\) ret=0 marks=0 rqtp=$request .*/\1/p" "$tmp/ev")
	if [ "$ms" -ge 200 ]; then
		at_least "$ms ms: its duration" $((ms * 1000000)) "$d"
		at_least "$ms ms: not longer than from outside ($ns)" "$d" "$ns"
	elif [ "$ns" -lt 200000000 ]; then
		same "$ms ms: no record" '' "$d"
	fi
done < "$tmp/made"
has_not "none of the fast ones" 'syscall_getppid' "$tmp/ev"
awk '{sub(/.* duration=/, ""); if ($1 < 200000000) print}' "$tmp/ev" > "$tmp/short"
same "no record below the limit" 0 "$(wc -l < "$tmp/short")"
evdump -e calls -f "\$comm == \"incalls\"" -- sh -c "$sleeps" > "$tmp/ev" 2> "$tmp/err"
same "without the filter: the fast ones" 2000 "$(grep -c 'syscall_getppid .* duration=[0-9]* ret=[0-9]* marks=0$' "$tmp/ev")"
same "and all sleeps" 4 "$(grep -c 'syscall_nanosleep .* ret=0 ' "$tmp/ev")"

# Calls that are over before another task runs
for least in 1 1000000000; do
	evdump -e call:getpriority -f "duration >= $least" -- counted 3 1000 > "$tmp/ev" 2> "$tmp/err"
	same "quick calls of $least ns or more" $((least == 1 ? 1000 : 0)) "$(grep -c 'syscall_getpriority .*who=3' "$tmp/ev")"
done
