#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: views: intervals add up, Ctrl-C prints what was counted, --json parses, --explain, names of ended containers
# witness: strace -c, the kernel's own trace, dd's blocks, /proc/PID/schedstat
# requires: any
# timeout: 120
# shellcheck disable=SC2016 # awk's own dollars
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
sum() { jq -s '[.[].rows[].values.count] | add // 0' "$1"; }
# intervals: all that a container does is in one of them
cheap storm -n storm -- sh -c 'sleep 1; exec counted 5 20000 2'
ctrace count syscalls all --interval 1 --count 3 --json -v > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
same "an object for each interval" 3 "$(wc -l < "$tmp/json")"
same "intervals add up to the account" "$(sed -nE 's/^ctrace: ([0-9]+) events counted.*/\1/p' "$tmp/err")" "$(sum "$tmp/json")"
same "each has its own account" 'true true true' "$(jq -r '.account.events == ([.rows[].values.count] | add // 0) and .duration > 5e8 and
	.duration < 5e9' "$tmp/json" | xargs)"

# Ctrl-C
ctrace count sched_switch all --verbose > "$tmp/out" 2> "$tmp/err" &
wait_for 10 recording 1
ctrace status > "$tmp/status"
has "the aggregate in the list of probes" 'sched_switch +count\(\)' "$tmp/status"
has "memory of tables" 'TABLES' "$tmp/status"
sleep 0.5
kill -INT $!
wait $!
same "status after Ctrl-C" 0 $?
has "what was counted" '^host +[0-9]+$' "$tmp/out"
has "the account" 'events counted' "$tmp/err"

ctrace count sched_switch --by comm --explain > "$tmp/out" 2> "$tmp/err"
same "status of --explain" 0 $?
has "the probe" '^probe +sched_switch' "$tmp/out"
has "the aggregate" '^aggregate +count\(\) by comm' "$tmp/out"
has "the table" '^table +1024 rows on each of [0-9]+ CPUs' "$tmp/out"
same "no session was made" 0 "$(ctrace status --json | jq '.sessions | length')"

# A field that an event lacks is no 0: of pointed's seven bind(), three have a port. A filter says "no" there, too.
functions='count(), sum(addr.port), min(addr.port), avg(addr.port), hist(addr.port)'
bound() { jq -c ".rows[0] | [.values.\"min(addr.port)\", .values.\"avg(addr.port)\".sum, .values.\"avg(addr.port)\".count] | map(tostring) | join(\" \")" "$tmp/$1"; }
ctrace agg --json -e "bind if addr.family == 2 => $functions" -- pointed > "$tmp/inet" 2> "$tmp/err"
ctrace agg --json -e "bind => $functions" -- pointed > "$tmp/all" 2> "$tmp/err"
ctrace record -o "$tmp/bound" -e bind -- pointed > "$tmp/out" 2> "$tmp/err"
ctrace agg --json --input "$tmp/bound" -e "bind => $functions" > "$tmp/recorded" 2> "$tmp/err"
note "$(jq -c '.rows[0] | del(.values."hist(addr.port)")' "$tmp/all")"
at_least "events without a port are counted" $(($(jq '.rows[0].values.count' "$tmp/inet") + 4)) "$(jq '.rows[0].values.count' "$tmp/all")"
same "but are no 0 in min() and avg()" "$(bound inet)" "$(bound all)"
same "nor of a recording" "$(bound inet)" "$(bound recorded)"
ctrace agg -e 'bind if addr.family == 1 => count(), min(addr.port), avg(addr.port)' -- pointed > "$tmp/out" 2> "$tmp/err"
has "none at all: no number" '^host +[0-9]+ +- +-$' "$tmp/out"

# a container that ends meanwhile
ctrace count sched_process_exit all --duration 3 > "$tmp/out" 2> "$tmp/err" &
wait_for 10 recording 1
ctbox -n ended -- true > "$tmp/box" 2>&1
wait $!
has "a container that has ended" '\(gone\) +[0-9]+$' "$tmp/out"

ctrace count syscalls --top 3 --sort -count -- ls / > "$tmp/out" 2> "$tmp/err"
same "--top 3, and the heading" 4 "$(grep -cE '^(EVENT .*|[a-z_0-9]+ +host .*)[A-Z0-9]$' "$tmp/out")"
check "the smallest first" awk '$2 == "host" {if ($NF < last) exit 1; last = $NF; n++} END {exit n != 3}' "$tmp/out"
ctrace count sched_switch -- sh -c 'exit 42' > "$tmp/out" 2> "$tmp/err"
same "the command's status" 42 $?
for command in count hist agg stackcount stats runqlat; do
	ctrace help $command > "$tmp/help"
	has "help of $command" "^Usage: ctrace $command" "$tmp/help"
	refuse "$command: an unknown option" 'unknown option' ctrace $command --no-such
done
refuse "no event" 'nothing to count' ctrace count
refuse "no such event" "no event or system call 'opennat'.*did you mean" ctrace count opennat
refuse "--count alone" 'add --interval' ctrace count read --count 3
refuse "no such target" 'no container' ctrace stats nobody-of-that-name
refuse "agg without =>" '=> count' ctrace agg -e read
refuse "a key that is none" 'nonsense' ctrace count read --by nonsense --duration 1
refuse "too many keys" . ctrace count read --by comm,tid,pid,uid,gid,cpu,vtid --duration 1
check "an error as JSON" sh -c 'ctrace count --json | jq -e .error'
