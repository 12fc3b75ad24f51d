#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: whole calls, and waits for a CPU, that are only counted take the short way, which counts the same as the general way
# requires: any
# kernels: 6.1,newest
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
tracefs_mount
[ -e "$tracefs/kprobe_events" ] || skip "this kernel has no kprobes to see which way is taken"
# the witness of the general way: the function that counts there
echo 'p:ctrace_test_general ctrace_aggregate_count' > "$tracefs/kprobe_events" || skip "no kprobe on the module"
later "echo 0 > $tracefs/events/kprobes/enable; echo > $tracefs/kprobe_events"
echo 1 > "$tracefs/events/kprobes/ctrace_test_general/enable"
general() { awk '$1 == "ctrace_test_general" {print $2}' "$tracefs/kprobe_profile"; }

mount=$(cgroup_mount)
box=/$(hex64 shortway)
mkdir "$mount$box"
later "rmdir $mount$box"
# two calls that always fail alike, and one that ends on another CPU than it began on (if there are two)
cpus=$(nproc)
program="echo \$\$ > $mount$box/cgroup.procs; counted 77 5000 3 2; [ $cpus -lt 2 ] || cause migrate 1000 > /dev/null"
made=$((5000 * 6))
functions='count(), sum(duration), min(duration), max(duration), hist(duration) by syscall, errno'
# run NAME FILTER: counts the program's calls; $took becomes how many of them were counted on the general way
run() {
	local before f=${2:+ if $2}
	ctrace agg -e "getpriority$f => $functions" -e "sched_setaffinity$f => $functions" "cgroup:$box" --json \
		> "$tmp/$1" 2> "$tmp/$1.err" &
	wait_for 20 sh -c 'ctrace status | grep -q recording' || give_up "$1: $(cat "$tmp/$1.err")"
	before=$(general)
	bash -c "$program"
	took=$(($(general) - before))
	kill -INT $!
	wait $!
	jq -rs '[.[].rows[] | "\(.keys.syscall) \(.keys.errno) \(.values.count)"] | sort[]' "$tmp/$1" > "$tmp/$1.counts"
	check "$1: the functions agree" jq -es '[.[].rows[].values | .count > 0 and .["min(duration)"] <= .["max(duration)"] and
		.["sum(duration)"] >= .count * .["min(duration)"] and .["sum(duration)"] <= .count * .["max(duration)"]] |
		length > 0 and all' "$tmp/$1"
}

run short ''
check "nearly all on the short way: $took of $made took the general one" [ "$took" -lt $((made / 3)) ]
run long 'duration >= 0'
at_least "with a filter, on the general way" $made "$took"
check "the same calls and errors" diff "$tmp/short.counts" "$tmp/long.counts"
same "none is missing" $((made + (cpus < 2 ? 0 : 1000))) "$(awk '{n += $NF} END {print n}' "$tmp/short.counts")"

# Two tasks that wake each other 3,000 times on a CPU: each waits as often. waits NAME FILTER: as run; $n: of these waits
waits() {
	local before
	ctrace agg -e "sched_wait${2:+ if $2} => count(), sum(duration), min(duration), max(duration), hist(duration) by reason" \
		"cgroup:$box" --json > "$tmp/$1" 2> "$tmp/$1.err" &
	wait_for 20 sh -c 'ctrace status | grep -q recording' || give_up "$1: $(cat "$tmp/$1.err")"
	before=$(general)
	bash -c "echo \$\$ > $mount$box/cgroup.procs; exec taskset -c 0 calls 3000 pingpong" > /dev/null
	took=$(($(general) - before))
	kill -INT $!
	wait $!
	n=$(jq -s '[.[].rows[].values.count] | add // 0' "$tmp/$1")
	check "$1: the functions agree" jq -es '[.[].rows[].values | .["sum(duration)"] >= .count * .["min(duration)"] and
		.["sum(duration)"] <= .count * .["max(duration)"]] | length > 0 and all' "$tmp/$1"
}
if ctrace events 2> /dev/null | grep -q '^sched_wait '; then
	waits waits ''
	note "$n waits, $took the general way"
	check "nearly all on the short way" [ "$took" -lt 1000 ]
	at_least "each wait is counted" 6000 "$n"
	waits waits_long 'duration >= 0'
	at_least "with a filter, on the general way" 6000 "$took"
	at_least "the same waits" 6000 "$n"
fi
