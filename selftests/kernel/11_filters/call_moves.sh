#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a call that begins in one container and ends in another belongs to the other
# witness: sleeps timed from outside; strace; entry and exit records of the same calls
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mount=$(cgroup_mount)
# a runtime's name: every task in it belongs to that container
box=/$(hex64 callmoves)
mkdir "$mount$box"
later "rmdir $mount$box"
program="echo \$\$ > $mount$box/cgroup.procs; counted 1 1; echo \$\$ > $mount/cgroup.procs; counted 2 1"
probes=(-e call:write -e call:getpriority)
bash -c "$program"
cid=$(of_path "$box" cid)
at_least "a container" 1 "$cid"
dump "$tmp/ev" -t "cid:$cid" -t all "${probes[@]}"
bash -c "$program; echo" > "$tmp/out"
stop_dump
me=$(sed -n "s/.* syscall_getpriority cid=$cid tid=.* who=1\$/&/p" "$tmp/ev" | wc -l)
same "the call inside" 1 "$me"
same "the write that brought it there" 1 "$(grep -c " syscall_write cid=$cid tid=" "$tmp/ev")"
has "the one that took it away: the host's" " syscall_write cid=0 tid=" "$tmp/ev"
for target in "cid:$cid" "cgroup:$mount$box"; do
	dump "$tmp/ev" -t "$target" "${probes[@]}"
	bash -c "$program" > "$tmp/out"
	stop_dump
	has "$target: inside" "syscall_getpriority cid=$cid .* who=1\$" "$tmp/ev"
	has_not "$target: neither move is whole in there" syscall_write "$tmp/ev"
done
