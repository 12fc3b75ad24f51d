#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace throttle against cpu.stat, in the same seconds; who used the quota; containers without one
# columns: throttle: PERIODS THROTTLED THROTTLED_TIME %THROT QUOTA period LIMIT CPU_WAITS LONGEST longest
# columns: throttle: %PSI10 %PSI60 USED_BY ran threads
# columns: top: THR%
# columns: why: throttled
# requires: v2,v1,hybrid,torture
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
name=/box/$(hex64 throttled)
cpu_controller
cheap one -g "$name" -- taskset 1 /bin/sh -c "while :; do :; done"
one=$pid
cheap two -g "/box/$(hex64 free)" -- taskset 1 /bin/sh -c "while :; do sleep 0.05; done"
free=$(of_pid "$pid" cid)
cid=$(of_path "$name" cid)
dir=$mount$name
[ -d "$dir" ] || give_up "no $dir"
quota "$dir" 20 || skip "no quotas"
waits=$(ctrace events 2> /dev/null | grep '^cpu_throttled ' | grep -vc 'not here')
sleep 0.5
# The witness looks before and after: what ctrace says is no more than what is in between.
# least N INNER OUTER: half of what falls into the command's time, INNER, of N in the time around it
least() { echo $(($1 * $2 / $3 / 2)); }
n=$(account nr_throttled) t=$(account 'throttled_usec|throttled_time') p=$(account nr_periods)
# pressure: prints what the kernel has of this cgroup, avg10 and avg60 times 100
pressure() { sed -nE 's/^some avg10=([0-9]+)\.([0-9]+) avg60=([0-9]+)\.([0-9]+) .*/\1\2 \3\4/p' "$dir/cpu.pressure" 2> /dev/null; }
read -r psi10 psi60 < <(pressure)
read -r ran _ < "/proc/$one/schedstat"
began=$(date +%s%N)
ctrace throttle --interval 1 --count 3 --json > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
outer=$((($(date +%s%N) - began) / 1000000))
read -r after10 after60 < <(pressure)
read -r after _ < "/proc/$one/schedstat"
ran=$((after - ran))
n=$(($(account nr_throttled) - n)) t=$(($(account 'throttled_usec|throttled_time') - t)) p=$(($(account nr_periods) - p))
note "cpu.stat: $n of $p periods, $t ns; $(tail -n 1 "$tmp/err")"
of() { jq -s "[.[].rows[] | select(.cid == $cid) | .$1] | add // 0" "$tmp/json"; }
same "three intervals" 3 "$(wc -l < "$tmp/json")"
at_least "the quota ran out" 5 "$(of throttled)"
inner=$(jq -s '[.[].duration] | add / 1e6 | floor' "$tmp/json")
note "$inner ms of $outer"
check "periods: $(of periods) of $p" test "$(of periods)" -le "$p" -a "$(of periods)" -ge $(($(least "$p" "$inner" "$outer") - 5))
check "periods in which it ran out: $(of throttled) of $n" test "$(of throttled)" -le "$n" -a "$(of throttled)" -ge $(($(least "$n" "$inner" "$outer") - 5))
check "for so long: $(of throttled_time) of $t" test "$(of throttled_time)" -le "$t" -a "$(of throttled_time)" -ge $(($(least "$t" "$inner" "$outer") - 500000000))
if [ "$waits" -gt 0 ]; then
	near "waits of a CPU are as many" 6 "$(of throttled)" "$(of cpu_waits)"
	in_range "and no more than cpu.stat has" $(($(least "$n" "$inner" "$outer") - 5)) $((n + 2)) "$(of cpu_waits)"
	in_range "the longest: no shorter than the quota, and within what cpu.stat has" 20000000 "$t" \
		"$(jq -s "[.[].rows[] | select(.cid == $cid) | .longest] | max" "$tmp/json")"
else
	has "it says what is missing" 'no columns CPU_WAITS' "$tmp/err"
