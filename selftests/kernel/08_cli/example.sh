#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the streaming example of userspace/examples runs
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

stream=$top/userspace/build/examples/stream
[ -x "$stream" ] || give_up "the example was not built"
check "under 80 lines" test "$(wc -l < "$top/userspace/examples/stream.c")" -lt 80
load
ticker 20 2 & later "kill $!"
timeout -s INT 3 "$stream" all > "$tmp/out" 2>&1
st=$?
check "it ends on Ctrl-C (status $st)" test $st = 0 -o $st = 124 -o $st = 130
at_least "it printed" 3 "$(wc -l < "$tmp/out")"
has "and at the end its account" '^[0-9]+ records, [0-9]+ lost$' "$tmp/out"
note "$(tail -n 2 "$tmp/out")"
