#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: recording a command: every event it made is on disk
# requires: babeltrace2
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace record -o "$tmp/t" -e getpriority -- counted 78 1000 3 > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
same "4,000 calls on disk" 4000 "$(babeltrace2 "$tmp/t" 2> /dev/null | grep -c 'syscall_entry_getpriority')"
same "and in the report" 4000 "$(ctrace report "$tmp/t" 2> /dev/null | grep -c 'getpriority(')"
ctrace report --json "$tmp/t" > "$tmp/json" 2> /dev/null
same "and as JSON, all of it parsing" 0 "$(jq -R 'try (fromjson | empty) catch 1' "$tmp/json" | wc -l)"
mkdir "$tmp/foreign"
printf '/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n' > "$tmp/foreign/metadata"
refuse "another tracer's trace" 'babeltrace2|not.*ctrace' ctrace report "$tmp/foreign"
refuse "no trace at all" "$tmp/nothing" ctrace report "$tmp/nothing"
