#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: inside a container, vtid is the number that its own processes see, and tid the host's
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mkfifo "$tmp/go"
cheap box -g "/box/$(hex64 vtids)" -- /bin/sh -c "read -r _ < $tmp/go; provoke fork; sleep 1000"
dump "$tmp/ev" -t "cid:$(of_pid "$pid" cid)" -e sched_process_fork -e sched_process_exit
echo > "$tmp/go"
wait_for 10 lines 3 sched_process_exit "$tmp/ev"
stop_dump
# The program in the container prints the numbers that it sees.
inner=$(sed -n 's/^parent=\([0-9]*\) child=\([0-9]*\) .*/\2/p' "$tmp/box.out")
parent=$(sed -n 's/^parent=\([0-9]*\) child=\([0-9]*\) .*/\1/p' "$tmp/box.out")
at_least "the program ran" 1 "${inner:-0}"
has "vtid of the child's exit" "sched_process_exit cid=[0-9]+ tid=[0-9]+ vtid=$inner .*exit_code=(37|9472) " "$tmp/ev"
has "the fork says both numbers" "sched_process_fork .* vtids=[0-9]+,$inner\$" "$tmp/ev"
has "the child's namespace" "sched_process_fork .*child_ns_inum=$(pidns_of "$pid") child_ppid=[0-9]+ vtids=[0-9]+,$inner\$" "$tmp/ev"
host=$(sed -n "s/.*sched_process_exit cid=[0-9]* tid=\([0-9]*\) vtid=$inner .*/\1/p" "$tmp/ev")
check "the host's tid is another ($host, in there $inner, of parent $parent)" test "$host" != "$inner"
