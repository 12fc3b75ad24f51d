#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a call that begins in one container and ends in another belongs to the other
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mount=$(cgroup_mount)
mkdir "$mount/callmoves"
later "rmdir $mount/callmoves"
program="echo \$\$ > $mount/callmoves/cgroup.procs; counted 1 1; echo \$\$ > $mount/cgroup.procs; counted 2 1"
probes=(-e call:write -e call:getpriority)
evdump -t all "${probes[@]}" -- bash -c "$program" > "$tmp/ev" 2> "$tmp/err"
cid=$(of_path /callmoves cid)
same "not a container yet" '' "$cid"
dump "$tmp/ev" -t "cgroup:$mount/callmoves" -t all "${probes[@]}"
cid=$(of_path /callmoves cid)
at_least "a container now" 1 "$cid"
bash -c "$program; echo" > "$tmp/out"
stop_dump
me=$(sed -n "s/.* syscall_getpriority cid=$cid tid=.* who=1\$/&/p" "$tmp/ev" | wc -l)
same "the call inside" 1 "$me"
same "the write that brought it there" 1 "$(grep -c " syscall_write cid=$cid tid=" "$tmp/ev")"
has "the one that took it away: the host's" " syscall_write cid=0 tid=" "$tmp/ev"
dump "$tmp/ev" -t "cgroup:$mount/callmoves" "${probes[@]}"
bash -c "$program" > "$tmp/out"
stop_dump
has "inside" "syscall_getpriority cid=[0-9]+ .* who=1\$" "$tmp/ev"
has_not "neither move is whole in the container" syscall_write "$tmp/ev"
