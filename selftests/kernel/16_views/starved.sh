#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: blame and why of a container that gets no CPU at all: its waits began before the look or within it, and do not end; the culprit is named, live, by interval and of a recording
# witness: /proc/PID/schedstat: the victims do not run, the hog runs all the time; the length of the look
# requires: v2,v1,torture
# timeout: 120
# processors: the second one is the place where containers wait
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../starve.sh
. "$here/starve.sh"

# `before` waits when the look begins, `within` from its beginning on
docker_box before "taskset -p 2 \$\$ > /dev/null; $spin"
before=$pid
share 1 2
docker_box within "while [ ! -e $tmp/go ]; do sleep 0.05; done; taskset -p 2 \$\$ > /dev/null; $spin"
share 1 2
hog
wait_for 20 starved "$before" || skip "the hog does not get a whole CPU here"

# most: ms that a wait in $tmp/json can have, which is as long as the look was, or a little longer
most() { jq '.duration * 1.05 / 1e6 + 150 | floor' "$tmp/json"; }
# all_of WHAT FILE: the wait is as long as the look, and the hog's, but for the few ms in which all begins. Waits are cut a moment
# before the look at the tables ends.
all_of() {
	local long
	long=$(jq '.duration / 1e6 | floor' "$2")
	check "$1: waited $(waited "$2") of $long ms" test "$(waited "$2")" -ge $((long * 8 / 10)) -a "$(waited "$2")" -le $((long * 105 / 100 + 150))
	check "$1: because of the hog for $(by "$2") ms" test "$(by "$2")" -ge $(($(waited "$2") * 9 / 10))
}

a=$(ran "$before") h=$(ran "$hog")
ctrace blame before --duration 2 --json > "$tmp/json" 2> "$tmp/err"
check "the victim has hardly run: $(($(ran "$before") - a)) ns" test $(($(ran "$before") - a)) -le 50000000
at_least "the hog has, for ms" 1500 $((($(ran "$hog") - h) / 1000000))
all_of "a wait that began before" "$tmp/json"
ctrace blame before --by reason --duration 1 --json > "$tmp/json" 2> "$tmp/err"
same "its reason is not known" BEFORE "$(jq -r '.rows | max_by(.waited) | .by' "$tmp/json")"

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
has "and the culprit" 'neighbour hog had the CPU for|, hog for ' <(jq -r '.rows[0].verdict' "$tmp/json")

ctrace record --force -o "$tmp/t" -e views --duration 2 before 2> "$tmp/err"
ctrace why before --input "$tmp/t" --json > "$tmp/json" 2> "$tmp/err"
same "of a recording, too" neighbour "$(jq -r '.rows[0].cause' "$tmp/json")"
ctrace blame before --input "$tmp/t" --json > "$tmp/json" 2> "$tmp/err"
check "blame of a recording: $(by "$tmp/json") ms" test "$(by "$tmp/json")" -ge 1700 -a "$(by "$tmp/json")" -le "$(most)"

# --- a wait that begins within the look -------------------------------------------------------

ctrace blame within --duration 3 --json > "$tmp/json" 2> "$tmp/err" &
blame=$!
wait_for 20 sh -c 'ctrace status --json | jq -e ".sessions[0].recording"'
touch "$tmp/go"
wait $blame
note "$(jq -c '.rows' "$tmp/json")"
check "a wait within the look: because of the hog for $(by "$tmp/json") ms" test "$(by "$tmp/json")" -ge 1500 -a "$(by "$tmp/json")" -le "$(most)"
kill -9 "$hog"
