#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a cgroup named as a target is a container until the target is removed
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mount=$(cgroup_mount)
mkdir -p "$mount/system.slice/sshd.service/inner"
later "rmdir $mount/system.slice/sshd.service/inner $mount/system.slice/sshd.service $mount/system.slice"
bash -c 'echo 0 > '"$mount"'/system.slice/sshd.service/inner/cgroup.procs; while :; do counted 91 1; sleep 0.05; done' &
later "kill $!; wait $!"
dump_until 4 'entry.*who=91' "$tmp/ev" -t all -e syscall:getpriority
same "before: the host's" 0 "$(cids "$tmp/ev" 'who=91')"
dump_until 4 'entry.*who=91' "$tmp/ev" -t "cgroup:$mount/system.slice/sshd.service" -e syscall:getpriority
at_least "while it is a target: calls are seen" 3 "$(grep -c 'who=91' "$tmp/ev")"
at_least "with one cid" 1 "$(cids "$tmp/ev" .)"
dump_until 4 'entry.*who=91' "$tmp/ev" -t all -e syscall:getpriority
same "after: the host's again" 0 "$(cids "$tmp/ev" 'who=91')"
