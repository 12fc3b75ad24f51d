#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a task that waits in the module can be interrupted and killed at any moment: it ends soon and leaves nothing
# witness: signals at random moments to tasks that read, dump, wait, load
# requires: any,torture
# timeout: 120
# torture: 400
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v signalled > /dev/null || skip "signalled was not built"
load
list=/sys/kernel/debug/kprobes/list
kprobes() { cat $list 2> /dev/null | wc -l; }
seed=${CTRACE_TEST_SEED:-$RANDOM$RANDOM}
# told NAME COMMAND...: reports the results of a program as ours
told() {
	local line st what=$1
	shift
	"$@" > "$tmp/out" 2>&1
	st=$?
	while read -r line; do
		case $line in
		'ok '*) ok "$what: ${line#ok * }";;
		'not ok '*) not_ok "$what: ${line#not ok * }";;
		'# '*) note "${line#\# }";;
		esac
	done < "$tmp/out"
	[ $st = 0 ] || [ $failed -gt 0 ] || not_ok "$what ended with status $st: $(tail -n 1 "$tmp/out")"
}

signalled 1 '' 1 > /dev/null	# what is made once and stays
wait_for 20 bash -c '! nl_sessions | grep -q session'
before=$(vmalloc_kb) probes=$(kprobes)
told "statedump" signalled statedump
told "users" signalled "$(long 5 200)" '' "$seed"
wait_for 30 bash -c '! nl_sessions | grep -q session'
same "no session is left" "" "$(nl_sessions)"
wait_for 10 grep -qx 0 /sys/module/ctrace/refcnt
same "references to the module" 0 "$(cat /sys/module/ctrace/refcnt)"
same "kprobes" "$probes" "$(kprobes)"
after=$(vmalloc_kb)
check "memory: $before kB before, $after kB after" test "$after" -le $((before + 64))
dump "$tmp/ev" -t host -e syscall:getpriority -d 10000
counted 9 50
stop_dump
same "it records as before" 50 "$(grep -c 'entry_getpriority.*who=9' "$tmp/ev")"

check "it unloads" unload
told "loading and unloading" signalled "$(long 3 100)" "$module" "$seed"
load
check "and unloads again" unload
