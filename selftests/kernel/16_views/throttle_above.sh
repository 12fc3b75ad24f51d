#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace throttle shows whose quota ran out, if it is that of a cgroup above a container or inside it
# witness: cpu.stat of that cgroup, in the same seconds
# columns: throttle: CGROUP path THROTTLED THROTTLED_TIME QUOTA
# requires: v2,v1
# timeout: 90
# processors: one is left to those that watch
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
cpu_controller
spin='while :; do :; done'
# deep DIR: the CPU controller counts in DIR and in what is made below it
deep() { mkdir -p "$1"; [ "$(cgroup_mode)" != v2 ] || echo +cpu > "$1/cgroup.subtree_control"; }

# --- a container without a quota, in a parent that has one
pod=/box/pod
deep "$mount$pod"
quota "$mount$pod" 20 || skip "no quotas"
cheap web -g "$pod/$(hex64 web)" -- taskset 1 /bin/sh -c "$spin"
web=$(of_path "$pod/$(hex64 web)" cid)
cheap other -g "/box/$(hex64 other)" -- sleep 1000
other=$(of_path "/box/$(hex64 other)" cid)
dir=$mount$pod
sleep 0.5
waits=$(ctrace events 2> /dev/null | grep '^cpu_throttled ' | grep -vc 'not here')
of() { jq -s "[.[].rows[] | select(.cgroup == \"$1\") | .$2] | add // 0" "$tmp/json"; }
# against cpu.stat, as in throttle.sh: what ctrace says lies in between
compare() {
	local n=$1 t=$2
	at_least "$3: the quota ran out" 5 "$(of "$4" throttled)"
	check "$3: periods in which it ran out: $(of "$4" throttled) of $n" test "$(of "$4" throttled)" -le "$n" -a "$(of "$4" throttled)" -ge $((n / 2 - 5))
	check "$3: for so long: $(of "$4" throttled_time) of $t" test "$(of "$4" throttled_time)" -le "$t" -a "$(of "$4" throttled_time)" -ge $((t / 2 - 500000000))
}
# as_many CGROUP: its waits are the periods that ended without quota, but of a wait in which a late timer let two end
# there is one
as_many() { in_range "waits of that cgroup are as many" $(($(of "$1" throttled) / 2 - 3)) $(($(of "$1" throttled) + 6)) "$(of "$1" cpu_waits)"; }
n=$(account nr_throttled) t=$(account 'throttled_usec|throttled_time')
ctrace throttle --duration 2 --json > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
n=$(($(account nr_throttled) - n)) t=$(($(account 'throttled_usec|throttled_time') - t))
note "cpu.stat: $n, $t ns; $(jq -c '.rows[] | [.container, .cgroup, .throttled, .throttled_time, .cpu_waits, .quota]' "$tmp/json" | xargs)"
compare $n $t "above" $pod
same "the limit, of the host's row" "20000000 0" "$(jq -r ".rows[] | select(.cgroup == \"$pod\") | \"\\(.quota) \\(.cid)\"" "$tmp/json")"
same "who used it" sh "$(jq -r ".rows[] | select(.cgroup == \"$pod\") | .threads[0].name | split(\"/\")[0]" "$tmp/json")"
same "the container has none of its own" 0 "$(jq "[.rows[] | select(.cid == $web and .throttled > 0)] | length" "$tmp/json")"
if [ "$waits" -gt 0 ]; then
	as_many $pod
	at_least "the longest" 20000000 "$(of $pod longest)"
fi
# what why names: one container
ctrace throttle "cid:$web" --duration 1 > "$tmp/out" 2> "$tmp/err"
has "the columns" '^CONTAINER +CGROUP +PERIODS +THROTTLED ' "$tmp/out"
has "the container's own row" ' - +[0-9]+ +0 ' "$tmp/out"
has "the cgroup above it, with its limit" "^host +$pod +[0-9]+ +[1-9][0-9]* .* 20.0ms +0\\.20 " "$tmp/out"
ctrace throttle "cid:$other" --duration 0.5 > "$tmp/out" 2> "$tmp/err"
has_not "not of a container that is elsewhere" "$pod" "$tmp/out"
ctrace why "cid:$web" --duration 2 > "$tmp/out" 2> "$tmp/err"
note "$(tail -n 2 "$tmp/out")"
has "why leads here" 'ctrace throttle ' "$tmp/out"

# --- inside
inside=/box/$(hex64 outer)
cheap outer -g "$inside" -- sleep 1000
outer=$(of_path "$inside" cid)
# v2: processes are in leaves
mkdir -p "$mount$inside/leaf" "$mount$inside/service"
if [ "$(cgroup_mode)" = v2 ]; then
	echo "$pid" > "$mount$inside/leaf/cgroup.procs"
	echo +cpu > "$mount$inside/cgroup.subtree_control" || give_up "no cpu controller inside"
fi
quota "$mount$inside/service" 15
later "rmdir $mount$inside/service $mount$inside/leaf 2> /dev/null"
sh -c "echo \$\$ > $mount$inside/service/cgroup.procs; exec taskset 1 sh -c '$spin'" & spinner=$!
later "kill $spinner; wait $spinner"
dir=$mount$inside/service
sleep 0.5
n=$(account nr_throttled) t=$(account 'throttled_usec|throttled_time')
ctrace throttle --duration 2 --json > "$tmp/json" 2> "$tmp/err"
n=$(($(account nr_throttled) - n)) t=$(($(account 'throttled_usec|throttled_time') - t))
note "cpu.stat: $n, $t ns; $(jq -c '.rows[] | [.container, .cgroup, .throttled, .throttled_time, .cpu_waits, .quota]' "$tmp/json" | xargs)"
compare $n $t "inside" "$inside/service"
same "it is the container's, with the limit" "15000000 $outer" "$(jq -r ".rows[] | select(.cgroup == \"$inside/service\") | \"\\(.quota) \\(.cid)\"" "$tmp/json")"
[ "$waits" = 0 ] || as_many "$inside/service"

# --- a recording has the cgroup's number
if [ "$waits" -gt 0 ]; then
	ctrace record -o "$tmp/trace" -e cpu_throttled -e sched_run all --duration 1 > "$tmp/out" 2> "$tmp/err"
	ctrace throttle --input "$tmp/trace" --json > "$tmp/json" 2> "$tmp/err"
	id=id:$(stat -c %i "$mount$pod")
	at_least "of a recording: waits of the cgroup above" 3 "$(jq "[.rows[] | select(.cid == 0) | .cpu_waits] | add // 0" "$tmp/json")"
	kernel_before 5.5 || at_least "by its number" 3 "$(of "$id" cpu_waits)"
fi
