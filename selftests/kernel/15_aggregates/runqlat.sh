#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace runqlat's waits add up to what the scheduler counted for a container's tasks
# witness: strace -c, the kernel's own trace, dd's blocks, /proc/PID/schedstat
# columns: runqlat: COUNT total P50 P99 MAX hist
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

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
tracefs_mount
traced=''
if grep -qw mono "$tracefs/trace_clock"; then traced=1; witness sched/sched_switch; fi
t0=$(date +%s%N)
read -r w0 _ < <(waits)
ctrace runqlat "cid:$cid" --duration 3 --json > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
read -r w1 _ < <(waits)
t1=$(date +%s%N)
[ -z "$traced" ] || witnessed "$tmp/w"
total=$(jq -s '[.[].rows[].total] | add // 0' "$tmp/json")
# what the scheduler counted in a little more than three seconds, for three
expected=$(((w1 - w0) * 3000 / ((t1 - t0) / 1000000)))
note "schedstat: $expected ns, here $total"
check "as much as the scheduler counted, give or take a fifth" test "$total" -gt $((expected * 8 / 10)) -a "$total" -lt $((expected * 12 / 10))
# Each wait by itself. These tasks never sleep: they wait from one switch to the next.
if [ -n "$traced" ]; then
	sed -nE 's/^([0-9]+) .* sched_switch: .*prev_pid=([0-9]+) .* next_pid=([0-9]+) .*/\1 \2 \3/p' "$tmp/w" |
		awk -v tasks="$pid $(pgrep -P "$pid" | xargs)" 'BEGIN {n = split(tasks, t, " "); while (n) is[t[n--]] = 1}
			$3 in since {print $1, $1 - since[$3]; delete since[$3]} $2 in is {since[$2] = $1}' > "$tmp/waits"
	read -r from to < <(jq -r '"\(.time - .duration) \(.time)"' "$tmp/json")
	between "$tmp/waits" "$from" "$to" | cut -d' ' -f2 | sort -n > "$tmp/theirs"
	n=$(wc -l < "$tmp/theirs")
	nth() { sed -n "$((n * $1 / 100 + 1))p" "$tmp/theirs"; }
	most=$(($(tail -n 1 "$tmp/theirs") + 20000000))
	note "$n waits in tracefs, of $(nth 25), $(nth 50), $(nth 75), ... $((most - 20000000)) ns"
	of() { jq -s "[.[].rows[] | $1] | add // 0" "$tmp/json"; }
	in_range "as many as the kernel traced in these three seconds" $((n * 9 / 10 - 3)) $((n * 11 / 10 + 3)) "$(of .count)"
	# two buckets are an octave
	in_range "p50" $(($(nth 25) * 2 / 3)) $(($(nth 75) * 3 / 2)) "$(of .p50)"
	in_range "p99" $(($(nth 50) * 2 / 3)) $most "$(of .p99)"
	in_range "the longest" "$(nth 50)" $most "$(of .max)"
	at_least "buckets: half of all up to the kernel's median" $((n / 3)) "$(of "([.buckets[] | select(.[0] <= $(nth 50)) | .[2]] | add)")"
	at_least "and half from there" $((n / 3)) "$(of "([.buckets[] | select(.[1] >= $(nth 50)) | .[2]] | add)")"
fi
ctrace runqlat "cid:$cid" --duration 1 --reasons > "$tmp/out" 2> "$tmp/err"
has "preempted ones apart" '^container = .*, reason = PREEMPTED' "$tmp/out"
has "bcc's columns" '^ +usecs +: count +distribution' "$tmp/out"
has "p50, p99 and max" '^ +p50 .*, p99 .*, max .*, count [0-9]+' "$tmp/out"
ctrace runqlat "cid:$cid" --duration 1 -m > "$tmp/out" 2> "$tmp/err"
has "milliseconds" '^ +msecs +: count' "$tmp/out"
