#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: classes of system calls are the same as strace's; !NAME excludes a call
# witness: strace of the same command, call by call
# requires: strace
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

load
cmd='trap : USR1; kill -USR1 $$; cat /etc/passwd > /dev/null; exec head -n 1 /etc/group'
for class in file desc memory process signal; do
	strace -f -qq -e signal=none -e "trace=%$class" -o "$tmp/strace" sh -c "$cmd" > /dev/null
	sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$tmp/strace" | sort -u > "$tmp/expected"
	ctrace trace --json -o "$tmp/out" -e "%$class" -- sh -c "$cmd" > /dev/null 2> "$tmp/err"
	jq -r 'select(.event | test("_entry_")) | .syscall' "$tmp/out" | sort -u > "$tmp/seen"
	at_least "%$class: strace sees calls" 2 "$(wc -l < "$tmp/expected")"
	same "%$class: the same calls" "$(xargs < "$tmp/expected")" "$(xargs < "$tmp/seen")"
done
ctrace trace -o "$tmp/out" -e '%file,!openat' -- sh -c "$cmd" > /dev/null 2> "$tmp/err"
has "left out: the others stay" 'execve\(' "$tmp/out"
has_not "left out" 'openat' "$tmp/out"
ctrace trace -o "$tmp/out" -e '!read' -e '!m*' -- sh -c "$cmd" > /dev/null 2> "$tmp/err"
has "all but these: the others" 'openat\(' "$tmp/out"
has_not "all but these" ' (read|mmap|mprotect)\(' "$tmp/out"
refuse "no such class" "did you mean 'network'" ctrace trace -e %netwrok -- true
