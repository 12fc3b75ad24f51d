#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a filter that asks only which task it is: what is remembered of its answer holds for that task alone, and as long as it is that task
# witness: two processes on one CPU; a thread that takes over a tid, and a child, after half a second of
#	calls that are refused
# requires: any
# timeout: 90
# shellcheck disable=SC2016 # the $words of expressions
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../neighbour.sh
. "$(dirname "$0")/../neighbour.sh"

load
# entries FILE NUMBER, exits FILE: how many
entries() { grep -c "entry_getpriority.*who=$2\$" "$tmp/$1"; }
exits() { grep -c 'exit_getpriority ' "$tmp/$1"; }
# A program that waits, so that filters can be made with its pid: ready NAME COMMAND
ready() {
	mkfifo "$tmp/$1.go"
	sh -c "read -r x < $tmp/$1.go; exec $2" &
	ready=$!
	later "kill $ready"
}
stop() {
	for pid in $recorders; do kill "$pid"; wait "$pid"; done
	recorders=''
}

# Two processes in one place, on one CPU; and one session more, or one probe more, which asks something else
ready a "taskset -c 0 counted 11 20000"
a=$ready
ready b "taskset -c 0 counted 12 20000"
b=$ready
get=syscall:getpriority
recorder a -t all -b $((16 << 20)) -e $get -f "\$pid == $a"
recorder both -t all -e $get -f "\$pid == $a" -e syscall:exit_group
recorder two -t all -e $get -f "\$pid == $a" -e syscall:exit_group -f "\$pid == $b"
recorder not_a -t all -e $get -f "\$pid != $a && (\$pid == $b || \$cid > 0)"
recorder of -t all -e $get -F "\$pid == $b" -f '$tid > 0'
recorder one_of -t all -e $get -f "\$pid == $a" -n 100
echo > "$tmp/a.go"
echo > "$tmp/b.go"
wait "$a" "$b"
stop
same "one of two processes: all its entries, and no other's" "20000 0" "$(entries a 11) $(entries a 12)"
same "its exits" 20000 "$(exits a)"
same "the other one's" "0 20000" "$(entries not_a 11) $(entries not_a 12)"
at_least "a probe without that filter: ends of processes" 2 "$(grep -c entry_exit_group "$tmp/both")"
same "beside it, the filter holds" "20000 0" "$(entries both 11) $(entries both 12)"
ends() { grep -c "entry_exit_group .* tid=$1 " "$tmp/two"; }
same "two filters: calls of the one, the end of the other" "20000 0 0 1" \
	"$(entries two 11) $(entries two 12) $(ends "$a") $(ends "$b")"
same "the session's filter, and a probe's" "0 20000" "$(entries of 11) $(entries of 12)"
same "one of 100 of what passes" 400 "$(($(entries one_of 11) + $(exits one_of)))"

# Refused for so long that it would be spared; then it gets the tid that passes, or its child has one
ready t "takeover 500 counted 13 100"
t=$ready
waiter parent
recorder taken -t all -b $((16 << 20)) -e syscalls -f "\$tid == $t"
recorder child -t all -b $((16 << 20)) -e syscalls -f "\$pid != $waiter && \$cid == 0"
echo > "$tmp/t.go"
wait "$t"
sleep 0.3
tell parent "counted 14 100"
tell parent exit
wait "$waiter"
stop
same "a thread that takes over the tid by an exec: before, and after" "0 100" "$(entries taken 1) $(entries taken 13)"
same "a child of a process that is refused" 100 "$(entries child 14)"
