#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: two cgroups that share a pid namespace are two containers, side by side
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap first -g "/pod/$(hex64 pod-a)" -- sleep 1000
a=$pid
# the second joins the first's pid namespace, as the second container of a pod does
nsenter --pid -t "$a" ctbox -H -g "/pod/$(hex64 pod-b)" -- /bin/sh -c 'while :; do counted 51 1; sleep 0.1; done' &
later "kill -9 $!"
dump_until 4 'entry.*who=51' "$tmp/ev" -t all -e syscall:getpriority
later "kill -9 $(pgrep -f 'counted 51' | tr '\n' ' ')"
cid=$(cids "$tmp/ev" 'who=51')
at_least "the second has a cid, one" 1 "$cid"
check "not the first's" test "$cid" != "$(of_path "/pod/$(hex64 pod-a)" cid)"
same "its path" "/pod/$(hex64 pod-b)" "$(subscribe | awk -v c="$cid" '$2 == c {print $10}')"
# a parent's `not:` would silence it
same "its parent is the host" 0 "$(subscribe | awk -v c="$cid" '$2 == c {print $3}')"
same "the first keeps the namespace" "$(pidns_of "$a")" "$(of_path "/pod/$(hex64 pod-a)" pidns)"
