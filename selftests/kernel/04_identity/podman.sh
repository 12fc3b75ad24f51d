#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a podman container has one cid, with podman's id; its monitor belongs to the host
# requires: podman
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
podman_run web /bin/sh -c 'counted 9 5; exec sleep 1000'
same "one container with that init" 1 "$(of_pid "$pid" cid | wc -l)"
same "its id" "$id" "$(of_pid "$pid" runtime_id)"
same "its runtime" podman "$(of_pid "$pid" runtime)"
same "its pid namespace" "$(pidns_of "$pid")" "$(of_pid "$pid" pidns)"
cid=$(of_pid "$pid" cid)
conmon=$(pgrep -of "conmon.*$id")
same "the monitor is no container" "" "$(of_pid "$conmon" cid)"
# The runtime behind podman exec needs to enter the container's cgroup namespace.
[ -e /proc/self/ns/cgroup ] || { note "no cgroup namespaces: podman exec is left out"; exit; }
timeout 100 evdump -t all -e syscall:getpriority -- podman exec web counted 11 30 > "$tmp/ev" 2> "$tmp/exec"
timeout 100 evdump -t all -e syscall:getpriority -- counted 12 30 > "$tmp/ev2" 2> "$tmp/err"
grep -q 'who=11' "$tmp/ev" || note "$(tail -n 3 "$tmp/exec")"
same "podman exec: 30 marked calls of this container" "$cid" "$(cids "$tmp/ev" 'who=11')"
same "all of them" 30 "$(grep -c 'entry_getpriority.*who=11' "$tmp/ev")"
same "the same on the host are the host's" 0 "$(cids "$tmp/ev2" 'who=12')"
