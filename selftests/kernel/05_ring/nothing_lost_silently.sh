#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: seen + reported lost = made, for every size, reader and mode
# requires: any
# timeout: 170
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v ringcount > /dev/null || skip "ringcount was not built"
load
for mode in overwrite stop; do
	for size in small middle large; do
		for reader in absent slow fast many killed read; do
			if out=$(timeout 60 ringcount $reader $size $mode "${CTRACE_TEST_CALLS:-4000}" 2>&1); then
				ok "$reader $size $mode: $(grep -o 'expected [0-9].*' <<< "$out" | tail -n 1)"
			else
				not_ok "$reader $size $mode: $(grep '^not ok' <<< "$out")"
				note "$out"
			fi
		done
	done
done
