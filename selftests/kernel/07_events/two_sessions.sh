#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: two sessions that record the same calls have all of them, also while a third comes and goes, and beside a filter
# requires: any
# timeout: 90
# shellcheck disable=SC2016 # the $words of expressions
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
get=syscall:getpriority
big=$((16 << 20))
# entries FILE NUMBER, exits FILE: how many
entries() { grep -c "entry_getpriority.*who=$2\$" "$tmp/$1"; }
exits() { grep -c 'exit_getpriority ' "$tmp/$1"; }
# what FILE: the calls, without their times
what() { grep 'getpriority' "$tmp/$1" | sed 's/^[0-9]* //'; }
stop() {
	for pid in $recorders; do kill "$pid"; wait "$pid"; done
	recorders=''
}

# The second has records of interrupts, too, some of them between the two records of a call.
recorder one -t all -b $big -e $get
recorder two -t all -b $big -e $get -e softirq
taskset -c 0 counted 21 20000
taskset -c 0 counted 22 30000 &
calls=$!
dump "$tmp/third" -t all -e $get
third=$dumping
kill "$third"
wait "$third"
wait "$calls"
stop
for f in one two; do
	same "$f: all entries, and all exits" "20000 30000 50000" "$(entries $f 21) $(entries $f 22) $(exits $f)"
done
what one > "$tmp/what1"
what two > "$tmp/what2"
check "the same, in the same order" cmp "$tmp/what1" "$tmp/what2"
at_least "and interrupts" 1 "$(grep -c ' softirq ' "$tmp/two")"

# A filter's answer for one task is not used for the next task on its CPU. That one's brk() makes the CPU know it,
# in a session without a filter, before the filter has been asked.
mkfifo "$tmp/go"
taskset -c 0 /bin/sh -c "read -r x < $tmp/go; exec counted 31 20000" &
a=$!
recorder all -t all -b $big -e $get -e syscall:brk
recorder only -t all -b $big -e $get -f "\$pid == $a"
taskset -c 0 counted 32 20000 &
b=$!
echo > "$tmp/go"
wait "$a" "$b"
taskset -c 0 counted 33 20000	# after the filter's task for certain
stop
same "beside a filter: all" "20000 20000 20000" "$(entries all 31) $(entries all 32) $(entries all 33)"
same "the filter's one task" "20000 0 0" "$(entries only 31) $(entries only 32) $(entries only 33)"

# A session without room says what it lost, the other one has all.
recorder roomy -t all -b $big -e $get
recorder small -t all -b 65536 -e $get
small=$dumping
kill -STOP "$small"
taskset -c 0 counted 41 20000
kill -CONT "$small"
stop
same "beside one without room: all" "20000 20000" "$(entries roomy 41) $(exits roomy)"
lost=$(sed -n 's/.* lost \([0-9]*\)$/\1/p' "$tmp/small.err")
same "its records, and those that it lost" 40000 "$(($(entries small 41) + $(exits small) + lost))"
