#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace offcpu: sleeps by call, by stack and by waker add up to what a program timed itself
# columns: offcpu: CALL WAKER stack COUNT TOTAL P50 P99 MAX hist
# requires: any,torture
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events 2> /dev/null | grep -q '^sched_block ' || skip "no sched_block here"
command -v jq > /dev/null || skip "no jq to read JSON"
# sum FILE FILTER: adds up
sum() { jq -s "[.[].rows[] | $2] | add // 0" "$1"; }
# near PERMILLE EXPECTED SEEN: the program's clock runs on while it waits for a CPU, so it sees more
near() { [ "$3" -gt $(($2 * $1 / 1000)) ] && [ "$3" -le $(($2 * 1005 / 1000)) ]; }

# a container that comes and goes within the time, beside one that sleeps without end
cheap beside -n beside -- sh -c 'while :; do sleep 0.05; done'
other=$(of_pid "$pid" cid)
run() { # OUT ARG...: ctrace offcpu while the program sleeps and waits, 20 times 20 ms each
	local out=$1
	shift
	ctrace offcpu "$@" -- sh -c "ctbox -n waits -- waits sleep 20 20; sleep 1" > "$tmp/$out" 2> "$tmp/$out.err"
	same "$out: status" 0 $?
}
own() { sed -n 's/^slept=\([0-9]*\) waited=\([0-9]*\)$/\1 \2/p' "$tmp/$1"; }
json() { grep '^{' "$tmp/$1" > "$tmp/json"; }

run calls all --by comm --json
json calls
read -r slept waited < <(own calls)
t=$(sum "$tmp/json" 'select(.by == "comm = waits" and .call == "nanosleep") | .total')
check "asleep in nanosleep: $t of $slept ns" near 800 "$slept" "$t"
same "20 times" 20 "$(sum "$tmp/json" 'select(.by == "comm = waits" and .call == "nanosleep") | .count')"
# One of them took no more than all without 19 times 20 ms. The program may be held up on its way to sleep.
nap() { jq -s "[.[].rows[] | select(.by == \"comm = waits\" and .call == \"nanosleep\") | $1][0]" "$tmp/json"; }
most=$((slept - 19 * 19900000))
in_range "the longest" 16000000 $most "$(nap .max)"
in_range "p50" 10600000 $most "$(nap .p50)"
in_range "p99" 10600000 $most "$(nap .p99)"
in_range "in buckets of 16 ms and more" 15 20 "$(nap '[.buckets[] | select(.[1] >= 16000000) | .[2]] | add')"
t=$(sum "$tmp/json" 'select(.by == "comm = waits" and .call == "futex") | .total')
check "in futex, the lock's waiter among others: $t of $waited ns" test "$t" -ge $((waited * 9 / 10))
same "the container is there although it has gone" true "$(jq -s '[.[].rows[] | select(.by == "comm = waits") | .gone] | all' "$tmp/json")"
at_least "the neighbour's sleeps are its own" 5 "$(sum "$tmp/json" "select(.cid == $other) | .count")"
same "rows add up to the account" "$(jq -s '[.[].account.events] | add' "$tmp/json")" "$(sum "$tmp/json" .count)"
same "counts are those of the histograms" true "$(jq -s '[.[].rows[] | .count == ([.buckets[][2]] | add)] | all' "$tmp/json")"

run stacks all --by comm --stack --json
json stacks
read -r slept waited < <(own stacks)
t=$(sum "$tmp/json" 'select(.by == "comm = waits" and ([.stack[] | select(test("sys_nanosleep"; "i"))] | length) > 0) | .total')
# the thread that holds the lock sleeps in clock_nanosleep()
check "stacks of nanosleep: $t of $slept ns" near 800 "$slept" "$t"
same "no stack is a waker's" 0 "$(sum "$tmp/json" 'select(.by == "comm = waits" and ([.stack[] | select(test("hrtimer_interrupt|try_to_wake_up"))] | length) > 0) | .count')"

ctrace offcpu all --folded "$tmp/folded" -- ctbox -n waits -- waits sleep 20 20 > "$tmp/out" 2> "$tmp/err"
read -r slept waited < <(own out)
t=$(awk '/;waits;.*[sS]_nanosleep/ {n += $NF} END {printf "%.0f", n * 1000}' "$tmp/folded")
check "microseconds folded: $t of $slept ns" near 800 "$slept" "$t"

run wakers all --by comm --wakers --json
json wakers
same "who holds the lock wakes: a thread of the container, 20 times or more" true \
	"$(jq -s '([.[].rows[] | select(.by == "comm = waits" and (.waker | endswith("/waits"))) | .count] | add // 0) >= 20' "$tmp/json")"
at_least "and timers, without a task" 20 "$(sum "$tmp/json" 'select(.by == "comm = waits" and .waker == "(interrupt)") | .count')"

ctrace offcpu "cid:$other" --duration 1 --longer 20ms > "$tmp/out" 2> "$tmp/err"
has "a table" '^CONTAINER +CALL +COUNT +TOTAL +P50 +P99 +MAX$' "$tmp/out"
has "what a shell waits in" '^[^ ]+ +wait4 +[0-9]+ +[0-9.]+m?s ' "$tmp/out"
ctrace offcpu "cid:$other" --comm no-such --duration 0.2 > "$tmp/out" 2> "$tmp/err"
same "no events: the heading alone" 1 "$(wc -l < "$tmp/out")"
has "and an account" '^ctrace: 0 events counted' "$tmp/err"
ctrace offcpu --explain > "$tmp/out"
has "--explain" '^probe +sched_block' "$tmp/out"
refuse "two ways to count" 'choose one' ctrace offcpu --wakers --stack
refuse "other events" 'sched_block alone' ctrace offcpu -e read
refuse "a column that is none" "no column 'size'" ctrace offcpu --sort size
refuse "--failed" 'leave it out' ctrace offcpu --failed
