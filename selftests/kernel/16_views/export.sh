#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace export: a container's events in each form, counted against report; by trace-cmd, if it is installed
# witness: a reader of protobuf by the field numbers of perfetto_trace.proto; json-c; trace-cmd report,
#	where it is installed
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
waking=sched_waking
kernel_before 4.3 && waking=sched_wakeup
ctrace record -o "$tmp/t" -e "calls,sched_switch,$waking,sched_process_exec" -- ctbox -n box -- counted 5 200 > "$tmp/out" 2> "$tmp/err"
note "$(cat "$tmp/err")"
ctrace report --json "$tmp/t" > "$tmp/events" 2> /dev/null
ctrace export --chrome "$tmp/json" "$tmp/t" 2> "$tmp/err"
same "chrome: status" 0 $?
has "the account" ' events, .* bytes, 0 lost$' "$tmp/err"
calls() { jq -r 'select(.syscall) | .syscall' "$tmp/events" | sort | uniq -c; }
calls > "$tmp/a"
jq -r '.traceEvents[] | select(.cat == "syscalls") | .name' "$tmp/json" | sort | uniq -c > "$tmp/b"
at_least "different calls" 5 "$(wc -l < "$tmp/a")"
check "chrome: as many of each call" diff "$tmp/a" "$tmp/b"
ran=$(jq '[.traceEvents[] | select(.cat == "cpu" and .args.tid > 0) | .dur] | add * 1000 | round' "$tmp/json")
at_least "chrome: somebody ran, in ns" 1000000 "$ran"
ctrace export --perfetto "$tmp/pf" "$tmp/t" 2> "$tmp/err"
same "perfetto: status" 0 $?
check "perfetto: container and program" grep -qa ' · counted' "$tmp/pf"
same "perfetto: through a pipe" "$(sha256sum < "$tmp/pf")" "$(ctrace export --perfetto - "$tmp/t" 2> /dev/null | sha256sum)"
# straight from the events, with what viewers need, or beside the recording
ctrace record --perfetto "$tmp/live" -- counted 5 200 > "$tmp/out" 2> "$tmp/err"
same "record --perfetto: status, and nothing but the file" "0 live" "$? $(basename -a "$tmp"/live*)"
check "it has switches and a program" grep -qa 'counted' "$tmp/live"
has "the account of the recording" ' events? in .* streams?, ' "$tmp/err"
has "and of the file" "$tmp/live: [0-9]+ events, .* bytes, 0 lost\$" "$tmp/err"
ctrace record -o "$tmp/both" --perfetto "$tmp/live" -e calls -- counted 5 200 > "$tmp/out" 2> "$tmp/err"
same "with -o the recording stays, and exports to the same" "$(sha256sum < "$tmp/live")" \
	"$(ctrace export --perfetto - "$tmp/both" 2> /dev/null | sha256sum)"
refuse "no file to write" 'Is a directory' ctrace record --perfetto "$tmp" -- touch "$tmp/ran"
check "and the command has not run" test ! -e "$tmp/ran"
ctrace record --perfetto "$tmp/fails" -e no_such_event -- true > "$tmp/out" 2>&1
same "nor is anything left if there is nothing to record" "" "$(ls -d "$tmp"/fails* 2> /dev/null)"
ctrace export --trace-dat "$tmp/dat" "$tmp/t" 2> "$tmp/err"
same "trace.dat: status" 0 $?
if command -v trace-cmd > /dev/null; then
	jq -r .event "$tmp/events" | sort | uniq -c > "$tmp/a"
	trace-cmd report "$tmp/dat" 2> "$tmp/err" | sed -n 's/^.*\] *[0-9.]*: \([a-z_0-9]*\): .*/\1/p' | sort | uniq -c > "$tmp/b"
	check "trace-cmd: as many of each event" diff "$tmp/a" "$tmp/b"
fi
refuse "a container that is not there" 'no-such' ctrace export --perfetto "$tmp/x" "$tmp/t" no-such
check "and no file" test ! -e "$tmp/x"
refuse "no form" 'needs a form' ctrace export "$tmp/t"
refuse "two forms" 'choose one' ctrace export --chrome "$tmp/x" --perfetto "$tmp/x" "$tmp/t"
refuse "no recording" 'not a trace' ctrace export --chrome "$tmp/x" /etc
ctrace report --html "$tmp/page" "$tmp/t" 2> "$tmp/err"
same "page: status" 0 $?
page_json() { sed -n 's|^<script type="application/json" id="data">\(.*\)</script>$|\1|p' "$1"; }
same "page: as many calls, of all containers" "$(jq -s 'map(select(.syscall)) | length' "$tmp/events")" \
	"$(page_json "$tmp/page" | jq '[.containers[].series.calls // [] | .[] | select(. > 0)] | add')"
refuse "a page and a summary" 'leave out' ctrace report --html "$tmp/x" --summary "$tmp/t"
ctrace hist duration -e calls --heat --interval 1 -i "$tmp/t" > "$tmp/out" 2> "$tmp/err"
same "heat: as many calls" "$(jq -s 'map(select(.syscall)) | length' "$tmp/events")" "$(awk 'NR > 1 {n += $NF} END {print n}' "$tmp/out")"
