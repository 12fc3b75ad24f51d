#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: every line of --json is an object with cid, name, tid, vtid and time
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace trace --json -e all -- provoke open > "$tmp/out" 2> "$tmp/err"
grep -v '^fd=' "$tmp/out" > "$tmp/lines"
same "lines that do not parse" 0 "$(jq -R 'try (fromjson | empty) catch 1' "$tmp/lines" | wc -l)"
same "events without those fields" 0 "$(jq -c 'select(.event) | select(has("cid") and has("container") and has("tid") and has("vtid") and has("time") | not)' "$tmp/lines" | wc -l)"
at_least "events" 20 "$(wc -l < "$tmp/lines")"
same "an awkward path" '/no/such/file "quoted"\n' "$(jq -c 'select(.fields.filename) | .fields.filename' "$tmp/lines" | grep quoted | head -n 1 | jq -r '@json "\(.)"' 2> /dev/null | sed 's/^"//; s/"$//; s/\\"/"/g')"
ctrace trace --json nobody_of_that_name > "$tmp/out" 2> "$tmp/err"
check "an error is an object too" jq -e .error "$tmp/out"
