#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a session's memory is its maker's cgroup's, which may forbid it; where the kernel cannot charge it, it is as good
# witness: memory.max (v1: the limit in bytes) below and above a session's size, memory.current; every
#	page mapped, also where nothing is charged
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

if [ "$(cgroup_mode)" = v2 ]; then
	mount=/sys/fs/cgroup limit=memory.max usage=memory.current
	grep -qw memory $mount/cgroup.controllers || skip "v2 has no memory controller"
	echo +memory > $mount/cgroup.subtree_control
else
	mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ {print $2; exit}' /proc/mounts)
	limit=memory.limit_in_bytes usage=memory.usage_in_bytes
	[ -n "$mount" ] || skip "v1 has no memory controller"
fi
dir=$mount/charged
mkdir -p "$dir"
later "rmdir $dir"
echo $((64 << 20)) > "$dir/$limit"
charged=uncharged
grep -q 'define CTRACE_HAVE_KMEM_MAPPED' "$top/module/generated/facts.h" && charged=charged
load
hasten
later "echo $BASHPID > $mount/cgroup.procs"
echo $BASHPID > "$dir/cgroup.procs"
program nl_memory $charged "$dir/$usage"
