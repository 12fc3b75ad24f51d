#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --longer and --failed show only such calls, as strace has them
# witness: strace of the same command, call by call
# requires: strace
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace trace --json --longer 150ms -- sh -c 'sleep 0.4; sleep 0.01; true' 2> "$tmp/err" | grep '^{' > "$tmp/out"
at_least "the sleep" 400000000 "$(jq -s '[.[] | select(.syscall | test("nanosleep")) | .duration] | max' "$tmp/out")"
at_least "none that was shorter" 150000000 "$(jq -s '[.[].duration] | min' "$tmp/out")"
same "one event is one call" "" "$(jq -r '.event | select(test("entry|exit_"))' "$tmp/out")"
ctrace trace --longer 150ms -- sh -c 'sleep 0.4' > "$tmp/out" 2> "$tmp/err"
has "text: as strace has it" 'nanosleep\(.*\) = 0 <0\.[0-9]{6}>$' "$tmp/out"
ctrace trace --failed -- cat /no/such/file > "$tmp/out" 2> "$tmp/err"
has "what failed" 'openat\(AT_FDCWD[^,]*, "/no/such/file".*= -1 ENOENT' "$tmp/out"
has_not "nothing else" ' = [0-9]' "$tmp/out"
strace -qq -o "$tmp/strace" cat /no/such/file 2> /dev/null
sed -n 's/^\([a-z0-9_]*\)(.*= -1 E.*/\1/p' "$tmp/strace" | sort > "$tmp/expected"
sed -n 's/.*\] \([a-z0-9_]*\)(.*= -1 E.*/\1/p' "$tmp/out" | sort > "$tmp/seen"
at_least "strace saw some" 1 "$(wc -l < "$tmp/expected")"
same "the same calls as strace" "$(xargs < "$tmp/expected")" "$(xargs < "$tmp/seen")"
ctrace trace --failed -e openat,sched_process_exit -- cat /no/such/file > "$tmp/out" 2> "$tmp/err"
has "other events stay" sched_process_exit "$tmp/out"
refuse "with no call among them" 'failed' ctrace trace --failed -e sched_switch -- true
# any duration at all: each call, as a whole
ctrace trace --json --longer 0ns -- counted 5 400 2> "$tmp/err" | grep '^{' > "$tmp/out"
same "--longer 0ns: each call" 400 "$(jq -r .event "$tmp/out" | grep -c '^syscall_getpriority$')"
same "as a whole" "" "$(jq -r '.event | select(test("entry|exit_"))' "$tmp/out")"
same "and no other event" "" "$(jq -r '.event | select(test("^syscall_|^compat_") | not)' "$tmp/out")"
refuse "no duration" 'duration' ctrace trace --longer soon -- true
