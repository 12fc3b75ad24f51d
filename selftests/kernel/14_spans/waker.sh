#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: wake-ups name the waker: one of two on a CPU the other, a parent its child; a neighbour that wakes is not shown
# witness: two tasks that wake each other on one CPU, sleeps on a busy CPU, a pipe between the host and a
#	container
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
events=(-e sched_wakeup -e sched_wakeup_new)
waking=sched_wakeup	# before 4.3 there is no other
kernel_before 4.3 || { waking=sched_waking; events+=(-e sched_waking); }
evdump "${events[@]}" -- provoke pingpong > "$tmp/ev" 2> "$tmp/err"
a=$(sed -n 's/^a=\([0-9]*\) b=.*/\1/p' "$tmp/ev") b=$(sed -n 's/^a=[0-9]* b=//p' "$tmp/ev")
# wakers EVENT TID: "TIMES TID CID" of those who woke it
wakers() { sed -nE "s/^[0-9]+ $1 cid=0 tid=$2 .* waker_tid=([0-9]+) waker_cid=([0-9]+)\$/\1 \2/p" "$tmp/ev" | sort | uniq -c | sort -rn; }
for event in $waking sched_wakeup; do
	wakers "$event" "$a" > "$tmp/a"
	wakers "$event" "$b" > "$tmp/b"
	note "$event of a=$a: $(paste -sd, "$tmp/a"); of b=$b: $(paste -sd, "$tmp/b")"
	# The scheduler decides which of the two goes to sleep.
	cat "$tmp/a" "$tmp/b" > "$tmp/both"
	at_least "$event: one by the other" 40 "$(awk -v a="$a" -v b="$b" '$2 == a || $2 == b {n += $1} END {print n + 0}' "$tmp/both")"
	same "none by itself" "" "$(awk -v t="$a" '$2 == t' "$tmp/a"; awk -v t="$b" '$2 == t' "$tmp/b")"
	has_not "of the host" '^ *[0-9]+ [0-9]+ [1-9]' "$tmp/both"
done
same "a new task is woken by its parent" "1 $a 0" "$(wakers sched_wakeup_new "$b" | xargs)"

# Sleeps that the clock ends, on a CPU that a third task has; then sleeps that a writer ends.
taskset 1 /bin/sh -c 'while :; do :; done' &
spinner=$!
evdump "${events[@]}" -- taskset 1 spans block 5 > "$tmp/ev" 2> "$tmp/err"
kill "$spinner"
sleeper=$(sed -n 's/^sleeper=\([0-9]*\).*/\1/p' "$tmp/ev") waker=$(sed -n 's/^sleeper=.* waker=\([0-9]*\).*/\1/p' "$tmp/ev")
wakers "$waking" "$sleeper" > "$tmp/by"
note "$waking of $sleeper: $(paste -sd, "$tmp/by"); writer $waker, third task $spinner"
at_least "an interrupt is nobody" 5 "$(awk '$2 == 0 {print $1}' "$tmp/by")"
at_least "the writer" 4 "$(awk -v t="$waker" '$2 == t {print $1}' "$tmp/by")"
same "not the task that was interrupted" "" "$(awk -v t="$spinner" '$2 == t' "$tmp/by")"

# In a container, a task that a neighbour wakes, and that one of its own does.
mkfifo "$tmp/fifo"
cheap one -g "/box/$(hex64 waker1)" -- /bin/sh -c "while read -r x < $tmp/fifo; do (sleep 0.1; :); done"
cid=$(of_pid "$pid" cid)
dump "$tmp/in" -t "cid:$cid" -e "$waking"
dump "$tmp/all" -t all -e "$waking"
all=$dumping
dump "$tmp/whole" -N -t all -e "$waking"
whole=$dumping
# The shell waits for the first line; the second has to wait for the shell.
for _ in 1 2 3 4 5; do
	for pause in 0.3 0.05; do
		sleep $pause
		echo x > "$tmp/fifo"
	done
done
wait_for 10 lines 5 "$waking .* waker_tid=[1-9][0-9]* waker_cid=$cid\$" "$tmp/in" || true
kill "$all" "$whole"
wait "$all" "$whole"
kill %% 2> /dev/null
at_least "wake-ups of the container's shell" 5 "$(grep -c "$waking cid=$cid tid=$pid " "$tmp/in")"
has_not "its session: no waker of the host" "waker_tid=[1-9][0-9]* waker_cid=0\$" "$tmp/in"
has_not "nor does the session of all tell" "$waking cid=$cid .*waker_tid=[1-9][0-9]* waker_cid=0\$" "$tmp/all"
has_not "nor which container the host's tasks were woken from" "$waking cid=0 .*waker_cid=[1-9]" "$tmp/all"
has "a session that shows neighbours does" "$waking cid=$cid tid=$pid .*waker_tid=[1-9][0-9]* waker_cid=0\$" "$tmp/whole"
has "also of the container that woke the host's" "$waking cid=0 .*waker_tid=[1-9][0-9]* waker_cid=$cid\$" "$tmp/whole"
has "who is of the same container is shown" "$waking cid=$cid .*waker_tid=[1-9][0-9]* waker_cid=$cid\$" "$tmp/in"
same "one container" "$cid" "$(cids "$tmp/in" "$waking")"
