#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --stack prints named frames below their event, as text and JSON, live and recorded
# witness: the caller of vfs_read; libc's nanosleep; counts compared with the number of samples
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace trace -o "$tmp/out" -e 'p:st_read vfs_read' --stack -- cat /etc/passwd > /dev/null 2> "$tmp/err"
awk '/st_read/ {n = 0} /^    > / {print ++n, $2}' "$tmp/out" > "$tmp/frames"
has "a kprobe: its function first" '^1 vfs_read\+0x' "$tmp/frames"
has "its caller next" "^2 $(reads_from)\\+0x" "$tmp/frames"
has "down to the call" "^[0-9]+ $call_entry" "$tmp/frames"
# a program that keeps its symbols, and lives until ctrace has looked them up
ctrace trace -o "$tmp/out" -e getpriority --one-of 10000 --stack=both -- counted 82 400000 2> "$tmp/err"
has "user: the program's own function" '^    > [a-z_]+\+0x[0-9a-f]+ \[counted\]$' "$tmp/out"
ctrace trace -o "$tmp/out" -e 'nanosleep,clock_nanosleep' --stack -- sleep 0.1 2> "$tmp/err"
same "a call's stack is there once" 1 "$(grep -cE "^    > $call_entry\\+" "$tmp/out")"
has "below its line" 'nanosleep\(' <(grep -B1 -m1 '^    > ' "$tmp/out")
ctrace trace --json -e sched_switch --stack=both -- sleep 0.1 2> "$tmp/err" | grep '^{' > "$tmp/json"
at_least "JSON: an event has its stacks in it" 1 "$(jq -r 'select(.fields.prev_comm == "sleep") | .kernel_stack[] | select(test("nanosleep"))' "$tmp/json" | wc -l)"
same "JSON: none stands alone" 0 "$(jq -r 'select(.event | test("_stack$"))' "$tmp/json" | wc -l)"
ctrace record -o "$tmp/t" -e sched_switch --stack=both -- sleep 0.1 2> "$tmp/err"
ctrace report "$tmp/t" > "$tmp/report" 2> /dev/null
has "recorded: the kernel's names" '^    > .*nanosleep\+0x' "$tmp/report"
ctrace record -o "$tmp/t2" -e getpriority --one-of 10000 --stack=user -- counted 82 400000 2> "$tmp/err"
ctrace report "$tmp/t2" > "$tmp/report" 2> /dev/null
has "recorded: the user's names, of a process that has gone" '^    > [a-z_]+\+0x[0-9a-f]+ \[counted\]$' "$tmp/report"
old=$(cat /proc/sys/kernel/kptr_restrict)
later "echo $old > /proc/sys/kernel/kptr_restrict"
echo 2 > /proc/sys/kernel/kptr_restrict
ctrace trace -o "$tmp/out" -e sched_switch --stack -- sleep 0.1 2> "$tmp/err"
has "kptr_restrict: addresses" '^    > 0xffff' "$tmp/out"
has "kptr_restrict: and why" 'kptr_restrict' "$tmp/err"
refuse "no such stack" "unknown stack 'hay'" ctrace trace --stack=hay -- true
