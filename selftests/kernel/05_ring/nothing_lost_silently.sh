#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: events seen + losses reported = events made, for every ring size, reader and mode
# witness: 3 sizes x 6 kinds of reader x 2 modes: seen + lost = made, exactly
# requires: any
# timeout: 170
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v ringcount > /dev/null || skip "ringcount was not built"
load
calls=${CTRACE_TEST_CALLS:-4000}
for mode in overwrite stop; do
	for reader in absent slow fast many killed read; do
		# The readers spend most of their time waiting, so all sizes run at the same time.
		jobs=()
		for size in small middle large; do
			timeout 100 ringcount $reader $size $mode "$calls" > "$tmp/$size" 2>&1 &
			jobs+=("$size:$!")
		done
		for job in "${jobs[@]}"; do
			out=$tmp/${job%:*}
			if wait "${job#*:}"; then
				ok "$reader ${job%:*} $mode: $(grep -o 'expected [0-9].*' "$out" | tail -n 1)"
			else
				not_ok "$reader ${job%:*} $mode: $(grep '^not ok' "$out")"
				note "$(cat "$out")"
			fi
		done
	done
done
