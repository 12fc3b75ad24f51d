#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: more concurrent calls than can be followed: the rest is counted, and places are given back
# requires: any
# kernels: 6.1,newest
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# A small kernel's pid_max is 4096.
old=$(cat /proc/sys/kernel/pid_max)
if [ "$old" -lt 32768 ]; then
	later "echo $old > /proc/sys/kernel/pid_max"
	echo 32768 > /proc/sys/kernel/pid_max || note "pid_max stays $old"
fi
# The command prints into files: its output would come between the lines of evdump.
evdump -v -e call:readv -- bash -c "incalls crowd 5000 > $tmp/many; incalls crowd 500 > $tmp/few" > "$tmp/ev" 2> "$tmp/err"
many=$(sed -n 's/^made //p' "$tmp/many") few=$(sed -n 's/^made //p' "$tmp/few")
[ "${many:-0}" -gt 4600 ] || skip "no room for that many threads: $many"
seen=$(grep -c ' syscall_readv .* ret=0 ' "$tmp/ev")
lost=$(sed -n 's/.* unfollowed \([0-9]*\).*/\1/p' "$tmp/err")
at_least "not followed: those beyond the 4096 that the module follows" $((many - 4096)) "$lost"
at_least "followed: most of the many and all of the few" $((3500 + few)) "$seen"
same "together" $((many + few)) $((seen + lost))
evdump -v -e call:readv -- bash -c "incalls crowd 1000 > $tmp/few" > "$tmp/ev" 2> "$tmp/err"
same "when fewer are under way, all" "$(sed -n 's/^made //p' "$tmp/few")" "$(grep -c ' syscall_readv .* ret=0 ' "$tmp/ev")"
has "none unfollowed" ' unfollowed 0( |$)' "$tmp/err"
# A thread's exit() does not return. There are more of these threads than places.
evdump -v -e call:exit -e call:getppid -f "\$comm == \"calls\"" -- bash -c "incalls ends 4500; calls 100 > $tmp/calls" > "$tmp/ev" 2> "$tmp/err"
has "who dies in a call gives its place back" ' unfollowed 0( |$)' "$tmp/err"
same "and the next is followed" 100 "$(grep -c ' syscall_getppid ' "$tmp/ev")"
has_not "a call that did not return has no record" ' syscall_exit ' "$tmp/ev"
