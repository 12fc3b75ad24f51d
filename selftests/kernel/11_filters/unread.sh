#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: strings whose pages are not in memory at the entry are read at the return; NULL is NULL; what a filter cannot decide is counted
# witness: paths in a file that is mapped and not touched; pointers to nothing: seen + unread = made
# requires: any
# kernels: 5.10,6.1,newest
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -v -e syscall:openat -e call:openat -e call:utimensat -- provoke unread > "$tmp/ev" 2> "$tmp/err"
late='openat .* marks=(0x)?2 dfd=-100 filename="0x[0-9a-f]+"'
same "entries: three that cannot be read yet" 3 "$(grep -cE "syscall_entry_$late" "$tmp/ev")"
same "the strings, before the exits" '"/not/there/0" "/not/there/1" "/not/there/2"' \
	"$(sed -n 's/.* late_argument .* argument=1 text=//p' "$tmp/ev" | xargs -d '\n')"
has "whole calls have them" 'syscall_openat .* ret=-2 marks=0 dfd=-100 filename="/not/there/2" ' "$tmp/ev"
has "NULL is marked" 'syscall_utimensat .* marks=(0x)?200 .* filename="" ' "$tmp/ev"
# a session that wants all of a container, not a process: its events take the short way
dump "$tmp/ev" -v -t all -e syscall:openat
provoke unread
provoke unread-asleep
stop_dump
same "the short way: the strings" '"/not/there/0" "/not/there/1" "/not/there/2"' \
	"$(sed -n 's/.* late_argument .* argument=1 text="\(\/not.*\)"$/"\1"/p' "$tmp/ev" | xargs -d '\n')"
has "another task of the container made calls before the return" ' late_argument .* argument=1 text="/tmp/provoke-[^ ]*.fifo"$' "$tmp/ev"
evdump -v -e call:openat -f 'filename ~ "/not/there/*"' -- provoke unread > "$tmp/ev" 2> "$tmp/err"
same "a filter on the string sees all three" 3 "$(grep -c ' syscall_openat ' "$tmp/ev")"
has "and nothing was undecided" ' unread 0$' "$tmp/err"
evdump -v -e call:openat -f 'filename !~ "/e*" && ret == -14' -- provoke bad > "$tmp/ev" 2> "$tmp/err"
same "what is not in memory at all matches neither this ..." 1 "$(grep -c ' syscall_openat ' "$tmp/ev")"
has "nor that, and is counted; NULL is an empty string" ' unread 4$' "$tmp/err"
# The command
ctrace trace -e openat,utimensat -- provoke unread > "$tmp/out" 2> "$tmp/err"
has "text: the path" ' openat\(AT_FDCWD[^,]*, "/not/there/1", O_RDONLY.*= -1 ENOENT' "$tmp/out"
has "text: NULL" ' utimensat\([^,]*, NULL, NULL' "$tmp/out"
ctrace trace -e openat -- provoke bad > "$tmp/out" 2> "$tmp/err"
has "text: an address" ' openat\(AT_FDCWD[^,]*, 0x8, O_RDONLY.*= -1 EFAULT' "$tmp/out"
ctrace trace --json --failed -e openat -- provoke bad > "$tmp/out" 2> "$tmp/err"
same "JSON: an address is a number, NULL is null" "8 null" \
	"$(jq -r 'select(.syscall == "openat" and .errno == "EFAULT") | .fields.filename | select(. == 8 or . == null)' "$tmp/out" | xargs)"
ctrace trace -e 'openat if filename ~ "/e*"' -- provoke bad > "$tmp/out" 2> "$tmp/err"
has "the end says what a filter could not decide" '4 lost \(4 unread\)' "$tmp/err"
