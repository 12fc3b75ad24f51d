#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: -F samples what runs, and nothing else; a higher frequency gives more samples
# witness: the caller of vfs_read; libc's nanosleep; counts compared with the number of samples
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

load
# about a second of work
busy='end=$(($(date +%s%N) + 1500000000)); while [ "$(date +%s%N)" -lt $end ]; do i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; done'
ctrace trace --json -o "$tmp/out" -F 100 -- sh -c "$busy" 2> "$tmp/err"
same "samples only" cpu_sample "$(jq -r .event "$tmp/out" | sort -u)"
n=$(wc -l < "$tmp/out")
at_least "samples" 20 "$n"
if [ "$n" -lt 400 ]; then ok "not many more than asked for: $n"; else not_ok "expected about 150 samples, seen $n"; fi
same "their frequency" 100 "$(jq -r .fields.hz "$tmp/out" | sort -u)"
ctrace trace --json -o "$tmp/out" -F 500 -- sh -c "$busy" 2> "$tmp/err"
# How many more depends on what else the host of an emulated machine is doing.
at_least "five times as often: more" $((n + n / 2)) "$(wc -l < "$tmp/out")"
ctrace trace --json -o "$tmp/out" -F 100 -e execve -- sh -c "$busy" 2> "$tmp/err"
same "with -e: both" "cpu_sample syscall_entry_execve syscall_exit_execve" "$(jq -r .event "$tmp/out" | sort -u | xargs)"
refuse "no frequency" 'number' ctrace trace -F often -- true
refuse "too high a one" 'sampl|rate' ctrace trace -F 1000000 -- true
