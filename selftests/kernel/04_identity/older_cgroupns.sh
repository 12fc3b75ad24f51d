#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container known by its cgroup namespace alone is one container, also if it is older than the module
# requires: v2
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

[ -e /proc/self/ns/cgroup ] || skip "no cgroup namespaces"
unload || give_up "it was loaded and does not go"
# as `systemd-nspawn --keep-unit` makes them: the cgroup's name shows nothing
unit=/older.slice/own.service
cheap payload -C -g "$unit/payload" -- /bin/sh -c 'while :; do counted 71 1; sleep 0.1; done'
later "rmdir $(cgroup_mount)$unit/payload $(cgroup_mount)$unit $(cgroup_mount)/older.slice"
load
dump_until 4 'entry.*who=71' "$tmp/ev" -t all -e syscall:getpriority
cid=$(of_pid "$pid" cid)
at_least "one container with that init" 1 "$cid"
same "its path" "$unit/payload" "$(of_pid "$pid" path)"
same "its pid namespace" "$(pidns_of "$pid")" "$(of_pid "$pid" pidns)"
same "its parent" 0 "$(of_pid "$pid" parent)"
same "its calls" "$cid" "$(cids "$tmp/ev" 'who=71')"
same "no other container there" "$cid" "$(of_path "$unit/payload" cid)"
same "none in it" "" "$(subscribe | awk -v c="$cid" '$3 == c {print $2}')"
