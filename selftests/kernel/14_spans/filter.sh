#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: conditions on spans keep exactly those that fit
# witness: a second session without them, filtered by the test
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
recorder all -t all -e sched_wait -e sched_run -e sched_block
recorder some -t all -e sched_wait -f 'duration > 1000000 && reason == 2' -e sched_run -f 'duration <= 500000' \
	-e sched_block -f 'syscall >= 0 && duration > 1000000'
spans life 40 > "$tmp/out"
sleep 0.3
for r in $recorders; do kill "$r"; wait "$r"; done
pid=$(sed -n 's/^worker=//p' "$tmp/out")
# of NAME FILE: the worker's, without their times
of() { sed -nE "s/^[0-9]+ (sched_$1 cid=0 tid=$pid .*)/\1/p" "$tmp/$2"; }
num() { sed -nE "s/.* $1=(-?[0-9]+).*/\1/p" <<< "$2"; }
rest=0
for e in wait run block; do
	of $e all | while read -r line; do
		d=$(num duration "$line")
		case $e in
		wait) [ "$d" -gt 1000000 ] && [ "$(num reason "$line")" = 2 ];;
		run) [ "$d" -le 500000 ];;
		block) [ "$(num syscall "$line")" -ge 0 ] && [ "$d" -gt 1000000 ];;
		esac && echo "$line"
	done > "$tmp/want"
	of $e some > "$tmp/have"
	at_least "sched_$e: some fit" 5 "$(wc -l < "$tmp/have")"
	rest=$((rest + $(of $e all | wc -l) - $(wc -l < "$tmp/have")))
	check "exactly those are kept" cmp "$tmp/want" "$tmp/have"
done
# on a busy machine nearly all waits are long
at_least "others do not fit" 5 "$rest"
