#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: one record per call, with its arguments and the result of its return, as strace has them
# witness: sleeps timed from outside; strace; entry and exit records of the same calls
# requires: strace
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e syscalls -e calls -- provoke numbers > "$tmp/ev" 2> "$tmp/err"
strace -qq -o "$tmp/strace" -e trace=pread64 -e raw=pread64 provoke numbers > "$tmp/out"
args=$(sed -n 's/^pread64(\([^)]*\)) = .*/\1/p' "$tmp/strace" | tail -n 1)
same "pread64: strace" '0xffffffff, 0, 0x77, 0x123456789a' "$args"
has "pread64: record" 'syscall_pread64 cid=0 .* ret=-9 marks=0 fd=(-1|4294967295) buf=(0|0x0) count=119 pos=78187493530$' "$tmp/ev"
has "mmap: six arguments" 'syscall_mmap [^=]*cid=0 [^ ]* [^ ]* duration=[0-9]+ ret=-?[0-9]+ marks=0 ([a-z]+=[^ ]+ ){5}[a-z]+=[^ ]+$' "$tmp/ev"
# For each call that returned: the records of entry, exit and call come one after the other, in the order in
# which their probes were added.
awk '$2 ~ /^syscall_entry_/ {name = substr($2, 15); began = $1; args = $0; sub(/.* vtid=[0-9]+/, "", args)}
	$2 ~ /^syscall_exit_/ {ret = $6; ended = $1}
	$2 == "syscall_" name {
		rest = $0; sub(/.* vtid=[0-9]+ /, "", rest); n = split(rest, f, " ")
		d = substr(f[1], 10) + 0
		# a string that was not in memory at the entry differs: 11_filters/unread
		late = args ~ /^ marks=0x/
		sub(/^duration=[0-9]+ ret=-?[0-9]+ marks=0/, "", rest); sub(/^ marks=0/, "", args)
		# the whole call also has what the call has written
		gsub(/ [a-z_0-9]+_data=[0-9,]*/, "", rest); gsub(/ [a-z_0-9]+_data=[0-9,]*/, "", args)
		if (!late && rest != args) print "arguments", $0, "/", args
		if (ret != "" && f[2] != ret) print "result", $0, "/", ret
		if (d < 0 || d > $1 - began + 1000000) print "duration", $0, began
		name = ""; ret = ""; print "same" > "/dev/stderr"}' "$tmp/ev" > "$tmp/bad" 2> "$tmp/good"
same "calls that differ from their entry and exit" 0 "$(wc -l < "$tmp/bad")"
note "$(head -n 3 "$tmp/bad" | cut -c1-300)"
at_least "calls compared" 15 "$(wc -l < "$tmp/good")"
evdump -e calls -- provoke bad > "$tmp/ev" 2> "$tmp/err"
has "a string that ends where memory does" 'syscall_openat .* filename="/edge" ' "$tmp/ev"
has "one that cannot be read" 'syscall_openat .* ret=-14 marks=(0x)?2 .* filename="0x8" ' "$tmp/ev"
evdump -e calls -- incalls exec > "$tmp/ev" 2> "$tmp/err"
has "an exec by another thread than the first" 'syscall_execve .* ret=0 marks=0 filename="/proc/self/exe" ' "$tmp/ev"
evdump -e call:rt_sigreturn -- incalls signal > "$tmp/ev" 2> "$tmp/err"
same "a return from a handler" 1 "$(grep -c syscall_rt_sigreturn "$tmp/ev")"
provoke compat > "$tmp/out" 2>&1
pid=$(sed -n 's/^pid=\([0-9]*\) .*/\1/p' "$tmp/out")
if [ "${pid:-none}" = "$(sed -n 's/.*mine=//p' "$tmp/out")" ]; then
	evdump -e call:open -- provoke compat > "$tmp/ev" 2> "$tmp/err"
	has "a 32-bit call" 'compat_syscall_open .* ret=[0-9]+ marks=0 filename="/etc/hostname" ' "$tmp/ev"
fi
has_not "all decodable" 'undecodable|unknown-id' "$tmp/ev"
