#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the machine sleeps and wakes while it is traced: nothing is lost, all is in order, and tracing continues
# witness: suspended to memory and woken by its clock; record times after that; where the kernel has
#	pm_test, each step
# requires: any,torture
# timeout: 120
# torture: 200
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

state=/sys/power/state level=/sys/power/pm_test
[ -w $state ] || skip "this kernel cannot sleep"
note "states: $(cat $state), $(cat /sys/power/mem_sleep 2> /dev/null); tests: $(cat $level 2> /dev/null || echo none)"
load
slept() { cat /sys/power/suspend_stats/success 2> /dev/null || awk '/^success:/ {print $2}' /sys/kernel/debug/suspend_stats; }
# A real sleep: the alarm of the machine's clock wakes it. (From s2idle it does not, where that clock is
# emulated.)
really() { rtcwake -d /dev/rtc0 -m mem -s 4; }
# All steps up to this one and back, for five seconds.
until_level() {
	echo "$1" > $level
	echo freeze > $state
	echo none > $level
}
# sleeps HOW COMMAND...: runs COMMAND, which puts the machine to sleep, while calls are made and recorded
sleeps() {
	local how=$1 before made rounds
	shift
	rm -f "$tmp/go" "$tmp/rounds"
	# shellcheck disable=SC2016 # the child's
	go=$tmp/go rounds=$tmp/rounds ctrace record -o "$tmp/t" --force --no-state-dump -e getpriority -- sh -c \
		'i=0; until [ -e "$go" ]; do counted 1 50; i=$((i + 1)); echo $i > "$rounds"; sleep 0.02; done' 2> "$tmp/err" & job=$!
	wait_for 30 grep -q . "$tmp/rounds" || give_up "record: $(cat "$tmp/err")"
	sleep 0.5
	before=$(slept)
	"$@" > "$tmp/sleep" 2>&1 || note "$how: $(cat "$tmp/sleep")"
	same "$how: it slept" $((before + 1)) "$(slept)"
	rounds=$(cat "$tmp/rounds")
	# the calls continue after it
	wait_for 20 bash -c "[ \$(cat $tmp/rounds) -gt $((rounds + 10)) ]" || not_ok "$how: the command does not go on"
	touch "$tmp/go"
	wait $job
	same "$how: status" 0 $?
	made=$((100 * $(cat "$tmp/rounds")))
	has "$how: all $made are there" "^ctrace: $made events?.* 0 lost" "$tmp/err"
	# shellcheck disable=SC2016 # awk's
	check "$how: in order" bash -c 'ctrace report --relative "$0" 2> /dev/null | awk "\$1 < last {bad++} {last = \$1} END {exit bad > 0}"' "$tmp/t"
}
n=0
if grep -qw deep /sys/power/mem_sleep && [ -e /dev/rtc0 ]; then
	for _ in $(seq "$(long 1 5)"); do
		n=$((n + 1))
		sleeps "sleep $n" really
	done
fi
if [ -w $level ]; then
	later "echo none > $level"
	for l in $(long devices 'freezer devices platform processors core'); do
		n=$((n + 1))
		sleeps "until $l" until_level "$l"
	done
fi
[ $n -gt 0 ] || skip "no way to sleep and wake: $(cat $state)"
# CLOCK_MONOTONIC stood still during the sleep.
check "a record's time is CLOCK_MONOTONIC's after all that" ringlook clock
