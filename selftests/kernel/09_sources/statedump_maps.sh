#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the state dump has the executable mappings of /proc, if the session wants them, and no neighbour's; so an older process that dies has named stacks
# witness: /proc/PID/maps, threads, build-ids; a session that does not want them; an older process that
#	runs only while the recorder stands still, and is killed then, has named functions
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events 2> /dev/null | grep '^process_map ' | grep -vq 'not here' || skip "this kernel does not tell what is mapped"
cheap other -n other -- sleep 1000
cheap box -n box -- /bin/sh -c "sleep 1000 & exec opened $tmp/dir"
wait_for 20 grep -qx ready "$tmp/box.out" || give_up "opened: $(cat "$tmp/box.out")"
cid=$(of_pid "$pid" cid)
pids="$pid $(pgrep -P "$pid" | xargs)"

# shown PID...: what /proc shows: pid, place, offset, inode
shown() {
	local p
	for p; do
		awk -v p="$p" '$2 ~ /x/ && ($5 != 0 || $6 == "[vdso]") {split($1, at, "-"); print p, at[1], at[2], $3, $5}' "/proc/$p/maps"
	done | while read -r p from to offset ino; do echo "$p $((16#$from)) $((16#$to)) $((16#$offset)) $ino"; done | sort
}
dumped_maps() {
	sed -n 's/.* process_map .* pid=\([0-9]*\) parent=0 first=0 .* start=\([^ ]*\) end=\([^ ]*\) offset=\([^ ]*\) ino=\([0-9]*\) .*/\1 \2 \3 \4 \5/p' "$1" |
		while read -r p from to offset ino; do echo "$p $((from)) $((to)) $((offset)) $ino"; done | sort
}

dump "$tmp/ev" -S -t "cid:$cid" -e process_map
wait_for 10 lines 1 statedump_end "$tmp/ev"
stop_dump
# shellcheck disable=SC2086 # words
shown $pids > "$tmp/shown"
dumped_maps "$tmp/ev" > "$tmp/dumped"
at_least "mappings to compare" 4 "$(wc -l < "$tmp/shown")"
check "the dump has /proc's" diff "$tmp/shown" "$tmp/dumped"
id=$(readelf -n "$(command -v opened)" 2> /dev/null | sed -n 's/ *Build ID: //p')
has "with build-ids and names" "process_map .* ino=$(stat -c %i "$(command -v opened)") build_id=\"${id:-[0-9a-f]*}\" filename=\".*/opened\"" "$tmp/ev"
# a thread has its process's
for t in "/proc/$pid/task"/*; do
	t=${t##*/}
	[ "$t" = "$pid" ] || has "thread $t" "process_map cid=$cid tid=$t .* pid=$pid parent=$pid .*filename=\"\"" "$tmp/ev"
done
dump "$tmp/ev" -S -t "cid:$cid" -e call:getppid
wait_for 10 lines 1 statedump_end "$tmp/ev"
stop_dump
has_not "not unless they are wanted" process_map "$tmp/ev"

# An old process runs only while the recorder is stopped, and is killed before the recorder continues.
cheap old -n old -- waits spin 1000
wait_for 20 grep -aq waits "/proc/$pid/cmdline" || give_up "no waits"
kill -STOP "$pid"
ctrace record all -F 99 -o "$tmp/rec" 2> "$tmp/err" & job=$!
later "kill -CONT $job; kill $job"
# shellcheck disable=SC2016 # for the inner shell
wait_for 20 bash -c '[ "$(ctrace status --json | jq "[.sessions[] | select(.recording)] | length")" -ge 1 ]' ||
	give_up "nothing is recorded: $(cat "$tmp/err")"
sleep 1
kill -STOP "$job"
kill -CONT "$pid"
sleep 1
kill -9 "$pid"
wait_for 10 bash -c "! test -e /proc/$pid/maps"
kill -CONT "$job"
sleep 1
kill "$job"
wait "$job"
note "$(tail -n 1 "$tmp/err")"
ctrace flame "$tmp/rec" --folded -o "$tmp/folded" 2> "$tmp/err"
has "an older process that is gone: its functions have names" 'three_parts [0-9]+$' "$tmp/folded"
