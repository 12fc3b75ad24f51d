#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a trace with more events than it can print ends in time, and says what it lost
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
for _ in 1 2; do counted 0 1000000000 & later "kill $!; wait $!"; done
timeout 40 ctrace trace host --duration 1 > "$tmp/out" 2> "$tmp/err"
same "status; 124: it did not end" 0 $?
has "account" '^ctrace: [0-9]+ events?.* [0-9]+ lost' "$tmp/err"
