#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: openat's path, flags and descriptor are as strace saw them
# requires: strace
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e syscall:openat -- provoke open > "$tmp/ev" 2> "$tmp/err"
strace -o "$tmp/strace" -e trace=openat provoke open > "$tmp/out"
has "strace's own view" 'openat\(AT_FDCWD, "/etc/passwd", O_RDONLY\|O_CLOEXEC\) = 3' "$tmp/strace"
has "entry: directory, path and flags" 'syscall_entry_openat cid=0 tid=[0-9]+ vtid=[0-9]+ marks=0 dfd=(-100|0xffffff9c|0xffffffffffffff9c) filename="/etc/passwd" flags=(524288|0x80000) ' "$tmp/ev"
has "exit: the descriptor" 'syscall_exit_openat .* ret=3$' "$tmp/ev"
has "a path with a quote and a newline" 'filename="/no/such/file \\042quoted\\042\\012" flags=(65|0x41) mode=(420|0644|0x1a4)' "$tmp/ev"
has "and its errno" 'syscall_exit_openat .* ret=-2$' "$tmp/ev"
