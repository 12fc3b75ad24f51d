#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ps shows the CPU time and the memory of a container, or - where nothing counts them
# witness: files as Kubernetes' runtimes and podman 4.3 write them; files that others than root may
#	write; a busy container
# requires: v1,v2,hybrid
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# value CID KEY: of the JSON
value() { ctrace ps --json | jq -r "select(.cid == $1) | .$2"; }

load
# v2: memory is counted where the cgroup above allows it
for d in "$(cgroup_mount)" "$(cgroup_mount)/docker"; do
	[ -d "$d" ] || { mkdir "$d" && later "rmdir $d"; }
	[ ! -e "$d/cgroup.subtree_control" ] || echo +memory > "$d/cgroup.subtree_control"
done
# shellcheck disable=SC2016 # the container is to expand it
cheap busy -g "/docker/$(hex64 busy)" -- /bin/bash -c 'x=$(head -c 8000000 /dev/zero | tr "\0" x); while :; do :; done'
busy=$(of_pid "$pid" cid)
cheap idle -g "/docker/$(hex64 idle)" -- sleep 1000
idle=$(of_pid "$pid" cid)
cheap none -N -- sleep 1000
none=$(of_pid "$pid" cid)
enough() { [ "$(value "$busy" memory)" -ge 8000000 ] && [ "$(value "$busy" cpu_ns)" -ge 200000000 ]; }
check "memory and CPU time" wait_for 20 enough
cpu1=$(value "$busy" cpu_ns)
sleep 1
at_least "it grows" $((cpu1 + 100000000)) "$(value "$busy" cpu_ns)"
check "an idle one has used less" test "$(value "$idle" cpu_ns)" -lt "$cpu1"
check "an idle one has less" test "$(value "$idle" memory)" -lt 8000000
same "no cgroup of its own" "null null" "$(value "$none" 'cpu_ns') $(value "$none" memory)"
ctrace ps --columns cid,cpu,mem > "$tmp/ps"
has "in the table" "^ *$busy +[0-9]+\.[0-9][0-9]s +[0-9.]+[MG]\$" "$tmp/ps"
has "nothing counts" "^ *$none +- +-\$" "$tmp/ps"
