#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the package for Python: each event once, losses exactly, waiting, tables, kprobes
# witness: calls that the test counts; babeltrace2 beside the recordings; records made by hand and
#	damaged at random, under address checks
# requires: python3
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../python.sh
. "$here/python.sh"

load
python3 "$(dirname "$0")/package.py" "$(open_function)" 0 "$tmp" 1 exactly waiting tables kprobes > "$tmp/ktap" 2> "$tmp/err"
st=$?
cat "$tmp/ktap"
count=$(grep -cE '^(not )?ok ' "$tmp/ktap") failed=$(grep -c '^not ok' "$tmp/ktap")
same "it ended by itself" "0 " "$st $(tail -n 1 "$tmp/err")"
note "$(cat "$tmp/err")"
