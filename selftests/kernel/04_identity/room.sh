#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: containers that a user nests in several ones leave room for others of that slice, and for other slices
# witness: made-up slices, the same one in several hierarchies, nested containers, ten years of a made-up
#	clock; in a guest, a module with room for 20, mkdir, and one process
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

loaded && { rmmod ctrace || give_up "rmmod"; }
insmod "$module" max_containers=20 || skip "the module cannot be given a parameter"
wait_for 5 test -c /dev/ctrace
mount=$(cgroup_mount)
top=$mount/room.slice
later "find '$top' -depth -type d -exec rmdir {} +"
# One process goes from cgroup to cgroup. Each that it enters is a container then, and stays one while the cgroup exists.
sleep 1000 & mover=$!
later "kill $mover; wait $mover"
visit() { mkdir -p "$1" && echo $mover > "$1/cgroup.procs"; }
held() { ctrace ps --json | jq -s length; }

for outer in a b; do
	check "outer container $outer" visit "$top/room-1.slice/docker-$(hex64 "outer $outer").scope"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		visit "$top/room-1.slice/docker-$(hex64 "outer $outer").scope/$(hex64 "$outer $i")" || not_ok "nested $outer $i"
	done
done
echo $mover > "$mount/cgroup.procs"
note "$(ctrace ps)"
same "what is nested has a fifth of the room; and the two outer ones" 6 "$(held)"
at_least "the others are unknown, and counted" 1 "$(ctrace status --json | jq .module.unknown)"
cheap beside -g "/room.slice/room-1.slice/docker-$(hex64 beside).scope" -- sleep 1000
at_least "another container of the slice has a number" 1 "$(of_pid "$pid" cid)"
cheap victim -g "/room.slice/room-2.slice/docker-$(hex64 victim).scope" -- sleep 1000
at_least "and a container of another slice" 1 "$(of_pid "$pid" cid)"
