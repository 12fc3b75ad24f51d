#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace top -b: CPU time, waiting, bytes, calls, errors, memory of containers that spin, wait, write and end
# witness: schedstat, dd's blocks, counted, the cgroup's files; tmux
# columns: top: CPU% WAIT% PROCS THREADS MEM/LIMIT READ/s WRITE/s RX/s TX/s CALLS/s ERR/s FAULTS/s BY
# requires: any
# timeout: 150
# processors: one is left to those that watch
# shellcheck disable=SC2154,SC2016 # tmp is lib.sh's; an inner shell's words
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../witness.sh
. "$here/witness.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
# sums CID FIELD: prints it for the whole run
sums() { jq -s "[.[].rows[] | select(.cid == $1) | .$2] | add // 0" "$tmp/json"; }

# one that never leaves its CPU; two that share one; one that does nothing; one that works on request
cheap idle -n idle -- sleep 1000
idle_pid=$pid
cheap worker -n worker -- sh -c "until [ -e $tmp/go ]; do sleep 0.1; done; counted 7 1000; dd if=/dev/zero of=/dev/null bs=1000 count=500 status=none; sleep 1000"
worker_pid=$pid
cheap pair -n pair -- sh -c 'taskset -p 1 $$ > /dev/null; (while :; do :; done) & while :; do :; done'
pair_pid=$pid
sleep 0.5
idle=$(of_pid "$idle_pid" cid) worker=$(of_pid "$worker_pid" cid) pair=$(of_pid "$pair_pid" cid)
# shellcheck disable=SC2046 # words
set -- $(pgrep -P "$pair_pid") "$pair_pid"
sampled "$@" > "$tmp/samples" &
sampler=$!
later "kill $sampler"
ctrace top -b --interval 0.5 --count 6 --json > "$tmp/json" 2> "$tmp/err" &
top=$!
wait_for 10 sh -c 'ctrace status | grep -q recording'
touch "$tmp/go"
ctbox -n ended -- sh -c 'exit 0' > "$tmp/box" 2>&1
wait $top
same "status" 0 $?
sleep 0.2
kill $sampler
same "intervals" 6 "$(wc -l < "$tmp/json")"
read -r from to < <(jq -s '[(first | .time - .duration), (last | .time)] | "\(.[0]) \(.[1])"' -r "$tmp/json")
near "CPU time, as schedstat has it (ns)" 400000000 $(($(at "$to" 2) - $(at "$from" 2))) "$(sums "$pair" cpu)"
near "time without a CPU, as schedstat has it (ns)" 400000000 $(($(at "$to" 3) - $(at "$from" 3))) "$(sums "$pair" wait)"
# two tasks that never sleep; a wait counts when it ends
near "both together, as the clock has it (ns)" 400000000 $((2 * (to - from))) $(($(sums "$pair" cpu) + $(sums "$pair" wait)))
check "each interval has CPU time of tasks that never leave their CPU" jq -es "[.[].rows[] | select(.cid == $pair) | .cpu] | length == 6 and min > 50000000" "$tmp/json"
same "bytes that dd wrote" 500000 "$(sums "$worker" write)"
at_least "bytes that dd read" 500000 "$(sums "$worker" read)"
at_least "calls that failed" 1000 "$(sums "$worker" errors)"
at_least "calls that did not" 1000 $(($(sums "$worker" calls) - $(sums "$worker" errors)))
at_least "page faults" 50 "$(sums "$worker" faults)"
same "a container that does nothing is there in each interval" "6 0" "$(jq -s "[.[].rows[] | select(.cid == $idle)] | length" "$tmp/json") $(sums "$idle" cpu)"
same "processes and threads of the pair" "2 2" "$(jq -sr "last.rows[] | select(.cid == $pair) | \"\(.procs) \(.threads)\"" "$tmp/json")"
# where the machine is slow, it may have made its calls in the interval before
# shellcheck disable=SC2016 # jq's
check "one that came and went is shown as gone, once" jq -es '[.[].rows[]] | map(select(.gone)) as $gone
	| ($gone | length) == 1 and ([.[] | select(.cid == $gone[0].cid) | .calls] | add) > 0' "$tmp/json"
check "the first is the one with most CPU time" jq -es 'last.rows | .[0].cpu == (map(.cpu) | max)' "$tmp/json"
# memory: the file's own number
memory=$(jq -s "last.rows[] | select(.cid == $worker) | .memory" "$tmp/json")
if [ "$memory" = null ]; then note "no memory controller here"; else
	path=$(sed -nE 's/^(0:|[0-9]+:memory)[^:]*:(.*)/\2/p' "/proc/$worker_pid/cgroup" | tail -n 1)
	file=$(find /sys/fs/cgroup -path "*$path/memory.current" -o -path "*$path/memory.usage_in_bytes" 2> /dev/null | head -n 1)
	near "memory, as $file has it" 500000 "$(cat "$file")" "$memory"
	limit=$(find "${file%/*}" -name memory.max -o -name memory.limit_in_bytes | head -n 1)
	later "echo $(cat "$limit") > $limit"
	echo 64M > "$limit"
	ctrace top -b --count 1 --interval 0.3 "cid:$worker" --json > "$tmp/json" 2> "$tmp/err"
	same "and its limit" 67108864 "$(sums "$worker" memory_limit)"
