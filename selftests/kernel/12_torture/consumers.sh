#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: recorders that stop for seconds and continue: seen + lost = made
# witness: recorders that stop for seconds, overwriting and stopping when full
# requires: any,torture
# timeout: 90
# torture: 300
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
calls=$(long 3000 60000)
# numbers NAME: prints seen and lost, from the summary
numbers() { sed -nE 's/^ctrace: ([0-9]+) events?[ ,].*, ([0-9]+) lost.*/\1 \2/p' "$tmp/$1.err" | tail -n 1; }

# stopped HOW OPTION...: three readers of one command's calls. One runs, one stands still all the time, and
# one stops now and then.
stopped() {
	local how=$1 name seen lost pid jobs=()
	shift
	cheap "$how" -g "/box/$(hex64 "consumers $how")" -- /bin/sh -c "while [ ! -e $tmp/go-$how ]; do sleep 0.05; done
		for i in 1 2 3 4; do counted \$i $calls; sleep 0.2; done; touch $tmp/end-$how; sleep 1000"
	local cid
	cid=$(of_pid "$pid" cid)
	[ -n "$cid" ] || give_up "no container"
	for name in goes stands stutters; do
		# exec: then $! is ctrace itself
		(exec ctrace record -o "$tmp/$name-$how" --no-state-dump --buffer-size 1M "$@" "cid:$cid" -e getpriority \
			2> "$tmp/$name-$how.err") &
		jobs+=($!)
		later "kill -9 $!"
		wait_for 20 test -e "$tmp/$name-$how/metadata" || give_up "$name: $(cat "$tmp/$name-$how.err")"
	done
	# shellcheck disable=SC2016 # the child's
	wait_for 20 bash -c '[ $(nl_sessions | grep -c "state 1") = 3 ]'
	kill -STOP "${jobs[1]}"
	touch "$tmp/go-$how"
	while [ ! -e "$tmp/end-$how" ]; do
		kill -STOP "${jobs[2]}"; sleep 0.$((RANDOM % 5 + 1))
		kill -CONT "${jobs[2]}"; sleep 0.0$((RANDOM % 9 + 1))
	done
	sleep "$(long 0.3 8)"
	kill -CONT "${jobs[1]}"
	sleep 1
	kill -INT "${jobs[@]}"
	# A child of this shell may have INT ignored.
	sleep 0.5
	kill -TERM "${jobs[@]}" 2> /dev/null
	wait "${jobs[@]}"
	for name in goes stands stutters; do
		read -r seen lost <<< "$(numbers "$name-$how")"
		same "$how: $name: ${seen:-?} seen + ${lost:-?} lost" $((8 * calls)) $((${seen:-0} + ${lost:-0}))
		[ $name != stands ] || at_least "$how: who stood still has lost" 1 "${lost:-0}"
	done
}
stopped overwrite
stopped full --stop-when-full
wait_for 10 bash -c '! nl_sessions | grep -q session'
same "no session is left" "" "$(nl_sessions)"
