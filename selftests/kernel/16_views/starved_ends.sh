#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a wait for a CPU that began before the look and ends within it: all of it since the look's beginning counts, once, and with its culprit; by interval, of a recording, beside a session that saw it begin, and if the task moves to another CPU
# witness: when the hog was stopped and the look began; the victim's whole wait in /proc/PID/schedstat; the hog has the CPU
# requires: v2,v1,torture
# timeout: 180
# processors: the second one is the place where containers wait
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../starve.sh
. "$here/starve.sh"

docker_box victim "taskset -p 2 \$\$ > /dev/null; $spin"
victim=$pid
share 1 2
hog
now() { date +%s%3N; }
delay() { awk '{printf "%d\n", $2 / 1e6}' "/proc/$victim/schedstat"; }	# ms of waits that have ended
# starve: the victim waits from now on; $delay is what it had waited before
starve() {
	kill -STOP "$hog"
	taskset -p 2 "$victim" > /dev/null
	sleep 0.3
	delay=$(delay)
	kill -CONT "$hog"
	wait_for 20 starved "$victim" || skip "the hog does not get a whole CPU here"
}
turn() { kill -STOP "$hog"; }	# it gets the CPU
move() { taskset -p 1 "$victim" > /dev/null; }
# look END SESSIONS COMMAND...: the command looks while the wait ends, as one session more. From $least to $most ms of it lie within
# the look
look() {
	local end=$1 sessions=$2 first began
	shift 2
	first=$(now)
	"$@" > "$tmp/json" 2> "$tmp/err" &
	wait_for 20 recording "$sessions" || give_up "no session: $(cat "$tmp/err")"
	began=$(now)
	sleep 1.5
	least=$(($(now) - began))
	"$end"
	most=$(($(now) - first))
	wait $!
}
# counted WHAT: it is all there, once; the rest of the look has no wait of more than a few ms
counted() {
	note "$(jq -c '.rows' "$tmp/json")"
	in_range "$1: of $least to $most ms within the look, ms" $((least - 50)) $((most + 100)) "$(waited "$tmp/json")"
	at_least "because of the hog, ms" $((least * 95 / 100 - 50)) "$(by "$tmp/json")"
}

starve
look turn 1 ctrace blame victim --duration 4 --json
counted "a wait that ends"
at_least "the kernel's account has it, with what came before, ms" "$(waited "$tmp/json")" $(($(delay) - delay + 50))

starve
look turn 1 ctrace blame victim --interval 1 --count 4 --json
same "four intervals, none with more than its time" 4 \
	"$(jq -c 'select(([.rows[].waited] | add // 0) <= .duration * 1.05 + 150e6)' "$tmp/json" | wc -l)"
counted "in intervals"

starve
look turn 1 ctrace why victim --duration 4 --json
note "$(jq -r '.rows[0].verdict' "$tmp/json")"
in_range "why: of $least to $most ms" $((least - 50)) $((most + 100)) "$(jq '.rows[0].spent.waited / 1e6 | floor' "$tmp/json")"
same "nearly nothing of it is untold" true "$(jq '.rows[0] | .untold < .time / 20' "$tmp/json")"

starve
look turn 1 ctrace record --force -o "$tmp/t" -e views --duration 4 victim
ctrace blame victim --input "$tmp/t" --json > "$tmp/json" 2> "$tmp/err"
counted "of a recording"

# --- beside a session that saw the wait begin ---------------------------------------------------

kill -STOP "$hog"
ctrace blame victim --duration 60 --json > "$tmp/all" 2> "$tmp/err" &
all=$!
later "kill $all"
wait_for 20 recording 1
starve
look turn 2 ctrace blame victim --interval 1 --count 4 --json
counted "beside another session"
kill -INT $all
wait $all
in_range "which has the whole wait, ms" $(($(delay) - delay - 100)) $(($(delay) - delay + 150)) "$(waited "$tmp/all")"

# --- the task moves to the other CPU ---------------------------------------------------------------

starve
look move 1 ctrace blame victim --interval 1 --count 4 --json
note "$(jq -c '.rows' "$tmp/json")"
in_range "a wait that moves: because of the hog for $least to $most ms" $((least * 95 / 100 - 50)) $((most + 100)) "$(by "$tmp/json")"
kill -9 "$hog"
