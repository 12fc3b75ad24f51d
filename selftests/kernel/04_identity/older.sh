#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: containers that existed before the module are known when it loads
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

unload || give_up "it was loaded and does not go"
cheap box -g "/box/$(hex64 older)" -- /bin/sh -c 'while :; do counted 101 1; sleep 0.1; done'
unshare --fork --pid sleep 1000 &
later "kill -9 \$(pgrep -P $!); kill -9 $!"
wait_for 10 pgrep -P $! sleep
bare=$(pgrep -P $! sleep)
load
at_least "the one with a cgroup" 1 "$(of_pid "$pid" cid)"
same "its path" "/box/$(hex64 older)" "$(of_pid "$pid" path)"
at_least "the one with a namespace alone" 1 "$(of_pid "$bare" cid)"
dump_until 4 'entry.*who=101' "$tmp/ev" -t all -e syscall:getpriority
same "its calls" "$(of_pid "$pid" cid)" "$(cids "$tmp/ev" 'who=101')"
