#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the commands events and status, as text and as JSON
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events > "$tmp/events"
same "events: status" 0 $?
for e in '(^| )openat ' sched_switch sched_process_fork cgroup_attach_task; do has "events: $e" "$e" "$tmp/events"; done
ctrace events --json > "$tmp/json"
same "events: all of it parses" 0 "$(jq -R 'try (fromjson | empty) catch 1' "$tmp/json" | wc -l)"
ctrace events 'sched_*' > "$tmp/some"
has_not "events: a pattern chooses" syscall_entry "$tmp/some"
dump "$tmp/ev" -t host -e syscall:getpriority -e sched_switch -d 10000
ctrace status > "$tmp/status"
same "status: status" 0 $?
has "status: the session" 'evdump' "$tmp/status"
has "status: its probes" 'sched_switch' "$tmp/status"
same "status: as JSON" evdump "$(ctrace status --json | jq -r '.sessions[0].name')"
at_least "status: rings" 1 "$(ctrace status --json | jq '.rings | length')"
