#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the stack of a sleep has the program's frames, too: the sleeper's, in tables, records and recordings
# witness: frames prints its return addresses, and times its sleeps itself; it has functions of known names
# columns: offcpu: ustack
# requires: any,torture
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events 2> /dev/null | grep -q '^sched_block ' || skip "no sched_block here"
command -v jq > /dev/null || skip "no jq to read JSON"

evdump -e sched_block -u -- frames sleep 3 20 > "$tmp/ev" 2> "$tmp/err"
ip=$(sed -n 's/^ip=\(.*\) ret=.*/\1/p' "$tmp/ev") ret=$(sed -n 's/^ip=.* ret=\(.*\) slept=.*/\1/p' "$tmp/ev")
has "the program's own word" '^ip=0x[0-9a-f]+ ret=0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+ slept=[0-9]+$' "$tmp/ev"
same "a record's stack is just that, at each sleep" 3 "$(grep -cE "user_stack cid=0 .*callstack=$ip,$ret(,|\$)" "$tmp/ev")"

# waited FILE: what the programs timed themselves, ns
waited() { sed -n 's/^ip=.* slept=\([0-9]*\)$/\1/p' "$1" | awk '{n += $1} END {printf "%.0f\n", n}'; }
# near EXPECTED SEEN: the program's clock runs on while it waits for a CPU, so it sees more
near() { [ "$2" -gt $(($1 * 8 / 10)) ] && [ "$2" -le $(($1 * 1005 / 1000)) ]; }
# rows FILE FILTER: of rows whose program slept in c(), which b() called, which a() called
rows() {
	grep '^{' "$1" | jq -s "[.[].rows[] | select(([.ustack[] | sub(\"[+ ].*\"; \"\")] | .[0:3]) == [\"c\", \"b\", \"a\"])] | $2"
}
ctrace offcpu all --by comm --stack --json -- sh -c 'frames sleep 10 20 & frames sleep 10 20; wait' > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
note "$(cat "$tmp/err")"
same "two processes of one program are one row" 1 "$(rows "$tmp/out" length)"
same "named" "comm = frames" "$(rows "$tmp/out" '.[0].by' | tr -d '"')"
same "all their sleeps" 20 "$(rows "$tmp/out" '.[0].count')"
t=$(rows "$tmp/out" '.[0].total // 0')
check "asleep there: $t of $(waited "$tmp/out") ns" near "$(waited "$tmp/out")" "$t"
same "with the kernel's frames beside" true "$(rows "$tmp/out" '.[0].stack | any(test("sys_nanosleep"; "i"))')"
same "and nobody else has them" 0 "$(rows "$tmp/out" '[.[] | select(.by != "comm = frames")] | length')"
same "kernel threads have none" "[]" "$(grep '^{' "$tmp/out" | jq -sc '[.[].rows[] | select(.by // "" | test("rcu|kworker|ksoftirqd")) | .ustack[]] | unique')"
same "rows add up to the account" "$(grep '^{' "$tmp/out" | jq -s '[.[].account.events] | add')" "$(grep '^{' "$tmp/out" | jq -s '[.[].rows[].count] | add')"

# With --by pid each process has its own: the same key is not added a second time.
ctrace offcpu all --by comm,pid --stack --json -- sh -c 'frames sleep 5 20 & frames sleep 5 20; wait' > "$tmp/out" 2> "$tmp/err"
same "by process: two rows" 2 "$(rows "$tmp/out" length)"
same "of five sleeps each" "[5,5]" "$(rows "$tmp/out" '[.[].count]' | jq -c .)"

# Code without a name has another address in each process.
ctrace offcpu all --folded "$tmp/folded" -- sh -c 'frames sleep 5 20 made & frames sleep 5 20 made; wait' > "$tmp/out" 2> "$tmp/err"
note "$(grep ';frames;' "$tmp/folded")"
same "folded: container, program, its frames, the kernel's" 1 "$(grep -cE '^[^;]+;frames;(.*;)?naps;\(unknown\);a;b;c;.*[sS]_nanosleep.* [0-9]+$' "$tmp/folded")"
t=$(sed -nE 's/^[^;]+;frames;.*;a;b;c;.* ([0-9]+)$/\1/p' "$tmp/folded" | awk '{n += $1} END {printf "%.0f\n", n * 1000}')
check "microseconds: $t of $(waited "$tmp/out") ns" near "$(waited "$tmp/out")" "$t"
same "no line is there twice" "" "$(sed 's/ [0-9]*$//' "$tmp/folded" | sort | uniq -d)"
ctrace flame --off-cpu all --folded -o "$tmp/flame" -- frames sleep 5 20 > "$tmp/out" 2> "$tmp/err"
has "flame --off-cpu has them" '^[^;]+;frames;(.*;)?a;b;c;.*[sS]_nanosleep' "$tmp/flame"

ctrace offcpu host --stack --duration 2 > "$tmp/out" 2> "$tmp/err" & tracing=$!
wait_for 10 recording 1
frames sleep 10 20 > "$tmp/frames"
wait $tracing
has "text: the program's after the kernel's" '^  c\+0x[0-9a-f]+ \[frames\]$' "$tmp/out"
same "the kernel's come first" "entry" "$(grep -B1 '^  c+0x' "$tmp/out" | head -n 1 | sed -nE 's/^  (entry|el0|ret_fast|do_syscall|__do_sys|__sys).*/entry/p')"

# of a recording: both, or the one that it has
for which in both kernel user; do
	ctrace record -o "$tmp/$which" -e sched_block --stack=$which -- frames sleep 5 20 > "$tmp/out" 2> "$tmp/err"
	ctrace offcpu --by comm --stack --json --input "$tmp/$which" > "$tmp/$which.json" 2> "$tmp/$which.err"
	same "--stack=$which, and read: status" 0 $?
done
same "both: five sleeps there" 5 "$(rows "$tmp/both.json" '.[0].count')"
same "in nanosleep" true "$(rows "$tmp/both.json" '.[0].stack | any(test("sys_nanosleep"; "i"))')"
same "the program's alone: the same" 5 "$(rows "$tmp/user.json" '[.[] | select(.stack == [])] | .[0].count')"
at_least "the kernel's alone" 5 "$(jq '[.rows[] | select(.stack | any(test("sys_nanosleep"; "i"))) | .count] | add' "$tmp/kernel.json")"
same "and no frame of a program" 0 "$(jq '[.rows[].ustack[]] | length' "$tmp/kernel.json")"
