#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: each container and the host has as many samples as its CPU time says, at the address that was busy
# witness: CPU time in /proc/PID/schedstat, the busy function's bounds; idle, CPUs that come and go; two
#	sessions, as one has one rate
# requires: any
# timeout: 90
# processors: its programs are pinned to either of them
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
hz=100
# two containers share CPU 0; one has CPU 1 to itself
cheap one -n one -- taskset 1 frames spin 80
one=$pid
cheap two -n two -- taskset 2 frames spin 80
two=$pid
taskset 1 frames spin 80 > "$tmp/three.out" &
three=$!
later "kill $three"
wait_for 20 grep -q spin= "$tmp/one.out" && wait_for 20 grep -q spin= "$tmp/three.out"
# read the cids while the containers live
c1=$(of_pid "$one" cid) c2=$(of_pid "$two" cid)
ran() { cut -d' ' -f1 "/proc/$1/schedstat"; }

dump "$tmp/ev" -t all -e sample:$hz
for p in $one $two $three; do before[p]=$(ran "$p"); done
begin=$(wc -l < "$tmp/ev")
sleep 3
for p in $one $two $three; do after[p]=$(ran "$p"); done
stop_dump
note "lines before the first reading: $begin"
for p in $one $two $three; do
	ms=$(((after[p] - before[p]) / 1000000)) n=$(grep -c "cpu_sample cid=[0-9]* tid=$p " "$tmp/ev")
	# Samples from outside the two readings are in the file too, and an emulated timer comes late.
	if [ "$n" -ge $((ms * hz / 2000)) ] && [ "$n" -le $((ms * hz * 3 / 2000 + hz)) ]; then
		ok "task $p ran $ms ms: $n samples"
	else
		not_ok "task $p ran $ms ms: expected about $((ms * hz / 1000)) samples, seen $n"
	fi
done
same "the first container's" "$c1" "$(cids "$tmp/ev" " tid=$one ")"
same "the second's" "$c2" "$(cids "$tmp/ev" " tid=$two ")"
same "the host's" 0 "$(cids "$tmp/ev" " tid=$three ")"
# Where user=1, the user stack's first frame is ip, in the busy function, and the next is its caller.
read -r from to ret < <(sed 's/spin=\(.*\),\(.*\) ret=/\1 \2 /' "$tmp/one.out")
grep " tid=$one .* user=1 " "$tmp/ev" | sed 's/.* ip=\(0x[0-9a-f]*\) user=1 callstack_kernel=\([^ ]*\) .*callstack_user=/\1 k\2 /' > "$tmp/user"
inside=0 all=0
while read -r ip kernel stack; do
	all=$((all + 1))
	[ "$kernel" = k ] && [ $((ip)) -ge $((from)) ] && [ $((ip)) -lt $((to)) ] && case $stack in "$ip,$ret,"*) inside=$((inside + 1));; esac
done < "$tmp/user"
at_least "samples in user mode" 20 "$all"
at_least "of $all most in the busy function, called from where it is" $((all * 8 / 10)) "$inside"
has_not "all decodable" 'undecodable|unknown-id' "$tmp/ev"
refuse "no rate" 'sampling rate' evdump -t all -e sample:0 -d 1
refuse "too high a rate" 'sampling rate' evdump -t all -e sample:10001 -d 1
refuse "not a number" 'sampling rate' evdump -t all -e sample:99x -d 1
# each rate has a perf event on every CPU
refuse "a second rate in the session" "has probe 'sample:100' already, and samples at one rate: use another session for 'sample:50'" \
	evdump -t all -e sample:100 -e sample:50 -d 1
refuse "the same rate, spelt otherwise" "has probe 'sample:100' already" evdump -t all -e sample:100 -e sample:0100 -d 1
refuse "the same one" "already has probe 'sample:100'" evdump -t all -e sample:100 -e sample:100 -d 1
refuse "by the command, too" 'samples at one rate: use another session' ctrace trace all -F 100 -e sample:50 --duration 1
