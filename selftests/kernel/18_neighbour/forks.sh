#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: of tasks that are forked while others give their flags away, every call is recorded once it is wanted
# witness: processes and threads that live for ten marked calls, beside sessions that want all and end:
#	each has ten
# requires: any
# timeout: 120
# kernels: 5.10 6.1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../neighbour.sh
. "$(dirname "$0")/../neighbour.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
cheap box -n box -- calls -r 100 100000000
cid=$(of_pid "$pid" cid)
dump "$tmp/box" -d 600 -t "cid:$cid" -e syscalls
# Host tasks that fork without end: each child makes ten marked calls, and a thread as many
waiter spared
for _ in 1 2; do
	bash -c 'while :; do counted 91 10 0 1; done' & forker=$!
	later "kill -9 $forker; wait $forker"
done
rounds=$(long 3 100)
for round in $(seq "$rounds"); do
	wait_for 5 some_spared || note "$(ctrace status)"
	recorders=''
	dump "$tmp/all" -d 600 -t all -t host -e syscall:getpriority
	all=$dumping
	sleep 1
	kill "$all"
	wait "$all" 2> /dev/null
	# the first and the last ones were under way as the session began and ended
	awk '/entry_getpriority.*who=91/ {for (i = 1; i <= NF; i++) if ($i ~ /^tid=/) {if (!n[$i]++) order[++m] = $i}}
		END {for (i = 3; i <= m - 4; i++) {tasks++; bad += n[order[i]] != 10} printf "%d %d\n", tasks, bad}' "$tmp/all" > "$tmp/sums"
	read -r tasks bad < "$tmp/sums"
	at_least "round $round: tasks" 3 "$tasks"
	same "round $round: tasks that lack a call" 0 "$bad"
done
