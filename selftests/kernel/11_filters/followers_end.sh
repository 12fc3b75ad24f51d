#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: once a followed task has gone, no later task at its address is followed
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
hasten
mkfifo "$tmp/go"
# The command stays, so its session does, and its children go. Then others are born where these were.
dump "$tmp/ev" -e syscall:getpriority -- sh -c "counted 87 1 200; : > $tmp/made; read -r _ < $tmp/go"
wait_for 20 test -e "$tmp/made" || give_up "the command does not run"
sleep 0.5	# for the kernel, to free those tasks
counted 88 1 200
for _ in $(seq 50); do counted 88 1; done
echo > "$tmp/go"
dumped
same "the followed" 201 "$(grep -c 'entry_getpriority .*who=87$' "$tmp/ev")"
same "of 251 others" 0 "$(grep -c 'entry_getpriority .*who=88$' "$tmp/ev")"
