#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a full disk ends a recording with a message, and what was written can be read; one that cannot even begin leaves nothing
# requires: babeltrace2
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mkdir "$tmp/small"
mount -t tmpfs -o size=2m small "$tmp/small" || skip "no small file system"
later "umount -l $tmp/small"
timeout 60 ctrace record -o "$tmp/small/t" all -e syscalls --duration 20 > "$tmp/out" 2> "$tmp/err" &
job=$!
while :; do counted 5 300000; done &
later "kill $!"
wait $job
same "status" 1 $?
has "it says so" 'No space left' "$tmp/err"
check "babeltrace2 reads what is there" babeltrace2 -o dummy "$tmp/small/t"

note "no room for what a recording begins with"
mkdir "$tmp/smaller"
mount -t tmpfs -o size=64k smaller "$tmp/smaller"
later "umount -l $tmp/smaller"
timeout 60 ctrace record -o "$tmp/smaller/t" all --duration 20 > "$tmp/out" 2> "$tmp/err"
same "its status" 1 $?
has "that says so, too" 'No space left' "$tmp/err"
same "what is left" "" "$(ls -A "$tmp/smaller")"
