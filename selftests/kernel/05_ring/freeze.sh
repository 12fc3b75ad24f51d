#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: an event freezes its container's rings: they keep what they have until they are thawed
# requires: any
# timeout: 300
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# of CASE: the program's lines, as this test's own
of() {
	local line
	frozen "$1" > "$tmp/$1.out" 2>&1 || not_ok "$1: ended with status $?"
	while read -r line; do
		case $line in
		'ok '* ) ok "$1: ${line#ok * }";;
		'not ok '*) not_ok "$1: ${line#not ok * }";;
		'# '*) echo "$line";;
		esac
	done < "$tmp/$1.out"
	grep -q '^ok ' "$tmp/$1.out" || not_ok "$1: it said nothing"
}

command -v frozen > /dev/null || skip "frozen was not built"
load
for case in load thaw span kprobe many crowded elsewhere dead other; do
	of "$case"
done

# The reader is killed while something is frozen: its session goes, and nothing holds the module.
frozen hold > "$tmp/hold" 2>&1 &
holder=$!
wait_for 60 grep -q '^frozen' "$tmp/hold" || give_up "nothing is frozen: $(cat "$tmp/hold")"
has "status says so" '^session [0-9]+: (1 container is|[0-9]+ containers are) frozen now' <(ctrace status)
kill -9 $holder
wait $holder 2> /dev/null
no_session() { ! nl_sessions | grep -q 'name frozen'; }
check "killed, its session goes" wait_for 20 no_session
check "and the module can be removed" unload
load

# --- the command ---------------------------------------------------------------

cheap web -g "/docker/$(hex64 web)" -- sh -c 'while :; do cat /etc/hostname /no/such/file; sleep 0.2; done'
short=$(hex64 web | cut -c1-12)
timeout 60 ctrace trace "$short" -e 'openat if filename ~ "/no/*" => freeze' -e sched_switch --duration 4 \
	> "$tmp/trace" 2> "$tmp/said"
has "trace says who froze, by what, and when" \
	'^ctrace: .*: frozen by openat\(\) at [0-9:]{8}\.[0-9]{6} \(thread [0-9]+\)$' "$tmp/said"
at_least "and thaws each time: freezes" 2 "$(grep -c 'frozen by openat' "$tmp/said")"
has "what was lost meanwhile is in the account" 'lost \(([0-9]+ [a-z]+, )*[0-9]+ frozen' "$tmp/said"
has "the record that asked is shown" 'openat\(.*"/no/such/file"' "$tmp/trace"
timeout 60 ctrace record -o "$tmp/rec" "$short" -e 'openat if ret < 0 => freeze' --duration 2 2> "$tmp/said"
has "record says it, too" 'frozen by openat\(\)' "$tmp/said"
refuse "a thing that cannot follow" "only 'freeze' can follow" ctrace trace "$short" -e 'openat => count()'
refuse "both in one item" "cannot freeze" ctrace trace "$short" -e 'openat => count(), freeze'
refuse "where events are counted" "cannot freeze" ctrace agg "$short" -e 'openat => freeze'
refuse "an event that is left out" "takes no '=> freeze'" ctrace trace "$short" -e 'openat,!close => freeze'
