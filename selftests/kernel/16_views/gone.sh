#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: threads and containers that come and go while views look are in their rows, with their names
# witness: tasks with names of their own in a container of which nothing is left at the end
# requires: any
# timeout: 90
# processors: one is left to those that watch
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
mount=$(cgroup_mount)
docker_box victim "exec taskset 1 sh -c 'while :; do :; done'"
views=''
view() {
	ctrace "${@:2}" --json --duration 60 > "$tmp/$1" 2> "$tmp/$1.err" &
	views="$views $!"
}
view blame blame all
view offcpu offcpu all --by tid
view stats stats all --by comm
view why why victim
recording() { [ "$(ctrace status | grep -c recording)" = "$1" ]; }
wait_for 30 recording 4 || give_up "four views: $(cat "$tmp"/*.err)"

# Five tasks, one after the other, which sleep, then want the victim's CPU. Each has a name and a number of its own. Then nothing
# is left of the container: no task, no cgroup, not the file that named it.
docker_box passing "for i in 1 2 3 4 5; do
	taskset 1 sh -c 'printf passer\$0 > /proc/self/comm; sleep 0.05; n=0; while [ \$n -lt 10000 ]; do n=\$((n + 1)); done; :' \$i
done"
cid=$(of_pid "$pid" cid)
wait_for 50 sh -c "! [ -e /proc/$pid ]" || give_up "it does not end"
rm -rf "/var/lib/docker/containers/$docker_id"
wait_for 10 sh -c "! [ -e $mount/docker/$docker_id ] || rmdir $mount/docker/$docker_id" || note "its cgroup stays"
sleep 1
# shellcheck disable=SC2086 # words
kill -INT $views
for p in $views; do
	wait "$p" || not_ok "a view: status $?"
done

for name in blame offcpu stats; do
	same "$name: its rows have its name, and that it has gone" "passing true" \
		"$(jq -r "[.rows[] | select(.cid == $cid) | \"\\(.container) \\(.gone)\"] | unique[]" "$tmp/$name")"
done
note "$(jq -c ".rows[] | select(.cid == $cid or .container == \"victim\")" "$tmp/blame")"
has "blame: a culprit that has gone" '^passing neighbour passer[1-5]$' \
	<(jq -r '.rows[] | select(.container == "victim") | .culprits[] | select(.culprit == "neighbour") | "\(.container) \(.culprit) \(.comm)"' "$tmp/blame")
same "and as a victim" "victim" \
	"$(jq -r ".rows[] | select(.cid == $cid) | .culprits | map(select(.culprit == \"neighbour\")) | max_by(.waited) | .container" "$tmp/blame")"
# each of the five slept, and their shell, waiting for them, and so did the sleep(1) of each
at_least "offcpu: a row for each thread that has ended" 11 "$(jq "[.rows[] | select(.cid == $cid) | .by] | unique | length" "$tmp/offcpu")"
note "$(jq -c "[.rows[] | select(.cid == $cid) | [.by, .name, .count]]" "$tmp/offcpu")"
same "stats: the names of all five" "passer1 passer2 passer3 passer4 passer5" \
	"$(jq -r "[.rows[] | select(.cid == $cid) | tostring | scan(\"passer[0-9]\")] | unique | join(\" \")" "$tmp/stats")"
note "$(jq -c '.rows[0]' "$tmp/why") $(tail -n 1 "$tmp/why.err")"
has "why: who was to blame and has gone" '^passing passer[1-5]$' \
	<(jq -r '.rows[0].culprits[] | select(.culprit == "neighbour") | "\(.container) \(.comm)"' "$tmp/why")
same "why: the rows add up" true "$(jq '.rows[0] | (.spent | add) == .time' "$tmp/why")"
# a container's own threads come and go while why looks
docker_box busy "while :; do taskset 1 sh -c 'n=0; while [ \$n -lt 3000 ]; do n=\$((n + 1)); done; sleep 0.02; :'; done"
ctrace why busy --json --duration 3 > "$tmp/why" 2> "$tmp/why.err"
same "why: status" 0 $?
note "$(jq -c '.rows[0] | del(.culprits)' "$tmp/why")"
at_least "why: threads that ended are counted" 5 "$(jq '.rows[0].threads' "$tmp/why")"
check "and their time: two to three threads at a time" jq -e '.rows[0] | .time > 1.8 * .duration and .time < 3.2 * .duration' "$tmp/why"
same "the rows add up" true "$(jq '.rows[0] | (.spent | add) == .time' "$tmp/why")"
