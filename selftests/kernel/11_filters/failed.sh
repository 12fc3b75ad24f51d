#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: only the calls that failed are recorded; their errno is the one strace shows
# witness: sleeps timed from outside; strace; entry and exit records of the same calls
# requires: strace
# kernels: 6.1,newest
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e call:openat -f 'ret < 0' -- provoke open > "$tmp/ev" 2> "$tmp/err"
strace -qq -o "$tmp/strace" -e trace=openat provoke open > "$tmp/out"
same "strace: one failed with ENOENT" 1 "$(grep -c '= -1 ENOENT' "$tmp/strace")"
same "records" 1 "$(grep -c syscall_openat "$tmp/ev")"
has "ENOENT, of that file" 'syscall_openat .* ret=-2 marks=0 dfd=[^ ]* filename="/no/such/file ' "$tmp/ev"
evdump -e call:openat -f 'ret >= 0' -- provoke open > "$tmp/ev" 2> "$tmp/err"
same "the other way round: those that did not" "$(grep -vc '= -1' "$tmp/strace")" "$(grep -c syscall_openat "$tmp/ev")"
has "the file that is there" 'syscall_openat .* ret=3 marks=0 dfd=[^ ]* filename="/etc/passwd"' "$tmp/ev"
evdump -e call:openat -f 'filename ~ "/etc/*" && flags & 0x80000' -- provoke open > "$tmp/ev" 2> "$tmp/err"
same "by its argument" 1 "$(grep -c syscall_openat "$tmp/ev")"
has "that one" 'filename="/etc/passwd"' "$tmp/ev"
evdump -e calls -f 'ret == -9' -- provoke numbers > "$tmp/ev" 2> "$tmp/err"
same "all calls, EBADF" "pread64" "$(sed -n 's/.* syscall_\([a-z0-9_]*\) cid=.* ret=-9 .*/\1/p' "$tmp/ev")"
evdump -e call:mmap -f 'len == 0x3000 && off == 0' -- provoke numbers > "$tmp/ev" 2> "$tmp/err"
at_least "a field that the 32-bit call of that name lacks" 1 "$(grep -c ' syscall_mmap .* len=12288 ' "$tmp/ev")"
refuse "a field that only some calls have" 'filename' evdump -e calls -f 'filename == "x"' -- true
