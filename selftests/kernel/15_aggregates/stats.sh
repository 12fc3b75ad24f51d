#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace stats counts each call and each error of a program as strace -c does, in both styles
# witness: strace -c, the kernel's own trace, dd's blocks, /proc/PID/schedstat
# columns: stats: SYSCALL CALLS ERRORS TOTAL MIN avg P99 MAX errnos
# requires: any
# timeout: 90
# shellcheck disable=SC2016 # awk's own dollars
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v strace > /dev/null || skip "no strace to compare with"
command -v jq > /dev/null || skip "no jq to read JSON"
# what the loader and libc do once may differ from run to run; these calls do not
work() { sh -c 'i=0; while [ $i -lt 50 ]; do [ -e /no/such/file ]; [ -d /etc ]; i=$((i + 1)); done; exec counted 5 400'; }
export -f work
strace -f -c -o "$tmp/strace" bash -c work > /dev/null 2>&1
ctrace stats --style strace -- bash -c work > "$tmp/ours" 2> "$tmp/err"
same "status" 0 $?
calls() { awk '$1 ~ /^[0-9.]+$/ && $NF != "total" {print $NF, $4, NF == 6 ? $5 : 0}' "$1" | sort; }
calls "$tmp/strace" > "$tmp/a"
calls "$tmp/ours" > "$tmp/b"
at_least "kinds of calls" 10 "$(wc -l < "$tmp/b")"
# exit_group does not return; the execve that starts the command is ours alone, and strace's own first
grep -vE '^(exit_group|execve|brk|mmap|munmap|getrandom|rt_sigreturn|restart_syscall|wait4) ' "$tmp/a" > "$tmp/a2"
grep -vE '^(exit_group|execve|brk|mmap|munmap|getrandom|rt_sigreturn|restart_syscall|wait4) ' "$tmp/b" > "$tmp/b2"
check "calls and errors of each" diff "$tmp/a2" "$tmp/b2"
ctrace stats --errnos -- bash -c work > "$tmp/perf" 2> "$tmp/err"
has "perf's heading" '^   syscall +calls +errors +total +min +avg +p99 +max' "$tmp/perf"
has "an error by name, and how often" 'ENOENT: [0-9]+' "$tmp/perf"
at_least "errors of the 50 that are not there" 50 "$(awk '/ENOENT:/ {n += $2} END {print n + 0}' "$tmp/perf")"
check "min <= avg <= p99 <= max" awk '$1 ~ /^[a-z_0-9]+$/ && NF == 8 && $2 ~ /^[0-9]+$/ {n++; if ($5 > $6 || $6 > $8 * 1.001 || $7 > $8 * 1.001 || $4 + 0.001 < $2 * $5) exit 1} END {exit !n}' "$tmp/perf"
ctrace stats --by comm --json -- bash -c work > "$tmp/json" 2> "$tmp/err"
has "apart for each comm" '"by":"comm = counted"' "$tmp/json"
ctrace stats -e nanosleep,clock_nanosleep -- sleep 0.3 > "$tmp/sleep" 2> "$tmp/err"
has "a sleep's time in msec" 'nanosleep +1 +0 +[34][0-9][0-9]\.' "$tmp/sleep"
same "its calls alone" 1 "$(grep -cE '^   [a-z_0-9]+ +[0-9]+ ' "$tmp/sleep")"
# A program times each of its 20 sleeps of 20 ms around the call. One of them took no more than all without 19 times 20 ms.
ctrace stats -e nanosleep --json -- waits sleep 20 20 > "$tmp/waits" 2> "$tmp/err"
slept=$(sed -n 's/^slept=\([0-9]*\) .*/\1/p' "$tmp/waits")
of() { grep '^{' "$tmp/waits" | jq "[.rows[] | select(.syscall == \"nanosleep\") | .$1][0]"; }
same "sleeps" 20 "$(of calls)"
in_range "all of them" 399000000 "$slept" "$(of total)"
in_range "the shortest" 19900000 $((slept / 20)) "$(of min)"
in_range "the average" 19900000 $((slept / 20)) "$(of avg)"
in_range "the longest" 19900000 $((slept - 19 * 19900000)) "$(of max)"
# a percentile lies in its bucket, whose top is at most 1.5 times its bottom
in_range "p99" 13200000 $((slept - 19 * 19900000)) "$(of p99)"
refuse "an unknown style" 'style' ctrace stats --style ltrace -- true
