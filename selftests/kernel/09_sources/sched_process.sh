#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a task's birth, waits and end, against the kernel's own trace
# witness: the program's own output; tracefs in the same run, each value in order
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
tracefs_mount
# Before 4.3 there is no sched_waking: the kernel's trace has the wake-up once the task is awake.
waking=sched_waking
[ -e "$tracefs/events/sched/$waking" ] || waking=sched_wakeup
witness sched/sched_wakeup_new sched/sched_process_wait sched/sched_process_free "sched/$waking"
evdump -t all -e sched_wakeup_new -e sched_process_wait -e sched_process_free -e "$waking" -- cause forks 20 > "$tmp/ev" 2> "$tmp/err"
witnessed "$tmp/w"
parent=$(sed -n 's/^parent=//p' "$tmp/ev")
sed -n 's/^child=//p' "$tmp/ev" > "$tmp/children"
same "children" 20 "$(wc -l < "$tmp/children")"
of() { sed -nE "s/^[0-9]+ $1 .* tid=([0-9]+) prio=.*/\1/p" "$tmp/ev" | grep -Fxf "$tmp/children" | sort; }
sort "$tmp/children" > "$tmp/sorted"
check "each woken for the first time, once" cmp "$tmp/sorted" <(of sched_wakeup_new)
check "each freed, once" cmp "$tmp/sorted" <(of sched_process_free)
check "each waited for" cmp "$tmp/sorted" <(of sched_process_wait | sort -u)
has_not "the wait is the parent's, by its name" "sched_process_wait cid=0 tid=$parent .* comm=\"(|[^c].*)\"" "$tmp/ev"
sed -nE "s/^[0-9]+ (sched_[a-z_]*) .* (tid=[0-9]+) prio=([0-9-]+).*/\1 \2 \3/p" "$tmp/ev" | grep -E "$waking tid=$parent " > "$tmp/a"
sed -nE "s/.* ($waking): .*pid=([0-9]+) prio=([0-9]+).*/\1 tid=\2 \3/p" "$tmp/w" | awk '{print $1, $2, $3 - 100}' | grep -E "$waking tid=$parent " > "$tmp/b"
tail_agrees "wake-ups of the parent under way" "$tmp/a" "$tmp/b"
# Follow from one pid. In the second round, what follows existed before the event.
for round in first second; do
	evdump -e sched_process_free -- cause forks 3 > "$tmp/ev" 2> "$tmp/err"
	sed -n 's/^child=//p' "$tmp/ev" | sort > "$tmp/sorted"
	sed -nE 's/^[0-9]+ sched_process_free .* comm="cause" tid=([0-9]+) .*/\1/p' "$tmp/ev" | sort > "$tmp/a"
	check "followed tasks are freed, the $round time" cmp "$tmp/sorted" "$tmp/a"
done
