#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: calls, waits for a CPU, their parts and requests that are only counted take the short way, which counts as the general way
# witness: a kprobe on the general way; the same calls with a filter; calls that end on another CPU
# requires: any
# kernels: 6.1,newest
# timeout: 60
# processors: what it counts was done on both
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
	wait_for 20 recording 1 || give_up "$1: $(cat "$tmp/$1.err")"
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

# counts NAME AGGREGATE COMMAND...: as run, of COMMAND in the box; $n: of all rows
counts() {
	local before name=$1
	ctrace agg -e "$2" "cgroup:$box" --json > "$tmp/$1" 2> "$tmp/$1.err" &
	wait_for 20 recording 1 || give_up "$1: $(cat "$tmp/$1.err")"
	shift 2
	before=$(general)
	bash -c "echo \$\$ > $mount$box/cgroup.procs; exec \"\$@\"" bash "$@" > /dev/null 2>&1
	took=$(($(general) - before))
	kill -INT $!
	wait $!
	n=$(jq -s '[.[].rows[].values.count] | add // 0' "$tmp/$name")
}
# Two tasks that wake each other 3,000 times on a CPU: each waits as often. waits NAME FILTER
waits() {
	counts "$1" "sched_wait${2:+ if $2} => count(), sum(duration), min(duration), max(duration), hist(duration) by reason" \
		taskset -c 0 calls 3000 pingpong
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
# the task that has the CPU then: the other one of the two
blames() {
	counts "$1" "sched_blame${2:+ if $2} => count(), sum(duration) by culprit, culprit_cid, culprit_comm" taskset -c 0 "$players" 3000 pingpong
	jq -rs '[.[].rows[] | select(.values.count > 3000) | "\(.cid) \(.keys)"] | sort[]' "$tmp/$1" > "$tmp/$1.keys"
}
if ctrace events 2> /dev/null | grep -q '^sched_blame '; then
	# If another row is where this one should be, it lies behind that one, and is not found in line: then under another name.
	for i in 1 2 3; do
		players=$tmp/calls$i
		cp "$(command -v calls)" "$players"
		blames blames ''
		note "$n parts of waits, $took the general way"
		[ "$took" -ge 1000 ] || break
	done
	check "nearly all on the short way" [ "$took" -lt 1000 ]
	at_least "each is counted" 6000 "$n"
	blames blames_long 'duration >= 0'
	at_least "with a filter, on the general way" 6000 "$took"
	at_least "the same" 6000 "$n"
	check "of the same culprit: $(cat "$tmp/blames.keys")" grep -q 'calls' "$tmp/blames.keys"
	check "the same" diff "$tmp/blames.keys" "$tmp/blames_long.keys"
fi
# requests NAME FILTER: 500 reads, and 500 synchronous writes, of 4 kB
requests() {
	local sums='sum(bytes), sum(duration), sum(queued), sum(throttled)'
	counts "$1" "block_io${2:+ if $2} => count(), $sums, max(duration), hist(duration), hist(queued) by dev, rwbs" \
		sh -c 'dd if=/dev/nullb0 of=/dev/null bs=4k count=500 iflag=direct; dd if=/dev/zero of=/dev/nullb0 bs=4k count=500 oflag=direct'
	jq -rs '[.[].rows[] | "\(.keys) \(.values.count) \(.values["sum(bytes)"]) \(.values["max(duration)"] > 0) \(
		[.values["hist(duration)"].buckets[][2]] | add) \([.values["hist(queued)"].buckets[][2]] | add) \(
		.values["sum(throttled)"])"] | sort[]' "$tmp/$1" > "$tmp/$1.counts"
	# shellcheck disable=SC2016 # jq's own
	check "$1: the sums are as the histograms allow" jq -es '[.[].rows[].values | . as $v |
		("duration", "queued") | . as $of | $v["hist(\($of))"].buckets | ([.[] | .[0] * .[2]] | add) <= $v["sum(\($of))"] and
		$v["sum(\($of))"] <= ([.[] | .[1] * .[2]] | add)] | length > 0 and all' "$tmp/$1"
	check "$1: each is in both of these" jq -es '[.[].rows[].values | .count == .["hist(duration)"].count and .count == .["hist(queued)"].count] | all' "$tmp/$1"
	# shellcheck disable=SC2016 # jq's own
	check "$1: the longest is in the last bucket" jq -es '[.[].rows[].values | .["max(duration)"] as $max |
		.["hist(duration)"].buckets[-1] | .[0] <= $max and $max <= .[1]] | length > 0 and all' "$tmp/$1"
}
if ctrace events 2> /dev/null | grep -q '^block_io ' && modprobe null_blk nr_devices=1 queue_mode=2 irqmode=0 2> /dev/null; then
	later "rmmod null_blk"
	# the two programs themselves are read from the root's disk
	sh -c 'dd if=/dev/nullb0 of=/dev/null bs=4k count=1 iflag=direct' 2> /dev/null
	requests requests ''
	note "$n requests, $took the general way: $(cat "$tmp/requests.counts")"
	check "nearly all on the short way" [ "$took" -lt 100 ]
	same "each is counted" 1000 "$n"
	requests requests_long 'duration >= 0'
	at_least "with a filter, on the general way" 1000 "$took"
	check "the same" diff "$tmp/requests.counts" "$tmp/requests_long.counts"
fi
