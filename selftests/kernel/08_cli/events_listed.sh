#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: every event of the module is listed with its fields, and so is every other tracepoint
# witness: tracefs; the module's own description
# requires: any
# kernels: 5.10,6.1,6.12,newest
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
tracefs_mount
ctrace events > "$tmp/events"
same "events: status" 0 $?
for e in sched_switch irq_handler_entry block_rq_issue inet_sock_set_state page_fault_user signal_generate \
	cpu_sample lttng_statedump_process_state; do has "listed: $e" "^$e +[a-z]+ +.*[a-z_]+:[suxc]" "$tmp/events"; done
has "a system call once, with its arguments" '^openat +syscalls +.*filename:string' "$tmp/events"
same "and not once more" 1 "$(grep -c '^openat ' "$tmp/events")"
same "groups stand together" "" "$(awk 'NR > 1 {print $2}' "$tmp/events" | uniq | sort | uniq -d)"
ctrace events -v sched:sched_switch > "$tmp/verbose"
has "-v: the tracepoint" '^sched:sched_switch +tracepoint sched_switch$' "$tmp/verbose"
ctrace events -v 'sched:sched_wait' exceptions:page_fault > "$tmp/spans"
has "-v: the kernel's name of a span's tracepoint" '^sched:sched_wait +tracepoint sched_switch$' "$tmp/spans"
has "-v: a function, where there is no tracepoint" '^[a-z]+:page_fault +function handle_mm_fault\(\)$' "$tmp/spans"
has "-v: a field a line" '^ +prev_comm:char\[16\]$' "$tmp/verbose"
same "a class of calls" "" "$(ctrace events %network | awk 'NR > 1 {print $1}' | grep -vE 'accept|bind|connect|get|listen|recv|send|set|shutdown|socket|putpmsg')"
ctrace events -a > "$tmp/all"
grep -oE '^[a-z_0-9]+:[A-Za-z_0-9]+' "$tmp/all" | grep -v '^raw:' | tr : / | sort > "$tmp/raw"
at_least "other tracepoints" 200 "$(wc -l < "$tmp/raw")"
same "which tracefs knows" "" "$(while read -r e; do [ -d "$tracefs/events/$e" ] || echo "$e"; done < "$tmp/raw")"
has_not "typed ones not once more" '^sched:sched_switch ' "$tmp/all"
has "a pattern of them" '^kmem:kmalloc' <(ctrace events 'kmem:kmalloc*')
refuse "nothing of that name" "no event matches 'no_such" ctrace events 'no_such*'
same "JSON: all of it parses" 0 "$(ctrace events -a --json | jq -R 'try (fromjson | empty) catch 1' | wc -l)"
