#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a task in a cpuset of the host's is in the container that another hierarchy of v1 shows
# witness: marked calls by tasks in a cpuset of the host's that are moved in another hierarchy alone,
#	older than the module too; kind's shape, where the inner container is in one hierarchy
# requires: v1,hybrid
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cg=/sys/fs/cgroup
for name in cpuset memory; do [ -d $cg/$name ] || skip "no $name in v1"; done
unload || give_up "it was loaded and does not go"
shield=$cg/cpuset/shield
mkdir -p "$shield"
later "rmdir $shield"
cat $cg/cpuset/cpuset.cpus > "$shield/cpuset.cpus"
cat $cg/cpuset/cpuset.mems > "$shield/cpuset.mems"
for name in old one two; do
	declare "$name=/docker/$(hex64 shield-$name)"
	mkdir -p "$cg/memory${!name}"
	later "rmdir $cg/memory${!name}"
done
later "rmdir $cg/memory/docker"
# shielded WHO CGROUP: calls with WHO until the end, without a pid namespace, from cpuset:/shield and memory:CGROUP; sets $pid
shielded() {
	bash -c 'echo 0 > "$0/cgroup.procs" && echo 0 > "$1/cgroup.procs" && exec unshare -m bash -c "while :; do counted $2 1; sleep 0.1; done"' \
		"$shield" "$cg/memory$2" "$1" &
	pid=$!
	later "kill -9 $pid; wait $pid"
}
# now WHO: the different cids of the calls with WHO from now on
now() {
	dump_until 4 "entry.*who=$1( |\$)" "$tmp/ev" -t all -e syscall:getpriority
	cids "$tmp/ev" "entry.*who=$1( |\$)"
}
# shellcheck disable=SC2154 # declare above
{
	shielded 81 "$old"
	shielded 82 /
	load
	shielded 83 "$one"
	mover=$pid
	shielded 84 "$two"
	dump "$tmp/ev" -d 600 -t all -e syscall:getpriority
	for who in 81 82 83 84; do
		wait_for 10 lines 4 "entry.*who=$who( |\$)" "$tmp/ev"
	done
	stop_dump
	for name in old one two; do
		declare "cid_$name=$(of_path "${!name}" cid)"
		cid=cid_$name
		at_least "$name is a container" 1 "${!cid}"
	done
	same "who is older than the module" "$cid_old" "$(cids "$tmp/ev" 'entry.*who=81( |$)')"
	same "who is in the shield alone is the host's" 0 "$(cids "$tmp/ev" 'entry.*who=82( |$)')"
	same "who is younger" "$cid_one" "$(cids "$tmp/ev" 'entry.*who=83( |$)')"
	same "its neighbour" "$cid_two" "$(cids "$tmp/ev" 'entry.*who=84( |$)')"
	# the cpuset does not show that it has been moved
	echo "$mover" > "$cg/memory$two/cgroup.procs"
	same "who was moved to the neighbour's" "$cid_two" "$(now 83)"
	echo "$mover" > "$cg/memory/cgroup.procs"
	same "and to the root" 0 "$(now 83)"
	echo "$mover" > "$cg/memory$one/cgroup.procs"
	same "and back" "$cid_one" "$(now 83)"
}
