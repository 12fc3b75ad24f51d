#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a cgroup namespace made in a cgroup that other processes use is no container
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

[ -e /proc/self/ns/cgroup ] || skip "no cgroup namespaces (before 4.6)"
load
mount=$(cgroup_mount)
mkdir -p "$mount/login/session"
later "rmdir $mount/login/session $mount/login"
# a login shell, and a process below it that unshares its cgroup namespace
dump "$tmp/ev" -t all -e syscall:getpriority
bash -c 'echo 0 > '"$mount"'/login/session/cgroup.procs
	unshare --cgroup /bin/sh -c "counted 71 20; exec counted 71 20"; counted 72 20'
stop_dump
same "40 calls were seen" 40 "$(grep -c 'entry_getpriority.*who=71' "$tmp/ev")"
same "calls inside the cgroup namespace are the host's" 0 "$(cids "$tmp/ev" 'who=71')"
same "calls beside it too" 0 "$(cids "$tmp/ev" 'who=72')"
same "no container is there" "" "$(of_path /login/session cid)"
