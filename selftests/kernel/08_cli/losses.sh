#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a trace that loses events says exactly how many
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace record -o "$tmp/t" --buffer-size 512K --stop-when-full -e getpriority -- counted 79 100000 > "$tmp/out" 2> "$tmp/err"
seen=$(babeltrace2 "$tmp/t" 2> /dev/null | grep -c getpriority)
lost=$(sed -n 's/^ctrace: .* \([0-9]*\) lost.*/\1/p' "$tmp/err" | tail -n 1)
note "$(tail -n 2 "$tmp/err")"
same "seen $seen + lost $lost" 200000 $((seen + ${lost:-0}))
