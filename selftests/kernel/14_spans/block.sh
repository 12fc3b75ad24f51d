#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: sleeps of known length: in which call, woken by whom; and a neighbour who wakes is not shown
# witness: sleeps of known length; the numbers that the program prints
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e sched_block -e sched_run -- spans block 5 > "$tmp/ev" 2> "$tmp/err"
eval "$(sed -n 's/^\(sleeper=.*\)/\1/p' "$tmp/ev")"
# shellcheck disable=SC2154 # set by what the program prints
note "sleeper $sleeper, waker $waker"
# blocks CALL: "DURATION STATE IOWAIT WAKER-COMM WAKER-TID WAKER-CID" of the sleeper in it
blocks() { sed -nE "s/^[0-9]+ sched_block cid=0 tid=$sleeper .*duration=([0-9]+) state=([0-9]+) iowait=([0-9]+) syscall=$1 comm=\"spans\" waker_comm=\"([^\"]*)\" waker_tid=([0-9]+) waker_cid=([0-9]+) arg=-?[0-9]+\$/\1 \2 \3 '\4' \5 \6/p" "$tmp/ev"; }
# shellcheck disable=SC2154
blocks "$nanosleep" > "$tmp/timed"
# shellcheck disable=SC2154
blocks "$read" > "$tmp/read"
same "sleeps by the clock" 5 "$(wc -l < "$tmp/timed")"
# the clock is set before the task is off the CPU, and it may lose that in between
at_least "of nearly 100 ms or more" 4 "$(awk '$1 >= 90000000' "$tmp/timed" | wc -l)"
same "and not of 1 s" 5 "$(awk '$1 < 1000000000' "$tmp/timed" | wc -l)"
# before 5.18 a state may be gone when it is looked at
same "no I/O, nobody wakes" "0 '' 0 0" "$(cut -d' ' -f3- "$tmp/timed" | sort -u | paste -sd,)"
at_least "interruptible" 4 "$(awk '$2 % 2 == 1' "$tmp/timed" | wc -l)"	# and newer kernels set other bits, too
same "sleeps in read()" 5 "$(wc -l < "$tmp/read")"
# Before 4.3 another CPU may act for the waker.
kernel_before 4.3 || same "woken by the writer" "'spans' $waker 0" "$(cut -d' ' -f4- "$tmp/read" | sort -u | paste -sd,)"
at_least "the first until the writer came" 200000000 "$(head -n 1 "$tmp/read" | cut -d' ' -f1)"
same "four of 200 ms" 4 "$(tail -n +2 "$tmp/read" | awk '$1 >= 150000000' | wc -l)"
# shellcheck disable=SC2154
same "and from which descriptor" "$pipe" \
	"$(sed -nE "s/^[0-9]+ sched_block cid=0 tid=$sleeper .* syscall=$read .* arg=([0-9]+)\$/\1/p" "$tmp/ev" | sort -u)"
same "its runs tell the call, too" 5 "$(grep -cE "sched_run cid=0 tid=$sleeper .* reason=2 syscall=$nanosleep " "$tmp/ev")"

# In a container, a sleep that a neighbour ends, and one that a task of its own does.
mkfifo "$tmp/fifo"
cheap one -g "/box/$(hex64 block1)" -- /bin/sh -c "while read -r x < $tmp/fifo; do (sleep 0.1; :); done"
cid=$(of_pid "$pid" cid)
dump "$tmp/in" -t "cid:$cid" -e sched_block
dump "$tmp/all" -t all -e sched_block
all=$dumping
dump "$tmp/whole" -N -t all -e sched_block
whole=$dumping
for _ in 1 2 3 4 5; do sleep 0.3; echo x > "$tmp/fifo"; done
wait_for 10 lines 3 "sched_block .* waker_comm=\"sleep\"" "$tmp/in" || true
kill "$all" "$whole"
wait "$all" "$whole"
kill %% 2> /dev/null
grep "sched_block cid=$cid tid=$pid " "$tmp/in" > "$tmp/init"
at_least "sleeps of the container's shell" 5 "$(wc -l < "$tmp/init")"
has_not "its session: no waker of the host" "waker_cid=0 arg=-?[0-9]+ *\$.*waker_tid=[1-9]|waker_tid=[1-9][0-9]* waker_cid=0 arg=-?[0-9]+\$" "$tmp/in"
has_not "nor does the session of all tell" "sched_block cid=$cid .*waker_tid=[1-9][0-9]* waker_cid=0 arg=-?[0-9]+\$" "$tmp/all"
has "a session that shows neighbours does" "sched_block cid=$cid tid=$pid .*waker_comm=\"[^\"]+\" waker_tid=[1-9][0-9]* waker_cid=0 arg=-?[0-9]+\$" "$tmp/whole"
has "who is of the same container is shown" "waker_comm=\"sh\" waker_tid=[1-9][0-9]* waker_cid=$cid arg=-?[0-9]+\$" "$tmp/in"
same "one container" "$cid" "$(cids "$tmp/in" sched_block)"
