#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: times without quota, against the kernel's count of them in cpu.stat
# witness: cpu.stat: how often, how long
# requires: v2,v1
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
ctrace events 'sched:cpu_throttled' > "$tmp/events" 2>&1
! grep -q 'not here' "$tmp/events" || skip "$(cat "$tmp/events")"
name=/box/$(hex64 throttled)
cpu_controller
cheap one -g "$name" -- taskset 1 /bin/sh -c "until [ -e $tmp/go ]; do sleep 0.1; done; until [ -e $tmp/stop ]; do :; done; sleep 10000"
cheap two -g "/box/$(hex64 free)" -- taskset 1 /bin/sh -c "while :; do sleep 0.01; done"
cid=$(of_path "$name" cid)
dir=$mount$name
[ -d "$dir" ] || give_up "no $dir"
quota "$dir" 20 || skip "no quotas"
dump "$tmp/ev" -v -t all -e cpu_throttled
n=$(account nr_throttled) t=$(account 'throttled_usec|throttled_time')
: > "$tmp/go"
sleep 3
# both accounts are read when nothing more is added to them
: > "$tmp/stop"
sleep 1
n=$(($(account nr_throttled) - n)) t=$(($(account 'throttled_usec|throttled_time') - t))
stop_dump
note "cpu.stat: $n times, $t ns; $(tail -n 1 "$tmp/ev.err")"
grep " cpu_throttled cid=$cid tid=0 " "$tmp/ev" > "$tmp/one"
seen=$(wc -l < "$tmp/one")
at_least "a quota of a fifth runs out" 5 "$seen"
has_not "nobody else's does" " cpu_throttled cid=(${cid}[0-9]|[^$cid])" "$tmp/ev"
same "one group" "$(stat -c %i "$dir")" "$(sed 's/.*cgroup_id=//' "$tmp/one" | sort -u | awk '{printf "%s%.0f", s, $1 % 4294967296; s = ","}')"
# The kernel counts the periods that ended without quota. One time has several, if the task took more than the next quota before
# a tick stopped it, and fewer than it is long, if the timer was late. The shell is on one CPU; a child of it may be on the way.
in_range "as often as the kernel counts" $((seen - 3)) "$(sed 's/.*duration=\([0-9]*\).*/\1/' "$tmp/one" | awk '{n += 1 + int($1 / 1e8)} END {print n + 3}')" "$n"
# Since 6.18 tasks run until the end of their call, and the kernel counts from there.
near "and as long" $((t / 8 + 100000000)) "$t" "$(sed 's/.*duration=\([0-9]*\).*/\1/' "$tmp/one" | awk '{n += $1} END {printf "%.0f", n}')"
has "none unfollowed" ' unfollowed 0( |$)' "$tmp/ev.err"
