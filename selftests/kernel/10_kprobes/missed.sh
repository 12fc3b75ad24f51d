#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: returns for which a kretprobe had no instance left are counted
# witness: the offsets that the kernel takes; three sleepers and one instance, and sleepers that are not
#	traced
# requires: any
# timeout: 60
# shellcheck disable=SC2016 # it is the kernel that expands $arg1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# Three tasks sleep in the function at once. Only one can be followed.
sleepers='for i in 1 2 3; do sleep 1.5 & done; wait'
evdump -e 'r1:one hrtimer_nanosleep $retval' -- sh -c "$sleepers" > "$tmp/ev" 2> "$tmp/err"
seen=$(grep -c ' one cid=' "$tmp/ev")
lost=$(sed -nE 's/.*lost ([0-9]+).*/\1/p' "$tmp/err" | head -n 1)
at_least "missed" 1 "$lost"
same "seen and missed" 3 $((seen + lost))
evdump -e 'r8:eight hrtimer_nanosleep $retval' -- sh -c "$sleepers" > "$tmp/ev" 2> "$tmp/err"
same "all followed, with room for them" 3 "$(grep -c ' eight cid=' "$tmp/ev")"
has "none missed" 'lost 0' "$tmp/err"

# A task that is not traced takes no instance: these sleep in the function all the time.
dump "$tmp/ev3" -e 'r1:mine hrtimer_nanosleep $retval' -- sh -c "until [ -e $tmp/go ]; do :; done; sleep 0.1"
# asleep PID: it is in nanosleep() or clock_nanosleep(), by their numbers on x86-64 and on arm64
asleep() {
	local nr
	read -r nr _ < "/proc/$1/syscall" && [[ $nr =~ ^(35|230|101|115)$ ]]
}
for _ in 1 2 3; do
	sleep 10000 &
	later "kill $!"
	wait_for 5 asleep $!
done
touch "$tmp/go"
dumped
same "the traced one's is followed" 1 "$(grep -c ' mine cid=' "$tmp/ev3")"
has "and none was missed" 'lost 0' "$tmp/ev3.err"
