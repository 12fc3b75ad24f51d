#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a call interrupted by another task's line is shown as unfinished, then as resumed
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace trace -- provoke fork > "$tmp/out" 2> "$tmp/err"
has "unfinished" 'wait4\(.*<unfinished ...>' "$tmp/out"
has "resumed" '<\.\.\. wait4 resumed>.*= [0-9]+' "$tmp/out"
has "exit of the child" 'exit_group\(37' "$tmp/out"
