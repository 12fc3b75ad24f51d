#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --folded counts every stack once, by container and task
# witness: the caller of vfs_read; libc's nanosleep; counts compared with the number of samples
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

load
busy='i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
cheap box -g "/box/$(hex64 folded)" -- /bin/sh -c "while :; do $busy; done"
cid=$(of_pid "$pid" cid)
label=$(ctrace ps --json | jq -r "select(.cid == $cid) | .name")
ctrace record -o "$tmp/t" "cid:$cid" -F 200 --duration 3 2> "$tmp/err"
ctrace trace "cid:$cid" -F 200 --duration 1 --folded "$tmp/live" > "$tmp/out" 2> "$tmp/err"
kill -9 "$pid"	# the rest need not wait for a CPU
ctrace report --folded - "$tmp/t" > "$tmp/folded" 2> "$tmp/err"
same "each line: frames and a count" "" "$(grep -vE '^[^;]+;[^;]+(;[^;]+)+ [0-9]+$' "$tmp/folded")"
same "the container" "$label" "$(cut -d';' -f1 "$tmp/folded" | sort -u)"
has "the task's name" "^[^;]+;sh;" "$tmp/folded"
samples=$(ctrace report --json "$tmp/t" 2> /dev/null | jq -c 'select(.event == "cpu_sample" and (.kernel_stack + .user_stack | length) > 0)' | wc -l)
at_least "samples" 20 "$samples"
same "counts: every sample once" "$samples" "$(awk '{n += $NF} END {print n}' "$tmp/folded")"
has "live, into a file" "^$label;sh;.* [0-9]+\$" "$tmp/live"
same "and no lines" 0 "$(wc -l < "$tmp/out")"
ctrace trace -e 'p:fo_read vfs_read' --stack --folded "$tmp/live" -- sh -c 'read -r line < /etc/passwd; sleep 1' 2> "$tmp/err"
has "of an event: outermost first" "^[^;]+;sh;(.*;)?$(reads_from);(ksys_read;)?vfs_read [0-9]+\$" "$tmp/live"
refuse "without stacks" 'stack' ctrace trace --folded - -- true
refuse "with --json" 'form' ctrace trace --json --stack --folded - -- true
