#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the recorder of userspace/examples writes traces that babeltrace2 reads, also if it is killed
# witness: babeltrace2; directories that are bad or full, files that may not grow, few descriptors; its
#	own count; kill -9
# requires: babeltrace2
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

record=$top/userspace/build/examples/record
[ -x "$record" ] || give_up "the example was not built"
check "under 100 lines" test "$(wc -l < "$top/userspace/examples/record.c")" -lt 100
load
cheap box -g "/box/$(hex64 example)" -- /bin/sh -c 'while :; do counted 77 5; cat /etc/passwd > /dev/null; sleep 0.2; done'
cid=$(of_pid "$pid" cid)

"$record" "$tmp/t" 2 "$cid" > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
note "$(tail -n 2 "$tmp/err")"
babeltrace2 "$tmp/t" > "$tmp/text" 2> "$tmp/text.err"
same "babeltrace2: status" 0 $?
same "no complaint" "" "$(grep -iE 'error|warn' "$tmp/text.err" | head -n 3)"
at_least "babeltrace2: events" 20 "$(wc -l < "$tmp/text")"
same "as many as it counted" "$(sed -nE 's/^([0-9]+) records, .*/\1/p' "$tmp/err")" "$(wc -l < "$tmp/text")"
has "none was lost" ', 0 lost$' "$tmp/err"
has "the marked call" 'syscall_entry_getpriority: .*who = 77' "$tmp/text"
has "a path" 'syscall_entry_openat: .*filename = "/etc/passwd"' "$tmp/text"
has "task switches" 'sched_switch' "$tmp/text"
same "and nobody else's" "$cid" "$(grep -o ' cid = [0-9]*' "$tmp/text" | sort -u | tr -dc '0-9\n')"
refuse "report: not one of its own" 'not from' ctrace report "$tmp/t"
refuse "a directory with something in it" 'not empty' "$record" "$tmp/t" 1 "$cid"
refuse "a directory that cannot be made" 'cannot make' "$record" "$tmp/none/t" 1 "$cid"
refuse "no such container" . "$record" "$tmp/t2" 1 999999
check "nothing is left of that" test ! -e "$tmp/t2"

timeout -s INT 2 "$record" "$tmp/all" 60 all > "$tmp/out" 2> "$tmp/err"
st=$?
check "it ends on Ctrl-C (status $st)" test $st = 0 -o $st = 124 -o $st = 130
has "with its account" '^[0-9]+ records, ' "$tmp/err"
check "babeltrace2 reads it" babeltrace2 -o dummy "$tmp/all"

"$record" "$tmp/killed" 60 all 2> "$tmp/err" & job=$!
wait_for 20 bash -c "compgen -G '$tmp/killed/*_*'" || note "$(cat "$tmp/err")"
sleep 0.5
kill -9 $job
wait $job 2> /dev/null
check "killed: babeltrace2 reads what is there" babeltrace2 -o dummy "$tmp/killed"
