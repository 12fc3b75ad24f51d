#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the list of tracepoints has each entry of the kernel's own list once, and needs the right to trace
# witness: tracefs available_events; nobody
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
witness sched/sched_switch
tplist | sort > "$tmp/names"
at_least "many" 300 "$(wc -l < "$tmp/names")"
same "none twice" "" "$(uniq -d "$tmp/names" | head -n 3)"
# Not made from tracepoints: the events of system calls, of the tracer itself, and of kprobes.
sed -n 's/^\(.*\):\(.*\)$/\1 \2/p' $tracefs/available_events | awk '$1 != "syscalls" && $1 != "ftrace" && $1 != "kprobes" {print $2}' | sort -u > "$tmp/events"
comm -13 "$tmp/names" "$tmp/events" > "$tmp/missing"
# A few events have another name than their tracepoint.
if [ "$(wc -l < "$tmp/missing")" -le $(($(wc -l < "$tmp/events") / 50)) ]; then ok "the kernel's events: all but $(wc -l < "$tmp/missing") of $(wc -l < "$tmp/events")"
else not_ok "of $(wc -l < "$tmp/events") events $(wc -l < "$tmp/missing") are missing: $(head -n 5 "$tmp/missing" | tr '\n' ' ')"; fi
refuse "not for every user" "CAP_SYS_ADMIN" setpriv --reuid 65534 --clear-groups --inh-caps=-all tplist
# the tracepoint behind a curated event
check "a curated event's source can be had raw" evdump -e raw:softirq_entry -e irq_softirq_entry -- true
