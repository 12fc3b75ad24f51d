#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: each call's record has as many arguments as the call, and an unknown number has all six
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e syscalls -- provoke numbers > "$tmp/ev" 2> "$tmp/err"
has "mmap: six" 'syscall_entry_mmap [^=]*cid=0 [^ ]* [^ ]* ([a-z]+=[^ ]+ ){5}[a-z]+=[^ ]+$' "$tmp/ev"
has "getppid: none" 'syscall_entry_getppid cid=0 tid=[0-9]+ vtid=[0-9]+$' "$tmp/ev"
has "pread64: four, the last of 64 bits" 'syscall_entry_pread64 .*=(119|0x77) [a-z]+=(78187493530|0x123456789a)$' "$tmp/ev"
has "fanotify_mark: the mask is one, and the path behind it" \
	'syscall_entry_fanotify_mark .*mask=(78187493530|0x123456789a) [a-z]*fd=-100 pathname="/nonexistent/marked"$' "$tmp/ev"
# The order of clone's last two arguments differs between architectures.
has "clone: addresses are whole" 'syscall_entry_clone .*newsp=(17|0x11) parent_tidptr=0x2222222222 (child_tidptr=0x3333333333 tls=293203100740|tls=219902325555 child_tidptr=0x4444444444)$' "$tmp/ev"
has "past the table" 'syscall_entry_unknown .*nr=1000 arg0=0x11 arg1=0x22 arg2=0x33 arg3=0x44 arg4=0x55 arg5=0x66$' "$tmp/ev"
has "and its return" 'syscall_exit_unknown .*nr=1000 ret=-38$' "$tmp/ev"
has "far past it" 'syscall_entry_unknown .*nr=100000 ' "$tmp/ev"
has "and its return" 'syscall_exit_unknown .*nr=100000 ret=-38$' "$tmp/ev"
