#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a kprobe disappears with its session
# witness: kill -9 under load, then refcount, /proc/vmallocinfo, kprobe list, rmmod
# requires: any
# timeout: 60
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
list=/sys/kernel/debug/kprobes/list
[ -r $list ] || skip "no list of kprobes"
before=$(wc -l < $list)
dump "$tmp/ev" -t all -e kprobe:do_exit -d 10000
same "one more kprobe" $((before + 1)) "$(wc -l < $list)"
kill -9 $dumping
wait $dumping 2> /dev/null
wait_for 10 bash -c "[ \$(wc -l < $list) = $before ]"
same "and none after kill -9" "$before" "$(wc -l < $list)"
