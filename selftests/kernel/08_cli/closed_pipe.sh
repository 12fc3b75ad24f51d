#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a closed pipe ends a trace cleanly
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ticker 20 2 & later "kill $!"
timeout 100 bash -c "set -o pipefail; ctrace trace host -e getpriority 2> $tmp/err | head -n 1 > $tmp/out"
st=$?
check "it ended by itself (status $st)" test $st != 124
same "one line came" 1 "$(wc -l < "$tmp/out")"
has_not "no complaint" 'roken pipe|SIGPIPE|rror' "$tmp/err"
same "no session is left" "" "$(nl_sessions)"
