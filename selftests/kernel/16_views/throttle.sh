#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace throttle against cpu.stat, in the same seconds; who used the quota; containers without one
# requires: v2,v1,hybrid,torture
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
name=/box/$(hex64 throttled)
cpu_controller
cheap one -g "$name" -- taskset 1 /bin/sh -c "while :; do :; done"
cheap two -g "/box/$(hex64 free)" -- taskset 1 /bin/sh -c "while :; do sleep 0.05; done"
free=$(of_pid "$pid" cid)
cid=$(of_path "$name" cid)
dir=$mount$name
[ -d "$dir" ] || give_up "no $dir"
quota "$dir" 20 || skip "no quotas"
windows=$(ctrace events 2> /dev/null | grep '^cpu_throttled ' | grep -vc 'not here')
sleep 0.5
# the witness looks before and after: what ctrace says lies in between, and near both
n=$(account nr_throttled) t=$(account 'throttled_usec|throttled_time') p=$(account nr_periods)
ctrace throttle --interval 1 --count 3 --json > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
n=$(($(account nr_throttled) - n)) t=$(($(account 'throttled_usec|throttled_time') - t)) p=$(($(account nr_periods) - p))
note "cpu.stat: $n of $p periods, $t ns; $(tail -n 1 "$tmp/err")"
of() { jq -s "[.[].rows[] | select(.cid == $cid) | .$1] | add // 0" "$tmp/json"; }
same "three intervals" 3 "$(wc -l < "$tmp/json")"
at_least "the quota ran out" 5 "$(of throttled)"
slack=$((n / 2 + 5))
check "periods: $(of periods) of $p" test "$(of periods)" -le "$p" -a "$(of periods)" -ge $((p / 2 - 5))
check "periods in which it ran out: $(of throttled) of $n" test "$(of throttled)" -le "$n" -a "$(of throttled)" -ge $((n - slack))
check "for so long: $(of throttled_time) of $t" test "$(of throttled_time)" -le "$t" -a "$(of throttled_time)" -ge $((t / 2 - 500000000))
if [ "$windows" -gt 0 ]; then
	near "windows are as many" 6 "$(of throttled)" "$(of windows)"
	check "the longest is less than a period and some" \
		test "$(jq -s "[.[].rows[] | select(.cid == $cid) | .longest] | max" "$tmp/json")" -gt 20000000
else
	has "it says what is missing" 'no columns WINDOWS' "$tmp/err"
fi
same "the quota" "20000000 100000000" "$(jq -sr "[.[].rows[] | select(.cid == $cid)][0] | \"\\(.quota) \\(.period)\"" "$tmp/json")"
same "its shell used it" sh "$(jq -sr "[.[].rows[] | select(.cid == $cid)][0].threads[0].name | split(\"/\")[0]" "$tmp/json")"
same "threads add up to what ran" true "$(jq -s "[.[].rows[] | select(.cid == $cid) | ([.threads[].ran] | add) <= .ran] | all" "$tmp/json")"
same "who has no quota is left out" 0 "$(jq -s "[.[].rows[] | select(.cid == $free)] | length" "$tmp/json")"

ctrace throttle "cid:$free" "cid:$cid" --duration 0.5 > "$tmp/out" 2> "$tmp/err"
has "the columns" '^CONTAINER +PERIODS +THROTTLED +THROTTLED_TIME +%THROT +QUOTA +LIMIT .*USED BY$' "$tmp/out"
has "quota, limit and users" ' [0-9.]+ +20.0ms +0\.20 .* sh/[0-9]+ [0-9]+%' "$tmp/out"
has "named, it is there without a quota" ' 0\.00 +- +- ' "$tmp/out"
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
note "$(jq -c '.rows[] | [.container, .gone, .throttled, .windows]' "$tmp/json" | xargs)"
same "it is there, and gone" true "$(jq -s '[.[].rows[] | select(.gone and .throttled > 0)] | length > 0' "$tmp/json")"
refuse "other events" 'leave out -e' ctrace throttle -e read
refuse "a column that is none" "no column 'size'" ctrace throttle --sort size
