#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the first pid target there is, given to a session that records already, takes nobody else and nothing down
# requires: any
# kernels: 6.1,newest
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# what pid targets need is made at the first: of each load of the module
for i in $(seq "$(long 10 100)"); do
	unload || give_up "load number $i: the one before does not go"
	load
	latepid > "$tmp/out" 2>&1 || give_up "latepid: $(cat "$tmp/out")"
	cat "$tmp/out" >> "$tmp/all"
done
same "the target's calls, entry and return, and no others'" "mine 200 others 0" "$(sort -u "$tmp/all")"
