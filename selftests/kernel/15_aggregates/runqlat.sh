#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace runqlat's waits add up to what the scheduler counted for a container's tasks
# witness: strace -c, the kernel's own trace, dd's blocks, /proc/PID/schedstat
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events 2> /dev/null | grep -q '^sched_wait ' || skip "no sched_wait here"
command -v jq > /dev/null || skip "no jq to read JSON"
[ -e /proc/self/schedstat ] || skip "no /proc/PID/schedstat"
# two that share a CPU, in a container
cheap busy -n busy -- sh -c 'taskset -p 1 $$ > /dev/null; (while :; do :; done) & while :; do :; done'
waits() { # ns that all tasks of the container waited so far, and how often they ran
	local p n=0 runs=0 w t
	for p in $(pgrep -P "$pid") "$pid"; do
		read -r _ w t < "/proc/$p/schedstat" && n=$((n + w)) runs=$((runs + t))
	done
	echo "$n $runs"
}
sleep 0.5
cid=$(of_pid "$pid" cid)
check "the container is known" test -n "$cid"
t0=$(date +%s%N)
read -r w0 _ < <(waits)
ctrace runqlat "cid:$cid" --duration 3 --json > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
read -r w1 _ < <(waits)
t1=$(date +%s%N)
total=$(jq -s '[.[].rows[].total] | add // 0' "$tmp/json")
# what the scheduler counted in a little more than three seconds, for three
expected=$(((w1 - w0) * 3000 / ((t1 - t0) / 1000000)))
note "schedstat: $expected ns, here $total"
check "as much as the scheduler counted, give or take a fifth" test "$total" -gt $((expected * 8 / 10)) -a "$total" -lt $((expected * 12 / 10))
ctrace runqlat "cid:$cid" --duration 1 --reasons > "$tmp/out" 2> "$tmp/err"
has "preempted ones apart" '^container = .*, reason = PREEMPTED' "$tmp/out"
has "bcc's columns" '^ +usecs +: count +distribution' "$tmp/out"
has "p50, p99 and max" '^ +p50 .*, p99 .*, max .*, count [0-9]+' "$tmp/out"
ctrace runqlat "cid:$cid" --duration 1 -m > "$tmp/out" 2> "$tmp/err"
has "milliseconds" '^ +msecs +: count' "$tmp/out"
