#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: each allocation of each operation fails once: the operation reports it and undoes all, or continues without; nothing leaks
# witness: the kernel's fault injection fails each allocation of 52 operations in turn; the test repeats
#	the operation, and checks what is left; all allocations of background work fail for a while; kmemleak
#	with --kernel debug-kmemleak
# requires: any,torture
# timeout: 120
# torture: 600
# kernels: debug
# By hand: alloc_fails.sh OPERATION..., with the names in src/alloc_ops.h.
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v alloc_fails > /dev/null || skip "alloc_fails was not built"
[ -e /proc/self/fail-nth ] || skip "no fault injection in this kernel"
load
export ALLOC_FAILS_MODULE=$module
# glibc's restartable sequences: the kernel kills a thread when it has no memory for them.
export GLIBC_TUNABLES=glibc.pthread.rseq=0
# only if kmemleak was asked for at boot
leaks=/sys/kernel/debug/kmemleak
{ echo scan > $leaks && echo clear > $leaks; } 2> /dev/null || leaks=''
later 'rmdir /sys/fs/cgroup/allocfails'

# run ARG...: runs the program, and reports its results as ours
run() {
	local line st out
	exec {out}< <(exec alloc_fails "$@" 2>&1)
	while read -r line <&$out; do
		case $line in
		'ok '*) ok "${line#ok * }";;
		'not ok '*) not_ok "${line#not ok * }";;
		'# Totals'* | TAP* | 1..*) ;;
		*) note "${line#\# }";;
		esac
	done
	wait $!
	st=$?
	[ $st = 0 ] || [ $failed -gt 0 ] || not_ok "alloc_fails $* ended with status $st"
}
# Let the module make what it makes once and keeps, before memory is counted.
alloc_fails 0 > /dev/null 2>&1
before=$(vmalloc_kb)
run "$(long 0.3 7)" "$@"
[ -z "${CTRACE_TEST_TORTURE:-}" ] || [ $# -gt 0 ] || run workers
same "references to the module" 0 "$(cat /sys/module/ctrace/refcnt)"
after=$(vmalloc_kb)
check "no memory of ours stays: $before kB before, $after kB after" test "$after" -le $((before + 64))
if [ -n "$leaks" ]; then
	# An object younger than five seconds is no leak yet.
	sleep 6
	echo scan > $leaks
	echo scan > $leaks
	cat $leaks > "$tmp/leaks"
	grep -q '\[ctrace\]' "$tmp/leaks" && note "$(head -c 4000 "$tmp/leaks")"
	same "leaks that kmemleak sees" 0 "$(grep -c '\[ctrace\]' "$tmp/leaks")"
fi
# This comes last: once the module is gone, the kernel no longer knows whose memory it was. A user who is early may not hold
# a module whose loading then fails.
if [ $# = 0 ]; then
	# its open() would have the kernel load the module
	later "echo $(cat /proc/sys/kernel/modprobe) > /proc/sys/kernel/modprobe"
	echo > /proc/sys/kernel/modprobe
	early_user > "$tmp/early" & early=$!
	run "$(long 5 200)" insmod
	kill $early
	wait $early
	same "early_user ended with" 0 $?
	check "somebody was early in both ways: $(cat "$tmp/early")" grep -qvw 0 "$tmp/early"
fi
