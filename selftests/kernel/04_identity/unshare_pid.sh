#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: unshare --pid alone makes a container, known by its namespace
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
unshare --fork --pid /bin/sh -c 'while :; do counted 61 1; sleep 0.1; done' &
later "kill -9 \$(pgrep -P $!); kill -9 $!"
wait_for 10 pgrep -P $! sh
init=$(pgrep -P $! sh)
dump_until 4 'entry.*who=61' "$tmp/ev" -t all -e syscall:getpriority
cid=$(of_pid "$init" cid)
at_least "it has a cid" 1 "$cid"
same "its calls have it" "$cid" "$(cids "$tmp/ev" 'who=61')"
same "its pid namespace" "$(pidns_of "$init")" "$(of_pid "$init" pidns)"
