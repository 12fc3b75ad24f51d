#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a traced command is followed from its first instruction, and into its children
# requires: strace
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e syscalls -- /bin/sh -c '/bin/true; /bin/true' > "$tmp/ev" 2> "$tmp/err"
strace -f -qq -e 'signal=none' -o "$tmp/strace" /bin/sh -c '/bin/true; /bin/true'
# Each entry of evdump is a line of strace, except for the exec that starts the command and the read that holds
# the command before that.
mine=$(grep -c ' syscall_entry_' "$tmp/ev") theirs=$(grep -vc 'resumed\|+++' "$tmp/strace")
note "evdump: $mine entries, strace: $theirs calls"
check "as many calls as strace sees" test "$mine" -ge "$theirs" -a "$mine" -le $((theirs + 4))
same "execs" "$(grep -c 'execve(' "$tmp/strace")" "$(grep -c 'syscall_exit_execve .*ret=0' "$tmp/ev")"
has "nothing lost" '^seen [0-9]+ lost 0' "$tmp/err"
