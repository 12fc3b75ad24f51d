#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a task at the address of one that has gone is not taken for it
# requires: any
# kernels: 6.1, newest
# timeout: 120
# processors: one processor sees nothing but the traced programs
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(nproc)" -ge 2 ] || skip "needs a processor that only the traced programs use"
load
# A processor remembers whom it saw last. All others keep to CPU 0, so that CPU 1 sees our programs alone, one after
# the other. The pauses let the kernel free a task, and nothing is forked in them, so the next task gets its address.
taskset -cp 0 $$ > "$tmp/taskset" || give_up "taskset: $(cat "$tmp/taskset")"
hasten
mkfifo "$tmp/silent"
exec 9<> "$tmp/silent"
n=$(long 60 300)
dump "$tmp/ev" -t all -e syscall:getpriority
for ((i = 0; i < n; i++)); do
	taskset -c 1 counted 86 5
	read -r -t 0.1 -u 9
done
stop_dump
grep 'entry_getpriority .*who=86$' "$tmp/ev" > "$tmp/mine"
same "all calls" $((n * 5)) "$(wc -l < "$tmp/mine")"
same "each program under a number of its own" "$n" "$(grep -o ' tid=[0-9]*' "$tmp/mine" | sort -u | wc -l)"
