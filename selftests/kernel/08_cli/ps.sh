#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ps shows cid, name, runtime, pids, cgroup and age, and podman's names
# columns: ps: NAME RUNTIME INIT PROCS CPU MEM AGE
# requires: podman
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
before=$SECONDS
podman_run shop sh -c 'sleep 1000 & exec sleep 1000'
after=$SECONDS
cid=$(of_pid "$pid" cid)
ctrace ps > "$tmp/ps" 2> "$tmp/err"
same "status" 0 $?
has "head" '^ *CID +NAME +RUNTIME' "$tmp/ps"
has "podman's name" "^ *$cid +shop +podman +$pid " "$tmp/ps"
has "its cgroup" "shop .*$(of_pid "$pid" path)" "$tmp/ps"
ctrace ps -c name,age > "$tmp/age"
in_range "its age in s" $((SECONDS - after - 1)) $((SECONDS - before + 1)) "$(awk '$1 == "shop" {print int($2)}' "$tmp/age")"
ctrace ps --json > "$tmp/json"
same "json: name" shop "$(jq -r "select(.cid == $cid) | .name" "$tmp/json")"
# PROCS: its processes, here and below, not those of a neighbour whose name begins like it.
dir=$(cgroup_mount)$(of_pid "$pid" path)
wait_for 20 bash -c "[ \"\$(wc -l < $dir/cgroup.procs)\" = 2 ]"
mkdir -p "$dir/below" "$dir-2"
later "rmdir $dir-2"
others=
for d in "$dir/below" "$dir-2"; do
	sleep 1000 &
	others="$others $!"
	later "kill $!"
	echo $! > "$d/cgroup.procs"
done
ctrace ps --json > "$tmp/json"
same "its processes" 3 "$(jq -r "select(.cid == $cid) | .procs" "$tmp/json")"
same "the same in the table" 3 "$(ctrace ps | awk '$2 == "shop" {print $5}')"
# what its cgroup's files have (v2), before and after
usage() { awk '$1 == "usage_usec" {printf "%.0f", 1000 * $2}' "$dir/cpu.stat"; }
of() { jq -r "select(.cid == $cid) | .$1" "$tmp/json"; }
if [ -n "$(usage)" ]; then
	n=$(usage)
	ctrace ps --json > "$tmp/json"
	in_range "CPU time" "$n" "$(usage)" "$(of cpu_ns)"
	if [ -e "$dir/memory.current" ]; then
		n=$(cat "$dir/memory.current")
		ctrace ps --json > "$tmp/json"
		in_range "memory, as in the file, give or take 256 kB" $((n - 262144)) $(($(cat "$dir/memory.current") + 262144)) "$(of memory)"
	fi
fi
# podman waits for those that are in its cgroup
# shellcheck disable=SC2086 # numbers
kill $others
podman rm -f -t 0 shop > /dev/null 2>&1 || podman rm -f shop > /dev/null 2>&1
check "gone after podman rm" wait_for 10 bash -c '! ctrace ps | grep -q shop'
