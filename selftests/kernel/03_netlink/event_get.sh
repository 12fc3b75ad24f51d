#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a user without privileges may ask for one event type, but not for a list, which could keep the module loaded
# witness: nobody's list is refused; nobody's library finds all that root's does; rmmod beside its unread
#	request
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v event_get > /dev/null || skip "event_get was not built"
load
event_get > "$tmp/out" || not_ok "event_get ended with status $?"
while read -r line; do
	case $line in
	'ok '*) ok "${line#ok * }";;
	'not ok '*) not_ok "${line#not ok * }";;
	'# '*) note "${line#\# }";;
	esac
done < "$tmp/out"

event_get unread > "$tmp/asked" & later "kill $!; wait $!"
wait_for 5 grep -q asked "$tmp/asked"
check "the module goes, though nobody has asked for the list and does not read it" rmmod ctrace
