# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # tmp is of lib.sh
# on_disk.sh: what a recording that ended before its time has left. Source it after lib.sh.

# on_disk DIR HOW: the events that babeltrace2 finds there in $found, none where there is no trace yet; not_ok
# if it refuses the trace, or our own reader does or sees others
on_disk() {
	found=0
	[ -e "$1/metadata" ] && compgen -G "$1/*_*" > /dev/null || return 0
	# it tells how many there are as it goes, too
	if ! found=$(set -o pipefail; babeltrace2 "$1" --component=sink.utils.counter 2> "$tmp/bt" |
		sed -n 's/^ *\([0-9]*\) Event messages*.*/\1/p' | tail -n 1); then
		not_ok "$2: babeltrace2 does not read it: $(grep -m 1 . "$tmp/bt" | cut -c1-200)"
	elif ! ctrace report "$1" > /dev/null 2> "$tmp/report" || ! grep -qE "^ctrace: ${found:=0} events?( |,)" "$tmp/report"; then
		not_ok "$2: babeltrace2 sees ${found:-none}, report: $(tail -n 1 "$tmp/report")"
	else
		return 0
	fi
	return 1
}
