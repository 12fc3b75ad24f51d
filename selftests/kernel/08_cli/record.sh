#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: babeltrace2 reads a recording, both while it is written and afterwards
# requires: babeltrace2
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -g "/box/$(hex64 record)" -- /bin/sh -c 'while :; do counted 77 5; cat /etc/passwd > /dev/null; sleep 0.5; done'
cid=$(of_pid "$pid" cid)
ctrace record -o "$tmp/t" "cid:$cid" -e syscalls,sched > "$tmp/out" 2> "$tmp/err" & job=$!
later "kill $job"
wait_for 20 bash -c "babeltrace2 $tmp/t 2> /dev/null | grep -q getpriority" || note "$(babeltrace2 "$tmp/t" 2>&1 | tail -n 3)"
babeltrace2 "$tmp/t" > "$tmp/while" 2> "$tmp/while.err"
same "babeltrace2 while: status" 0 $?
at_least "babeltrace2 while: events" 20 "$(wc -l < "$tmp/while")"
kill -INT $job
wait $job
same "record: status" 0 $?
babeltrace2 "$tmp/t" > "$tmp/after" 2> "$tmp/after.err"
same "babeltrace2 after: status" 0 $?
at_least "babeltrace2 after: no fewer" "$(wc -l < "$tmp/while")" "$(wc -l < "$tmp/after")"
same "no complaint" "" "$(grep -iE 'error|warn' "$tmp/after.err" | head -n 3)"
has "context: the container" "cid = $cid," "$tmp/after"
same "and nobody else's" "$cid" "$(grep -v statedump_ "$tmp/after" | grep -o ' cid = [0-9]*' | sort -u | tr -dc '0-9\n')"
has "payload: the path" 'syscall_entry_openat: .*filename = "/etc/passwd"' "$tmp/after"
has "payload: the marked call" 'syscall_entry_getpriority: .*who = 77' "$tmp/after"
babeltrace2 --component=source.ctf.fs --params="inputs=[\"$tmp/t\"]" --component=sink.text.details > "$tmp/details" 2> /dev/null
has "env: Trace Compass knows it for a kernel trace" 'domain: kernel' "$tmp/details"
has "env: layout of LTTng's" 'tracer_name: lttng-modules' "$tmp/details"
ctrace report "$tmp/t" > "$tmp/report" 2> "$tmp/report.err"
same "report: status" 0 $?
has "report: as trace shows it" 'openat\(AT_FDCWD, "/etc/passwd"' "$tmp/report"
refuse "a directory with something in it" 'force|exist|empty' ctrace record -o "$tmp/t" all --duration 0.1
