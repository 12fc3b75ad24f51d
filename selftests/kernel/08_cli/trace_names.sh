#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: name, id prefix, cid, cgroup and pid of one container are the same target
# requires: podman
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
podman_run web /bin/sh -c 'while :; do counted 1 1; sleep 0.05; done'
cid=$(of_pid "$pid" cid)
for target in web "${id:0:12}" "cid:$cid" "$cid" "cgroup:$(of_pid "$pid" path)"; do
	ctrace trace "$target" --json -e getpriority --duration 0.7 > "$tmp/out" 2> "$tmp/err"
	same "$target: exit status" 0 $?
	at_least "$target: calls" 2 "$(jq -r 'select(.event == "syscall_entry_getpriority" or .syscall == "getpriority") | .cid' "$tmp/out" | wc -l)"
	same "$target: cid and name" "$cid web" "$(jq -r '"\(.cid) \(.container)"' "$tmp/out" | sort -u)"
done
ctrace trace "pid:$pid" --json -e getpriority --duration 0.7 > "$tmp/out" 2> "$tmp/err"
at_least "pid: its children's calls" 2 "$(grep -c getpriority "$tmp/out")"
ctrace trace web --duration 0.7 > "$tmp/out" 2> "$tmp/err"
has "text: name, vtid and call on a line" 'web.*getpriority\(' "$tmp/out"
has "text: errno by name" 'getpriority\(.*= -1 EINVAL \(Invalid argument\)' "$tmp/out"
has "account" '^ctrace: [0-9]+ events? .*0 lost' "$tmp/err"
