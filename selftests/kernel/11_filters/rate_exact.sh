#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: in no second of the clock does a limited container get more records than its rate; in a busy one it gets all of them
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
rate=40
cheap busy -g "/box/$(hex64 exact)" -- sh -c 'while :; do counted 4 50; done'
cid=$(of_pid "$pid" cid)
dump "$tmp/ev" -v -r $rate -t "cid:$cid" -e syscall:getpriority
sleep 5
stop_dump
# The limit's seconds are those of the records' clock.
sed -n "s/^\([0-9]*\)[0-9]\{9\} .* cid=$cid .*/\1/p" "$tmp/ev" | sort -n | uniq -c > "$tmp/seconds"
note "$(tr '\n' ';' < "$tmp/seconds")"
at_least "seconds" 5 "$(wc -l < "$tmp/seconds")"
same "the most records in one" $rate "$(awk '$1 > n {n = $1} END {print n}' "$tmp/seconds")"
same "the fewest, but for the first and the last" $rate "$(sed '1d; $d' "$tmp/seconds" | awk 'NR == 1 || $1 < n {n = $1} END {print n}')"
has "the rest is counted" "^limited cid=$cid dropped=[1-9]" "$tmp/ev.err"
