#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: nobody leaves a container, or a cgroup that is traced, by making 70 levels of cgroups
# witness: marked calls 70 levels down
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mount=$(cgroup_mount)
levels=70
path=''
for _ in $(seq $levels); do path=$path/d; done
box=$mount/box/docker-$(hex64 deep).scope named=$mount/named
mkdir -p "$box" "$named" || give_up "mkdir"
later "rmdir $box $mount/box $named"
for d in "$box" "$named"; do
	mkdir -p "$d$path" || give_up "mkdir -p of $levels levels"
	later "find '$d' -mindepth 1 -depth -type d -exec rmdir {} +"
done
# calls DIR WHO: ten calls by a process in DIR, in the host's pid namespace
calls() { bash -c 'echo 0 > "$0/cgroup.procs" && counted "$1" 10' "$1" "$2"; }

dump "$tmp/all" -t all -e syscall:getpriority
calls "$box" 71
calls "$box$path" 72
calls "$named$path" 73
calls "$named" 74
stop_dump
cid=$(cids "$tmp/all" 'who=71')
at_least "the container has a cid" 1 "$cid"
same "its process, $levels levels below" "$cid" "$(cids "$tmp/all" 'who=72')"
same "the host's process is the host's" 0 "$(cids "$tmp/all" 'who=74')"
same "$levels levels down it is unknown, not the host's" 4294967294 "$(cids "$tmp/all" 'who=73')"
same "all its calls are there" 10 "$(grep -c 'entry_getpriority.*who=73' "$tmp/all")"
at_least "and are counted" 1 "$(ctrace status --json | jq .module.unknown)"

dump "$tmp/named" -t "cgroup:$named" -e syscall:getpriority
calls "$named" 81
calls "$named$path" 82
calls "$box" 83
stop_dump
same "a target that names the cgroup has calls in it" 10 "$(grep -c 'entry_getpriority.*who=81' "$tmp/named")"
same "and $levels levels below it" 10 "$(grep -c 'entry_getpriority.*who=82' "$tmp/named")"
same "and no others" 0 "$(grep -c 'entry_getpriority.*who=83' "$tmp/named")"
refuse "a cgroup that is too deep cannot be named" 'deeper than 64 levels' ctrace trace "cgroup:$named$path" --duration 100ms
