#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a supervisor of systemd-nspawn and a monitor in podman's pod are the host's, and a pod is no container
# requires: v2
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mount=$(cgroup_mount)
unit=/side.slice/systemd-nspawn@web.service
pod=/libpod_parent/$(hex64 side-pod)
mkdir -p "$mount$unit/supervisor" "$mount$pod/conmon"
later "rmdir $mount$unit/supervisor $mount$unit/payload $mount$unit ${mount}/side.slice $mount$pod/conmon $mount$pod/libpod-* $mount$pod"
# beside CGROUP WHO: calls with WHO until the end, from a process in CGROUP
beside() {
	bash -c 'echo 0 > "$0/cgroup.procs" && while :; do counted "$1" 1; sleep 0.2; done' "$mount$1" "$2" &
	later "kill -9 $!; wait $!"
}
beside "$unit/supervisor" 61
beside "$pod/conmon" 62
cheap payload -g "$unit/payload" -- bash -c 'while :; do counted 63 1; sleep 0.2; done'
cheap in_pod -g "$pod/libpod-$(hex64 side-web)" -- bash -c 'while :; do counted 64 1; sleep 0.2; done'
dump "$tmp/ev" -d 600 -t all -e syscall:getpriority
for who in 61 62 63 64; do
	wait_for 10 lines 4 "entry.*who=$who( |\$)" "$tmp/ev"
done
stop_dump
same "the supervisor is the host's" 0 "$(cids "$tmp/ev" 'entry.*who=61( |$)')"
same "the pod's monitor is the host's" 0 "$(cids "$tmp/ev" 'entry.*who=62( |$)')"
web=$(of_path "$unit" cid)
pods=$(of_path "$pod/libpod-$(hex64 side-web)" cid)
at_least "the service is a container" 1 "$web"
same "with its payload" "$web" "$(cids "$tmp/ev" 'entry.*who=63( |$)')"
at_least "the pod's container" 1 "$pods"
same "with its calls" "$pods" "$(cids "$tmp/ev" 'entry.*who=64( |$)')"
same "its parent is the host" 0 "$(of_path "$pod/libpod-$(hex64 side-web)" parent)"
same "the pod is no container" "" "$(of_path "$pod" cid)"
