#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a shell's calls have strace's arguments and results, but for addresses; --quiet-args shows numbers
# witness: strace of the same 20,000 calls, which a seccomp filter refuses: each constant of each call,
#	each bit alone, unknown ones; the differences are listed, with reasons; a shell below both
# requires: strace
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

calls='openat|mmap|mprotect|munmap|brk|close|fcntl|faccessat2?|access|lseek|dup2|umask|socket|prlimit64|rt_sigprocmask|rt_sigaction|ioctl|exit_group'
# shellcheck disable=SC2016 # for the shell that is watched
command='exec 5<> /dev/null; exec 6>&5 5>&-; umask 027; umask 0; trap : USR1; : > /dev/tcp/127.0.0.1/9; ulimit -n; exit 3'
# addresses, strings and structures are the same letter
bare() { sed -E 's/0x[0-9a-f]{5,}|\{[^}]*\}|\[[^]]*\]|"[^"]*"/A/g; s/ <[0-9.]+>$//; s/ +=/ =/'; }

load
env -i strace -qq -e signal=none -o "$tmp/s" /bin/bash --norc -c "$command" > /dev/null 2>&1
env -i "$(command -v ctrace)" trace --no-fds -o "$tmp/c" -- /bin/bash --norc -c "$command" > /dev/null 2>&1
grep -E "^($calls)\(" "$tmp/s" | bare > "$tmp/expected"
sed -nE "s/.*\[vtid [0-9]+\] (($calls)\(.*)/\1/p" "$tmp/c" | bare > "$tmp/seen"
at_least "strace saw calls" 40 "$(wc -l < "$tmp/expected")"
check "the same lines" diff "$tmp/expected" "$tmp/seen"
has "flags by name" '^mmap\(.*, PROT_READ\|PROT_WRITE, MAP_PRIVATE\|MAP_FIXED\|MAP_DENYWRITE, 3, ' "$tmp/seen"
has "only what is used" '^fcntl\(.*, F_GETFD\) = ' "$tmp/seen"
ctrace trace --quiet-args -o "$tmp/c" -- /bin/bash --norc -c "$command" > /dev/null 2>&1
has "plain numbers" 'mmap\([^)]*, 3, 2066, 3, ' "$tmp/c"
has "and all of them" 'fcntl\([0-9]+, 1, [0-9x]+' "$tmp/c"
has "results too" 'umask\(23\) = 18 ' "$tmp/c"
