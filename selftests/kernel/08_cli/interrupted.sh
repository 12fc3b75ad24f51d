#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: Ctrl-C ends a trace cleanly, with its summary of events and losses
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ticker 20 2 & later "kill $!"
for sig in INT TERM; do
	out=$tmp/$sig	# of its own: the other's has what is waited for
	# A background child of this shell ignores INT unless it resets the signal.
	setsid bash -c 'trap - INT; exec ctrace trace host -e getpriority' > "$out" 2> "$out.err" & job=$!
	wait_for 20 grep -q getpriority "$out"
	pkill -$sig -s "$(ps -o sid= -p $job | tr -d ' ')" -x ctrace
	wait $job
	st=$?
	check "$sig: status $st" test $st = 0 -o $st = 130 -o $st = 143
	has "$sig: account" '^ctrace: [0-9]+ events?.*lost' "$out.err"
	same "$sig: the last line is whole" "" "$(tail -c 1 "$out")"
done
wait_for 5 bash -c '! nl_sessions | grep -q session'
same "no session is left" "" "$(nl_sessions)"
