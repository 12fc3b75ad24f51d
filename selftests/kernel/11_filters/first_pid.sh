#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the first pid target ever, added to a session that records already, matches no other task and crashes nothing
# requires: any
# kernels: 6.1,newest
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# The module makes its table for pid targets when it is given the first one. So each load of the module is one
# attempt.
for i in $(seq "$(long 10 100)"); do
	unload || give_up "load number $i: the one before does not go"
	load
	latepid > "$tmp/out" 2>&1 || give_up "latepid: $(cat "$tmp/out")"
	cat "$tmp/out" >> "$tmp/all"
done
same "the target's calls, entry and return, and no others'" "mine 200 others 0" "$(sort -u "$tmp/all")"
