#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a recording begins with the tasks that exist; a live trace does so only if asked
# witness: babeltrace2; the box's init, by both its numbers
# requires: babeltrace2
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -g "/box/$(hex64 statedump)" -- /bin/sh -c 'while :; do counted 80 2; sleep 0.05; done'
cid=$(of_pid "$pid" cid)
ctrace record -o "$tmp/t" "cid:$cid" -e getpriority --duration 1.5 2> "$tmp/err"
babeltrace2 "$tmp/t" > "$tmp/out" 2> "$tmp/err"
same "babeltrace2: status" 0 $?
has "first of all: its begin" 'lttng_statedump_start' <(head -n 1 "$tmp/out")
has "the box's init, as it numbers itself" "lttng_statedump_process_state: .*cid = $cid,.* tid = $pid, vtid = 1, pid = $pid, vpid = 1," "$tmp/out"
has "and as the host does" "lttng_statedump_process_state: .*cid = $cid,.* tid = $pid, vtid = $pid, pid = $pid, vpid = $pid,.* ns_level = 0," "$tmp/out"
has "its end" 'lttng_statedump_end' "$tmp/out"
has "then what happened" 'syscall_entry_getpriority' "$tmp/out"
ctrace record -o "$tmp/t2" "cid:$cid" -e getpriority --duration 1.5 --no-state-dump 2> "$tmp/err"
babeltrace2 "$tmp/t2" > "$tmp/out" 2> "$tmp/err"
has "--no-state-dump: what happened" 'syscall_entry_getpriority' "$tmp/out"
has_not "--no-state-dump" statedump "$tmp/out"
ctrace trace "cid:$cid" -e getpriority --duration 1 > "$tmp/out" 2> "$tmp/err"
has_not "trace: none" statedump "$tmp/out"
ctrace trace "cid:$cid" -e getpriority --duration 1 --state-dump > "$tmp/out" 2> "$tmp/err"
has "trace: if asked" 'lttng_statedump_process_state.* name="sh"' "$tmp/out"
