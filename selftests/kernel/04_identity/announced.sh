#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: each container's birth and death are announced once, with all the facts
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
subscribe -d 60 > "$tmp/sub" 2> "$tmp/err" & job=$!
later "kill $job"
# subscribe lists containers only after it has subscribed to births. So once this one is seen, births are too.
cheap there -g "/box/$(hex64 there)" -- sleep 1000
wait_for 10 lines 1 "/box/$(hex64 there)\$" "$tmp/sub"
for i in 1 2 3; do ctbox -g "/box/$(hex64 "announce$i")" -- counted 1 1; done
wait_for 10 lines 3 "^gone .*/box/($(hex64 announce1)|$(hex64 announce2)|$(hex64 announce3))\$" "$tmp/sub"
kill $job
wait $job
same "no error" "" "$(cat "$tmp/err")"
for i in 1 2 3; do
	hex=$(hex64 "announce$i")
	same "birth of $i" 1 "$(grep -c "^new .*/box/$hex\$" "$tmp/sub")"
	same "death of $i" 1 "$(grep -c "^gone .*/box/$hex\$" "$tmp/sub")"
	same "both of one cid" 1 "$(grep "/box/$hex\$" "$tmp/sub" | cut -d' ' -f2 | sort -u | wc -l)"
done
note "$(cat "$tmp/sub")"
# A birth may be announced again when more is known: the path is, once init executes its program.
check "cids go up" bash -c "awk '/^new/ && !seen[\$2]++ { print \$2 }' '$tmp/sub' | sort -nuc"
grep '^new .*/box/' "$tmp/sub" > "$tmp/new"
has "a birth tells pid namespace and init" '^new [0-9]+ 0 [1-9][0-9]+ [1-9][0-9]* 0 [1-9][0-9]* .* [0-9a-f]{64} ' "$tmp/new"
