#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: trace --dump-on-exit prints nothing until its target has ended, then the last events, each with its task's name
# witness: a container that numbers its calls, so the last of them is known, and exits with 3; Ctrl-C; a cgroup as target
# requires: any
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# numbers FILE: the numbers in its calls of getpriority(), as they come
numbers() { sed -nE 's/.* getpriority\([^,]*, ([0-9]+)\).*/\1/p' "$1"; }

note "a container that makes more calls than there is room for, and ends"
# its calls have the numbers 1000, 1001, ...
cheap web -n web -g "/docker/$(hex64 web)" -- /bin/sh -c "while [ ! -e $tmp/go ]; do sleep 0.1; done; for i in \$(seq 1000 1399); do counted \$i 20; done; exit 3"
web=$(of_pid "$pid" cid)
ctrace trace --dump-on-exit "cid:$web" -e getpriority,sched_process_exec,sched_process_exit --buffer-size 256K > "$tmp/out" 2> "$tmp/err" &
job=$!
later "kill -9 $job"
wait_for 20 recording 1 ctrace || give_up "it does not record: $(cat "$tmp/err")"
touch "$tmp/go"
wait_for 60 bash -c "[ ! -d /proc/$pid ]"
wait "$job"
same "its status" 0 $?
has "it says what ended it" 'all targets have ended' "$tmp/err"
numbers "$tmp/out" > "$tmp/numbers"
same "the last call is the container's last" 1399 "$(tail -n 1 "$tmp/numbers")"
at_least "calls before it" 200 "$(wc -l < "$tmp/numbers")"
same "they are the last ones, in their order" "$(sort -n "$tmp/numbers" | cksum)" "$(cksum < "$tmp/numbers")"
check "older ones are not there" test "$(head -n 1 "$tmp/numbers")" -gt 1000
has "and are counted" ', [0-9]+ older ones overwritten, 0 lost' "$tmp/err"
has "its end is there" 'sched_process_exit' "$tmp/out"
has_not "no call is of a task without a name" '^[0-9:.]+ [^ ]+ +[0-9]+ +\[vtid [0-9]+\] getpriority' "$tmp/out"
has "a name is the program's" ' counted/[0-9]+ +\[vtid [0-9]+\] getpriority' "$tmp/out"

note "Ctrl-C, and a cgroup"
cheap db -n db -g "/docker/$(hex64 db)" -- /bin/sh -c 'while :; do counted 77 1; sleep 0.1; done'
cg=$(of_pid "$pid" path)
setsid bash -c 'trap - INT; exec ctrace "$@"' - trace --dump-on-exit "cgroup:$cg" -e getpriority > "$tmp/out" 2> "$tmp/err" & job=$!
later "kill -9 $job"
wait_for 20 recording 1 ctrace || give_up "it does not record: $(cat "$tmp/err")"
# what another reader sees of the same container is in its rings as well
ctrace trace "cgroup:$cg" -e getpriority --duration 2 > "$tmp/beside" 2> /dev/null
same "nothing is printed while it runs" 0 "$(stat -c %s "$tmp/out")"
kill -INT "$job"
wait "$job"
same "its status after Ctrl-C" 0 $?
at_least "calls in the dump, beside what a reader saw" "$(grep -c getpriority "$tmp/beside")" "$(grep -c getpriority "$tmp/out")"
at_least "which were some" 2 "$(grep -c getpriority "$tmp/beside")"
has "nothing was overwritten or lost" 'from 1 container, 0 lost' "$tmp/err"

ctrace trace --dump-on-exit -e getpriority -- counted 55 7 > "$tmp/out" 2> "$tmp/err"
same "of a command" 7 "$(grep -cE 'getpriority\([^,]*, 55\)' "$tmp/out")"
refuse "not with --follow" 'leave one out' ctrace trace --dump-on-exit --follow 'x*' --duration 0.1
