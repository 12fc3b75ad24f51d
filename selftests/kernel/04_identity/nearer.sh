#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the nearest container counts, whichever hierarchy shows it: an inner one that is in some of v1's alone
# witness: marked calls by tasks in a cpuset of the host's that are moved in another hierarchy alone,
#	older than the module too; kind's shape, where the inner container is in one hierarchy
# requires: v1,hybrid
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cg=/sys/fs/cgroup
[ -d $cg/memory ] || skip "no memory in v1"
# kind's shape: the node's runtime made its cgroup in each hierarchy, the node's own makes others where it needs them
node=/docker/$(hex64 nearer-node)
pod=$node/kubelet/kubepods/pod0a1b2c3d-1111-2222-3333-444455556666
cheap node -g "$node" -- bash -c 'while :; do counted 91 1; sleep 0.1; done'
outer=$pid
cid_node=$(of_pid "$outer" cid)
for name in web sidecar; do
	declare "$name=$pod/$(hex64 nearer-$name)"
	mkdir -p "$cg/memory${!name}"
	later "rmdir $cg/memory${!name}"
done
later "rmdir $cg/memory$pod $cg/memory$node/kubelet/kubepods $cg/memory$node/kubelet"
# inner WHO CGROUP [OPTION]...: calls with WHO until the end, in memory:CGROUP, elsewhere in the node's
inner() {
	local who=$1 at=$cg/memory$2
	shift 2
	# shellcheck disable=SC2016 # for the inner shell
	nsenter --pid -t "$outer" bash -c 'for d in '"$cg"'/*'"$node"'; do echo 0 > "$d/cgroup.procs"; done
		echo 0 > "$0/cgroup.procs"; shift; exec unshare -m "$@"' "$at" - "$@" \
		bash -c "while :; do counted $who 1; sleep 0.1; done" &
	later "kill -9 $!; kill -9 \$(cat $at/cgroup.procs); wait $!"
}
# shellcheck disable=SC2154 # declare above
{
	inner 92 "$web" --pid --fork
	inner 93 "$sidecar"
	dump "$tmp/ev" -d 600 -t all -e syscall:getpriority
	for who in 91 92 93; do
		wait_for 10 lines 4 "entry.*who=$who( |\$)" "$tmp/ev"
	done
	stop_dump
	at_least "the node is a container" 1 "$cid_node"
	same "with its calls" "$cid_node" "$(cids "$tmp/ev" 'entry.*who=91( |$)')"
	for name in web sidecar; do
		cid=$(of_path "${!name}" cid)
		at_least "$name is a container" 1 "$cid"
		check "of its own" test "$cid" != "$cid_node"
		same "its id" "$(hex64 nearer-$name)" "$(of_path "${!name}" runtime_id)"
		same "its parent" "$cid_node" "$(of_path "${!name}" parent)"
		declare "cid_$name=$cid"
	done
	same "its calls" "$cid_web" "$(cids "$tmp/ev" 'entry.*who=92( |$)')"
	same "the sidecar's" "$cid_sidecar" "$(cids "$tmp/ev" 'entry.*who=93( |$)')"
}
