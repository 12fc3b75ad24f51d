#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: 32-bit calls have 32-bit names
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
provoke compat > "$tmp/out" 2>&1
pid=$(sed -n 's/^pid=\([0-9]*\) .*/\1/p' "$tmp/out")
[ "${pid:-none}" = "$(sed -n 's/.*mine=//p' "$tmp/out")" ] || skip "this kernel has no 32-bit calls"
evdump -e syscalls -- provoke compat > "$tmp/ev" 2> "$tmp/err"
has "getpid is number 20 there" 'compat_syscall_entry_getpid ' "$tmp/ev"
has "open with its path" 'compat_syscall_entry_open .*filename="/etc/hostname"' "$tmp/ev"
has "its return" 'compat_syscall_exit_open .*ret=[0-9]+$' "$tmp/ev"
has "a negative return is negative" 'compat_syscall_exit_read .*ret=-9$' "$tmp/ev"
[ "$(uname -m)" != x86_64 ] ||
	has "a number of 64 bits in two" 'compat_syscall_entry_pread64 .*count=7 pos_low=8 pos_high=9$' "$tmp/ev"
# 20 is writev on x86 and epoll_create1 on arm64.
has_not "not taken for the 64-bit call of that number" ' syscall_entry_(writev|epoll_create1) ' "$tmp/ev"
