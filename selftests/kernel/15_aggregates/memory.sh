#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a refused probe gives its table's memory back, a view has no tables, and a killed owner leaves none
# witness: the session's own account, /proc/vmallocinfo
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
out=$(tables memory)
st=$?
echo "$out" | grep -E '^(not )?ok' | while read -r line; do note "$line"; done
same "tables memory" 0 "$st"
[ "$st" = 0 ] || note "$(grep '^not ok' <<< "$out")"

before=$(vmalloc_kb)
tables hold > "$tmp/held" 2>&1 & holder=$!
later "kill -9 $holder"
wait_for 20 grep -q holding "$tmp/held" || give_up "tables hold: $(cat "$tmp/held")"
at_least "its table takes memory (KiB)" $((before + 4096)) "$(vmalloc_kb)"
check "its session is listed" bash -c 'nl_sessions | grep -q ^session'
kill -9 $holder
wait $holder 2> /dev/null
wait_for 20 bash -c '! nl_sessions | grep -q ^session'
freed() { [ "$(vmalloc_kb)" -le "$before" ]; }
wait_for 20 freed
at_least "what it took is given back (KiB left)" "$(vmalloc_kb)" "$before"
check "nothing holds the module" unload
