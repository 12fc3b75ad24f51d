#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace hist has each value in the bucket that it belongs to, against lengths that are known
# witness: strace -c, the kernel's own trace, dd's blocks, /proc/PID/schedstat
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
ctrace hist ret -e 'write if ret > 0' --by comm --json -- sh -c '
	dd if=/dev/zero of=/dev/null bs=100 count=50
	dd if=/dev/zero of=/dev/null bs=4096 count=70' > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
bucket() {
	jq -s --argjson v "$1" '[.[].rows[] | select(.keys.comm == "dd") | .values["hist(ret)"].buckets[] |
		select(.[0] <= $v and $v <= .[1]) | .[2]] | add // 0' "$tmp/json"
}
at_least "writes of 100 bytes" 50 "$(bucket 100)"
same "writes of 4096 bytes" 70 "$(bucket 4096)"
same "writes of 3000 bytes" 0 "$(bucket 2900)"
ctrace hist ret -e 'write if ret == 4096' -- dd if=/dev/zero of=/dev/null bs=4096 count=70 > "$tmp/out" 2> "$tmp/err"
has "a line of its range" '^ +2049 -> 4096 +: 70 +\|\*{40}\|$' "$tmp/out"
has "its container" '^container = host' "$tmp/out"
ctrace hist duration -e nanosleep,clock_nanosleep -- sleep 0.3 > "$tmp/out" 2> "$tmp/err"
has "a sleep of 0.3 s" 'p50 [34][0-9][0-9]ms' "$tmp/out"
refuse "no such field" 'nonsense' ctrace hist nonsense -e write --duration 1
refuse "no events" 'needs events' ctrace hist ret
