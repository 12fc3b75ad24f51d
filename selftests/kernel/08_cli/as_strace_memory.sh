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
# Lines of strace -f without the task's number. While the program has a child, a call may be in two halves.
halves() {
	awk '{
		task = $1
		sub(/^[0-9]+ +/, "")
		if (sub(/ <unfinished \.\.\.>$/, "")) {
			begun[task] = $0
			next
		}
		if (sub(/^<\.\.\. [a-z0-9_]+ resumed> ?/, "")) {
			$0 = begun[task] $0
			delete begun[task]
		}
		print
	}'
}
# Only the program's own calls: from its first to the exec that it ends with. We show the wait in two halves, all arguments
# in the first.
own() {
	sed -nE 's/^<\.\.\. wait4 resumed> */wait4(T, /; /^rt_sigaction\(SIGPIPE/,/^execve\("\/bin\/true"/p' |
		grep -vE '^(<\.\.\. )?(brk|mmap|munmap|getrandom|set_robust_list|exit_group|clone|wait4\(.*unfinished)'
}
# Calls that Linux before 3.18 or 5.3 lacks: strace names them all the same; we have their numbers, and of whole calls not even
# these.
known() {
	if kernel_before 5.3; then
		grep -vE '^(bpf|seccomp|pidfd_open|syscall_[34][0-9][0-9])\(.* ENOSYS '
	else
		cat
	fi
}
# addresses, ephemeral ports, inodes, the numbers of tasks
bare() {
	sed -E 's/0x[0-9a-f]{5,}/A/g; s/ <[0-9.]+>$//; s/ +=/ =/; s/:\[[0-9]+(->[0-9]+)?([],])/:[I\2/g
		s/127.0.0.1:[1-6][0-9]{4}/127.0.0.1:P/g; s/htons\([1-6][0-9]{4}\)/htons(P)/g; s/ROUTE:[0-9]+/ROUTE:T/
		s/^(wait4\()[0-9]+/\1T/; /^wait4/s/= [0-9]+$/= T/
		# we have the address of a socket that is bound but does not listen yet; so has strace on newer kernels
		s/^(listen\(3<TCP:\[)[^]]*/\1/
		# the newest shows one member of the union, if both may be meant
		/^epoll_/s/data=A/data={u32=1432778632, u64=1234605616436508552}/
		# in two halves, the second one has only what the call filled in
		/^wait4/s/\], 0, NULL\)/])/
		# no numbers of devices, nor what strace since its version 6.13 reads of a descriptor in /proc
		s/<char [0-9]+:[0-9]+( @[^>]*)?>//; s/<\{eventfd-count=[^}]*\}>/<anon_inode:[eventfd]>/g
		# the time that is left; where a pipe was filled from, we show as far as; the size that perf has
		s/(left \{)[^}]*/\1T/; /^splice/s/ => \[[0-9]*\]//; s/size=(0x)?[^,]*, config/size=S, config/
		# of a vector the lengths as the call left them
		/^recvmmsg/s/=[0-9]+ => /=/g
		# whether bpf() returned a descriptor depends on what it did
		/^bpf/s/<anon_inode:[^>]*>$//
		# at the return a socket has its address, and a connection both ends
		s/^(bind|connect)\(([0-9]+)<.*>, (\{|A)/\1(\2<S>, \3/
		# a time that is not 0 is shown in seconds, too
		s@ /\* [0-9.]+ s \*/@@g'
}
# Before its version 6, strace showed less of some, and others in another form: these are made alike on both sides.
older() {
	[ "$(strace -V | sed -n '1s/.*version \([0-9]*\).*/\1/p')" -lt 6 ] || { cat; return; }
	sed -E 's/([0-9])->([0-9]+[],])/\1 => \2/g; s/AT_FDCWD<[^>]*>/AT_FDCWD/; s/ \(deleted\)>/>(deleted)/
		s/(PERF_COUNT_SW_CPU_CLOCK), .*\.\.\.\}/\1, ...}/; s/\{events=(EPOLL[^,]*), data=/{\1, /
		/SIOCGIF(INDEX|NAME)/s/\{.*\}/{}/; s/\{sigmask=(\[.*\]), sigsetsize=8\}/{\1, 8}/'
}
# strace asks the kernel's diagnosis modules for the names of sockets. Without these modules, we alone have names.
diagnosed() {
	if grep -qE ' sendto\(3<UDP:\[[0-9]+\]>' "$tmp/s"; then
		sed -E 's/<(UDP|UNIX|NETLINK):\[[^]]*\]>/<\1:[I]>/g'
	else
		cat
	fi
}
halves < "$tmp/s" | own | known | bare | older | diagnosed > "$tmp/expected"
at_least "strace saw calls" 120 "$(wc -l < "$tmp/expected")"
# same_lines WHAT FILE
same_lines() {
	sed -nE 's/.*\[vtid [0-9]+\] //p' "$2" | own | known | bare | older | diagnosed > "$tmp/seen"
	check "the same lines, $1" diff "$tmp/expected" "$tmp/seen"
}
same_lines "entries with exits" "$tmp/c"
ctrace trace -e calls --data 32 -o "$tmp/c" -- "$program" > /dev/null 2>> "$tmp/err"
same_lines "whole calls" "$tmp/c"
ctrace record -e syscalls --fds --data 32 -o "$tmp/r" -- "$program" > /dev/null 2>> "$tmp/err"
ctrace report "$tmp/r" > "$tmp/c" 2>> "$tmp/err"
same_lines "recorded entries with exits" "$tmp/c"
# Memory that was not present at a call's entry is a separate record for readers of the recording.
ctrace report --json "$tmp/r" > "$tmp/j" 2>> "$tmp/err"
late=$(jq -c 'select(.event == "late_memory") | .fields | select(.field >= 0 and (.bytes | length) > 0)' "$tmp/j" | wc -l)
at_least "late_memory as JSON" 1 "$late"
if command -v babeltrace2 > /dev/null; then
	same "and as CTF" "$late" "$(babeltrace2 "$tmp/r" 2>> "$tmp/err" | grep -cE ' late_memory: .*field = [0-9]+, .*bytes = \[ \[0\] = ')"
fi
# bash looks for more children when one has ended, and one still runs
ctrace trace -e call:wait4 -o "$tmp/w" -- bash -c 'sleep 0.1 & sleep 1 & sleep 0.3; true' > /dev/null 2> "$tmp/err"
has "nobody was waited for: no status" 'wait4\(-1, 0x[0-9a-f]*, WNOHANG, .*\) = 0' "$tmp/w"
