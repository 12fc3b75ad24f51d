#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: sched_wait, sched_run and sched_block, one by one, against the kernel's own switches and wake-ups
# witness: switches and wake-ups in tracefs, each span in order, durations to 0.2 ms
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
witness sched/sched_switch sched/sched_wakeup sched/sched_wakeup_new
evdump -v -e sched_wait -e sched_run -e sched_block -- spans life 60 > "$tmp/ev" 2> "$tmp/err"
witnessed "$tmp/w"
pid=$(sed -n 's/^worker=//p' "$tmp/ev")

# Each becomes "KIND REASON NANOSECONDS", from the worker's birth to its end.
sed -nE "s/^[0-9]+ sched_(wait|run|block) cid=0 tid=$pid vtid=$pid duration=([0-9]+)( reason=([0-9]+))?.*/\1 \4 \2/p" "$tmp/ev" |
	sed 's/  / - /' > "$tmp/a"
# (before 3.14 the last state of a task has another letter)
sed -nE "s/^([0-9]+) .* sched_switch: .*prev_pid=([0-9]+) .*prev_state=([^ ]+) ==> .*next_pid=([0-9]+) .*/\1 switch \2 \3 \4/p
	s/^([0-9]+) .* sched_wakeup(_new)?: .* pid=([0-9]+) .*/\1 wakeup \3/p" "$tmp/w" | awk -v p="$pid" '
	$2 == "wakeup" && $3 == p && in_ != "wait" && in_ != "run" {
		if (in_ == "block") print "block", "-", $1 - since
		in_ = "wait"; why = 1; since = $1
	}
	$2 == "switch" && $3 == p && in_ == "run" {
		if ($4 ~ /^R/) {print "run 1", $1 - since; in_ = "wait"; why = 2}
		else if ($4 ~ /[XxZ]/) {print "run 3", $1 - since; exit}
		else {print "run 2", $1 - since; in_ = "block"}
		since = $1
	}
	$2 == "switch" && $5 == p && in_ == "wait" {print "wait", why, $1 - since; in_ = "run"; since = $1}' > "$tmp/b"
same "as many" "$(wc -l < "$tmp/b")" "$(wc -l < "$tmp/a")"
# The witness does not say which switches are the worker's own doing (16_views/culprits does). How many of its yields give the
# CPU away depends on what else can run.
note "waits after sched_yield(): $(grep -c '^wait 4 ' "$tmp/a")"
cut -d' ' -f1,2 "$tmp/a" | sed 's/^wait 4$/wait 2/' > "$tmp/a2"
cut -d' ' -f1,2 "$tmp/b" > "$tmp/b2"
tail_agrees "which, and why" "$tmp/a2" "$tmp/b2"
note "$(sort "$tmp/a2" | uniq -c | tr '\n' ',')"
for k in "wait 1" "wait 2" "run 1" "run 2" "block -"; do
	at_least "some of '$k'" 20 "$(grep -c "^$k" "$tmp/a2")"
done
same "one end" 1 "$(grep -c '^run 3' "$tmp/a2")"
# The two probes of one event run one after the other. A busy machine stands still between them now and then: one in fifty
# was seen.
paste -d' ' "$tmp/a" "$tmp/b" | awk '{d = $3 - $6; if (d < 0) d = -d; if (d > 200000) far++; n++} END {print far + 0, n}' > "$tmp/far"
read -r far n < "$tmp/far"
at_least "durations agree to 0.2 ms ($far of $n do not)" $((n * 9 / 10)) $((n - far))
same "the worker waits on CPU 0 alone" 0 "$(sed -nE "s/.* sched_wait .* tid=$pid .* wait_cpu=([0-9]+) .*/\1/p" "$tmp/ev" | sort -u | paste -sd,)"
has_not "no idle task has spans" ' sched_(wait|run|block) cid=0 tid=0 ' "$tmp/ev"
has "none unfollowed" ' unfollowed 0( |$)' "$tmp/err"
