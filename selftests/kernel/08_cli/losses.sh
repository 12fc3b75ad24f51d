#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a trace that loses events says exactly how many, and so do its packets
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace record -o "$tmp/t" --buffer-size 512K --stop-when-full -e getpriority -- counted 79 100000 > "$tmp/out" 2> "$tmp/err"
seen=$(babeltrace2 "$tmp/t" 2> /dev/null | grep -c getpriority)
lost=$(sed -n 's/^ctrace: .* \([0-9]*\) lost.*/\1/p' "$tmp/err" | tail -n 1)
note "$(tail -n 2 "$tmp/err")"
same "seen $seen + lost $lost" 200000 $((seen + ${lost:-0}))
# The recorder is held up while a ring is overwritten. The packets say how many, to ctrace and to babeltrace2.
ctrace record -o "$tmp/late" --buffer-size 512K -e getpriority -- sh -c "
	: > $tmp/up; until [ -e $tmp/go ]; do sleep 0.1; done
	counted 80 60000; : > $tmp/made; until [ -e $tmp/go_on ]; do sleep 0.1; done; counted 80 500" > "$tmp/out" 2> "$tmp/err" &
job=$!
later "kill $job"
wait_for 20 test -e "$tmp/up" || give_up "the command does not run: $(cat "$tmp/err")"
kill -STOP $job
: > "$tmp/go"
wait_for 30 test -e "$tmp/made" || give_up "no calls"
kill -CONT $job
: > "$tmp/go_on"
wait $job
babeltrace2 "$tmp/late" 2> "$tmp/warn" | grep -c getpriority > "$tmp/seen"
seen=$(cat "$tmp/seen")
lost=$(sed -n 's/.*discarded \([0-9]*\) event.*/\1/p' "$tmp/warn" | awk '{n += $1} END {print n + 0}')
at_least "some are overwritten" 1000 "$lost"
same "babeltrace2: seen $seen + discarded $lost" 121000 $((seen + lost))
ctrace report "$tmp/late" 2>&1 > /dev/null | tail -n 1 > "$tmp/account"
same "ctrace report says the same" "$lost" "$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' "$tmp/account")"