fi

# Page faults: of a shell that asks the kernel for its own and its children's, before and after 30 of them
asks='read -r line < /proc/self/stat; set -- ${line##*) }; echo $((${8} + ${9}))'
ctrace top -b --json -- ctbox -n faults -- sh -c "$asks > $tmp/faults; i=0; while [ \$i -lt 30 ]; do /bin/true; i=\$((i + 1)); done; $asks >> $tmp/faults; sleep 0.2" > "$tmp/json" 2> "$tmp/err"
n=$(awk '{n = $1 - n} END {print n}' "$tmp/faults")
in_range "page faults: the kernel's count, and some for what came before" $((n * 9 / 10)) $((n + 1500)) "$(jq -s '[.[].rows[] | select(.cid != 0) | .faults] | add' "$tmp/json")"

# Packets: 200 datagrams of 1000 bytes, and 28 for the heads; no more than the interfaces count, in which the frames' heads may be
net() { awk -F: 'NR > 2 {split($2, f, " "); tx += f[9]; n += f[10]} END {printf "%.0f\n", tx + 14 * n}' /proc/net/dev; }
ip link set lo up
tx=$(net)
ctrace top -b --json -- bash -c 'for i in {1..200}; do printf %01000d 7 > /dev/udp/127.0.0.1/9; done 2> /dev/null; sleep 0.2' > "$tmp/json" 2> "$tmp/err"
tx1=$(net)
all() { jq -s "[.[].rows[].$1] | add" "$tmp/json"; }
if [ "$(all tx)" = null ]; then note "no packets here"; else
	in_range "bytes sent" 205600 $((tx1 - tx)) "$(all tx)"
fi

# The same received: in a network namespace of its own, whose interface counts bytes without the frames' heads
sends="ip link set lo up; until [ -e $tmp/send ]; do sleep 0.1; done
	for i in {1..200}; do printf %01000d 7 > /dev/udp/127.0.0.1/9; done 2> /dev/null
	awk '\$1 == \"lo:\" {print \$2}' /proc/self/net/dev > $tmp/received; : > $tmp/sent; exec sleep 1000"
cheap receiver -n receiver -- unshare -n bash -c "$sends"
ctrace top -b --json "cid:$(of_pid "$pid" cid)" > "$tmp/json" 2> "$tmp/err" &
top=$!
later "kill $top"
wait_for 20 recording 1 || give_up "top does not count: $(cat "$tmp/err")"
: > "$tmp/send"
wait_for 40 test -e "$tmp/sent" || give_up "nothing was sent: $(cat "$tmp/receiver.out")"
sleep 0.2
kill -INT $top
wait $top
if [ "$(all rx)" = null ]; then note "no packets here"; else
	at_least "the interface received 200 datagrams, and what the kernel answers" 205600 "$(cat "$tmp/received")"
	same "bytes received, as the interface counts them" "$(cat "$tmp/received")" "$(all rx)"
fi

# tables
ctrace top -v -b --count 1 --interval 0.3 --top 2 > "$tmp/out" 2> "$tmp/err"
has "the head" '^ *CPU% +WAIT% +THR% +PROCS .*CALLS/s +ERR/s +FAULTS/s +ENGINE +NAME +IMAGE +ID$' "$tmp/out"
same "a time, a head and two lines" 4 "$(wc -l < "$tmp/out")"
has "the account" 'events counted' "$tmp/err"
ctrace top --count 1 --interval 0.3 "cid:$idle" > "$tmp/out" 2> "$tmp/err"
same "no terminal: a table by itself; one container that does nothing" 1 "$(grep -cE '^ *0\.0 +0\.0 ' "$tmp/out")"
ctrace top -b --by pid "cid:$pair" --count 1 > "$tmp/out" 2> "$tmp/err"
same "two processes apart" 2 "$(grep -cE "(^| )($1|$2) " "$tmp/out")"
ctrace top -b -- sh -c 'exit 42' > "$tmp/out" 2> "$tmp/err"
same "the command's status" 42 $?
ctrace top --explain > "$tmp/out" 2> "$tmp/err"
has "--explain" '^aggregate +sum\(runtime\)' "$tmp/out"

refuse "no such column" "no column 'cpuu'.*did you mean 'cpu'" ctrace top -b --sort cpuu
refuse "events of others" 'counts events of its own' ctrace top -b -e sched_switch
refuse "an unknown option" 'unknown option' ctrace top --no-such
refuse "no such container" "nosuch" ctrace top -b nosuch
refuse "a key that is none" "nokey" ctrace top -b --by nokey --count 1
