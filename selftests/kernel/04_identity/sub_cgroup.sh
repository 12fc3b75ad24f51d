#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a cgroup below a container's own belongs to that container, unless it has a runtime's name
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
hex=$(hex64 sub)
cheap box -g "/box/$hex" -- /bin/sh -c 'while :; do counted 31 1; sleep 0.1; done'
cid=$(of_pid "$pid" cid)
for d in $(cgroup_dirs "/box/$hex"); do
	mkdir "$d/init.scope"
	later "rmdir $d/init.scope"
	case $d in */cpuset/*) for f in cpus mems; do cat "$d/cpuset.$f" > "$d/init.scope/cpuset.$f"; done;; esac
	echo "$pid" > "$d/init.scope/cgroup.procs"
done
dump_until 4 'entry.*who=31' "$tmp/ev" -t all -e syscall:getpriority
same "its calls after the move" "$cid" "$(cids "$tmp/ev" 'who=31')"
same "no container was added" "$cid" "$(of_pid "$pid" cid)"
