# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # tmp is of lib.sh
# on_disk.sh: checks what a recording left that ended before its time. Source it after lib.sh.

# on_disk DIR HOW: sets $found to the number of events that babeltrace2 reads, 0 if there is no trace yet. It
# is not ok if babeltrace2 or our own reader refuses the trace, or if the two see different events.
on_disk() {
	found=0
	[ -e "$1/metadata" ] && compgen -G "$1/*_*" > /dev/null || return 0
	# It prints running counts too; take the last one.
	if ! found=$(set -o pipefail; babeltrace2 "$1" --component=sink.utils.counter 2> "$tmp/bt" |
		sed -n 's/^ *\([0-9]*\) Event messages*.*/\1/p' | tail -n 1); then
		not_ok "$2: babeltrace2 does not read it: $(grep -m 1 . "$tmp/bt" | cut -c1-200)"
	elif ! ctrace report --state-dump "$1" > /dev/null 2> "$tmp/report" || ! grep -qE "^ctrace: ${found:=0} events?( |,)" "$tmp/report"; then
		not_ok "$2: babeltrace2 sees ${found:-none}, report: $(tail -n 1 "$tmp/report")"
	else
		return 0
	fi
	return 1
}
