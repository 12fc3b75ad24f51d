#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: each view refuses what it does not understand, by the same words; and shows nothing when there is nothing
# witness: each kind of mistake; containers that come and go all the time
# requires: any,torture
# kernels: 6.1
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# refuses PATTERN COMMAND...: prints what is wrong with the refusal, if anything: status 1 or 2, a sentence, and no output
refuses() {
	local pattern=$1 out st
	shift
	out=$("$@" 2>&1 > "$tmp/out") && st=0 || st=$?
	case $st in
	1 | 2) [ -s "$tmp/out" ] || ! grep -qiE -e "$pattern" <<< "$out" || return;;
	esac
	echo "$*: status $st, '$out'"
}
# tables are counted; lines are of events
tables='stats runqlat offcpu throttle profile bio files blame top'
! ctrace events 2> /dev/null | grep -q '^lock_contention ' || tables="$tables locks"
lines='tcp snoop_exec snoop_kill bio_--lines files_--slower_1ms'
for view in $tables $lines; do
	words=${view//_/ }
	# shellcheck disable=SC2086 # words
	{
		refuses 'unknown option' ctrace $words --no-such-option
		refuses 'needs a value' ctrace $words --duration
		refuses 'not a duration' ctrace $words --duration soon
		refuses "no container 'no-such'" ctrace $words no-such --duration 1
		refuses 'expected|column' ctrace $words --filter "\$comm ==" --duration 1
		case " $tables " in *" $view "*)
			refuses 'not a duration' ctrace $words --interval 0 --duration 1
			refuses 'needs a number' ctrace $words --count none
			refuses 'needs a number' ctrace $words --top -1
			refuses "no-such" ctrace $words --sort no-such --duration 1
			refuses 'cannot read|does not go with' ctrace $words --input /nowhere
		esac
	} > "$tmp/wrong"
	if [ -s "$tmp/wrong" ]; then not_ok "$words"; note "$(cat "$tmp/wrong")"; else ok "$words refuses"; fi
done
# a column counts in a text that is shown
refuse "a field that is not there" "aggregate 'count\\(\\).* user_stack', column [0-9]+: no field 'user_stack'" \
	ctrace stats all --by user_stack --duration 1
refuse "a probe inside a program" "'uprobe:/bin/sh:main' is inside a program" ctrace trace all -e uprobe:/bin/sh:main --duration 1
# nothing happens: a heading at most, and an account of nothing
for view in $tables $lines; do
	words=${view//_/ }
	case $view in
	top | throttle) continue;;	# they show who does nothing, too
	esac
	# shellcheck disable=SC2086 # words
	ctrace $words all --comm nobody-at-all --duration 0.1 > "$tmp/out" 2> "$tmp/err"
	st=$?
	if [ $st = 0 ] && [ "$(wc -l < "$tmp/out")" -le 1 ] && grep -qE '^ctrace: 0 events' "$tmp/err"; then
		ok "$words: nothing"
	else
		not_ok "$words: status $st"
		note "$(cat "$tmp/out" "$tmp/err")"
	fi
done
