#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: who holds a lock that a real-time task waits for gets its priority, and its own back: sched_pi_setprio
# witness: the kernel's own trace
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
witness sched/sched_pi_setprio
cheap box -g "/box/$(hex64 pi)" -- /bin/sh -c "while [ ! -e $tmp/go ]; do sleep 0.05; done; exec cause inherit 5"
cid=$(of_pid "$pid" cid)
dump "$tmp/ev" -t "cid:$cid" -e sched_pi_setprio
touch "$tmp/go"
wait_for 20 test ! -d "/proc/$pid"
stop_dump
witnessed "$tmp/w"
n=$(grep -c "sched_pi_setprio: comm=cause pid=$pid " "$tmp/w")
[ "$n" -gt 0 ] || skip "no lock gave its priority on: $(cat "$tmp/box.out")"
note "$(head -n 4 "$tmp/ev")"
same "as many as the witness has" "$n" "$(grep -c " sched_pi_setprio cid=$cid tid=$pid " "$tmp/ev")"
# the kernel's numbers, less 100
same "the priority it gets" 5 "$(grep -c ' comm="cause" .*oldprio=20 newprio=-11$' "$tmp/ev")"
same "and gives back" 5 "$(grep -c ' comm="cause" .*oldprio=-11 newprio=20$' "$tmp/ev")"
