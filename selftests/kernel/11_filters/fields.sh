#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: filters on fields keep exactly the events they describe: numbers, strings, globs, fields after a string
# witness: an unfiltered recorder beside it, and awk to compare; a known number of marked calls by known
#	users
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
for name in alpha beta; do cp "$(command -v provoke)" "$tmp/$name"; done
# All recorders see the same events.
recorder all -t host -e sched_switch -e sched_process_exec -e sched_process_exit
recorder glob -t host -e sched_switch -f 'prev_comm ~ "al[a-p]h?" && prev_prio >= 25' \
	-e sched_process_exec -f 'filename ~ "*/alpha" && old_tid > 0'
recorder rest -t host -e sched_switch -f '!(prev_comm ~ "alp*" && !(prev_prio < 25)) && (prev_comm == "alpha" || prev_comm == "beta")' \
	-e sched_process_exit -f 'comm == "sh" && exit_code & 0x300'
nice -n 5 "$tmp/alpha" pingpong > /dev/null
"$tmp/alpha" pingpong > /dev/null
nice -n 5 "$tmp/beta" pingpong > /dev/null
for status in 0 1 2 4; do sh -c "exit $status"; done
for pid in $recorders; do kill "$pid"; wait "$pid"; done

# awk decides what a filter should have left, given the record of everything.
# lines FILE [CONDITION]: switches away from our programs, without times; pr is prev_prio, cm is prev_comm
lines() {
	awk '/ sched_switch / && /prev_comm="(alpha|beta)"/ { pr = cm = $0
		sub(/.*prev_prio=/, "", pr); sub(/ .*/, "", pr); pr += 0
		sub(/.*prev_comm="/, "", cm); sub(/".*/, "", cm)
		if ('"${2:-1}"') { $1 = ""; print } }' "$1" | sort
}
at_least "switches away from alpha and beta" 300 "$(lines "$tmp/all" | wc -l)"
lines "$tmp/all" 'cm == "alpha" && pr >= 25' > "$tmp/want"
at_least "of them of the nice alpha" 100 "$(wc -l < "$tmp/want")"
lines "$tmp/glob" > "$tmp/seen"
check "a glob and a number: exactly these" cmp "$tmp/want" "$tmp/seen"
same "and no other switch" "$(wc -l < "$tmp/want")" "$(grep -c ' sched_switch ' "$tmp/glob")"
lines "$tmp/all" '!(cm == "alpha" && pr >= 25)' > "$tmp/want"
lines "$tmp/rest" > "$tmp/seen"
check "negated: exactly the others" cmp "$tmp/want" "$tmp/seen"

execs() { grep -c " sched_process_exec .*filename=\"[^\"]*/$1\"" "$2"; }
same "programs executed, in all" "2 1" "$(execs alpha "$tmp/all") $(execs beta "$tmp/all")"
same "and where the path is asked for" "2 0" "$(execs alpha "$tmp/glob") $(execs beta "$tmp/glob")"
exits() { grep ' sched_process_exit .*comm="sh"' "$1" | sed 's/.* exit_code=//; s/ .*//' | sort -n | tr '\n' ' '; }
same "exit codes, in all" "0 256 512 1024 " "$(exits "$tmp/all")"
same "and with one of these bits" "256 512 " "$(exits "$tmp/rest")"
