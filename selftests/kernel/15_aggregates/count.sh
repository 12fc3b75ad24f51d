#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace count, agg and stackcount against what programs did themselves and against the kernel's own trace
# witness: strace -c, the kernel's own trace, dd's blocks, /proc/PID/schedstat
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
# field VALUE [COMM]: the sum over all rows, or those of that task name
field() { jq -s --arg v "$1" --arg comm "${2:-}" '[.[].rows[] | select($comm == "" or .keys.comm == $comm) | .values[$v]] | add // 0'; }
command -v jq > /dev/null || skip "no jq to read JSON"
# counted's marked calls: 1000 of main, of 3 children and of 2 threads each
ctrace count getpriority,getppid,close,read --json -v -- counted 77 1000 3 2 > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
strace -f -c -o "$tmp/strace" counted 77 1000 3 2 > /dev/null 2>&1
for call in getpriority getppid close read; do
	want=$(awk -v c=$call '$NF == c {print $4}' "$tmp/strace")
	seen=$(jq -s --arg c $call '[.[].rows[] | select(.event == $c) | .values.count] | add // 0' "$tmp/json")
	same "$call as strace -c has it" "${want:-0}" "$seen"
done
has "the account" '^ctrace: [0-9]+ events counted, 0 lost$' "$tmp/err"

tracefs_mount
witness sched/sched_process_fork
ctrace count sched_process_fork --json -- sh -c 'exec cause forks 30 > /dev/null' > "$tmp/json" 2> "$tmp/err"
witnessed "$tmp/w"
at_least "forks that the kernel saw" 30 "$(grep -c sched_process_fork "$tmp/w")"
same "forks" 30 "$(field count < "$tmp/json")"

ctrace agg -e 'write if ret > 0 => count(), sum(ret), min(ret), max(ret), avg(ret) by comm' --json -- \
	dd if=/dev/zero of="$tmp/zero" bs=1000 count=200 > "$tmp/json" 2> "$tmp/err"
at_least "bytes that dd wrote" 200000 "$(field 'sum(ret)' dd < "$tmp/json")"
same "the largest write" 1000 "$(jq '.rows[] | select(.keys.comm == "dd") | .values["max(ret)"]' "$tmp/json")"
ctrace agg -e 'write if ret == 1000 => sum(ret) by comm' -- dd if=/dev/zero of="$tmp/zero" bs=1000 count=200 > "$tmp/out" 2> "$tmp/err"
has "a table of its own, with a count" '^host +dd +200000 +200$' "$tmp/out"

# far fewer rows than keys: nothing is lost but which key it was
ctrace count sched_process_exit --by tid --rows 1 --json -- sh -c 'exec cause forks 300 > /dev/null' > "$tmp/json" 2> "$tmp/err"
same "exits with room for few of them" 301 "$(field count < "$tmp/json")"
check "some of them in (other)" grep -q '"other":true' "$tmp/json"
# unasked, as they have no row of their own
has "how many, is said" '^ctrace: 301 events counted, [0-9.]+% of them in \(other\), 0 lost$' "$tmp/err"

ctrace stackcount sched_process_fork -- sh -c 'exec cause forks 30 > /dev/null' > "$tmp/out" 2> "$tmp/err"
has "a stack of the kernel" '^  .*(copy_process|_do_fork|do_fork|kernel_clone|clone)\+0x' "$tmp/out"
same "stacks add up" 30 "$(awk '/^     count/ {n += $2} END {print n}' "$tmp/out")"
ctrace stackcount sched_process_fork --folded "$tmp/folded" -- sh -c 'exec cause forks 30 > /dev/null' > "$tmp/out" 2> "$tmp/err"
same "folded" 30 "$(awk '{n += $NF} END {print n}' "$tmp/folded")"
has "outermost first" '^host;.*;.*(fork|clone|copy_process) [0-9]+$' "$tmp/folded"
