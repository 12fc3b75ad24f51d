#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the sums of a task's runs and waits, against the kernel's account of it in /proc/PID/schedstat
# witness: /proc/PID/schedstat: run time, run delay
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

if [ ! -e /proc/self/schedstat ] || [ "$(cut -d' ' -f1 /proc/self/schedstat)" = 0 ]; then
	skip "the kernel keeps no such account"
fi
load
# Time that interrupts and the hypervisor took is not a run to the kernel, if it knows of it. In ns, of CPU 0.
taken() { awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu0" {printf "%.0f\n", ($7 + $8 + $9) * 1e9 / hz}' /proc/stat; }
before=$(taken)
read -r s0 u0 < <(scheduler_clock)
evdump -v -e sched_wait -e sched_run -- spans load 1500 > "$tmp/ev" 2> "$tmp/err"
stolen=$(($(taken) - before))
# Old kernels count the TSC by the rate that they measured at boot; what is refined later is CLOCK_MONOTONIC's alone.
read -r s1 u1 < <(scheduler_clock)
rate=$(((s1 - s0) * 1000 / (u1 - u0)))
note "the scheduler's clock made $rate ms in a second"
[ "$rate" -gt 1030 ] || { [ "$rate" -gt 0 ] && [ "$rate" -lt 970 ]; } || rate=1000
note "taken from CPU 0: $stolen ns"
sum() { awk -v e="sched_$1" -v t="tid=$2" '$2 == e && $4 == t {sub("duration=", "", $6); n += $6} END {printf "%.0f", n}' "$tmp/ev"; }
n=0
while read -r pid run delay _; do
	n=$((n + 1)) run=$((run * 1000 / rate)) delay=$((delay * 1000 / rate))
	ours=$(sum run "$pid")
	note "$pid: run $run, ours $ours"
	at_least "not less than it ran" $((run - run / 50 - 10000000)) "$ours"
	at_least "nor more" "$ours" $((run + run / 20 + 20000000 + stolen))
	at_least "it did run" 100000000 "$run"
	at_least "it did wait" 100000000 "$delay"
	at_least "it waited" $((delay - delay / 50 - 20000000)) "$(sum wait "$pid")"
	at_least "and no longer" "$(sum wait "$pid")" $((delay + delay / 20 + 20000000 + stolen))
done < <(sed -n 's/^stat=//p' "$tmp/ev")
same "two workers" 2 $n
has "none unfollowed" ' unfollowed 0( |$)' "$tmp/err"
