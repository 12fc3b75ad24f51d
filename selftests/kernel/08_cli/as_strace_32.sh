#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what arguments of 32-bit programs point to, and calls by socketcall() and ipc(), are as strace shows them
# witness: strace of the same 32-bit program, line by line; bytes as i386 has them, cut at each length
# requires: strace
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
program=$(command -v pointed32) || skip "32-bit programs are built on x86 alone"
ctrace trace -e syscalls --no-fds --data 32 -o "$tmp/c" -- "$program" > /dev/null 2> "$tmp/err"
strace -qq -e signal=none -o "$tmp/s" "$program" > /dev/null 2>&1
grep -q '^fstat64(' "$tmp/s" || skip "this kernel or this strace has no 32-bit calls"
ctrace trace -e calls --no-fds --data 32 -o "$tmp/w" -- "$program" > /dev/null 2>> "$tmp/err"
own() {
	sed -n '/^getppid/,/^exit(/p' | tail -n +2 | known
}
# Before 5.1 the kernel has no calls with times of 64 bits, before 4.3 none on sockets but socketcall(). strace names them all
# the same; we have their numbers, and of whole calls not even these.
known() {
	if kernel_before 4.3; then
		grep -vE '^(socket|connect|bind|listen|accept4|(get|set)sockopt|get(sock|peer)name|sendto|recvfrom|sendmsg|recvmsg|shutdown|syscall_3[0-9][0-9])\(.* ENOSYS '
	else
		cat
	fi | if kernel_before 5.1; then
		grep -vE '^[a-z0-9_]*time(r|rfd)?(_[gs]ettime)?_?64\(|^clock_(adjtime|[gs]ettime|getres_time|nanosleep_time)64\(|^syscall_4[0-9][0-9]\('
	else
		cat
	fi
}
# addresses, and what is left of the machine
bare() {
	sed -E 's/0x[0-9a-f]{5,}/A/g; s/ <[0-9.]+>$//; s/ +=/ =/; /^(sysinfo|times)/s/[0-9]+/N/g; s@ /\* N\.N s \*/@@g
		# strace has a pointer to two of the arguments
		s/^msgrcv\(-1, A, 5, IPC_NOWAIT/msgrcv(-1, NULL, 5, -2, IPC_NOWAIT/
		# before its version 6 it took the type for a number without a sign
		s/^(msgrcv\(-1, NULL, 5, )4294967294/\1-2/'
}
own < "$tmp/s" | bare > "$tmp/expected"
at_least "strace saw calls" 60 "$(wc -l < "$tmp/expected")"
what="entries with exits"
for form in c w; do
	sed -nE 's/.*\[vtid [0-9]+\] (compat_)?//p' "$tmp/$form" | own | bare > "$tmp/seen"
	check "the same lines, $what" diff "$tmp/expected" "$tmp/seen"
	# exit() does not return, so it is no whole call
	sed -i '/^exit(/d' "$tmp/expected"
	what="whole calls"
done
filtered() {
	ctrace trace -e "$1" --no-fds -o "$tmp/f" -- "$program" > /dev/null 2>> "$tmp/err"
	grep -c 'compat_connect(4, {.*htons(9).* = -1 ECONNREFUSED' "$tmp/f"
}
same "connect() by socketcall(), found by its number" 1 "$(filtered 'call:socketcall if call == 3')"
same "and by its address" 1 "$(filtered 'call:socketcall if addr.port == 9')"
kernel_before 4.3 || same "but not by its name" 1 "$(filtered call:connect)"
ctrace trace -e calls --data 32 --json -o "$tmp/j" -- "$program" > /dev/null 2>> "$tmp/err"
has "the address in JSON" '"args_addr":\{"family":"AF_INET","port":4713,"address":"127.0.0.1"\}' "$tmp/j"
has "and what is sent" '"args_bytes":"one"' "$tmp/j"
