#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a call by an x32 number has its name, also where the kernel answers that it has no such calls
# witness: made by perl; as entry, exit and whole, the numbers of its own too. The guests' kernels answer
#	ENOSYS
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "x32 is x86's"
load
# 257: openat; 59 and 520: execve, natively and in x32; 20 and 516: writev, so too; 999: no call
x32() {
	perl -e 'my ($no, @arg) = ("/ctrace-no-such-file", 0);
		print "openat ", syscall(0x40000000 | 257, -100, $no, 0), "\n";
		print "execve ", syscall(0x40000000 | 520, $no, 0, 0), "\n";
		my $text = "ab";
		my $iov = pack("PQ", $text, 2);
		print "writev ", syscall(20, -1, $iov, 1), "\n";
		print "writev ", syscall(0x40000000 | 516, -1, $iov, 2), "\n";
		print "nothing ", syscall(0x40000000 | 999, 1, 2, 3), "\n";'
}
export -f x32
note "$(x32 2>&1)"
evdump -e syscall:openat -e syscall:execve -- bash -c x32 > "$tmp/ev" 2> "$tmp/err"
has "openat, with its path" ' syscall_entry_openat .*filename="/ctrace-no-such-file"' "$tmp/ev"
has "execve, which has another number in x32" ' syscall_entry_execve .*filename="/ctrace-no-such-file"' "$tmp/ev"
evdump -e syscalls -- bash -c x32 > "$tmp/ev" 2> "$tmp/err"
errno='ret=-(2|38)$'	# without the ABI: ENOSYS
same "their returns" 2 "$(grep -A 1 'ctrace-no-such-file"' "$tmp/ev" | grep -cE "syscall_exit_(openat|execve) .*$errno")"
has "a number that no call has" ' syscall_entry_unknown .*nr=1073742823 arg0=0x1 ' "$tmp/ev"
evdump -e call:openat -e call:execve -- bash -c x32 > "$tmp/ev" 2> "$tmp/err"
has "openat whole" " syscall_openat .*ret=-(2|38) .*filename=\"/ctrace-no-such-file\"" "$tmp/ev"
has "execve whole" " syscall_execve .*ret=-(2|38) .*filename=\"/ctrace-no-such-file\"" "$tmp/ev"
evdump -e syscall:writev -e call:writev -- bash -c x32 > "$tmp/ev" 2> "$tmp/err"
has "writev's pieces" ' syscall_entry_writev .*vlen=0*x?1 .*vec_data=[0-9]' "$tmp/ev"
has "also whole" ' syscall_writev .*vlen=0*x?1 .*vec_data=[0-9]' "$tmp/ev"
has "writev, which has another number in x32" ' syscall_entry_writev .*vlen=0*x?2' "$tmp/ev"
has_not "and pieces of another size" ' syscall_(entry_)?writev .*vlen=0*x?2 .*vec_data=[0-9]' "$tmp/ev"