fi
in_range "its shell ran so long, by the scheduler's account" $(($(least "$ran" "$inner" "$outer") - 100000000)) $((ran + 50000000)) "$(of ran)"
in_range "the thread, too" $(($(least "$ran" "$inner" "$outer") - 100000000)) $((ran + 50000000)) "$(of 'threads[0].ran')"
# the pressure rises from when the container began
psi() { jq -s "[.[].rows[] | select(.cid == $cid) | .$1] | last * 100 | round" "$tmp/json"; }
if [ -n "$psi10" ]; then
	in_range "pressure, between two looks at the cgroup's file (avg10)" $((10#$psi10 - 100)) $((10#$after10 + 100)) "$(psi psi10)"
	in_range "avg60" $((10#$psi60 - 100)) $((10#$after60 + 100)) "$(psi psi60)"
fi
same "the quota" "20000000 100000000" "$(jq -sr "[.[].rows[] | select(.cid == $cid)][0] | \"\\(.quota) \\(.period)\"" "$tmp/json")"
same "its shell used it" sh "$(jq -sr "[.[].rows[] | select(.cid == $cid)][0].threads[0].name | split(\"/\")[0]" "$tmp/json")"
same "threads add up to what ran" true "$(jq -s "[.[].rows[] | select(.cid == $cid) | ([.threads[].ran] | add) <= .ran] | all" "$tmp/json")"
same "who has no quota is left out" 0 "$(jq -s "[.[].rows[] | select(.cid == $free)] | length" "$tmp/json")"

n=$(account nr_throttled) p=$(account nr_periods)
ctrace throttle "cid:$free" "cid:$cid" --duration 2 > "$tmp/out" 2> "$tmp/err"
n=$((100 * ($(account nr_throttled) - n) / ($(account nr_periods) - p)))
has "the columns" '^CONTAINER +PERIODS +THROTTLED +THROTTLED_TIME +%THROT +QUOTA +LIMIT .*USED BY$' "$tmp/out"
has "quota, limit and users" ' [0-9.]+ +20.0ms +0\.20 .* sh/[0-9]+ [0-9]+%' "$tmp/out"
has "the user is the shell" " sh/$one 100%" "$tmp/out"
in_range "%THROT, as cpu.stat has it: $n" $((n - 25)) $((n + 25)) "$(awk 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "%THROT") c = i} / sh\/'"$one"' / {printf "%d", $c}' "$tmp/out")"
has "named, it is there without a quota" ' 0\.00 +- +- ' "$tmp/out"
# without COMMAND...: $t is for how long the quota ran out while it ran, least half of what fell into its two seconds
without() {
	local began
	began=$(date +%s%N) t=$(account 'throttled_usec|throttled_time')
	"$@" > "$tmp/json" 2> "$tmp/err"
	t=$(($(account 'throttled_usec|throttled_time') - t))
	least=$(($(least "$t" 2000 $((($(date +%s%N) - began) / 1000000))) - 500000000))
}
without ctrace why "cid:$cid" --duration 2 --json
in_range "why has it as long without quota as cpu.stat" "$least" $((t + 100000000)) "$(jq '.rows[0].spent.throttled' "$tmp/json")"
if [ "$waits" -gt 0 ]; then
	without ctrace top -b --interval 2 --count 1 "cid:$cid" --json
	in_range "and top" "$least" "$t" "$(jq "[.rows[] | select(.cid == $cid) | .throttled] | add" "$tmp/json")"
fi
ctrace throttle --all --by comm --duration 0.5 --json > "$tmp/json" 2> "$tmp/err"
same "and with --all" 1 "$(jq -s "[.[].rows[] | select(.cid == $free)] | length" "$tmp/json")"
# a container that comes, runs out and goes within the time
ctrace throttle --duration 5 --json > "$tmp/json" 2> "$tmp/err" &
view=$!
wait_for 10 sh -c 'ctrace status | grep -q recording'
short=/box/$(hex64 short)
ctbox -g "$short" -- taskset 1 /bin/sh -c "until [ -e $tmp/limited ]; do sleep 0.01; done; timeout 1 sh -c 'while :; do :; done'; sleep 1.2" > "$tmp/box" 2>&1 &
box=$!
wait_for 10 test -d "$mount$short"
quota "$mount$short" 10
: > "$tmp/limited"
wait $box
wait $view
note "$(jq -c '.rows[] | [.container, .gone, .throttled, .cpu_waits]' "$tmp/json" | xargs)"
same "it is there, and gone" true "$(jq -s '[.[].rows[] | select(.gone and .throttled > 0)] | length > 0' "$tmp/json")"
refuse "other events" 'leave out -e' ctrace throttle -e read
refuse "a column that is none" "no column 'size'" ctrace throttle --sort size
