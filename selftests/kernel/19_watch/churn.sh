#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace watch: containers come and go by the thousand, and one fails again and again: memory stays flat, each failure is accounted for
# witness: the test's own counts; RssAnon in /proc, the module's memory in /proc/vmallocinfo
# requires: v2,torture
# timeout: 400
# torture: 1500
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../watching.sh
. "$here/watching.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
hasten
failing
conf 'ended = failed'
watching
counts() { w status --json | jq -r ".watch.account | $1"; }
own_kb() { awk '/^RssAnon/ {print $2}' "/proc/$watch/status"; }

each=$(long 100 1000)
for round in 1 2 3 4 5 6 7 8 9 10; do
	crowd "$each" > "$tmp/crowd" 2>&1 & crowd=$!
	wait_for 120 grep -q born "$tmp/crowd" || give_up "no crowd: $(cat "$tmp/crowd")"
	kill -INT $crowd
	wait $crowd
	sleep 12	# until dead ones are forgotten
	[ $round != 5 ] || { kb=$(own_kb) module=$(vmalloc_kb); }
	note "after $((round * each)): $(own_kb) kB, the module's $(vmalloc_kb) kB"
done
at_least "its memory after 5 rounds, and a fifth more, is enough for 10, in kB" "$(own_kb)" $((kb + kb / 5 + 256))
at_least "the same of the module's" "$(vmalloc_kb)" $((module + module / 5 + 256))

# It dies as often as this machine can start it.
n=$(counts '.written + .joined + (.not_written | add)')
times=$(long 200 1000) began=$SECONDS
for ((i = 0; i < times; i++)); do fails again 9 0; done
note "$times ends in $((SECONDS - began)) s"
all() { [ "$(counts '.written + .joined + (.not_written | add)')" -ge $((n + times)) ]; }
check "each end is accounted for" wait_for 60 all
note "$(counts tostring)"
at_least "by a rate, most of all" $((times / 2)) "$(counts '.not_written | .rate + .rate_all')"
same "notices that were lost" 0 "$(counts .notices_lost)"
check "it lives" kill -0 "$watch"
kill "$watch"
