#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: idle CPUs give no samples; a sample's kernel stack begins where the CPU was; a CPU that comes online later is sampled
# witness: CPU time in /proc/PID/schedstat, the busy function's bounds; idle, CPUs that come and go; two
#	sessions, as one has one rate
# requires: any
# timeout: 90
# processors: the second one goes and comes
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -t all -e sample:100 -d 3 > "$tmp/ev" 2> "$tmp/err"
n=$(grep -c cpu_sample "$tmp/ev") cpus=$(nproc)
# Each CPU could give 300 samples. evdump itself and the machine's own work cause some.
if [ "$n" -lt $((cpus * 150)) ]; then ok "few samples of an idle machine: $n"; else not_ok "expected few samples, seen $n of $((cpus * 300))"; fi
# A task that is busy in the kernel: ip is the first frame of the kernel stack.
dd if=/dev/zero of=/dev/null bs=1M 2> /dev/null &
dd=$!
later "kill $dd"
evdump -t all -e sample:200 -d 2 > "$tmp/ev" 2> "$tmp/err"
grep " tid=$dd .* user=0 " "$tmp/ev" > "$tmp/kernel"
at_least "samples in the kernel" 50 "$(wc -l < "$tmp/kernel")"
grep -vE ' ip=(0x[0-9a-f]+) user=0 callstack_kernel=\1(,| )' "$tmp/kernel" > "$tmp/odd"
same "whose stack begins at ip: which not" "" "$(head -n 1 "$tmp/odd")"
kill $dd
if [ -w /sys/devices/system/cpu/cpu1/online ]; then
	echo 0 > /sys/devices/system/cpu/cpu1/online
	later 'echo 1 > /sys/devices/system/cpu/cpu1/online'
	# two sessions, as one has one rate
	recorder ev50 -t all -e sample:50
	dump "$tmp/ev" -t all -e sample:100
	echo 1 > /sys/devices/system/cpu/cpu1/online
	taskset 2 frames spin 2 > "$tmp/spin" &
	late=$!
	wait $late
	at_least "samples on a CPU that came later" 20 "$(grep -c " tid=$late .* hz=100 " "$tmp/ev")"
	at_least "of a second session's rate, too" 10 "$(grep -c " tid=$late .* hz=50 " "$tmp/ev50")"
	echo 0 > /sys/devices/system/cpu/cpu1/online
	stop_dump
	same "and one may go meanwhile" 0 $?
	# shellcheck disable=SC2086 # a list of numbers
	kill $recorders && wait $recorders
	same "for both" 0 $?
fi
has_not "nothing undecodable" 'undecodable|unknown-id' "$tmp/ev"
check "the module goes" unload
