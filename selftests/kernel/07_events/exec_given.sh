#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: an exec that succeeds has its file name and arguments, also if its entry could not read them
# witness: strings of the program's own, on pages that its forked child has not touched; strace
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
given='"/proc/self/exe", \["changes", "done"\], 0x[0-9a-f]+ /\* 1 var \*/'
if command -v strace > /dev/null; then
	strace -f -qq -e trace=execve -o "$tmp/strace" changes far
	has "strace" "execve\($given\) = 0" "$tmp/strace"
fi
ctrace trace -e call:execve -- changes far > "$tmp/out" 2> "$tmp/err"
has "a whole call" " execve\($given\) = 0 <" "$tmp/out"
has_not "no address for a name" 'execve\(0x' "$tmp/out"
ctrace count execve --by filename --json -- changes far > "$tmp/json" 2> "$tmp/err"
note "$(cat "$tmp/json")"
rows() { jq -c '.rows[]' "$tmp/json" | grep -c "$1"; }
same "counted by name" 1 "$(rows '"/proc/self/exe"')"
same "and by no address" 0 "$(rows '"0x')"
ctrace trace -e execve -- changes far > "$tmp/out" 2> "$tmp/err"
note "$(cat "$tmp/out")"
has "entries and exits: with the return, if not with the entry" '("|resumed>)/proc/self/exe", ?.*\["changes", "done"\]|resumed>"/proc/self/exe"' "$tmp/out"
ctrace record --minimal -o "$tmp/t" -- changes far 2> "$tmp/err"
ctrace count execve --by filename --json -i "$tmp/t" > "$tmp/json" 2> "$tmp/err"
note "$(cat "$tmp/json")"
same "a recording counts it by name" 1 "$(rows '"/proc/self/exe"')"
same "and by no address, there" 0 "$(rows '"0x')"
# a script's new arguments are not those of the call
printf '#!/bin/sh\nexit 0\n' > "$tmp/script"
chmod +x "$tmp/script"
ctrace trace -e call:execve -- sh -c "$tmp/script one; exit" > "$tmp/out" 2> "$tmp/err"
has "a script: as it was called" "execve\(\"$tmp/script\", \[\"$tmp/script\", \"one\"\]" "$tmp/out"
