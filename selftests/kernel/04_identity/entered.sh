#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a process that enters a container later belongs to it
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -g "/box/$(hex64 entered)" -- sleep 1000
cid=$(of_pid "$pid" cid)
mapfile -t dirs < <(cgroup_dirs "/box/$(hex64 entered)")
# Call this in a subshell: it moves itself into the cgroup and then becomes the command.
enter() {
	for d in "${dirs[@]}"; do echo 0 > "$d/cgroup.procs"; done
	exec "$@"
}
dump "$tmp/ev" -t all -e syscall:getpriority
(enter nsenter --pid -t "$pid" counted 81 10)
(enter counted 82 10)
nsenter --pid -t "$pid" counted 83 10
stop_dump
same "cgroup and pid namespace" "$cid" "$(cids "$tmp/ev" 'who=81')"
same "cgroup alone" "$cid" "$(cids "$tmp/ev" 'who=82')"
same "pid namespace alone" "$cid" "$(cids "$tmp/ev" 'who=83')"
same "30 calls" 30 "$(grep -cE 'entry_getpriority.*who=8[123]' "$tmp/ev")"
