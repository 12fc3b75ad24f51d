#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: after kill -9 of a running ctrace trace its probes and rings are gone, and rmmod works
# witness: kill -9 under load, then refcount, /proc/vmallocinfo, kprobe list, rmmod
# requires: any
# timeout: 120
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
counted 0 1000000000 & later "kill $!; wait $!"
before=$(vmalloc_kb)
for _ in 1 2 3; do
	ctrace trace all -e syscalls,sched > /dev/null 2> "$tmp/err" & job=$!
	wait_for 20 bash -c "nl_sessions | grep -q \"events [1-9]\"" || give_up "ctrace trace did not start: $(cat "$tmp/err")"
	sleep 0.3
	kill -9 $job
	wait $job 2> /dev/null
done
wait_for 10 grep -qx 0 /sys/module/ctrace/refcnt
check "no session is left" bash -c '! nl_sessions | grep -q session'
# The identity code's own pools may take a page or two, and stay as long as the module does.
after=$(vmalloc_kb)
check "the arenas are gone: $before kB before, $after kB after" test "$after" -le $((before + 64))
check "rmmod" unload
check "no probe is left" bash -c '! grep -q ctrace /sys/kernel/debug/kprobes/list'
