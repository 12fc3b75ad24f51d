#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: one record in N is kept, exactly, and not always of the same kind
# witness: exactly counted calls: recorded + held back = made; the neighbour loses none
# requires: any
# timeout: 60
# shellcheck disable=SC2016 # inner shells'
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
count() { grep -c "$1" "$tmp/ev"; }
evdump -e call:getpriority -n 10 -- taskset -c 0 counted 1 10000 > "$tmp/ev" 2> "$tmp/err"
same "one of 10, on one CPU" 1000 "$(count who=1)"
evdump -e call:getpriority -n 10 -- counted 1 10000 4 > "$tmp/ev" 2> "$tmp/err"
cpus=$(nproc) n=$(count who=1)
check "of 50000 on $cpus: $n" test "$n" -ge $((5000 - cpus)) -a "$n" -le $((5000 + cpus))
evdump -e call:getpriority -n 1 -- counted 1 1000 > "$tmp/ev" 2> "$tmp/err"
same "one of one: all" 1000 "$(count who=1)"
evdump -e call:getpriority -f 'who == 2' -n 100 -- taskset -c 0 bash -c 'counted 1 1000; counted 2 1000' > "$tmp/ev" 2> "$tmp/err"
same "of what the filter lets through" "0 10" "$(count who=1) $(count who=2)"
evdump -e syscalls -n 10 -- taskset -c 0 counted 1 10000 > "$tmp/ev" 2> "$tmp/err"
n=$(count entry_getpriority) m=$(count exit_getpriority)
note "$n entries, $m exits"
at_least "entries, where every second event is an exit" 500 "$n"
at_least "exits" 500 "$m"
check "no more than one of 10 together" test $((n + m)) -le 2001
# Calls of a container that is a target take a shorter way than calls of a command that is followed. boxed SCRIPT: records
# one of 10 calls of a container that runs perl -e SCRIPT
boxed() {
	rm -f "$tmp/go" "$tmp/done"
	mkfifo "$tmp/go"
	# without a child: a return from its signal's handler would be a nameless call
	cheap box -g "/box/$(hex64 box)" -- bash -c 'read -r x < $0/go; exec taskset -c 0 perl -e "$1; open F, q(>), q($0/done); sleep 10000"' "$tmp" "$1"
	dump "$tmp/ev" -t "cid:$(of_pid "$pid" cid)" -e syscalls -n 10
	echo > "$tmp/go"
	wait_for 30 test -e "$tmp/done" || give_up "perl did not end"
	stop_dump
	kill -9 "$pid"
}
# Calls without a name are counted by themselves, and the others without them.
boxed 'syscall(500), getppid for 1 .. 10000'
same "one of 10 of nameless calls, amid others" 2000 "$(count _unknown)"
n=$(count _getppid)
check "one of 10 of those others: $n" test "$n" -ge 1900 -a "$n" -le 2100
# A call that one session leaves out reaches another one.
evdump -e syscall:getpriority -t all > "$tmp/all" 2> "$tmp/other" & other=$!
wait_for 20 grep -q recording "$tmp/other"
boxed 'getppid, getpriority 1, 1 for 1 .. 5000'
kill -INT $other
wait $other
n=$(count _getppid)
check "one of 10, beside another session: $n" test "$n" -ge 900 -a "$n" -le 1100
same "all of that one" 5000 "$(grep -c 'entry_getpriority .*which=1 who=1' "$tmp/all")"
