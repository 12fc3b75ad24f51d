#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: kmemleak finds nothing that ctrace allocated and forgot, in this test or in those before it
# requires: any
# kernels: debug-kmemleak
# timeout: 150
# torture: 600
# shellcheck disable=SC2016 # it is the kernel that expands $arg1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

leaks=/sys/kernel/debug/kmemleak
# what it was at boot: without kmemleak=on the file is there, and nothing can be written to it
echo scan 2> /dev/null > $leaks || skip "no kmemleak: boot with kmemleak=on"

# scan: the objects that nothing points to, whose stack has a function of ctrace. After an unloading its
# functions have no names any more: any bare address of where modules are is counted as one of it
scan() {
	# one look may fall between two places of a pointer; an object younger than five seconds is not told
	sleep 6
	echo scan > $leaks
	sleep 1
	echo scan > $leaks
	cat $leaks > "$tmp/leaks"
	awk '/^unreferenced object/ {if (hit) printf "%s", text; text = ""; hit = 0}
		{text = text $0 "\n"} /\[ctrace\]|\] 0xffffffffc0/ {hit = 1}
		END {if (hit) printf "%s", text}' "$tmp/leaks"
}
looked() {
	scan > "$tmp/ours"
	same "$1: objects of ctrace that nothing points to" 0 "$(grep -c '^unreferenced' "$tmp/ours")"
	[ ! -s "$tmp/ours" ] || note "$(head -n 60 "$tmp/ours")"
	note "$(grep -c '^unreferenced' "$tmp/leaks") objects in all, $(awk '/^ctrace_|^kmalloc-/ {n += $2} END {print n}' /proc/slabinfo 2> /dev/null) in the caches of kmalloc"
}

looked "before"
rounds=$(long 1 8)
for round in $(seq "$rounds"); do
	load
	cheap box -n "leak$round" -C -- /bin/sh -c 'while :; do sleep 0.1; done'
	check "round $round: a probe" ctrace probe add "p:leak_$round vfs_read count=\$arg3"
	evdump -S -t all -e 'syscall:*' -e sched:sched_switch -d 2 > "$tmp/ev" 2> "$tmp/err"
	has "round $round: events" 'sched_switch' "$tmp/ev"
	evdump -t "cid:$(of_pid "$pid" cid)" -e "kprobe:leak_$round" -e sample:100 -e raw:sys_enter -s -u -d 1 > "$tmp/ev" 2> "$tmp/err"
	evdump -t host -e syscall:openat -d 30 > "$tmp/ev" 2> "$tmp/err" &
	killed=$!
	wait_for 20 grep -q recording "$tmp/err"
	kill -9 $killed
	wait $killed 2> /dev/null
	ctrace trace -e 'openat if filename ~ "/etc/*" && ret >= 0' -- cat /etc/passwd > "$tmp/ev" 2> "$tmp/err"
	# what is wrong is refused half-way
	refuse "round $round: a wrong probe" column ctrace probe add 'p:leak_not vfs_read a=+8($arg1'
	refuse "round $round: a wrong filter" 'filname' ctrace trace -e 'openat if filname == "x"' -- true
	kill -9 "$pid"
	sleep 1
	[ "$round" != "$rounds" ] || looked "loaded, round $round"
	check "round $round: it unloads" unload
done
looked "after $rounds rounds, unloaded"
