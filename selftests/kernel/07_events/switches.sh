#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: sched_switch and sched_wakeup of two tasks that wake each other on one CPU
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e sched_switch -e sched_wakeup -- provoke pingpong > "$tmp/ev" 2> "$tmp/err"
a=$(sed -n 's/^a=\([0-9]*\) b=.*/\1/p' "$tmp/ev") b=$(sed -n 's/^a=[0-9]* b=//p' "$tmp/ev")
at_least "switches away from a" 40 "$(grep -c "sched_switch .*prev_tid=$a " "$tmp/ev")"
at_least "switches to b" 40 "$(grep -c "sched_switch .*next_tid=$b " "$tmp/ev")"
# The scheduler decides which of the two goes to sleep.
at_least "wake-ups of either, on CPU 0" 40 "$(grep -cE "sched_wakeup cid=0 tid=($a|$b) .* tid=($a|$b) prio=[0-9]+ target_cpu=0 " "$tmp/ev")"
has "names" "prev_comm=\"provoke\" prev_tid=$a " "$tmp/ev"
has "a blocked task's state is not 0" "prev_tid=$a prev_prio=[0-9]+ prev_state=[1-9]" "$tmp/ev"
