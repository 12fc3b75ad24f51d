#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: rmmod under full load is refused while a reader has a mapping, and works once the reader is gone
# witness: kill -9 under load, then refcount, /proc/vmallocinfo, kprobe list, rmmod
# requires: any
# timeout: 120
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
for _ in 1 2; do counted 0 1000000000 & later "kill $!; wait $!"; done
dump "$tmp/ev" -t host -e syscall:getpriority -d 10000
session=$(nl_sessions | sed -n 's/^session \([0-9]*\) .*/\1/p')
mkfifo "$tmp/in"
holder "$session" < "$tmp/in" > "$tmp/held" 2>&1 & holder=$!
exec 4> "$tmp/in"
wait_for 20 grep -q holding "$tmp/held" || give_up "holder: $(cat "$tmp/held")"
refuse "rmmod under load" 'in use|busy|temporarily' rmmod ctrace
kill -9 $dumping
wait $dumping 2> /dev/null
wait_for 10 bash -c '! nl_sessions | grep -q session'
check "the owner killed, its session is gone" bash -c '! nl_sessions | grep -q session'
refuse "rmmod with the mapping alone" 'in use|busy|temporarily' rmmod ctrace
exec 4>&-
wait $holder
has "the reader read, and was told of the end" '^read [1-9][0-9]*, then -61' "$tmp/held"
check "rmmod after it closed" unload
