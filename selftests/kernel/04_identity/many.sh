#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ten times as many containers cost ten times as much, not a hundred times
# witness: CPU time of the list, of a target, of a session's end with 1,000 and 10,000 (10,000 and
#	100,000) containers; that of ps and trace beside find(1), which lists the same cgroups. gc_test: 80,000
#	that die at once, on this host. With 100,000, by instructions counted in the guest: 1.4 thousand
#	million for find of the directories alone, 2.4 for ctrace ps, 1.1 for ctrace trace all, 0.03 each for a
#	target and a session's end. An emulator on a busy machine takes seconds for that
# requires: any
# kernels: 6.1
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# In the everyday suite 1,000 and 10,000; in 12_torture/many_containers 10,000 and 100,000, in halves.
few=${MANY_FEW:-1000} all=${MANY_ALL:-10000}
load
mount=$(cgroup_mount)
mkdir -p "$mount/many/one" "$mount/many/two"
later "rmdir $mount/many/one $mount/many/two $mount/many"
later "manybox remove $mount/many/two"
later "manybox remove $mount/many/one"

# measured FILE: the least of three times, so that what else the machine does counts little
measured() {
	for _ in 1 2 3; do manybox time || give_up "manybox time"; done |
		awk '{if (!($1 in us) || $2 < us[$1]) {us[$1] = $2; wall[$1] = $3}; n = $4}
			END {for (k in us) print k, us[k], wall[k], n}' > "$1"
	note "$(cat "$1")"
}
us() { awk -v k="$2" '$1 == k {print $2}' "$1"; }

check "$few containers" manybox make "$mount/many/one" 0 $((few / 2))
manybox make "$mount/many/two" 0 $((few / 2))
measured "$tmp/few"
check "$all containers" manybox make "$mount/many/one" $((few / 2)) $((all / 2))
manybox make "$mount/many/two" $((few / 2)) $((all / 2))
measured "$tmp/all"
at_least "they are all there" "$all" "$(awk '$1 == "list" {print $4}' "$tmp/all")"
for k in list target end; do
	few_us=$(us "$tmp/few" $k) all_us=$(us "$tmp/all" $k)
	# Ten times as many. Three times that, and a tick of the clock that counts the time, are still far from 100 times.
	bound=$((30 * few_us + 30000))
	if [ "$all_us" -le "$bound" ]; then ok "$k: $few_us us and $all_us us"; else
		not_ok "$k: expected at most $bound us, since it took $few_us us of $few, seen $all_us us"
	fi
done

# Seconds say little where the processor is emulated, and has other work. So find(1) is the measure: it lists the same
# cgroups with their files. On v2, ps takes a third of its time; what does something for each container takes many times as much.
# cost COMMAND...: sets cpu, its CPU time in ms
cost() {
	local TIMEFORMAT='%3U %3S'
	{ time timeout 120 "$@" > "$tmp/out" 2> "$tmp/err"; } 2> "$tmp/cpu" || not_ok "$1 $2: $(tail -n 1 "$tmp/err")"
	cpu=$(awk '{print int(1000 * ($1 + $2))}' "$tmp/cpu")
}
cost find "$mount/many"
bound=$((3 * cpu + 200))
for k in "ctrace trace --duration 1ms -e sched_process_exec all" "ctrace ps"; do
	# shellcheck disable=SC2086 # words
	cost $k
	if [ "$cpu" -le "$bound" ]; then ok "$k: $cpu ms"; else not_ok "$k: expected at most $bound ms, seen $cpu ms"; fi
done
at_least "ctrace ps lists them" "$all" "$(wc -l < "$tmp/out")"

# All die. 12_torture/irqs_off measures how long interrupts are off then.
check "removed" manybox remove "$mount/many/one"
manybox remove "$mount/many/two"
gone() { [ "$(manybox time | awk '$1 == "list" {print $4}')" -lt 100 ]; }
check "and forgotten" wait_for 30 gone
