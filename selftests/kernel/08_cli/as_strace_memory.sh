#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what arguments point to, what calls read and write, and descriptors are as strace -yy shows them, line by line
# requires: strace
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cd /tmp || exit
program=$(command -v pointed)
ctrace trace -e syscalls --data 32 -o "$tmp/c" -- "$program" > /dev/null 2> "$tmp/err"
strace -f -yy -qq -e signal=none -o "$tmp/s" "$program" > /dev/null 2>&1
# Only the program's own calls: from its first to the exec that it ends with. strace may show the wait in two halves.
own() {
	sed -nE 's/^<\.\.\. wait4 resumed> */wait4(T, /; /^rt_sigaction\(SIGPIPE/,/^execve\("\/bin\/true"/p' |
		grep -vE '^(brk|mmap|munmap|getrandom|set_robust_list|exit_group|clone|wait4\(.*unfinished|<\.\.\. set_robust_list)'
}
# addresses, ephemeral ports, inodes, the numbers of tasks
bare() {
	sed -E 's/0x[0-9a-f]{5,}/A/g; s/ <[0-9.]+>$//; s/ +=/ =/; s/:\[[0-9]+(->[0-9]+)?([],])/:[I\2/g
		s/127.0.0.1:[1-6][0-9]{4}/127.0.0.1:P/g; s/htons\([1-6][0-9]{4}\)/htons(P)/g; s/ROUTE:[0-9]+/ROUTE:T/
		s/^(wait4\()[0-9]+/\1T/; /^wait4/s/= [0-9]+$/= T/
		# if it is shown in two halves, the second one has only what the call filled in
		/^wait4/s/\], 0, NULL\)/])/
		# we have the address of a socket that is bound but does not listen yet; so has strace on newer kernels
		s/^(listen\(3<TCP:\[)[^]]*/\1/
		# no numbers of devices
		s/<char [0-9]+:[0-9]+>//
		# no names of descriptors within memory, no count of an environment, no time that is left
		s/(fd=|\[|, )([0-9]+)<(anon_inode|UNIX-STREAM|pipe):(\[[a-zI]+\])>/\1\2/g; s@ /\* [0-9]+ vars \*/@@; s/, left \{[^}]*\}\)/)/
		# at the return a connection has both ends
		s/^(bind|connect)(\([0-9]+<[A-Z0-9v]*:\[)[^>]*/\1\2/'
}
sed -E 's/^[0-9]+ +//' "$tmp/s" | own | bare > "$tmp/expected"
sed -nE 's/.*\[vtid [0-9]+\] //p' "$tmp/c" | own | bare > "$tmp/seen"
at_least "strace saw calls" 80 "$(wc -l < "$tmp/expected")"
check "the same lines" diff "$tmp/expected" "$tmp/seen"
# bash looks for more children when one has ended, and one still runs
ctrace trace -e call:wait4 -o "$tmp/w" -- bash -c 'sleep 0.1 & sleep 1 & sleep 0.3; true' > /dev/null 2> "$tmp/err"
has "nobody was waited for: no status" 'wait4\(-1, 0x[0-9a-f]*, WNOHANG, .*\) = 0' "$tmp/w"
