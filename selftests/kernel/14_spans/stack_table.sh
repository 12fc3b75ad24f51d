#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the table of sleepers' stacks is made for sessions alone that ask for a stack with sched_block; sleeps that began with it are recorded when it has gone, or another one is there
# witness: /proc/vmallocinfo; sleep(1)
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
hasten
# more WHAT EVDUMP-ARGS...: one more session; $kb is how much memory it takes
more() {
	local before
	before=$(vmalloc_kb)
	dump "$tmp/$1" "${@:2}"
	kb=$(($(vmalloc_kb) - before))
}
less() { kill "$1"; wait "$1"; }
more first -t all -e sched_block
first=$dumping
more second -t all -e sched_block
second=$dumping plain=$kb
sleep 3 & sleeper=$!
more stacks -t all -e sched_block -s
stacks=$dumping
in_range "a session with stacks takes the table's 2.1 MiB more, KiB" 1900 2400 $((kb - plain))
more user -t all -e sched_block -u
in_range "the next has the same one, KiB more" 0 200 $((kb - plain))
sleep 5 & other=$!
sleep 0.3
before=$(vmalloc_kb)
less "$dumping"
less "$stacks"
in_range "which goes with the last, KiB" $((2 * plain + 1900)) $((2 * plain + 2400)) $((before - $(vmalloc_kb)))
more again -t all -e sched_block -s
again=$dumping
sleep 1 & third=$!
wait "$sleeper" "$other" "$third"
sleep 0.2
for p in "$again" "$second" "$first"; do less "$p"; done
# slept FILE PID MS: it slept for that long, once
slept() { awk -v t="tid=$2" -v ns="$3" '$2 == "sched_block" && $4 == t {sub("duration=", "", $6); n += $6 + 0 >= ns * 1e6 * 0.9} END {print n + 0}' "$tmp/$1"; }
same "a sleep from before the table" 1 "$(slept first "$sleeper" 3000)"
same "a sleep that began with it, for those without" 1 "$(slept first "$other" 5000)"
same "and for others" 1 "$(slept second "$other" 5000)"
same "with the new table" 1 "$(slept again "$third" 1000)"
at_least "which has their stacks" 1 "$(grep -c "kernel_stack cid=0 tid=$third .*callstack=0x" "$tmp/again")"
