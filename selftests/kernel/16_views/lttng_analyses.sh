#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: lttng-analyses reads a recording: calls, disk requests, interrupts, time on CPUs are those that ctrace tells
# requires: v2,torture
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v lttng-syscallstats > /dev/null || skip "no lttng-analyses (python3-lttnganalyses)"
command -v jq > /dev/null || skip "no jq to read JSON"
# CTRACE_TEST_RECORDING: one that is there, with the directory kernel in it
if [ -n "${CTRACE_TEST_RECORDING:-}" ]; then
	rec=$CTRACE_TEST_RECORDING
else
	load
	cheap box -n box -- /bin/sh -c "while :; do dd if=/dev/zero of=$tmp/x bs=64k count=8 conv=fsync; counted 5 50; sleep 0.02; done"
	rec=$tmp/rec
	mkdir "$rec"
	ctrace record -o "$rec/kernel" all -e viewer --buffer-size 64M --duration 3 2> "$tmp/err"
	has "recorded" ' 0 lost' "$tmp/err"
	at_least "descriptors that were open" 3 "$(ctrace report --json "$rec/kernel" 2> /dev/null | grep -c '"lttng_statedump_file_descriptor"')"
fi
# analysis NAME: its output; the part of the recording that it looks at, CLOCK_MONOTONIC, is $from to $to
analysis() {
	(cd "$rec" && "lttng-$1" --no-progress --gmt .) > "$tmp/$1" 2>&1 || not_ok "lttng-$1: $(tail -n 3 "$tmp/$1")"
}
ctrace report --json "$rec/kernel" 2> /dev/null > "$tmp/events"
jq -r '"\(.realtime) \(.event) \(.tid) \(.fields.irq // 0) \(.fields.diskname // "")"' "$tmp/events" > "$tmp/lines"
analysis syscallstats
# "Timerange: [2026-11-25 12:52:34.999550927, 2026-11-25 12:52:37.693784064]"
range=$(sed -n 's/^Timerange: \[\(.*\)\]$/\1/p' "$tmp/syscallstats")
check "it has a range: all streams have events at one time" test -n "$range"
from=$(date -u -d "${range%%,*}" +%s%N) to=$(date -u -d "${range##*, }" +%s%N)
# Numbers of 19 digits: awk's are exact to 16, so compare texts.
within() { awk -v from="$from" -v to="$to" '$1 "" >= from "" && $1 "" <= to ""' "$tmp/lines"; }
# each call: entered and left within the range
within | awk '$2 ~ /^syscall_entry_/ {open[$3] = substr($2, 15)}
	# rt_sigreturn returns as no call
	$2 ~ /^syscall_exit_/ {if (open[$3] == substr($2, 14) || $2 == "syscall_exit_unknown") n[open[$3]]++; delete open[$3]}
	END {for (c in n) if (c != "") print c, n[c]}' | sort > "$tmp/a"
awk '$1 == "-" && $3 ~ /^[0-9]+$/ {n[$2] += $3} END {for (c in n) print c, n[c]}' "$tmp/syscallstats" | sort > "$tmp/b"
at_least "different calls" 5 "$(wc -l < "$tmp/a")"
check "syscallstats: as many of each" diff "$tmp/a" "$tmp/b"
analysis irqstats
within | awk '$2 == "irq_handler_entry" {open[$4] = 1} $2 == "irq_handler_exit" && open[$4] {n[$4]++; open[$4] = 0}
	END {for (i in n) print i, n[i]}' | sort > "$tmp/a"
sed -nE 's/^([0-9]+): <[^>]*> +([0-9]+) .*/\1 \2/p' "$tmp/irqstats" | sort > "$tmp/b"
check "irqstats: as many of each interrupt" diff "$tmp/a" "$tmp/b"
# on CPUs, in percent of the range: by switches, cut at its ends
analysis cputop
ctrace export --chrome "$tmp/json" "$rec/kernel" 2> /dev/null
offset=$(jq -n 'input | .realtime - .time' "$tmp/events")
jq -r --argjson from "$from" --argjson to "$to" --argjson offset "$offset" '
	[.traceEvents[] | select(.cat == "cpu") | {tid: .args.tid, b: (.ts * 1000 + $offset), e: ((.ts + .dur) * 1000 + $offset)}
	| {tid, ran: (([.e, $to] | min) - ([.b, $from] | max))} | select(.ran > 0)]
	| group_by(.tid)[] | "\(.[0].tid) \((map(.ran) | add) / ($to - $from) * 100)"' "$tmp/json" > "$tmp/a"
sed -nE 's/^[^0-9]* ([0-9.]+) % +.* \(([0-9]+)\) .*/\2 \1/p' "$tmp/cputop" > "$tmp/b"
at_least "cputop: tasks" 3 "$(wc -l < "$tmp/b")"
at_least "tasks that ran" 3 "$(wc -l < "$tmp/a")"
note "$(head -n 3 "$tmp/a" "$tmp/b")"
awk 'NR == FNR {ran[$1] = $2; next} {d = ran[$1] - $2; if (d > 0.5 || d < -0.5) print $1, ran[$1], $2}' "$tmp/a" "$tmp/b" > "$tmp/off"
same "cputop: each within half a percent" "" "$(head -n 5 "$tmp/off")"
analysis iolatencystats
disks=$(awk '$2 == "lttng_statedump_block_device" {print $5}' "$tmp/lines")
if grep -q block_rq_complete "$tmp/lines" && [ -n "$disks" ]; then
	has "iolatencystats: disks have their names" "^($(paste -sd '|' <<< "$disks")) +[0-9]+ " "$tmp/iolatencystats"
fi
for one in cpuidle schedfreq schedtop schedlog iolatencytop iolatencyfreq iousagetop iolog irqfreq irqlog memtop syscallstats; do
	[ -x "$(command -v "lttng-$one")" ] || continue
	analysis "$one"
	has_not "lttng-$one ends well" 'Traceback|Error' "$tmp/$one"
done
