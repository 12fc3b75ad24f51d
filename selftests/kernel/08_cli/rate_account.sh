#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --rate: the summary says how much was held back for each container; shown + held back = made
# witness: shown + held back = made
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace trace -o "$tmp/out" --rate 100 -e getpriority -- counted 81 2000 1 2> "$tmp/err"
shown=$(sed -n 's/^ctrace: \([0-9]*\) events.*/\1/p' "$tmp/err")
held=$(sed -n 's/.*, \([0-9]*\) held back by --rate (\1 of host)$/\1/p' "$tmp/err")
at_least "held back, of the host" 1 "${held:-0}"
note "$(cat "$tmp/err")"
same "all calls, entry and exit" 8000 $((${shown:-0} + ${held:-0}))
ctrace trace -o "$tmp/out" -e getpriority -- counted 81 2000 1 2> "$tmp/err"
has_not "no rate: not a word" 'held back' "$tmp/err"
ctrace trace --json -o "$tmp/out" --one-of 10 -e getpriority -- counted 81 2000 1 2> "$tmp/err"
at_least "--one-of 10" 800 "$(wc -l < "$tmp/out")"
if [ "$(wc -l < "$tmp/out")" -le 810 ]; then ok "and not many more"; else not_ok "--one-of 10 of 8000: seen $(wc -l < "$tmp/out")"; fi
