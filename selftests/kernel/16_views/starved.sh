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
# nice levels count between all tasks, and not within sessions alone
auto=/proc/sys/kernel/sched_autogroup_enabled
[ ! -e $auto ] || { later "echo $(cat $auto) > $auto"; echo 0 > $auto; }
# all else on CPU 0, ctrace above all
taskset -p 1 $$ > /dev/null
# share WEIGHT SHARES: of the container's cgroup, where it has a weight
share() {
	local d
	for d in $(cgroup_dirs "/docker/$docker_id"); do
		[ ! -e "$d/cpu.weight" ] || echo "$1" > "$d/cpu.weight"
		[ ! -e "$d/cpu.shares" ] || echo "$2" > "$d/cpu.shares"
	done
}

# `before` waits when the look begins, `within` from its beginning on. They have the least share there is, and get the CPU
# once in a minute; a real-time task in the hog's place would keep the kernel's own threads from it, too.
spin="exec chrt -i 0 sh -c 'while :; do :; done'"
docker_box before "taskset -p 2 \$\$ > /dev/null; $spin"
before=$pid
share 1 2
docker_box within "while [ ! -e $tmp/go ]; do sleep 0.05; done; taskset -p 2 \$\$ > /dev/null; $spin"
share 1 2
docker_box hog "exec taskset 2 nice -n -20 sh -c 'while :; do :; done'"
hog=$pid
share 10000 262144
ran() { cut -d' ' -f1 "/proc/$1/schedstat"; }
# the hog has the CPU when the victim's account does not move any more
starved() { local a; a=$(ran "$before"); sleep 0.5; [ "$(ran "$before")" = "$a" ]; }
wait_for 20 starved || skip "the hog does not get a whole CPU here"

# waited FILE: ms of each row; by: ms by the hog, with the interrupts that came in its time
waited() { jq '[.rows[].waited] | add // 0 | . / 1e6 | floor' "$1"; }
by() { jq '[.rows[].culprits[] | select(.container == "hog" or .culprit == "interrupts") | .waited] | add // 0 | . / 1e6 | floor' "$1"; }
# all_of WHAT FILE: the wait is as long as the look, and the hog's, but for the few ms in which all begins. Waits are cut a moment
# before the look at the tables ends.
all_of() {
	local long
	long=$(jq '.duration / 1e6 | floor' "$2")
	check "$1: waited $(waited "$2") of $long ms" test "$(waited "$2")" -ge $((long * 8 / 10)) -a "$(waited "$2")" -le $((long * 105 / 100 + 150))
	check "$1: because of the hog for $(by "$2") ms" test "$(by "$2")" -ge $(($(waited "$2") * 9 / 10))
}

# starving COMMANDS: once more if the victim had its turn in that time: of a wait that began before the session, and ends in it, what
# came after the last cut is not known
starving() {
	local turns
	for _ in 1 2 3 4; do
		turns=$(cut -d' ' -f3 "/proc/$before/schedstat")
		eval "$1"
		[ "$(cut -d' ' -f3 "/proc/$before/schedstat")" != "$turns" ] || return
		note "the victim had its turn"
	done
}
h=0
# shellcheck disable=SC2016 # for eval
starving 'a=$(ran "$before") h=$(ran "$hog")
	ctrace blame before --duration 2 --json > "$tmp/json" 2> "$tmp/err"'
check "the victim has hardly run: $(($(ran "$before") - a)) ns" test $(($(ran "$before") - a)) -le 50000000
at_least "the hog has, for ms" 1500 $((($(ran "$hog") - h) / 1000000))
all_of "a wait that began before" "$tmp/json"
ctrace blame before --by reason --duration 1 --json > "$tmp/json" 2> "$tmp/err"
same "its reason is not known" '["BEFORE"]' "$(jq -c '[.rows[].by] | unique' "$tmp/json")"

# shellcheck disable=SC2016
starving 'ctrace blame before --interval 1 --count 3 --json > "$tmp/json3" 2> "$tmp/err"'
same "three intervals" 3 "$(wc -l < "$tmp/json3")"
for n in 1 2 3; do
	sed -n ${n}p "$tmp/json3" > "$tmp/json"
	all_of "interval $n" "$tmp/json"
done

# shellcheck disable=SC2016
starving 'ctrace why before --duration 2 --json > "$tmp/json" 2> "$tmp/err"'
same "why names the cause" neighbour "$(jq -r '.rows[0].cause' "$tmp/json")"
same "nearly nothing of it is untold" true "$(jq '.rows[0] | .untold < .time / 10' "$tmp/json")"
note "$(jq -r '.rows[0].verdict' "$tmp/json")"
has "and the culprit" 'hog had it for' <(jq -r '.rows[0].verdict' "$tmp/json")

# shellcheck disable=SC2016
starving 'ctrace record --force -o "$tmp/t" -e views --duration 2 before 2> "$tmp/err"'
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
