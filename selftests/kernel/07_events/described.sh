#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: every event type describes itself, and every record fits its description
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -t all -e syscalls -e sched_switch -e sched_wakeup -e sched_process_fork -e sched_process_exec -e sched_process_exit -- \
	/bin/sh -c 'ls -l /usr/lib > /dev/null; provoke fork; provoke thread; provoke bad; cat /proc/self/status | wc; sleep 0.1' > "$tmp/ev" 2> "$tmp/err"
at_least "events" 1000 "$(grep -c cid= "$tmp/ev")"
at_least "kinds of events" 40 "$(cut -d' ' -f2 "$tmp/ev" | sort -u | wc -l)"
has_not "none undecodable, none unknown" 'undecodable|unknown-id' "$tmp/ev"
# How much later a record is printed than a younger one. A record that took long to write may come late.
awk '/cid=/ {if ($1 < last) print last - $1, $0; else last = $1}' "$tmp/ev" | sort -rn > "$tmp/late"
same "records printed after younger ones" 0 "$(wc -l < "$tmp/late")"
note "$(head -n 5 "$tmp/late")"
