#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: concurrent sessions see the same events, and each can end alone
# witness: kill -9 under load, then refcount, /proc/vmallocinfo, kprobe list, rmmod
# requires: any
# timeout: 90
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
for i in 1 2 3 4; do
	evdump -t host -e syscall:getpriority -d 30 > "$tmp/ev$i" 2> "$tmp/ev$i.err" &
	eval "job$i=$!"
	later "kill $!"
done
for i in 1 2 3 4; do wait_for 20 grep -q recording "$tmp/ev$i.err"; done
counted 5 100
# shellcheck disable=SC2154
kill -9 "$job1"
counted 6 100
# shellcheck disable=SC2154
kill "$job2" "$job3" "$job4"
wait 2> /dev/null
for i in 2 3 4; do
	same "session $i: calls before" 100 "$(grep -c 'entry_getpriority.*who=5' "$tmp/ev$i")"
	same "session $i: calls after one was killed" 100 "$(grep -c 'entry_getpriority.*who=6' "$tmp/ev$i")"
done
