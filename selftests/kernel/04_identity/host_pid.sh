#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container that shares the host's pid namespace is known by its cgroup
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -H -g "/box/docker-$(hex64 hostpid).scope" -- /bin/sh -c 'while :; do counted 41 1; sleep 0.1; done'
dump_until 4 'entry.*who=41' "$tmp/ev" -t all -e syscall:getpriority
cid=$(cids "$tmp/ev" 'who=41')
at_least "its calls have a cid, one" 1 "$cid"
subscribe | awk -v c="$cid" '$2 == c' > "$tmp/line"
has "it is flagged as sharing the host's pids" "^has $cid 0 [0-9]+ [0-9]+ 0x[2367abef] " "$tmp/line"
has "its id and runtime" "docker $(hex64 hostpid) /box/docker-$(hex64 hostpid).scope" "$tmp/line"
