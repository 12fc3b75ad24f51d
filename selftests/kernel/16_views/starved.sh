#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: blame and why of a container that gets no CPU at all: its waits began before the look or within it, and do not end; the culprit is named, live, by interval and of a recording
# witness: /proc/PID/schedstat: the victims do not run, the hog runs all the time; the length of the look
# requires: v2,v1,torture
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v chrt > /dev/null || skip "no chrt"
[ "$(nproc)" -ge 2 ] || skip "it takes two CPUs"
load
ctrace events 2> /dev/null | grep -q '^sched_blame ' || skip "no sched_blame here"
# a real-time task may have all of a CPU: no share is kept for others
rt=/proc/sys/kernel/sched_rt_runtime_us
was=$(cat $rt)
later "echo $was > $rt"
echo -1 > $rt || skip "real-time tasks cannot have a whole CPU"
[ ! -e /sys/kernel/debug/sched/fair_server/cpu1/runtime ] || {
	kept=$(cat /sys/kernel/debug/sched/fair_server/cpu1/runtime)
	later "echo $kept > /sys/kernel/debug/sched/fair_server/cpu1/runtime"
	echo 0 > /sys/kernel/debug/sched/fair_server/cpu1/runtime
}
# all else on CPU 0, ctrace above all
taskset -p 1 $$ > /dev/null

# `before` waits when the look begins, `within` from its beginning on
docker_box before "taskset -p 2 \$\$ > /dev/null; while :; do :; done"
before=$pid
docker_box within "while [ ! -e $tmp/go ]; do sleep 0.05; done; taskset -p 2 \$\$ > /dev/null; while :; do :; done"
docker_box hog "echo \$\$ > $tmp/hog; while [ ! -e $tmp/start ]; do sleep 0.05; done; exec taskset 2 chrt -f 50 sh -c 'while :; do :; done'"
hog=$pid
ran() { cut -d' ' -f1 "/proc/$1/schedstat"; }
touch "$tmp/start"
# the hog has the CPU when the victim's account does not move any more
starved() { local a; a=$(ran "$before"); sleep 0.5; [ "$(ran "$before")" = "$a" ]; }
wait_for 20 starved || skip "the hog does not get a whole CPU here"

# waited FILE: ms of each row; by: ms by the hog
waited() { jq '[.rows[].waited] | add // 0 | . / 1e6 | floor' "$1"; }
by() { jq '[.rows[].culprits[] | select(.container == "hog") | .waited] | add // 0 | . / 1e6 | floor' "$1"; }
# all_of WHAT FILE: the wait is as long as the look, and the hog's, but for the few ms in which all begins. Waits are cut a moment
# before the look at the tables ends.
all_of() {
	local long
	long=$(jq '.duration / 1e6 | floor' "$2")
	check "$1: waited $(waited "$2") of $long ms" test "$(waited "$2")" -ge $((long * 8 / 10)) -a "$(waited "$2")" -le $((long * 105 / 100 + 150))
	check "$1: because of the hog for $(by "$2") ms" test "$(by "$2")" -ge $(($(waited "$2") * 99 / 100))
}

a=$(ran "$before") h=$(ran "$hog")
ctrace blame before --duration 2 --json > "$tmp/json" 2> "$tmp/err"
same "the victim has not run" "$a" "$(ran "$before")"
at_least "the hog has, for ms" 1500 $((($(ran "$hog") - h) / 1000000))
all_of "a wait that began before" "$tmp/json"
ctrace blame before --by reason --duration 1 --json > "$tmp/json" 2> "$tmp/err"
same "its reason is not known" '["BEFORE"]' "$(jq -c '[.rows[].by] | unique' "$tmp/json")"

ctrace blame before --interval 1 --count 3 --json > "$tmp/json3" 2> "$tmp/err"
same "three intervals" 3 "$(wc -l < "$tmp/json3")"
for n in 1 2 3; do
	sed -n ${n}p "$tmp/json3" > "$tmp/json"
	all_of "interval $n" "$tmp/json"
done

ctrace why before --duration 2 --json > "$tmp/json" 2> "$tmp/err"
same "why names the cause" neighbour "$(jq -r '.rows[0].cause' "$tmp/json")"
same "nearly nothing of it is untold" true "$(jq '.rows[0] | .untold < .time / 10' "$tmp/json")"
note "$(jq -r '.rows[0].verdict' "$tmp/json")"
has "and the culprit" 'hog had it for' <(jq -r '.rows[0].verdict' "$tmp/json")

ctrace record -o "$tmp/t" -e views --duration 2 before 2> "$tmp/err"
ctrace why before --input "$tmp/t" --json > "$tmp/json" 2> "$tmp/err"
same "of a recording, too" neighbour "$(jq -r '.rows[0].cause' "$tmp/json")"
ctrace blame before --input "$tmp/t" --json > "$tmp/json" 2> "$tmp/err"
check "blame of a recording: $(by "$tmp/json") ms" test "$(by "$tmp/json")" -ge 1700 -a "$(by "$tmp/json")" -le 2100

# --- a wait that begins within the look -------------------------------------------------------

ctrace blame within --duration 3 --json > "$tmp/json" 2> "$tmp/err" &
blame=$!
wait_for 20 sh -c 'ctrace status --json | jq -e ".sessions[0].recording"'
touch "$tmp/go"
wait $blame
note "$(jq -c '.rows' "$tmp/json")"
check "a wait within the look: because of the hog for $(by "$tmp/json") ms" test "$(by "$tmp/json")" -ge 1500 -a "$(by "$tmp/json")" -le 3050
kill -9 "$hog"
